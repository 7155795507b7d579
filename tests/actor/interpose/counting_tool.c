// A profiler as others write them: functions with MPI's plain names that count and call those with
// PMPI_. At the end each rank says on standard error what it has seen. Collectives are the
// program's own; of messages a program without any has none.
#include <mpi.h>
#include <stdio.h>

static int rank, broadcasts, others, messages;

int MPI_Init(int* argc, char*** argv) {
  const int error = PMPI_Init(argc, argv);
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return error;
}

int MPI_Finalize(void) {
  fprintf(stderr, "tool: rank %d: %d broadcasts, %d other collectives, %d messages\n", rank,
          broadcasts, others, messages);
  return PMPI_Finalize();
}

int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  ++broadcasts;
  return PMPI_Bcast(buffer, count, type, root, comm);
}

int MPI_Allreduce(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
  ++others;
  return PMPI_Allreduce(send, recv, count, type, op, comm);
}

int MPI_Allgather(const void* send, int send_count, MPI_Datatype send_type, void* recv,
                  int recv_count, MPI_Datatype recv_type, MPI_Comm comm) {
  ++others;
  return PMPI_Allgather(send, send_count, send_type, recv, recv_count, recv_type, comm);
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* fresh) {
  ++others;
  return PMPI_Comm_split(comm, color, key, fresh);
}

int MPI_Isend(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request) {
  ++messages;
  return PMPI_Isend(buffer, count, type, to, tag, comm, request);
}

int MPI_Irecv(void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request* request) {
  ++messages;
  return PMPI_Irecv(buffer, count, type, from, tag, comm, request);
}

int MPI_Improbe(int from, int tag, MPI_Comm comm, int* found, MPI_Message* message,
                MPI_Status* status) {
  ++messages;
  return PMPI_Improbe(from, tag, comm, found, message, status);
}
