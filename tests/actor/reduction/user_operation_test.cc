// User-defined operations: which are taken, and that operands keep their order.
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <vector>

#include "actor/reduction/reduction.h"
#include "tests/actor/reduction/operands.h"

namespace mpiactor {
namespace {

using Bytes = std::vector<std::byte>;

// Commutative as a user may claim it, though the bytes tell `a` from `b`: 2 a + 3 b.
void weighted(void* in, void* in_out, int* elements, MPI_Datatype* type) {
  ASSERT_EQ(*type, MPI_INT);
  const int* a = static_cast<const int*>(in);
  int* b = static_cast<int*>(in_out);
  for (int i = 0; i < *elements; ++i) b[i] = 2 * a[i] + 3 * b[i];
}

// Larger value, sum of locations.
void add_locations(void* in, void* in_out, int* elements, MPI_Datatype* type) {
  ASSERT_EQ(*type, MPI_DOUBLE_INT);
  struct Pair {
    double value;
    int location;
  };
  const Pair* a = static_cast<const Pair*>(in);
  Pair* b = static_cast<Pair*>(in_out);
  for (int i = 0; i < *elements; ++i) {
    b[i].value = a[i].value > b[i].value ? a[i].value : b[i].value;
    b[i].location += a[i].location;
  }
}

class UserOperation : public ::testing::Test {
 protected:
  MPI_Op create(MPI_User_function* function, int commutative) {
    MPI_Op op = MPI_OP_NULL;
    MPI_Op_create(function, commutative, &op);
    created_.push_back(op);
    return op;
  }
  void TearDown() override {
    for (MPI_Op& op : created_) MPI_Op_free(&op);
  }

 private:
  std::vector<MPI_Op> created_;
};

TEST_F(UserOperation, OnlyCommutativeOnesOnPredefinedTypes) {
  const MPI_Op commutative = create(weighted, 1);
  const MPI_Op other = create(weighted, 0);
  EXPECT_TRUE(Reduction::find(commutative, MPI_INT));
  EXPECT_TRUE(Reduction::find(commutative, MPI_WCHAR));
  EXPECT_TRUE(Reduction::find(commutative, MPI_DOUBLE_INT));
  EXPECT_FALSE(Reduction::find(other, MPI_INT));
  EXPECT_FALSE(Reduction::find(commutative, MPI_DATATYPE_NULL));
  MPI_Datatype derived;
  MPI_Type_contiguous(2, MPI_INT, &derived);
  MPI_Type_commit(&derived);
  EXPECT_FALSE(Reduction::find(commutative, derived));
  MPI_Type_free(&derived);
}

// More than the library's first table holds, and handles that are used again.
TEST_F(UserOperation, ManyOfThem) {
  for (int i = 0; i < 40; ++i) {
    const int commutative = i % 3 != 0;
    EXPECT_EQ(Reduction::find(create(weighted, commutative), MPI_INT).has_value(),
              commutative != 0);
  }
  MPI_Op first;
  MPI_Op_create(weighted, 1, &first);
  EXPECT_TRUE(Reduction::find(first, MPI_INT));
  MPI_Op_free(&first);
  MPI_Op second;
  MPI_Op_create(weighted, 0, &second);
  EXPECT_FALSE(Reduction::find(second, MPI_INT));
  MPI_Op_free(&second);
}

TEST_F(UserOperation, KeepsTheOrderOfOperands) {
  const auto reduction = Reduction::find(create(weighted, 1), MPI_INT);
  ASSERT_TRUE(reduction);
  for (const std::size_t elements : {0, 1, 5, 4096, 4097, 20001}) {
    std::vector<int> a(elements), b(elements), expected(elements);
    for (std::size_t i = 0; i < elements; ++i) {
      a[i] = static_cast<int>(i) + 1;
      b[i] = 7 - static_cast<int>(i);
      expected[i] = 2 * a[i] + 3 * b[i];
    }
    const auto bytes = [](std::vector<int>& v) { return reinterpret_cast<std::byte*>(v.data()); };
    std::vector<int> out(elements), left = a, right = b;
    reduction->combine(bytes(a), bytes(b), bytes(out), elements);
    EXPECT_EQ(out, expected) << elements;
    reduction->combine(bytes(left), bytes(b), bytes(left), elements);
    EXPECT_EQ(left, expected) << elements << " over a";
    reduction->combine(bytes(a), bytes(right), bytes(right), elements);
    EXPECT_EQ(right, expected) << elements << " over b";
    for (int& value : expected) value = 0;
    std::vector<int> same = a;
    for (std::size_t i = 0; i < elements; ++i) expected[i] = 5 * a[i];
    reduction->combine(bytes(same), bytes(same), bytes(same), elements);
    EXPECT_EQ(same, expected) << elements << " all the same";
  }
}

TEST_F(UserOperation, LeavesGapsAlone) {
  const auto reduction = Reduction::find(create(add_locations, 1), MPI_DOUBLE_INT);
  ASSERT_TRUE(reduction);
  constexpr std::size_t kElements = 3000;
  struct Pair {
    double value;
    int location;
    int gap;
  };
  std::vector<Pair> a(kElements), b(kElements), out(kElements, Pair{0, 0, -9});
  for (std::size_t i = 0; i < kElements; ++i) {
    a[i] = {static_cast<double>(i), static_cast<int>(i), 1};
    b[i] = {1000.0, 5, 2};
  }
  std::vector<Pair> left = a;
  const auto bytes = [](std::vector<Pair>& v) { return reinterpret_cast<std::byte*>(v.data()); };
  reduction->combine(bytes(a), bytes(b), bytes(out), kElements);
  reduction->combine(bytes(left), bytes(b), bytes(left), kElements);
  for (std::size_t i = 0; i < kElements; ++i) {
    const double larger = std::max(1000.0, static_cast<double>(i));
    ASSERT_EQ(out[i].value, larger);
    ASSERT_EQ(out[i].location, static_cast<int>(i) + 5);
    ASSERT_EQ(out[i].gap, -9);
    ASSERT_EQ(left[i].value, larger);
    ASSERT_EQ(left[i].location, static_cast<int>(i) + 5);
    ASSERT_EQ(left[i].gap, 1);
  }
}

}  // namespace
}  // namespace mpiactor
