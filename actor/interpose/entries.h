// The functions that are taken over, with register-wide integers: entries.cc calls them without
// knowing MPI's types, typed_entries.cc gives them to the runtime.
#ifndef MPIACTOR_ACTOR_INTERPOSE_ENTRIES_H_
#define MPIACTOR_ACTOR_INTERPOSE_ENTRIES_H_

namespace mpiactor::interpose {

int bcast_entry(void* buffer, long count, long type, long root, long comm);
int bcast_c_entry(void* buffer, long count, long type, long root, long comm);
int barrier_entry(long comm);
int reduce_entry(const void* send, void* recv, long count, long type, long op, long root,
                 long comm);
int allreduce_entry(const void* send, void* recv, long count, long type, long op, long comm);
int reduce_scatter_entry(const void* send, void* recv, const int* counts, long type, long op,
                         long comm);
int reduce_scatter_block_entry(const void* send, void* recv, long count, long type, long op,
                               long comm);
int allgather_entry(const void* send, long send_count, long send_type, void* recv, long recv_count,
                    long recv_type, long comm);
int allgatherv_entry(const void* send, long send_count, long send_type, void* recv,
                     const int* counts, const int* displacements, long recv_type, long comm);
int gather_entry(const void* send, long send_count, long send_type, void* recv, long recv_count,
                 long recv_type, long root, long comm);
int scatter_entry(const void* send, long send_count, long send_type, void* recv, long recv_count,
                  long recv_type, long root, long comm);
int gatherv_entry(const void* send, long send_count, long send_type, void* recv, const int* counts,
                  const int* displacements, long recv_type, long root, long comm);
int scatterv_entry(const void* send, const int* counts, const int* displacements, long send_type,
                   void* recv, long recv_count, long recv_type, long root, long comm);
int alltoall_entry(const void* send, long send_count, long send_type, void* recv, long recv_count,
                   long recv_type, long comm);
int alltoallv_entry(const void* send, const int* send_counts, const int* send_displacements,
                    long send_type, void* recv, const int* recv_counts,
                    const int* recv_displacements, long recv_type, long comm);

// `request`, `requests`: of MPI_Request.
int ibarrier_entry(long comm, void* request);
int ibcast_entry(void* buffer, long count, long type, long root, long comm, void* request);
int ireduce_entry(const void* send, void* recv, long count, long type, long op, long root,
                  long comm, void* request);
int iallreduce_entry(const void* send, void* recv, long count, long type, long op, long comm,
                     void* request);
int bcast_init_entry(void* buffer, long count, long type, long root, long comm, long info,
                     void* request);
int allreduce_init_entry(const void* send, void* recv, long count, long type, long op, long comm,
                         long info, void* request);
// After the MPI library has started them, before it frees one.
void started_entry(const void* requests, long count);
void freed_entry(const void* request);

}  // namespace mpiactor::interpose

#endif  // MPIACTOR_ACTOR_INTERPOSE_ENTRIES_H_
