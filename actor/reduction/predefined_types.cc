#include "actor/reduction/predefined_types.h"

#include <array>
#include <cfenv>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <type_traits>

#include "actor/abi/handles.h"

namespace mpiactor::reduction {

namespace {

constexpr std::uint16_t bits(std::initializer_list<Operation> operations) {
  unsigned mask = 0;
  for (const Operation operation : operations) mask |= 1u << static_cast<unsigned>(operation);
  return static_cast<std::uint16_t>(mask);
}

constexpr std::uint16_t kArithmetic =
    bits({Operation::kMax, Operation::kMin, Operation::kSum, Operation::kProd});
constexpr std::uint16_t kLogical = bits({Operation::kLand, Operation::kLor, Operation::kLxor});
constexpr std::uint16_t kBitwise = bits({Operation::kBand, Operation::kBor, Operation::kBxor});
constexpr std::uint16_t kInteger = kArithmetic | kLogical | kBitwise;
// MPICH lets some logical operations on floating-point types pass its checks, which MPI does not
// define; what they do there differs from version to version.
constexpr std::uint16_t kReal = kArithmetic;
constexpr std::uint16_t kComplex = bits({Operation::kSum, Operation::kProd});
constexpr std::uint16_t kLocation = bits({Operation::kMinloc, Operation::kMaxloc});

template <typename T>
constexpr Element integer_element() {
  static_assert(std::is_integral_v<T> && (sizeof(T) & (sizeof(T) - 1)) == 0 && sizeof(T) <= 8);
  const unsigned log2_bytes = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
  const Element first = std::is_signed_v<T> ? Element::kInt8 : Element::kUint8;
  return static_cast<Element>(static_cast<unsigned>(first) + log2_bytes);
}

template <typename Value>
void copy_pairs(const std::byte* from, std::byte* to, std::uint64_t elements) {
  struct Pair {
    Value value;
    int location;
  };
  for (std::uint64_t i = 0; i < elements; ++i, from += sizeof(Pair), to += sizeof(Pair)) {
    std::memcpy(to, from, sizeof(Value));
    std::memcpy(to + offsetof(Pair, location), from + offsetof(Pair, location), sizeof(int));
  }
}

struct Table {
  std::array<PredefinedType, kTypeNumbers> types;

  void add(MPI_Datatype handle, Element element, std::uint16_t operations, std::size_t extent_bytes,
           CopyKernel copy) {
    const std::size_t number = type_number(handle);
    if (number == kTypeNumbers) return;  // the library has no such type
    types[number] = {handle, element, operations, static_cast<std::uint16_t>(extent_bytes), copy};
  }
  // `T`: what the element is in C. Fortran compilers may be told to make their types longer: those
  // are left to the library.
  template <typename T>
  void add(MPI_Datatype handle, Element element, std::uint16_t operations) {
    if (builtin_bytes(handle) != sizeof(T)) return add_opaque(handle);
    add(handle, element, operations, sizeof(T), nullptr);
  }
  template <typename T>
  void add_integer(MPI_Datatype handle) {
    add<T>(handle, integer_element<T>(), kInteger);
  }
  void add_opaque(MPI_Datatype handle) {
    add(handle, Element::kOpaque, 0, builtin_bytes(handle), nullptr);
  }
  void add_pair(MPI_Datatype handle, Element element, std::size_t extent_bytes, CopyKernel copy) {
    add(handle, element, kLocation, extent_bytes, copy);
  }
};

void add_c_integers(Table& table) {
  table.add_integer<char>(MPI_CHAR);
  table.add_integer<signed char>(MPI_SIGNED_CHAR);
  table.add_integer<unsigned char>(MPI_UNSIGNED_CHAR);
  table.add_integer<short>(MPI_SHORT);
  table.add_integer<unsigned short>(MPI_UNSIGNED_SHORT);
  table.add_integer<int>(MPI_INT);
  table.add_integer<unsigned>(MPI_UNSIGNED);
  table.add_integer<long>(MPI_LONG);
  table.add_integer<unsigned long>(MPI_UNSIGNED_LONG);
  table.add_integer<long long>(MPI_LONG_LONG_INT);
  table.add_integer<unsigned long long>(MPI_UNSIGNED_LONG_LONG);
  table.add_integer<std::int8_t>(MPI_INT8_T);
  table.add_integer<std::int16_t>(MPI_INT16_T);
  table.add_integer<std::int32_t>(MPI_INT32_T);
  table.add_integer<std::int64_t>(MPI_INT64_T);
  table.add_integer<std::uint8_t>(MPI_UINT8_T);
  table.add_integer<std::uint16_t>(MPI_UINT16_T);
  table.add_integer<std::uint32_t>(MPI_UINT32_T);
  table.add_integer<std::uint64_t>(MPI_UINT64_T);
  table.add_integer<MPI_Aint>(MPI_AINT);
  table.add_integer<MPI_Offset>(MPI_OFFSET);
  table.add_integer<MPI_Count>(MPI_COUNT);
  table.add<std::uint8_t>(MPI_BYTE, Element::kUint8, kBitwise);
  table.add<std::uint8_t>(MPI_C_BOOL, Element::kUint8, kLogical);
  table.add<std::uint8_t>(MPI_CXX_BOOL, Element::kUint8, kLogical);
  table.add_opaque(MPI_WCHAR);
  table.add_opaque(MPI_PACKED);
}

void add_c_reals(Table& table) {
  table.add<float>(MPI_FLOAT, Element::kFloat, kReal);
  table.add<double>(MPI_DOUBLE, Element::kDouble, kReal);
  table.add<long double>(MPI_LONG_DOUBLE, Element::kLongDouble, kReal);
  table.add<std::complex<float>>(MPI_C_FLOAT_COMPLEX, Element::kComplexFloat, kComplex);
  table.add<std::complex<double>>(MPI_C_DOUBLE_COMPLEX, Element::kComplexDouble, kComplex);
  table.add<std::complex<long double>>(MPI_C_LONG_DOUBLE_COMPLEX, Element::kComplexLongDouble,
                                       kComplex);
  table.add<std::complex<float>>(MPI_CXX_FLOAT_COMPLEX, Element::kComplexFloat, kComplex);
  table.add<std::complex<double>>(MPI_CXX_DOUBLE_COMPLEX, Element::kComplexDouble, kComplex);
  table.add<std::complex<long double>>(MPI_CXX_LONG_DOUBLE_COMPLEX, Element::kComplexLongDouble,
                                       kComplex);
}

void add_fortran_types(Table& table) {
  table.add_integer<std::int32_t>(MPI_INTEGER);
  table.add_integer<std::int8_t>(MPI_INTEGER1);
  table.add_integer<std::int16_t>(MPI_INTEGER2);
  table.add_integer<std::int32_t>(MPI_INTEGER4);
  table.add_integer<std::int64_t>(MPI_INTEGER8);
  table.add_integer<char>(MPI_CHARACTER);
  table.add<std::int32_t>(MPI_LOGICAL, Element::kInt32, kLogical);
  table.add<float>(MPI_REAL, Element::kFloat, kReal);
  table.add<float>(MPI_REAL4, Element::kFloat, kReal);
  table.add<double>(MPI_DOUBLE_PRECISION, Element::kDouble, kReal);
  table.add<double>(MPI_REAL8, Element::kDouble, kReal);
  // What this is in C depends on how the library was configured: left to it.
  table.add_opaque(MPI_REAL16);
  table.add<std::complex<float>>(MPI_COMPLEX, Element::kComplexFloat, kComplex);
  table.add<std::complex<float>>(MPI_COMPLEX8, Element::kComplexFloat, kComplex);
  table.add<std::complex<double>>(MPI_DOUBLE_COMPLEX, Element::kComplexDouble, kComplex);
  table.add<std::complex<double>>(MPI_COMPLEX16, Element::kComplexDouble, kComplex);
  table.add_opaque(MPI_COMPLEX32);
}

void add_pairs(Table& table) {
  table.add<int[2]>(MPI_2INT, Element::kTwoInt, kLocation);
  table.add<int[2]>(MPI_2INTEGER, Element::kTwoInt, kLocation);
  table.add<float[2]>(MPI_2REAL, Element::kTwoFloat, kLocation);
  table.add<double[2]>(MPI_2DOUBLE_PRECISION, Element::kTwoDouble, kLocation);
  table.add_pair(MPI_FLOAT_INT, Element::kFloatInt, 8, nullptr);
  table.add_pair(MPI_DOUBLE_INT, Element::kDoubleInt, 16, copy_pairs<double>);
  table.add_pair(MPI_LONG_INT, Element::kLongInt, 2 * sizeof(long), copy_pairs<long>);
  table.add_pair(MPI_SHORT_INT, Element::kShortInt, 8, copy_pairs<short>);
  table.add_pair(MPI_LONG_DOUBLE_INT, Element::kLongDoubleInt, 2 * sizeof(long double),
                 copy_pairs<long double>);
}

// Without what the library refuses.
std::uint16_t allowed(const PredefinedType& type, const AllowedOperations& library) {
  const std::array operations = {MPI_MAX,  MPI_MIN,  MPI_SUM,    MPI_PROD,  //
                                 MPI_LAND, MPI_BAND, MPI_LOR,    MPI_BOR,
                                 MPI_LXOR, MPI_BXOR, MPI_MINLOC, MPI_MAXLOC};
  static_assert(operations.size() == kOperations);
  unsigned mask = type.operations;
  for (const MPI_Op op : operations) {
    const std::size_t number = operation_number(op);
    if ((mask >> number & 1) && !library.has(op, type.handle)) mask &= ~(1u << number);
  }
  return static_cast<std::uint16_t>(mask);
}

// Whether the library multiplies these complex numbers as C does, so that an infinity times 1 is an
// infinity. The program may have its process end at what is no number: here it does not.
template <typename Real>
bool multiplies_as_c(MPI_Datatype type) {
  constexpr Real kInfinity = std::numeric_limits<Real>::infinity();
  const std::array infinite = {kInfinity, kInfinity};
  std::array<Real, 2> product = {1, 0};
  std::fenv_t program;
  std::feholdexcept(&program);
  PMPI_Reduce_local(infinite.data(), product.data(), 1, type, MPI_PROD);
  std::fesetenv(&program);
  return std::isinf(product[0]);
}

// Programs shall get what the library gives them, whoever computes it.
Element as_multiplied(const PredefinedType& type) {
  if (!type.allows(Operation::kProd)) return type.element;
  switch (type.element) {
    case Element::kComplexFloat:
      return multiplies_as_c<float>(type.handle) ? Element::kCComplexFloat : type.element;
    case Element::kComplexDouble:
      return multiplies_as_c<double>(type.handle) ? Element::kCComplexDouble : type.element;
    case Element::kComplexLongDouble:
      return multiplies_as_c<long double>(type.handle) ? Element::kCComplexLongDouble
                                                       : type.element;
    default:
      return type.element;
  }
}

// MPICH 4.0 compares unsigned integers as signed ones, Open MPI does with some types, and with
// others the other way round.
Element as_ordered(const PredefinedType& type) {
  const auto number = static_cast<unsigned>(type.element);
  constexpr auto kSigned = static_cast<unsigned>(Element::kUint8);  // so many come first
  if (number >= 2 * kSigned || !type.allows(Operation::kMin)) return type.element;
  alignas(std::max_align_t) std::array<std::byte, 8> ones;
  ones.fill(std::byte{0xff});
  alignas(std::max_align_t) std::array<std::byte, 8> least = {};
  PMPI_Reduce_local(ones.data(), least.data(), 1, type.handle, MPI_MIN);
  const bool is_unsigned = least[0] == std::byte{};
  return static_cast<Element>(number % kSigned + (is_unsigned ? kSigned : 0));
}

Table make_table() {
  Table table;
  add_c_integers(table);
  add_c_reals(table);
  add_fortran_types(table);
  add_pairs(table);
  const AllowedOperations library;
  for (PredefinedType& type : table.types) {
    type.operations = allowed(type, library);
    type.element = as_multiplied(type);
    type.element = as_ordered(type);
  }
  return table;
}

}  // namespace

const PredefinedType* find_predefined_type(MPI_Datatype type) {
  static const Table table = make_table();
  const std::size_t number = type_number(type);
  if (number == kTypeNumbers) return nullptr;
  const PredefinedType& found = table.types[number];
  return found.handle == type ? &found : nullptr;
}

}  // namespace mpiactor::reduction
