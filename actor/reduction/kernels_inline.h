// The kernels as templates. Each kernels_<set>.cc includes this once, in a namespace of its own,
// after it has chosen the instruction set; it must have included everything that this file needs
// before that, so that no function of another header is compiled for one instruction set and linked
// into code for another. For the same reason nothing of the standard library is called here.

#ifndef MPIACTOR_WITHOUT_FUSED
#define MPIACTOR_WITHOUT_FUSED
#endif

namespace mpiactor::reduction::MPIACTOR_INSTRUCTION_SET {

// NOLINTBEGIN(misc-definitions-in-headers): not a header in the usual sense.

// An element at any address, of any declared type.
template <typename T>
struct __attribute__((packed, may_alias)) Unaligned {
  T value;
};

template <typename Value, typename Location>
struct Pair {
  Value value;
  Location location;
};

template <typename Part>
struct Complex {
  Part real;
  Part imaginary;
};

// Arithmetic that wraps for signed integers, as the machine does, without undefined overflow.
template <typename T>
struct Wrapping {
  using Type = T;
};
template <>
struct Wrapping<std::int8_t> {
  using Type = unsigned;
};
template <>
struct Wrapping<std::int16_t> {
  using Type = unsigned;
};
template <>
struct Wrapping<std::uint8_t> {
  using Type = unsigned;
};
template <>
struct Wrapping<std::uint16_t> {
  using Type = unsigned;
};
template <>
struct Wrapping<std::int32_t> {
  using Type = std::uint32_t;
};
template <>
struct Wrapping<std::int64_t> {
  using Type = std::uint64_t;
};

// With values that are not numbers, and with zeros of both signs, `a` stays: what MPICH does.
struct Max {
  template <typename T>
  static T apply(T a, T b) {
    return b > a ? b : a;
  }
};
struct Min {
  template <typename T>
  static T apply(T a, T b) {
    return b < a ? b : a;
  }
};
struct Sum {
  template <typename T>
  static T apply(T a, T b) {
    using W = typename Wrapping<T>::Type;
    return static_cast<T>(static_cast<W>(b) + static_cast<W>(a));
  }
};
struct Prod {
  template <typename T>
  static T apply(T a, T b) {
    using W = typename Wrapping<T>::Type;
    return static_cast<T>(static_cast<W>(b) * static_cast<W>(a));
  }
};
// Logical operations give 0 or 1 of the element's type.
struct Land {
  template <typename T>
  static T apply(T a, T b) {
    return (a != T{0}) & (b != T{0}) ? T{1} : T{0};
  }
};
struct Lor {
  template <typename T>
  static T apply(T a, T b) {
    return (a != T{0}) | (b != T{0}) ? T{1} : T{0};
  }
};
struct Lxor {
  template <typename T>
  static T apply(T a, T b) {
    return (a != T{0}) != (b != T{0}) ? T{1} : T{0};
  }
};
struct Band {
  template <typename T>
  static T apply(T a, T b) {
    return static_cast<T>(a & b);
  }
};
struct Bor {
  template <typename T>
  static T apply(T a, T b) {
    return static_cast<T>(a | b);
  }
};
struct Bxor {
  template <typename T>
  static T apply(T a, T b) {
    return static_cast<T>(a ^ b);
  }
};

// No iteration touches what another one does, even where `out` is `a` or `b`: the compiler need not
// look for overlaps at run time (it would take the slow way where they are the same).
template <typename T, typename Op>
void combine(const std::byte* a, const std::byte* b, std::byte* out, std::uint64_t elements) {
  const auto* const left = reinterpret_cast<const Unaligned<T>*>(a);
  const auto* const right = reinterpret_cast<const Unaligned<T>*>(b);
  auto* const result = reinterpret_cast<Unaligned<T>*>(out);
#pragma GCC ivdep
  for (std::uint64_t i = 0; i < elements; ++i) {
    result[i].value = Op::apply(left[i].value, right[i].value);
  }
}

// A complex sum is a sum of its parts.
template <typename Part, typename Op>
void combine_parts(const std::byte* a, const std::byte* b, std::byte* out, std::uint64_t elements) {
  combine<Part, Op>(a, b, out, 2 * elements);
}

// By the plain formula, as MPICH multiplies for Fortran and C++. GCC 12 joins these multiplications
// and additions to fused ones where it can, whatever -ffp-contract says: an instruction set that
// has such must be without them here (MPIACTOR_WITHOUT_FUSED).
template <typename Part>
MPIACTOR_WITHOUT_FUSED void multiply_complex(const std::byte* a, const std::byte* b, std::byte* out,
                                             std::uint64_t elements) {
  using Element = Unaligned<Complex<Part>>;
  const auto* const left = reinterpret_cast<const Element*>(a);
  const auto* const right = reinterpret_cast<const Element*>(b);
  auto* const result = reinterpret_cast<Element*>(out);
#pragma GCC ivdep
  for (std::uint64_t i = 0; i < elements; ++i) {
    const Part a_real = left[i].value.real;
    const Part a_imaginary = left[i].value.imaginary;
    const Part b_real = right[i].value.real;
    const Part b_imaginary = right[i].value.imaginary;
    result[i].value.real = b_real * a_real - b_imaginary * a_imaginary;
    result[i].value.imaginary = b_real * a_imaginary + b_imaginary * a_real;
  }
}

template <typename Part>
struct CComplex;
template <>
struct CComplex<float> {
  using Type = __complex__ float;
};
template <>
struct CComplex<double> {
  using Type = __complex__ double;
};
template <>
struct CComplex<long double> {
  using Type = __complex__ long double;
};

// By C's rules: a product that would be no number in both parts is looked at again.
template <typename Part>
MPIACTOR_WITHOUT_FUSED void multiply_c_complex(const std::byte* a, const std::byte* b,
                                               std::byte* out, std::uint64_t elements) {
  using Element = Unaligned<Complex<Part>>;
  const auto* const left = reinterpret_cast<const Element*>(a);
  const auto* const right = reinterpret_cast<const Element*>(b);
  auto* const result = reinterpret_cast<Element*>(out);
  for (std::uint64_t i = 0; i < elements; ++i) {
    typename CComplex<Part>::Type x;
    typename CComplex<Part>::Type y;
    __real__ x = left[i].value.real;
    __imag__ x = left[i].value.imaginary;
    __real__ y = right[i].value.real;
    __imag__ y = right[i].value.imaginary;
    x = y * x;
    result[i].value.real = __real__ x;
    result[i].value.imaginary = __imag__ x;
  }
}

struct Less {
  template <typename T>
  static bool wins(T a, T b) {
    return a < b;
  }
};
struct Greater {
  template <typename T>
  static bool wins(T a, T b) {
    return a > b;
  }
};

// Equal values: the lower location. Values that are not numbers: `b` stays, as in MPICH. The
// members are written one by one, so that the gap behind or between them is not.
template <typename Value, typename Location, typename Order>
void combine_pairs(const std::byte* a, const std::byte* b, std::byte* out, std::uint64_t elements) {
  using Element = Unaligned<Pair<Value, Location>>;
  const auto* const left = reinterpret_cast<const Element*>(a);
  const auto* const right = reinterpret_cast<const Element*>(b);
  auto* const result = reinterpret_cast<Element*>(out);
#pragma GCC ivdep
  for (std::uint64_t i = 0; i < elements; ++i) {
    const Value x = left[i].value.value;
    const Value y = right[i].value.value;
    const Location at_x = left[i].value.location;
    const Location at_y = right[i].value.location;
    const bool left_wins = Order::wins(x, y);
    const Location lower = at_y < at_x ? at_y : at_x;
    const Location winner = left_wins ? at_x : at_y;
    result[i].value.value = left_wins ? x : y;
    result[i].value.location = x == y ? lower : winner;
  }
}

struct Row {
  CombineKernel kernels[kOperations] = {};
  constexpr Row& set(Operation operation, CombineKernel kernel) {
    kernels[static_cast<unsigned>(operation)] = kernel;
    return *this;
  }
};

template <typename T>
constexpr Row number() {
  return Row{}
      .set(Operation::kMax, combine<T, Max>)
      .set(Operation::kMin, combine<T, Min>)
      .set(Operation::kSum, combine<T, Sum>)
      .set(Operation::kProd, combine<T, Prod>)
      .set(Operation::kLand, combine<T, Land>)
      .set(Operation::kLor, combine<T, Lor>)
      .set(Operation::kLxor, combine<T, Lxor>);
}

template <typename T>
constexpr Row integer() {
  return number<T>()
      .set(Operation::kBand, combine<T, Band>)
      .set(Operation::kBor, combine<T, Bor>)
      .set(Operation::kBxor, combine<T, Bxor>);
}

template <typename Part>
constexpr Row complex(CombineKernel multiply) {
  return Row{}.set(Operation::kSum, combine_parts<Part, Sum>).set(Operation::kProd, multiply);
}

template <typename Value, typename Location>
constexpr Row pair() {
  return Row{}
      .set(Operation::kMinloc, combine_pairs<Value, Location, Less>)
      .set(Operation::kMaxloc, combine_pairs<Value, Location, Greater>);
}

struct Rows {
  KernelTable table = {};
  constexpr Rows& set(Element element, const Row& row) {
    for (std::size_t i = 0; i < kOperations; ++i)
      table.combine[static_cast<unsigned>(element)][i] = row.kernels[i];
    return *this;
  }
};

extern constexpr KernelTable kKernels =
    Rows{}
        .set(Element::kInt8, integer<std::int8_t>())
        .set(Element::kInt16, integer<std::int16_t>())
        .set(Element::kInt32, integer<std::int32_t>())
        .set(Element::kInt64, integer<std::int64_t>())
        .set(Element::kUint8, integer<std::uint8_t>())
        .set(Element::kUint16, integer<std::uint16_t>())
        .set(Element::kUint32, integer<std::uint32_t>())
        .set(Element::kUint64, integer<std::uint64_t>())
        .set(Element::kFloat, number<float>())
        .set(Element::kDouble, number<double>())
        .set(Element::kLongDouble, number<long double>())
        .set(Element::kComplexFloat, complex<float>(multiply_complex<float>))
        .set(Element::kCComplexFloat, complex<float>(multiply_c_complex<float>))
        .set(Element::kComplexDouble, complex<double>(multiply_complex<double>))
        .set(Element::kCComplexDouble, complex<double>(multiply_c_complex<double>))
        .set(Element::kComplexLongDouble, complex<long double>(multiply_complex<long double>))
        .set(Element::kCComplexLongDouble, complex<long double>(multiply_c_complex<long double>))
        .set(Element::kFloatInt, pair<float, int>())
        .set(Element::kDoubleInt, pair<double, int>())
        .set(Element::kLongInt, pair<long, int>())
        .set(Element::kShortInt, pair<short, int>())
        .set(Element::kTwoInt, pair<int, int>())
        .set(Element::kLongDoubleInt, pair<long double, int>())
        .set(Element::kTwoFloat, pair<float, float>())
        .set(Element::kTwoDouble, pair<double, double>())
        .table;

// NOLINTEND(misc-definitions-in-headers)

}  // namespace mpiactor::reduction::MPIACTOR_INSTRUCTION_SET
