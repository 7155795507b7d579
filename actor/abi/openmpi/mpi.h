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

namespace mpiactor::abi {

// `count` elements of `type` as a number of elements that fits into an int: where it does not, as
// one element of a type of its own.
class Elements {
 public:
  Elements(MPI_Count count, MPI_Datatype type) : type_(type) {
    if (count <= INT_MAX) {
      count_ = static_cast<int>(count);
      return;
    }
    constexpr MPI_Count kPart = 1 << 30;
    MPI_Aint lower_bound = 0;
    MPI_Aint extent = 0;
    PMPI_Type_get_extent(type, &lower_bound, &extent);
    MPI_Datatype parts[2];
    PMPI_Type_contiguous(kPart, type, &parts[0]);
    PMPI_Type_contiguous(static_cast<int>(count / kPart), parts[0], &parts[1]);
    PMPI_Type_free(&parts[0]);
    // In the order in which they are packed.
    const MPI_Datatype in_order[] = {parts[1], type};
    const int lengths[] = {1, static_cast<int>(count % kPart)};
    const MPI_Aint places[] = {0, count / kPart * kPart * extent};
    PMPI_Type_create_struct(2, lengths, places, in_order, &own_);
    PMPI_Type_free(&parts[1]);
    PMPI_Type_commit(&own_);
    type_ = own_;
    is_own_ = true;
    count_ = 1;
  }
  ~Elements() {
    if (is_own_) PMPI_Type_free(&own_);
  }
  Elements(const Elements&) = delete;
  Elements& operator=(const Elements&) = delete;

  int count() const { return count_; }
  MPI_Datatype type() const { return type_; }

 private:
  int count_ = 1;
  MPI_Datatype type_;
  MPI_Datatype own_{};
  bool is_own_ = false;
};

}  // namespace mpiactor::abi

inline int PMPI_Isend_c(const void* buffer, MPI_Count count, MPI_Datatype type, int to, int tag,
                        MPI_Comm comm, MPI_Request* request) {
  const mpiactor::abi::Elements all(count, type);
  return PMPI_Isend(buffer, all.count(), all.type(), to, tag, comm, request);
}

inline int PMPI_Issend_c(const void* buffer, MPI_Count count, MPI_Datatype type, int to, int tag,
                         MPI_Comm comm, MPI_Request* request) {
  const mpiactor::abi::Elements all(count, type);
  return PMPI_Issend(buffer, all.count(), all.type(), to, tag, comm, request);
}

inline int PMPI_Recv_init_c(void* buffer, MPI_Count count, MPI_Datatype type, int from, int tag,
                            MPI_Comm comm, MPI_Request* request) {
  const mpiactor::abi::Elements all(count, type);
  return PMPI_Recv_init(buffer, all.count(), all.type(), from, tag, comm, request);
}

inline int PMPI_Imrecv_c(void* buffer, MPI_Count count, MPI_Datatype type, MPI_Message* message,
                         MPI_Request* request) {
  const mpiactor::abi::Elements all(count, type);
  return PMPI_Imrecv(buffer, all.count(), all.type(), message, request);
}

inline int PMPI_Sendrecv_c(const void* send, MPI_Count send_count, MPI_Datatype send_type, int to,
                           int send_tag, void* recv, MPI_Count recv_count, MPI_Datatype recv_type,
                           int from, int recv_tag, MPI_Comm comm, MPI_Status* status) {
  const mpiactor::abi::Elements sent(send_count, send_type);
  const mpiactor::abi::Elements received(recv_count, recv_type);
  return PMPI_Sendrecv(send, sent.count(), sent.type(), to, send_tag, recv, received.count(),
                       received.type(), from, recv_tag, comm, status);
}

// Of types whose elements are single ones, as MPI_BYTE.
inline int PMPI_Get_count_c(const MPI_Status* status, MPI_Datatype type, MPI_Count* count) {
  return PMPI_Get_elements_x(status, type, count);
}

// As much as fits into integers (kMostPackedBytes), from the first byte on.
inline int PMPI_Pack_c(const void* buffer, MPI_Count count, MPI_Datatype type, void* out,
                       MPI_Count bytes, MPI_Count*, MPI_Comm comm) {
  int position = 0;
  return PMPI_Pack(buffer, static_cast<int>(count), type, out, static_cast<int>(bytes), &position,
                   comm);
}

inline int PMPI_Unpack_c(const void* in, MPI_Count bytes, MPI_Count*, void* buffer, MPI_Count count,
                         MPI_Datatype type, MPI_Comm comm) {
  int position = 0;
  return PMPI_Unpack(in, static_cast<int>(bytes), &position, buffer, static_cast<int>(count), type,
                     comm);
}

inline int PMPI_Type_get_envelope_c(MPI_Datatype type, MPI_Count* integers, MPI_Count* addresses,
                                    MPI_Count* large_counts, MPI_Count* types, int* combiner) {
  int counts[3] = {};
  const int error = PMPI_Type_get_envelope(type, &counts[0], &counts[1], &counts[2], combiner);
  *integers = counts[0];
  *addresses = counts[1];
  *large_counts = 0;
  *types = counts[2];
  return error;
}

inline int PMPI_Type_get_contents_c(MPI_Datatype type, MPI_Count integer_count,
                                    MPI_Count address_count, MPI_Count, MPI_Count type_count,
                                    int* integers, MPI_Aint* addresses, MPI_Count*,
                                    MPI_Datatype* types) {
  return PMPI_Type_get_contents(type, static_cast<int>(integer_count),
                                static_cast<int>(address_count), static_cast<int>(type_count),
                                integers, addresses, types);
}

#endif  // MPI_VERSION < 4

#endif  // __cplusplus

#endif  // MPIACTOR_ACTOR_ABI_OPENMPI_MPI_H_
