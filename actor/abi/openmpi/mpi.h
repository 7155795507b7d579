// Open MPI's <mpi.h>, for a library that is preloaded: handles are looked up when they are first
// used, not when the library is loaded, since the program may have no MPI library, another one, or
// one that it loads later.
//
// Functions of MPI 4 that Open MPI does not have up to its version 5 stand here too: those that the
// runtime calls for itself, made of older ones; the others, which it calls where a program does, by
// name alone.
#ifndef MPIACTOR_ACTOR_ABI_OPENMPI_MPI_H_
#define MPIACTOR_ACTOR_ABI_OPENMPI_MPI_H_

#define OMPI_SKIP_MPICXX 1
#include_next <mpi.h>

#ifdef __cplusplus
#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <climits>
#include <cstddef>

namespace mpiactor::abi {

template <std::size_t kLength>
struct Name {
  constexpr Name(const char (&text)[kLength]) { std::copy_n(text, kLength, characters); }
  char characters[kLength];
};

// Of a global object or function of the MPI library; nullptr where there is none.
template <Name kName>
void* address_of() {
  static std::atomic<void*> known{nullptr};
  void* address = known.load(std::memory_order_relaxed);
  if (!address) {
    address = dlsym(RTLD_DEFAULT, kName.characters);
    known.store(address, std::memory_order_relaxed);
  }
  return address;
}

template <typename Function, Name kName>
Function* function() {
  return reinterpret_cast<Function*>(address_of<kName>());
}

}  // namespace mpiactor::abi

#undef OMPI_PREDEFINED_GLOBAL
#define OMPI_PREDEFINED_GLOBAL(type, global) \
  (static_cast<type>(mpiactor::abi::address_of<#global>()))

#undef MPI_COMM_NULL_COPY_FN
#define MPI_COMM_NULL_COPY_FN \
  (mpiactor::abi::function<MPI_Comm_copy_attr_function, "OMPI_C_MPI_COMM_NULL_COPY_FN">())
#undef MPI_TYPE_NULL_COPY_FN
#define MPI_TYPE_NULL_COPY_FN \
  (mpiactor::abi::function<MPI_Type_copy_attr_function, "OMPI_C_MPI_TYPE_NULL_COPY_FN">())
#undef MPI_TYPE_NULL_DELETE_FN
#define MPI_TYPE_NULL_DELETE_FN \
  (mpiactor::abi::function<MPI_Type_delete_attr_function, "OMPI_C_MPI_TYPE_NULL_DELETE_FN">())

#if MPI_VERSION < 4

extern "C" {
int PMPI_Allgather_c(...);
int PMPI_Allgather_init_c(...);
int PMPI_Allgatherv_c(...);
int PMPI_Allgatherv_init_c(...);
int PMPI_Allreduce_c(...);
int PMPI_Allreduce_init_c(...);
int PMPI_Alltoall_c(...);
int PMPI_Alltoall_init_c(...);
int PMPI_Alltoallv_c(...);
int PMPI_Bcast_c(...);
int PMPI_Bcast_init_c(...);
int PMPI_Gather_c(...);
int PMPI_Gather_init_c(...);
int PMPI_Gatherv_c(...);
int PMPI_Iallgather_c(...);
int PMPI_Iallgatherv_c(...);
int PMPI_Iallreduce_c(...);
int PMPI_Ialltoall_c(...);
int PMPI_Ibcast_c(...);
int PMPI_Igather_c(...);
int PMPI_Ireduce_c(...);
int PMPI_Ireduce_scatter_block_c(...);
int PMPI_Ireduce_scatter_c(...);
int PMPI_Iscatter_c(...);
int PMPI_Reduce_c(...);
int PMPI_Reduce_init_c(...);
int PMPI_Reduce_scatter_block_c(...);
int PMPI_Reduce_scatter_block_init_c(...);
int PMPI_Reduce_scatter_c(...);
int PMPI_Reduce_scatter_init_c(...);
int PMPI_Scatter_c(...);
int PMPI_Scatter_init_c(...);
int PMPI_Scatterv_c(...);
#if OMPI_MAJOR_VERSION < 5
int PMPI_Allgather_init(...);
int PMPI_Allgatherv_init(...);
int PMPI_Allreduce_init(...);
int PMPI_Alltoall_init(...);
int PMPI_Barrier_init(...);
int PMPI_Bcast_init(...);
int PMPI_Gather_init(...);
int PMPI_Reduce_init(...);
int PMPI_Reduce_scatter_init(...);
int PMPI_Reduce_scatter_block_init(...);
int PMPI_Scatter_init(...);
#endif
}

#include "actor/abi/without_large_counts.h"

using mpiactor::abi::without_large_counts::PMPI_Get_count_c;
using mpiactor::abi::without_large_counts::PMPI_Imrecv_c;
using mpiactor::abi::without_large_counts::PMPI_Isend_c;
using mpiactor::abi::without_large_counts::PMPI_Issend_c;
using mpiactor::abi::without_large_counts::PMPI_Recv_init_c;
using mpiactor::abi::without_large_counts::PMPI_Sendrecv_c;
using mpiactor::abi::without_large_counts::PMPI_Type_get_contents_c;
using mpiactor::abi::without_large_counts::PMPI_Type_get_envelope_c;

#endif  // MPI_VERSION < 4

#endif  // __cplusplus

#endif  // MPIACTOR_ACTOR_ABI_OPENMPI_MPI_H_
