// Between the exported functions (entries.cc, which knows no MPI type) and the runtime.
//
// Each is handled, or passed on to the MPI library: always the complete function of that name.
#ifndef MPIACTOR_ACTOR_INTERPOSE_INTERPOSE_H_
#define MPIACTOR_ACTOR_INTERPOSE_INTERPOSE_H_

#include <mpi.h>

namespace mpiactor::interpose {

// `large`: MPI_Bcast_c.
int bcast(void* buffer, MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm, bool large);
int barrier(MPI_Comm comm);
int reduce(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op, int root,
           MPI_Comm comm);
int allreduce(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
int reduce_scatter(const void* send, void* recv, const int* counts, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm);
int reduce_scatter_block(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op,
                         MPI_Comm comm);
int allgather(const void* send, int send_count, MPI_Datatype send_type, void* recv, int recv_count,
              MPI_Datatype recv_type, MPI_Comm comm);
int allgatherv(const void* send, int send_count, MPI_Datatype send_type, void* recv,
               const int* counts, const int* displacements, MPI_Datatype recv_type, MPI_Comm comm);
int gather(const void* send, int send_count, MPI_Datatype send_type, void* recv, int recv_count,
           MPI_Datatype recv_type, int root, MPI_Comm comm);
int scatter(const void* send, int send_count, MPI_Datatype send_type, void* recv, int recv_count,
            MPI_Datatype recv_type, int root, MPI_Comm comm);
int gatherv(const void* send, int send_count, MPI_Datatype send_type, void* recv, const int* counts,
            const int* displacements, MPI_Datatype recv_type, int root, MPI_Comm comm);
int scatterv(const void* send, const int* counts, const int* displacements, MPI_Datatype send_type,
             void* recv, int recv_count, MPI_Datatype recv_type, int root, MPI_Comm comm);
int alltoall(const void* send, int send_count, MPI_Datatype send_type, void* recv, int recv_count,
             MPI_Datatype recv_type, MPI_Comm comm);
int alltoallv(const void* send, const int* send_counts, const int* send_displacements,
              MPI_Datatype send_type, void* recv, const int* recv_counts,
              const int* recv_displacements, MPI_Datatype recv_type, MPI_Comm comm);

int ibarrier(MPI_Comm comm, MPI_Request* request);
int ibcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm,
           MPI_Request* request);
int ireduce(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op, int root,
            MPI_Comm comm, MPI_Request* request);
int iallreduce(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
               MPI_Request* request);

int bcast_init(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Info info,
               MPI_Request* request);
int allreduce_init(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm, MPI_Info info, MPI_Request* request);
// The MPI library has started these requests: begins the collectives among them.
void on_started(const MPI_Request* requests, int count);
// The MPI library is going to free this request.
void on_freed(MPI_Request request);
// Forgets all persistent requests, and what they hold.
void finalise_persistent();

}  // namespace mpiactor::interpose

#endif  // MPIACTOR_ACTOR_INTERPOSE_INTERPOSE_H_
