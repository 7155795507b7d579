// A reduction operation on a predefined datatype, as code that runs on plain memory.
#ifndef MPIACTOR_ACTOR_REDUCTION_REDUCTION_H_
#define MPIACTOR_ACTOR_REDUCTION_REDUCTION_H_

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <optional>

#include "actor/reduction/predefined_types.h"

namespace mpiactor {

// Small and trivially copyable. One of a user-defined operation must not outlive the MPI_Op.
class Reduction {
 public:
  // A predefined operation where the MPI library allows it on the predefined `type`, or a
  // commutative user-defined one on any predefined type of known size that has no pairs. Nothing
  // where the call is to be left to the MPI library: other handles, operations that the type does
  // not allow, MPI_REPLACE, MPI_NO_OP, non-commutative operations, derived types. Calls MPI
  // (MPI_Op_commutative) only for handles that have the form of a user-defined operation; tens of
  // ns. For those the answer is equal on all ranks only together with find_derived().
  static std::optional<Reduction> find(MPI_Op op, MPI_Datatype type);
  // The same of a commutative user-defined operation on a valid derived type that has the type map
  // and the extent of a predefined one: another rank may pass that. The user's function gets
  // `type`.
  static std::optional<Reduction> find_derived(MPI_Op op, MPI_Datatype type);
  // Whether that is worth a look: by the handles alone.
  static bool may_be_derived(MPI_Op op, MPI_Datatype type);

  // The distance between elements in memory: the type's extent.
  std::size_t element_bytes() const { return type_->extent_bytes; }

  // out[i] = a[i] op b[i] for i < elements; `out` may be `a` or `b`. An element's result depends on
  // its operands alone: not on the split into calls, on alignment, or on the processor (except for
  // which of two different NaNs a sum or product hands on). Equals MPI_Reduce_local(a, b), byte for
  // byte; gaps of pair types are not written. Buffers need no alignment, but a user's function may
  // want that of its type. Any thread may call this.
  void combine(const std::byte* a, const std::byte* b, std::byte* out,
               std::uint64_t elements) const {
    if (kernel_ != nullptr) {
      kernel_(a, b, out, elements);
    } else {
      combine_by_library(a, b, out, elements);
    }
  }

  // Copies elements between ranges that do not overlap, without writing the gaps of pair types.
  void copy(const std::byte* from, std::byte* to, std::uint64_t elements) const;

  // Whether the order of combining can change a result's bits: real numbers, users' operations.
  bool order_matters() const { return order_matters_; }

  // Whether the extent is larger than what the members cover (MPI_DOUBLE_INT and the like).
  bool has_gaps() const { return type_->copy != nullptr; }

  // The loop behind combine(); null where the MPI library does it.
  reduction::CombineKernel kernel() const { return kernel_; }

 private:
  Reduction(const reduction::PredefinedType* type, MPI_Datatype handle,
            reduction::CombineKernel loop, MPI_Op op, bool order_matters)
      : type_(type), kernel_(loop), handle_(handle), op_(op), order_matters_(order_matters) {}

  void combine_by_library(const std::byte* a, const std::byte* b, std::byte* out,
                          std::uint64_t elements) const;

  const reduction::PredefinedType* type_;
  reduction::CombineKernel kernel_;  // null for user-defined operations
  MPI_Datatype handle_;
  MPI_Op op_;
  bool order_matters_;
};

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_REDUCTION_REDUCTION_H_
