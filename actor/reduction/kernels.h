// Loops that reduce arrays of one element kind by one predefined operation, vectorised for several
// instruction sets. Knows nothing of MPI.
//
// Every kernel computes out[i] = a[i] op b[i]; `out` may be `a` or `b`, or overlap neither. Buffers
// need no alignment. The result of an element depends on its two operands alone, not on its place,
// on how an array is split into calls, or on the instruction set.
#ifndef MPIACTOR_ACTOR_REDUCTION_KERNELS_H_
#define MPIACTOR_ACTOR_REDUCTION_KERNELS_H_

#include <cstddef>
#include <cstdint>

namespace mpiactor::reduction {

enum class Operation : unsigned {
  kMax,
  kMin,
  kSum,
  kProd,
  kLand,
  kBand,
  kLor,
  kBor,
  kLxor,
  kBxor,
  kMinloc,
  kMaxloc,
};
inline constexpr std::size_t kOperations = 12;

// How the bytes of an element are read. Pairs are (value, location).
enum class Element : unsigned {
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kUint8,
  kUint16,
  kUint32,
  kUint64,
  kFloat,
  kDouble,
  kLongDouble,
  kComplexFloat,
  kComplexDouble,
  kComplexLongDouble,
  kCComplexFloat,  // products by C's rules, which recover infinities
  kCComplexDouble,
  kCComplexLongDouble,
  kFloatInt,
  kDoubleInt,
  kLongInt,
  kShortInt,
  kTwoInt,
  kLongDoubleInt,
  kTwoFloat,
  kTwoDouble,
  kOpaque,  // bytes that no predefined operation takes
};
inline constexpr std::size_t kElements = 25;  // without kOpaque

using CombineKernel = void (*)(const std::byte* a, const std::byte* b, std::byte* out,
                               std::uint64_t elements);

// A null pointer where the operation has no meaning for the element.
struct KernelTable {
  CombineKernel combine[kElements][kOperations];
};

enum class InstructionSet { kBaseline, kAvx2, kAvx512 };

// Null where this processor, or the processor family compiled for, lacks the instruction set.
const KernelTable* kernels_for(InstructionSet set);

// The widest that this processor has; found once.
const KernelTable& best_kernels();

namespace baseline {
extern const KernelTable kKernels;
}
namespace avx2 {
extern const KernelTable kKernels;
}
namespace avx512 {
extern const KernelTable kKernels;
}

}  // namespace mpiactor::reduction

#endif  // MPIACTOR_ACTOR_REDUCTION_KERNELS_H_
