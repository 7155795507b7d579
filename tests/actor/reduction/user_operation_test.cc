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
  EXPECT_FALSE(Reduction::find(commutative, MPI_DOUBLE_INT));
  EXPECT_FALSE(Reduction::find(commutative, MPI_2INT));
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

// Another rank may pass the predefined type.
TEST_F(UserOperation, DerivedTypesWithAPredefinedOnesTypeMap) {
  const MPI_Op commutative = create(weighted, 1);
  const auto is_found = [&](MPI_Op op, MPI_Datatype made) {
    MPI_Type_commit(&made);
    const bool found = Reduction::may_be_derived(op, made) && Reduction::find_derived(op, made);
    MPI_Type_free(&made);
    return found;
  };
  const auto run = [](int count, MPI_Datatype of) {
    MPI_Datatype type;
    MPI_Type_contiguous(count, of, &type);
    return type;
  };
  const auto structure = [](std::vector<int> counts, std::vector<MPI_Aint> places,
                            std::vector<MPI_Datatype> types) {
    MPI_Datatype type;
    MPI_Type_create_struct(static_cast<int>(counts.size()), counts.data(), places.data(),
                           types.data(), &type);
    return type;
  };
  EXPECT_TRUE(is_found(commutative, run(1, MPI_INT)));
  EXPECT_TRUE(is_found(commutative, run(1, MPI_LONG_DOUBLE)));
  EXPECT_TRUE(is_found(commutative, structure({0, 1}, {4, 0}, {MPI_FLOAT, MPI_INT})));
  MPI_Datatype nothing = run(0, MPI_DOUBLE);
  EXPECT_TRUE(is_found(commutative, structure({1, 1}, {0, 0}, {nothing, MPI_INT})));
  MPI_Type_free(&nothing);
  MPI_Datatype inner = run(1, MPI_DOUBLE);
  EXPECT_TRUE(is_found(commutative, run(1, inner)));
  EXPECT_FALSE(is_found(commutative, run(2, inner)));
  MPI_Datatype wide;
  MPI_Type_create_resized(inner, 0, 16, &wide);
  EXPECT_FALSE(is_found(commutative, wide));
  MPI_Type_free(&inner);
  EXPECT_FALSE(is_found(commutative, run(0, MPI_INT)));
  EXPECT_FALSE(is_found(commutative, run(2, MPI_INT)));
  EXPECT_FALSE(is_found(commutative, run(2, MPI_DOUBLE)));  // 16 bytes, as of a long double
  EXPECT_FALSE(is_found(commutative, run(1, MPI_2INT)));
  EXPECT_FALSE(is_found(commutative, structure({1}, {4}, {MPI_INT})));
  EXPECT_FALSE(is_found(commutative, structure({1, 1}, {0, 4}, {MPI_FLOAT, MPI_INT})));
  EXPECT_FALSE(is_found(create(weighted, 0), run(1, MPI_INT)));
  EXPECT_FALSE(is_found(MPI_SUM, run(1, MPI_INT)));
}

// The user's function is told the type that the program has passed.
TEST_F(UserOperation, GetsTheDerivedType) {
  static MPI_Datatype passed = MPI_DATATYPE_NULL;
  const auto sum = [](void* in, void* in_out, int* elements, MPI_Datatype* type) {
    EXPECT_EQ(*type, passed);
    for (int i = 0; i < *elements; ++i)
      static_cast<int*>(in_out)[i] += static_cast<const int*>(in)[i];
  };
  MPI_Type_contiguous(1, MPI_INT, &passed);
  MPI_Type_commit(&passed);
  const auto reduction = Reduction::find_derived(create(sum, 1), passed);
  ASSERT_TRUE(reduction);
  EXPECT_EQ(reduction->element_bytes(), sizeof(int));
  std::vector<int> a(5000, 3), b(5000, 4), out(5000);
  const auto bytes = [](std::vector<int>& v) { return reinterpret_cast<std::byte*>(v.data()); };
  reduction->combine(bytes(a), bytes(b), bytes(out), a.size());
  EXPECT_EQ(out, std::vector<int>(5000, 7));
  MPI_Type_free(&passed);
}

}  // namespace
}  // namespace mpiactor
