// Every predefined operation on every predefined type against PMPI_Reduce_local, byte for byte.
#include "actor/reduction/reduction.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <string>

#include "tests/actor/reduction/operands.h"

namespace mpiactor {
namespace {

using reduction::CombineKernel;
using reduction::InstructionSet;
using testing::OperationCase;
using testing::TypeCase;
using testing::Values;

using Bytes = std::vector<std::byte>;

// MPI does not define these; MPICH's checks let them pass, but then it aborts or does nothing.
bool is_logical_on_real(MPI_Op op, const TypeCase& type) {
  const bool logical = op == MPI_LAND || op == MPI_LOR || op == MPI_LXOR;
  return logical && (type.values == Values::kFloat || type.values == Values::kDouble ||
                     type.values == Values::kLongDouble);
}

// Operands, and what PMPI_Reduce_local makes of them.
struct Sample {
  Sample(const TypeCase& type, MPI_Op op, std::size_t count, std::mt19937_64& random)
      : elements(count), a(count * testing::extent_bytes(type.handle)), b(a.size()) {
    testing::fill(type, a.data(), count, random);
    testing::fill(type, b.data(), count, random);
    result = b;
    EXPECT_EQ(PMPI_Reduce_local(a.data(), result.data(), static_cast<int>(count), type.handle, op),
              MPI_SUCCESS);
  }
  std::size_t elements;
  Bytes a;
  Bytes b;
  Bytes result;
};

// Says which element differs, and from what operands it came.
void expect_same(const TypeCase& type, const std::byte* got, const Sample& sample,
                 const std::string& context) {
  const Bytes expected = testing::significant(type, sample.result.data(), sample.elements);
  const Bytes found = testing::significant(type, got, sample.elements);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (expected[i] == found[i]) continue;
    const std::size_t extent = testing::extent_bytes(type.handle);
    const std::size_t element = i / extent * extent;
    std::string text;
    for (const std::byte* bytes : {sample.a.data(), sample.b.data(), sample.result.data(), got}) {
      for (std::size_t j = 0; j < extent; ++j) {
        char hex[4];
        std::snprintf(hex, sizeof hex, "%02x", static_cast<unsigned>(bytes[element + j]));
        text += hex;
      }
      text += ' ';
    }
    FAIL() << context << ": element " << i / extent << " of " << sample.elements
           << "; a, b, expected, got: " << text << "seed " << testing::seed();
  }
}

template <typename F>
void for_every_pair(F&& f) {
  std::mt19937_64 random(testing::seed());
  for (const TypeCase& type : testing::type_cases()) {
    for (const OperationCase& op : testing::operation_cases()) {
      const auto found = Reduction::find(op.handle, type.handle);
      if (found) f(type, op, *found, random, std::string(op.name) + " on " + type.name);
    }
  }
}

TEST(Reduction, IsFoundWhereTheLibraryAllowsTheOperation) {
  int found = 0;
  for (const TypeCase& type : testing::type_cases()) {
    if (type.handle == MPI_REAL16) continue;  // left to the library, see the next test
    for (const OperationCase& op : testing::operation_cases()) {
      if (is_logical_on_real(op.handle, type)) {
        EXPECT_FALSE(Reduction::find(op.handle, type.handle)) << op.name << " on " << type.name;
        continue;
      }
      alignas(16) std::byte a[32] = {};
      alignas(16) std::byte b[32] = {};
      const bool allowed = PMPI_Reduce_local(a, b, 1, type.handle, op.handle) == MPI_SUCCESS;
      const bool is_found = Reduction::find(op.handle, type.handle).has_value();
#ifdef OPEN_MPI  // whose MPI_Reduce_local takes more than its collectives do
      EXPECT_LE(is_found, allowed) << op.name << " on " << type.name;
#else
      EXPECT_EQ(is_found, allowed) << op.name << " on " << type.name;
#endif
      found += allowed;
    }
  }
  EXPECT_GT(found, 300);
}

#ifndef OPEN_MPI  // whose handles are addresses
TEST(Reduction, IsNotFoundForOtherHandles) {
  MPI_Datatype derived;
  MPI_Type_contiguous(2, MPI_INT, &derived);
  MPI_Type_commit(&derived);
  const auto other = [](unsigned word) { return static_cast<int>(word); };
  const std::vector<MPI_Datatype> types = {derived,
                                           MPI_DATATYPE_NULL,
                                           0,
                                           -1,
                                           MPI_REAL16,
                                           other(0x4c000000),
                                           other(0x4c000805),
                                           other(0x4c0004ff),
                                           other(0x8c000005),
                                           other(0x8c123456),
                                           MPI_OP_NULL,
                                           MPI_SUM};
  for (const MPI_Datatype type : types) EXPECT_FALSE(Reduction::find(MPI_SUM, type)) << type;
  const std::vector<MPI_Op> ops = {MPI_OP_NULL,
                                   MPI_REPLACE,
                                   MPI_NO_OP,
                                   0,
                                   -1,
                                   MPI_INT,
                                   other(0x58000000),
                                   other(0x58001001),
                                   other(0x5800000f),
                                   other(0x98000010),
                                   other(0x9bffffff),
                                   MPI_COMM_WORLD};
  for (const MPI_Op op : ops) EXPECT_FALSE(Reduction::find(op, MPI_INT)) << op;
  MPI_Type_free(&derived);
}
#endif

TEST(Reduction, EqualsTheLibrary) {
  for_every_pair([](const TypeCase& type, const OperationCase& op, const Reduction& reduction,
                    std::mt19937_64& random, const std::string& context) {
    EXPECT_EQ(reduction.element_bytes(), testing::extent_bytes(type.handle)) << context;
    for (const std::size_t elements : {0, 1, 2, 3, 7, 16, 33, 127, 1000}) {
      const Sample sample(type, op.handle, elements, random);
      Bytes out(sample.a.size());
      reduction.combine(sample.a.data(), sample.b.data(), out.data(), elements);
      expect_same(type, out.data(), sample, context);
    }
  });
}

TEST(Reduction, WritesOverEitherOperand) {
  for_every_pair([](const TypeCase& type, const OperationCase& op, const Reduction& reduction,
                    std::mt19937_64& random, const std::string& context) {
    const Sample sample(type, op.handle, 301, random);
    Bytes left = sample.a;
    reduction.combine(left.data(), sample.b.data(), left.data(), sample.elements);
    expect_same(type, left.data(), sample, context + ", over a");
    Bytes right = sample.b;
    reduction.combine(sample.a.data(), right.data(), right.data(), sample.elements);
    expect_same(type, right.data(), sample, context + ", over b");
    Bytes alone = sample.a;
    Bytes twice = sample.a;
    PMPI_Reduce_local(sample.a.data(), twice.data(), static_cast<int>(sample.elements), type.handle,
                      op.handle);
    reduction.combine(alone.data(), alone.data(), alone.data(), sample.elements);
    EXPECT_EQ(testing::significant(type, alone.data(), sample.elements),
              testing::significant(type, twice.data(), sample.elements))
        << context << ", all three the same, seed " << testing::seed();
  });
}

TEST(Reduction, DoesNotDependOnSplitOrAlignment) {
  for_every_pair([](const TypeCase& type, const OperationCase& op, const Reduction& reduction,
                    std::mt19937_64& random, const std::string& context) {
    const Sample sample(type, op.handle, 500, random);
    const std::size_t extent = reduction.element_bytes();
    for (int round = 0; round < 4; ++round) {
      Bytes a(sample.a.size() + 64), b(a.size()), out(a.size(), std::byte{0xa5});
      const std::size_t at_a = random() % 64, at_b = random() % 64, at_out = random() % 64;
      std::memcpy(a.data() + at_a, sample.a.data(), sample.a.size());
      std::memcpy(b.data() + at_b, sample.b.data(), sample.b.size());
      for (std::size_t done = 0; done < sample.elements;) {
        const std::size_t part = std::min<std::size_t>(random() % 90, sample.elements - done);
        reduction.combine(a.data() + at_a + done * extent, b.data() + at_b + done * extent,
                          out.data() + at_out + done * extent, part);
        done += part;
      }
      expect_same(type, out.data() + at_out, sample, context);
      for (std::size_t i = 0; i < out.size(); ++i) {
        const bool inside = i >= at_out && i < at_out + sample.result.size();
        ASSERT_TRUE(inside || out[i] == std::byte{0xa5}) << context << " wrote outside at " << i;
      }
    }
  });
}

TEST(Reduction, LeavesGapsAlone) {
  std::set<MPI_Datatype> with_gaps;
  for_every_pair([&](const TypeCase& type, const OperationCase& op, const Reduction& reduction,
                     std::mt19937_64& random, const std::string& context) {
    int bytes = 0;
    MPI_Type_size(type.handle, &bytes);
    EXPECT_EQ(reduction.has_gaps(), static_cast<std::size_t>(bytes) < reduction.element_bytes());
    Sample sample(type, op.handle, 61, random);
    Bytes copied(sample.a.size(), std::byte{0x5a});
    reduction.copy(sample.a.data(), copied.data(), sample.elements);
    EXPECT_EQ(testing::significant(type, copied.data(), sample.elements),
              testing::significant(type, sample.a.data(), sample.elements))
        << context;
    if (!reduction.has_gaps()) return;
    with_gaps.insert(type.handle);
    Bytes combined(sample.a.size(), std::byte{0x5a});
    reduction.combine(sample.a.data(), sample.b.data(), combined.data(), sample.elements);
    // What the library's copy of the type leaves, ours leaves.
    Bytes reference(sample.a.size(), std::byte{0x5a});
    PMPI_Sendrecv(sample.a.data(), static_cast<int>(sample.elements), type.handle, 0, 0,
                  reference.data(), static_cast<int>(sample.elements), type.handle, 0, 0,
                  MPI_COMM_SELF, MPI_STATUS_IGNORE);
    EXPECT_EQ(copied, reference) << context;
    const Bytes kept = testing::significant(type, Bytes(sample.a.size(), std::byte{1}).data(), 61);
    for (std::size_t i = 0; i < kept.size(); ++i) {
      ASSERT_TRUE(kept[i] != std::byte{0} || combined[i] == std::byte{0x5a})
          << context << " wrote into a gap at " << i;
    }
  });
  EXPECT_EQ(with_gaps, (std::set<MPI_Datatype>{MPI_DOUBLE_INT, MPI_LONG_INT, MPI_SHORT_INT,
                                               MPI_LONG_DOUBLE_INT}));
}

// The kernel of another instruction set in the same place of its table; null where there is none.
CombineKernel same_kernel(CombineKernel kernel, InstructionSet set) {
  const reduction::KernelTable* other = reduction::kernels_for(set);
  if (other == nullptr) return nullptr;
  for (std::size_t element = 0; element < reduction::kElements; ++element) {
    for (std::size_t op = 0; op < reduction::kOperations; ++op) {
      if (reduction::best_kernels().combine[element][op] == kernel)
        return other->combine[element][op];
    }
  }
  return nullptr;
}

// What another machine of the job may run gives the same bytes.
TEST(Reduction, InstructionSetsAgree) {
  int compared = 0;
  for_every_pair([&](const TypeCase& type, const OperationCase& op, const Reduction& chosen,
                     std::mt19937_64& random, const std::string& context) {
    const Sample sample(type, op.handle, 777, random);
    for (const InstructionSet set :
         {InstructionSet::kBaseline, InstructionSet::kAvx2, InstructionSet::kAvx512}) {
      const CombineKernel kernel = same_kernel(chosen.kernel(), set);
      if (kernel == nullptr) continue;
      Bytes out(sample.a.size());
      kernel(sample.a.data(), sample.b.data(), out.data(), sample.elements);
      expect_same(type, out.data(), sample,
                  context + ", instruction set " + std::to_string(static_cast<int>(set)));
      ++compared;
    }
  });
  EXPECT_GT(compared, 300);
}

}  // namespace
}  // namespace mpiactor
