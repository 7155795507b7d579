#include "tests/actor/reduction/operands.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace mpiactor::testing {

namespace {

constexpr std::size_t kLongDoubleDigits = 10;  // bytes of an x87 number; the rest is padding

template <typename T>
T special_or_random(std::mt19937_64& random) {
  using Limits = std::numeric_limits<T>;
  static const std::array<T, 10> kSpecial = {T(0),
                                             -T(0),
                                             T(1),
                                             T(-1),
                                             Limits::infinity(),
                                             -Limits::infinity(),
                                             Limits::quiet_NaN(),
                                             Limits::denorm_min(),
                                             Limits::max(),
                                             Limits::min()};
  if (random() % 3 == 0) return kSpecial[random() % kSpecial.size()];
  return static_cast<T>(std::uniform_real_distribution<double>(-100, 100)(random));
}

template <typename T>
void store(std::byte* to, T value, std::size_t bytes = sizeof(T)) {
  std::memcpy(to, &value, bytes);
}

void fill_value(Values values, std::byte* to, std::size_t bytes, std::mt19937_64& random) {
  switch (values) {
    case Values::kFloat:
      return store(to, special_or_random<float>(random));
    case Values::kDouble:
      return store(to, special_or_random<double>(random));
    case Values::kLongDouble:
      return store(to, special_or_random<long double>(random), kLongDoubleDigits);
    case Values::kTruth:
      std::memset(to, 0, bytes);
      *to = static_cast<std::byte>(random() % 2);
      return;
    default: {
      const std::uint64_t wide = random();
      const std::uint64_t value =
          wide % 3 == 0 ? wide >> 8 & 3 : (wide % 3 == 1 ? ~(wide >> 8 & 3) : wide * 0x9e3779b9);
      std::memcpy(to, &value, bytes);
    }
  }
}

// Sums and products of a few of these are exact in every order.
template <typename T>
void store_small(std::byte* to, std::size_t bytes, std::mt19937_64& random) {
  store(to, static_cast<T>(static_cast<int>(random() % 6) - 2), bytes);
}

void fill_exact_value(Values values, std::byte* to, std::size_t bytes, std::mt19937_64& random) {
  switch (values) {
    case Values::kFloat:
      return store_small<float>(to, bytes, random);
    case Values::kDouble:
      return store_small<double>(to, bytes, random);
    case Values::kLongDouble:
      return store_small<long double>(to, kLongDoubleDigits, random);
    default:
      return fill_value(values, to, bytes, random);
  }
}

// Whether some bytes of an element are no part of a value: gaps and padding.
bool has_holes(const TypeCase& type) {
  return type.values == Values::kPair || type.values == Values::kLongDouble;
}

using FillValue = void (*)(Values, std::byte*, std::size_t, std::mt19937_64&);

// Where value and location of a pair lie, and what they are.
struct PairLayout {
  Values values;
  std::size_t value_bytes;
  Values locations;
  std::size_t location_bytes;
};

PairLayout pair_layout(MPI_Datatype type) {
  if (type == MPI_FLOAT_INT) return {Values::kFloat, 4, Values::kInteger, 4};
  if (type == MPI_DOUBLE_INT) return {Values::kDouble, 8, Values::kInteger, 4};
  if (type == MPI_LONG_INT) return {Values::kInteger, 8, Values::kInteger, 4};
  if (type == MPI_SHORT_INT) return {Values::kInteger, 2, Values::kInteger, 4};
  if (type == MPI_LONG_DOUBLE_INT) return {Values::kLongDouble, 16, Values::kInteger, 4};
  if (type == MPI_2REAL) return {Values::kFloat, 4, Values::kFloat, 4};
  if (type == MPI_2DOUBLE_PRECISION) return {Values::kDouble, 8, Values::kDouble, 8};
  return {Values::kInteger, 4, Values::kInteger, 4};
}

std::size_t location_offset(const PairLayout& pair) {
  return pair.value_bytes < pair.location_bytes ? pair.location_bytes : pair.value_bytes;
}

void keep_value(Values values, const std::byte* from, std::byte* to, std::size_t bytes) {
  std::memcpy(to, from, values == Values::kLongDouble ? kLongDoubleDigits : bytes);
}

template <typename T>
bool is_nan(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return std::isnan(value);
}

bool is_nan(Values values, const std::byte* from) {
  return values == Values::kFloat    ? is_nan<float>(from)
         : values == Values::kDouble ? is_nan<double>(from)
                                     : is_nan<long double>(from);
}

void fill_with(FillValue fill_one, const TypeCase& type, std::byte* to, std::size_t elements,
               std::mt19937_64& random) {
  const std::size_t all = elements * extent_bytes(type.handle);
  if (type.values == Values::kOpaque || has_holes(type)) {
    for (std::size_t i = 0; i < all; ++i) to[i] = static_cast<std::byte>(random());
  }
  if (type.values == Values::kOpaque) return;
  if (type.values != Values::kPair) {
    for (std::size_t at = 0; at < all; at += type.bytes)
      fill_one(type.values, to + at, type.bytes, random);
    return;
  }
  const PairLayout pair = pair_layout(type.handle);
  for (std::size_t at = 0; at < all; at += type.bytes) {
    fill_one(pair.values, to + at, pair.value_bytes, random);
    fill_one(pair.locations, to + at + location_offset(pair), pair.location_bytes, random);
  }
}

#define TYPE(type, values, bytes) \
  TypeCase { #type, type, Values::values, bytes }

}  // namespace

bool is_complex(MPI_Datatype type) {
  return type == MPI_C_FLOAT_COMPLEX || type == MPI_C_DOUBLE_COMPLEX ||
         type == MPI_C_LONG_DOUBLE_COMPLEX || type == MPI_CXX_FLOAT_COMPLEX ||
         type == MPI_CXX_DOUBLE_COMPLEX || type == MPI_CXX_LONG_DOUBLE_COMPLEX ||
         type == MPI_COMPLEX || type == MPI_COMPLEX8 || type == MPI_DOUBLE_COMPLEX ||
         type == MPI_COMPLEX16;
}

std::vector<TypeCase> type_cases() {
  return {
      TYPE(MPI_CHAR, kInteger, 1),
      TYPE(MPI_SIGNED_CHAR, kInteger, 1),
      TYPE(MPI_UNSIGNED_CHAR, kInteger, 1),
      TYPE(MPI_BYTE, kInteger, 1),
      TYPE(MPI_SHORT, kInteger, 2),
      TYPE(MPI_UNSIGNED_SHORT, kInteger, 2),
      TYPE(MPI_INT, kInteger, 4),
      TYPE(MPI_UNSIGNED, kInteger, 4),
      TYPE(MPI_LONG, kInteger, 8),
      TYPE(MPI_UNSIGNED_LONG, kInteger, 8),
      TYPE(MPI_LONG_LONG_INT, kInteger, 8),
      TYPE(MPI_UNSIGNED_LONG_LONG, kInteger, 8),
      TYPE(MPI_INT8_T, kInteger, 1),
      TYPE(MPI_INT16_T, kInteger, 2),
      TYPE(MPI_INT32_T, kInteger, 4),
      TYPE(MPI_INT64_T, kInteger, 8),
      TYPE(MPI_UINT8_T, kInteger, 1),
      TYPE(MPI_UINT16_T, kInteger, 2),
      TYPE(MPI_UINT32_T, kInteger, 4),
      TYPE(MPI_UINT64_T, kInteger, 8),
      TYPE(MPI_AINT, kInteger, 8),
      TYPE(MPI_OFFSET, kInteger, 8),
      TYPE(MPI_COUNT, kInteger, 8),
      TYPE(MPI_INTEGER, kInteger, 4),
      TYPE(MPI_INTEGER1, kInteger, 1),
      TYPE(MPI_INTEGER2, kInteger, 2),
      TYPE(MPI_INTEGER4, kInteger, 4),
      TYPE(MPI_INTEGER8, kInteger, 8),
      TYPE(MPI_CHARACTER, kInteger, 1),
      TYPE(MPI_LOGICAL, kInteger, 4),
      TYPE(MPI_C_BOOL, kTruth, 1),
      TYPE(MPI_CXX_BOOL, kTruth, 1),
      TYPE(MPI_FLOAT, kFloat, 4),
      TYPE(MPI_REAL, kFloat, 4),
      TYPE(MPI_REAL4, kFloat, 4),
      TYPE(MPI_DOUBLE, kDouble, 8),
      TYPE(MPI_DOUBLE_PRECISION, kDouble, 8),
      TYPE(MPI_REAL8, kDouble, 8),
      TYPE(MPI_LONG_DOUBLE, kLongDouble, 16),
      TYPE(MPI_C_FLOAT_COMPLEX, kFloat, 4),
      TYPE(MPI_C_DOUBLE_COMPLEX, kDouble, 8),
      TYPE(MPI_C_LONG_DOUBLE_COMPLEX, kLongDouble, 16),
      TYPE(MPI_CXX_FLOAT_COMPLEX, kFloat, 4),
      TYPE(MPI_CXX_DOUBLE_COMPLEX, kDouble, 8),
      TYPE(MPI_CXX_LONG_DOUBLE_COMPLEX, kLongDouble, 16),
      TYPE(MPI_COMPLEX, kFloat, 4),
      TYPE(MPI_COMPLEX8, kFloat, 4),
      TYPE(MPI_DOUBLE_COMPLEX, kDouble, 8),
      TYPE(MPI_COMPLEX16, kDouble, 8),
      TYPE(MPI_2INT, kPair, 8),
      TYPE(MPI_2INTEGER, kPair, 8),
      TYPE(MPI_2REAL, kPair, 8),
      TYPE(MPI_2DOUBLE_PRECISION, kPair, 16),
      TYPE(MPI_FLOAT_INT, kPair, 8),
      TYPE(MPI_DOUBLE_INT, kPair, 16),
      TYPE(MPI_LONG_INT, kPair, 16),
      TYPE(MPI_SHORT_INT, kPair, 8),
      TYPE(MPI_LONG_DOUBLE_INT, kPair, 32),
      TYPE(MPI_WCHAR, kOpaque, 4),
      TYPE(MPI_PACKED, kOpaque, 1),
      TYPE(MPI_REAL16, kOpaque, 16),
      TYPE(MPI_COMPLEX32, kOpaque, 32),
  };
}

std::vector<OperationCase> operation_cases() {
  return {{"MPI_MAX", MPI_MAX},   {"MPI_MIN", MPI_MIN},       {"MPI_SUM", MPI_SUM},
          {"MPI_PROD", MPI_PROD}, {"MPI_LAND", MPI_LAND},     {"MPI_BAND", MPI_BAND},
          {"MPI_LOR", MPI_LOR},   {"MPI_BOR", MPI_BOR},       {"MPI_LXOR", MPI_LXOR},
          {"MPI_BXOR", MPI_BXOR}, {"MPI_MINLOC", MPI_MINLOC}, {"MPI_MAXLOC", MPI_MAXLOC}};
}

std::uint64_t seed() {
  static const std::uint64_t chosen = [] {
    const char* text = std::getenv("TEST_SEED");
    const std::uint64_t value = text != nullptr ? std::strtoull(text, nullptr, 10)
                                                : static_cast<std::uint64_t>(MPI_Wtime() * 1e6);
    std::printf("TEST_SEED=%llu\n", static_cast<unsigned long long>(value));
    return value;
  }();
  return chosen;
}

void fill(const TypeCase& type, std::byte* to, std::size_t elements, std::mt19937_64& random) {
  fill_with(fill_value, type, to, elements, random);
}

void fill_exact(const TypeCase& type, std::byte* to, std::size_t elements,
                std::mt19937_64& random) {
  fill_with(fill_exact_value, type, to, elements, random);
}

std::vector<std::byte> significant(const TypeCase& type, const std::byte* from,
                                   std::size_t elements) {
  std::vector<std::byte> kept(elements * extent_bytes(type.handle));
  const bool complex = is_complex(type.handle);
  if (!complex && !has_holes(type)) {
    if (!kept.empty()) std::memcpy(kept.data(), from, kept.size());
    return kept;
  }
  const PairLayout pair = pair_layout(type.handle);
  for (std::size_t at = 0; at < kept.size(); at += type.bytes) {
    if (complex && is_nan(type.values, from + at)) {
      kept[at] = std::byte{0xff};
      continue;
    }
    if (type.values != Values::kPair) {
      keep_value(type.values, from + at, kept.data() + at, type.bytes);
      continue;
    }
    keep_value(pair.values, from + at, kept.data() + at, pair.value_bytes);
    const std::size_t location = at + location_offset(pair);
    keep_value(pair.locations, from + location, kept.data() + location, pair.location_bytes);
  }
  return kept;
}

std::size_t extent_bytes(MPI_Datatype type) {
  MPI_Aint lower = 0;
  MPI_Aint extent = 0;
  MPI_Type_get_extent(type, &lower, &extent);
  return static_cast<std::size_t>(extent);
}

}  // namespace mpiactor::testing
