// A reduction operation on a predefined datatype, as code that runs on plain memory.
#ifndef MPIACTOR_ACTOR_REDUCTION_REDUCTION_H_
#define MPIACTOR_ACTOR_REDUCTION_REDUCTION_H_

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <optional>

#include "actor/reduction/predefined_types.h"

namespace mpiactor {

// Small and trivially copyable.
class Reduction {
 public:
  // A predefined operation where the MPI library allows it on the predefined `type`. Nothing where
  // the call is to be left to the MPI library: other handles, operations that the type does not
  // allow, MPI_REPLACE, MPI_NO_OP, users' operations. The latter may be other ones on each rank,
  // and may want to see whole vectors.
  static std::optional<Reduction> find(MPI_Op op, MPI_Datatype type);

  // Of elements of `type`, by `loop`.
  Reduction(const reduction::PredefinedType* type, reduction::CombineKernel loop,
            bool order_matters)
      : type_(type), kernel_(loop), order_matters_(order_matters) {}

  // The distance between elements in memory: the type's extent.
  std::size_t element_bytes() const { return type_->extent_bytes; }

  // out[i] = a[i] op b[i] for i < elements; `out` may be `a` or `b`. An element's result depends on
  // its operands alone: not on the split into calls, on alignment, or on the processor (except for
  // which of two different NaNs a sum or product hands on). Equals MPI_Reduce_local(a, b), byte for
  // byte; gaps of pair types are not written. Buffers need no alignment. Any thread may call this.
  void combine(const std::byte* a, const std::byte* b, std::byte* out,
               std::uint64_t elements) const {
    kernel_(a, b, out, elements);
  }

  // Copies elements between ranges that do not overlap, without writing the gaps of pair types.
  void copy(const std::byte* from, std::byte* to, std::uint64_t elements) const;

  // Whether the order of combining can change a result's bits: real numbers.
  bool order_matters() const { return order_matters_; }

  // Whether the extent is larger than what the members cover (MPI_DOUBLE_INT and the like).
  bool has_gaps() const { return type_->copy != nullptr; }

  // The loop behind combine().
  reduction::CombineKernel kernel() const { return kernel_; }

 private:
  const reduction::PredefinedType* type_;
  reduction::CombineKernel kernel_;
  bool order_matters_;
};

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_REDUCTION_REDUCTION_H_
