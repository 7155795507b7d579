// Broadcasts of every size around the thresholds, from every root, of several datatypes, under
// every algorithm between nodes: the right bytes arrive, nothing else is written, and the runtime
// really handled the calls.
#include <algorithm>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "tests/actor/collectives/message.h"
#include "tests/actor/collectives/mpi_check.h"

namespace {

using mpiactor::testing::hybrid_calls;

int rank, ranks;

// Bytes of `count` elements as MPI sees them: (offset in memory) of each packed byte, in order.
struct Layout {
  std::string name;
  MPI_Datatype type;
  std::size_t memory_bytes;               // of one element, its extent
  std::vector<std::size_t> packed_order;  // offset of packed byte k of an element
  std::size_t before;                     // bytes of memory before the buffer's address
};

Layout contiguous_bytes() { return {"bytes", MPI_BYTE, 1, {0}, 0}; }

Layout doubles() {
  Layout layout{"doubles", MPI_DOUBLE, 8, {}, 0};
  for (std::size_t k = 0; k < 8; ++k) layout.packed_order.push_back(k);
  return layout;
}

Layout vector_with_gaps() {
  Layout layout{"vector", MPI_DATATYPE_NULL, 7 * 4, {}, 0};
  MPI_Type_vector(3, 2, 3, MPI_INT, &layout.type);  // 2 of every 3 ints, the last gap left out
  layout.memory_bytes = 8 * 4;
  for (std::size_t block = 0; block < 3; ++block) {
    for (std::size_t k = 0; k < 8; ++k) layout.packed_order.push_back(block * 12 + k);
  }
  MPI_Type_commit(&layout.type);
  return layout;
}

Layout resized_struct() {
  Layout layout{"struct", MPI_DATATYPE_NULL, 40, {}, 0};
  const int lengths[3] = {1, 3, 1};
  const MPI_Aint offsets[3] = {24, 0, 16};  // packed in another order than in memory
  const MPI_Datatype types[3] = {MPI_DOUBLE, MPI_CHAR, MPI_INT};
  MPI_Datatype raw;
  MPI_Type_create_struct(3, lengths, offsets, types, &raw);
  MPI_Type_create_resized(raw, 0, 40, &layout.type);
  MPI_Type_free(&raw);
  for (std::size_t k = 0; k < 8; ++k) layout.packed_order.push_back(24 + k);
  for (std::size_t k = 0; k < 3; ++k) layout.packed_order.push_back(k);
  for (std::size_t k = 0; k < 4; ++k) layout.packed_order.push_back(16 + k);
  MPI_Type_commit(&layout.type);
  return layout;
}

Layout negative_lower_bound() {
  Layout layout{"negative lower bound", MPI_DATATYPE_NULL, 12, {}, 4};
  const int lengths[2] = {1, 1};
  const MPI_Aint offsets[2] = {-4, 4};
  const MPI_Datatype types[2] = {MPI_INT, MPI_INT};
  MPI_Type_create_struct(2, lengths, offsets, types, &layout.type);
  for (std::size_t k = 0; k < 4; ++k) layout.packed_order.push_back(0 + k);
  for (std::size_t k = 0; k < 4; ++k) layout.packed_order.push_back(8 + k);
  MPI_Type_commit(&layout.type);
  return layout;
}

void broadcast_and_compare(const Layout& layout, std::size_t elements, int root,
                           std::uint64_t call) {
  constexpr std::uint8_t kUntouched = 0xa5;
  constexpr std::size_t kMargin = 64;
  std::vector<std::uint8_t> memory(elements * layout.memory_bytes + 2 * kMargin, kUntouched);
  std::vector<std::uint8_t> expected = memory;
  const auto packed = mpiactor::testing::Message(call).first(elements * layout.packed_order.size());
  if (layout.packed_order.size() == layout.memory_bytes) {  // no gaps, in order
    std::ranges::copy(packed, expected.begin() + kMargin);
  } else {
    auto next = packed.begin();
    for (std::size_t e = 0; e < elements; ++e) {
      for (const std::size_t offset : layout.packed_order) {
        expected[kMargin + e * layout.memory_bytes + offset] = *next++;
      }
    }
  }
  if (rank == root) memory = expected;
  const int error = MPI_Bcast(memory.data() + kMargin + layout.before, static_cast<int>(elements),
                              layout.type, root, MPI_COMM_WORLD);
  CHECK_EQUAL(error, MPI_SUCCESS, "");
  if (memory == expected) return;
  const auto wrong =
      std::mismatch(memory.begin(), memory.end(), expected.begin()).first - memory.begin();
  mpiactor::testing::fail(__FILE__, __LINE__,
                          layout.name + " x " + std::to_string(elements) + " from " +
                              std::to_string(root) + ": byte " + std::to_string(wrong) + " of " +
                              std::to_string(memory.size()));
}

// Returns how many calls there were so far, this time and before.
std::uint64_t run(std::mt19937_64& random, std::uint64_t call) {
  // Around the inline, push, segment, held and ring limits.
  const std::vector<std::size_t> sizes = {0,       1,
                                          7,       24,
                                          1023,    1024,
                                          2047,    2048,
                                          2049,    4096,
                                          8191,    12288,
                                          32768,   32769,
                                          65536,   65537,
                                          131071,  300000,
                                          1 << 20, (1 << 20) + 1,
                                          2 << 20, (2 << 20) + 1,
                                          5000001};
  for (const std::size_t size : sizes) {
    const int roots = size > 300000 ? 2 : ranks;
    for (int i = 0; i < roots; ++i) {
      const int root =
          roots == ranks ? i : static_cast<int>(random() % static_cast<unsigned>(ranks));
      broadcast_and_compare(contiguous_bytes(), size, root, ++call);
    }
  }
  for (Layout& layout : std::vector<Layout>{doubles(), vector_with_gaps(), resized_struct(),
                                            negative_lower_bound()}) {
    for (const std::size_t elements : {1u, 3u, 85u, 86u, 1000u, 7000u, 150000u}) {
      const int root = static_cast<int>(random() % static_cast<unsigned>(ranks));
      broadcast_and_compare(layout, elements, root, ++call);
    }
    if (layout.type != MPI_DOUBLE) MPI_Type_free(&layout.type);
  }
  return call;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::mt19937_64 random(mpiactor::testing::agreed_seed());
  std::uint64_t call = 0;
  mpiactor::testing::under_each_leader([&] { call = run(random, call); });
  if (ranks > 1 && argc > 1 && std::string(argv[1]) == "--expect-hybrid") {
    CHECK(hybrid_calls() > static_cast<long>(call) / 2,
          "only " + std::to_string(hybrid_calls()) + " hybrid calls");
  }
  MPI_Finalize();
  return 0;
}
