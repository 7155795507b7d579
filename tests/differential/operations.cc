#include "tests/differential/operations.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>

#include "tests/differential/mpi_names.h"

namespace differential {

namespace {

template <typename T>
T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

template <typename T>
void store(std::byte* to, const T& value) {
  std::memcpy(to, &value, sizeof(T));
}

template <typename T, T (*function)(T, T)>
void combine_by(std::byte* into, const std::byte* next) {
  store(into, function(load<T>(into), load<T>(next)));
}

template <typename T>
void make_any(std::byte* element, std::uint64_t bits) {
  store(element, static_cast<T>(bits));
}

// Small whole numbers, whose sums are exact in any order.
void make_real(std::byte* element, std::uint64_t bits) {
  store(element, static_cast<double>(bits % 2001) - 1000);
}

template <typename T>
void make_small(std::byte* element, std::uint64_t bits) {
  store(element, static_cast<T>(bits % 3));
}

template <typename T>
T sum(T a, T b) {
  return static_cast<T>(a + b);
}
template <typename T>
T product(T a, T b) {
  return static_cast<T>(a * b);
}
template <typename T>
T largest(T a, T b) {
  return std::max(a, b);
}
template <typename T>
T smallest(T a, T b) {
  return std::min(a, b);
}
template <typename T>
T bitwise_xor(T a, T b) {
  return static_cast<T>(a ^ b);
}
template <typename T>
T bitwise_and(T a, T b) {
  return static_cast<T>(a & b);
}
template <typename T>
T logical_or(T a, T b) {
  return a || b ? 1 : 0;
}
template <typename T>
T logical_and(T a, T b) {
  return a && b ? 1 : 0;
}

struct Located {
  std::int32_t value;
  std::int32_t place;
};
Located first_largest(Located a, Located b) {
  if (a.value != b.value) return a.value > b.value ? a : b;
  return {a.value, std::min(a.place, b.place)};
}
Located first_smallest(Located a, Located b) {
  if (a.value != b.value) return a.value < b.value ? a : b;
  return {a.value, std::min(a.place, b.place)};
}
void make_located(std::byte* element, std::uint64_t bits) {
  store(element,
        Located{static_cast<std::int32_t>(bits % 7), static_cast<std::int32_t>(bits >> 40)});
}

// x -> factor x + offset, modulo 2^32: one after the other is associative and not commutative.
struct Affine {
  std::uint32_t factor;
  std::uint32_t offset;
};
Affine one_after_the_other(Affine a, Affine b) {
  return {b.factor * a.factor, b.factor * a.offset + b.offset};
}
// Each half by itself: commutative.
Affine both_sums(Affine a, Affine b) { return {a.factor + b.factor, a.offset ^ b.offset}; }

// A pair of words of any layout: the second one ends where an element's data end.
template <Affine (*function)(Affine, Affine)>
void on_pairs(void* in, void* inout, MPI_Count elements, MPI_Datatype type) {
  MPI_Aint lower = 0;
  MPI_Aint extent = 0;
  MPI_Aint first = 0;
  MPI_Aint span = 0;
  MPI_Type_get_extent(type, &lower, &extent);
  MPI_Type_get_true_extent(type, &first, &span);
  const MPI_Aint second = first + span - 4;
  for (MPI_Count i = 0; i < elements; ++i) {
    const auto* const a = static_cast<const std::byte*>(in) + i * extent;
    auto* const b = static_cast<std::byte*>(inout) + i * extent;
    const Affine result =
        function({load<std::uint32_t>(a + first), load<std::uint32_t>(a + second)},
                 {load<std::uint32_t>(b + first), load<std::uint32_t>(b + second)});
    store(b + first, result.factor);
    store(b + second, result.offset);
  }
}
template <Affine (*function)(Affine, Affine)>
void user(void* in, void* inout, int* elements, MPI_Datatype* type) {
  on_pairs<function>(in, inout, *elements, *type);
}
template <Affine (*function)(Affine, Affine)>
void user_large(void* in, void* inout, MPI_Count* elements, MPI_Datatype* type) {
  on_pairs<function>(in, inout, *elements, *type);
}

Layout pair_layout(Random& random, bool may_have_gaps) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  Layout layout;
  std::vector<Piece> pieces = {{0, 8}};
  std::ptrdiff_t extent = 8;
  std::string text = "pair";
  const int kind = random.below(4);
  switch (may_have_gaps ? kind : 0) {
    case 0:
      MPI_Type_contiguous(2, MPI_UINT32_T, &type);
      break;
    case 1: {
      MPI_Datatype plain = MPI_DATATYPE_NULL;
      MPI_Type_contiguous(2, MPI_UINT32_T, &plain);
      MPI_Type_create_resized(plain, 0, 16, &type);
      MPI_Type_free(&plain);
      extent = 16;
      text = "pair in 16 bytes";
      break;
    }
    case 2:
      MPI_Type_vector(2, 1, 2, MPI_UINT32_T, &type);
      pieces = {{0, 4}, {8, 4}};
      extent = 12;
      text = "pair with a gap";
      break;
    default:
      kHasMpi4 ? MPI_Type_contiguous_c(2, MPI_UINT32_T, &type)
               : MPI_Type_contiguous(2, MPI_UINT32_T, &type);
  }
  layout.type = OwnedType::made(type);
  layout.pieces = pieces;
  layout.extent = extent;
  layout.upper = pieces.back().at + pieces.back().bytes;
  layout.bytes = 8;
  layout.text = text;
  return layout;
}

template <Affine (*function)(Affine, Affine)>
Operation user_operation(Step& step, const char* name, bool commutes, bool may_have_gaps) {
  Operation operation;
  operation.name = name;
  operation.is_owned = true;
  operation.layout = pair_layout(step.shared, may_have_gaps);
  const bool large = step.own.one_in(3) && step.has("large_counts");
  if (large) {
    MPI_Op_create_c(user_large<function>, commutes ? 1 : 0, &operation.op);
  } else {
    MPI_Op_create(user<function>, commutes ? 1 : 0, &operation.op);
  }
  operation.combine = combine_by<Affine, function>;
  operation.make = make_any<std::uint64_t>;
  return operation;
}

template <typename T, T (*function)(T, T)>
Operation predefined(const char* name, MPI_Op op, MPI_Datatype type,
                     void (*make)(std::byte*, std::uint64_t) = make_any<T>) {
  Operation operation;
  operation.name = name;
  operation.op = op;
  operation.layout = predefined_layout(type, sizeof(T), name);
  operation.combine = combine_by<T, function>;
  operation.make = make;
  return operation;
}

}  // namespace

Operation draw_operation(Step& step, bool may_have_gaps) {
  const int which = step.shared.below(16);
  switch (which) {
    case 0:
      return predefined<std::uint8_t, sum>("sum of uint8", MPI_SUM, MPI_UINT8_T);
    case 1:
    case 2:
      return predefined<double, sum>("sum of double", MPI_SUM, MPI_DOUBLE, make_real);
    case 3:
      return predefined<double, largest>("max of double", MPI_MAX, MPI_DOUBLE, make_real);
    case 4:
      return predefined<std::int32_t, smallest>("min of int", MPI_MIN, MPI_INT);
    case 5:
      return predefined<std::uint32_t, product>("product of uint32", MPI_PROD, MPI_UINT32_T);
    case 6:
      return predefined<std::uint16_t, bitwise_xor>("xor of uint16", MPI_BXOR, MPI_UINT16_T);
    case 7:
      return predefined<std::uint64_t, bitwise_and>("and of uint64", MPI_BAND, MPI_UINT64_T);
    case 8:
      return predefined<std::int32_t, logical_or>("lor of int", MPI_LOR, MPI_INT,
                                                  make_small<std::int32_t>);
    case 9:
      return predefined<std::int16_t, logical_and>("land of short", MPI_LAND, MPI_SHORT,
                                                   make_small<std::int16_t>);
    case 10:
      return predefined<Located, first_largest>("maxloc of 2int", MPI_MAXLOC, MPI_2INT,
                                                make_located);
    case 11:
      return predefined<Located, first_smallest>("minloc of 2int", MPI_MINLOC, MPI_2INT,
                                                 make_located);
    case 12:
      if (step.has("user_operations"))
        return user_operation<both_sums>(step, "commutative user operation", true, may_have_gaps);
      break;
    case 13:
      if (step.has("user_operations"))
        return user_operation<one_after_the_other>(step, "user operation", false, may_have_gaps);
      break;
    default:
      break;
  }
  return predefined<std::uint64_t, sum>("sum of uint64", MPI_SUM, MPI_UINT64_T);
}

Bytes operands_of(const Operation& operation, std::uint64_t key, int rank, std::int64_t elements) {
  const auto bytes = static_cast<std::size_t>(operation.layout.bytes);
  Bytes packed(static_cast<std::size_t>(elements) * bytes);
  const std::uint64_t stream = key_of({key, static_cast<std::uint64_t>(rank)});
  for (std::size_t i = 0; i < static_cast<std::size_t>(elements); ++i)
    operation.make(packed.data() + i * bytes, mix(stream + kGolden * i));
  return packed;
}

Bytes result_of(const Operation& operation, std::uint64_t key, int ranks, std::int64_t first,
                std::int64_t elements) {
  const auto bytes = static_cast<std::size_t>(operation.layout.bytes);
  const auto begin = static_cast<std::size_t>(first);
  const auto end = static_cast<std::size_t>(first + elements);
  Bytes result(static_cast<std::size_t>(elements) * bytes);
  std::array<std::byte, 16> next = {};
  for (int rank = 0; rank < ranks; ++rank) {
    const std::uint64_t stream = key_of({key, static_cast<std::uint64_t>(rank)});
    for (std::size_t i = begin; i < end; ++i) {
      std::byte* const into = result.data() + (i - begin) * bytes;
      operation.make(rank == 0 ? into : next.data(), mix(stream + kGolden * i));
      if (rank > 0) operation.combine(into, next.data());
    }
  }
  return result;
}

}  // namespace differential
