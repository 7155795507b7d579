// From the register-wide arguments of entries.cc to MPI's types. Handles are 32-bit integers in the
// MPICH ABI, for which the runtime is built. Here calls enter the trace, whoever handles them then.
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <type_traits>

#include "actor/interpose/entries.h"
#include "actor/interpose/interpose.h"
#include "actor/trace/span.h"

namespace mpiactor::interpose {

static_assert(std::is_same_v<MPI_Comm, int> && std::is_same_v<MPI_Datatype, int> &&
              std::is_same_v<MPI_Op, int> && sizeof(MPI_Count) == sizeof(long));

namespace {

// The upper half of a register that holds an int is undefined.
int narrow(long value) { return static_cast<int>(value); }

// For the trace, after a call without error.
std::uint64_t bytes_of(std::int64_t count, long type) {
  MPI_Count bytes = 0;
  if (count > 0) PMPI_Type_size_x(narrow(type), &bytes);
  return static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(bytes);
}

std::int64_t sum(const int* counts, const trace::Span& span) {
  return std::accumulate(counts, counts + span.ranks(), std::int64_t{0});
}

// Of blocks of different sizes.
std::uint64_t average_bytes(const int* counts, long type, const trace::Span& span) {
  return bytes_of(sum(counts, span), type) / std::max(1u, span.ranks());
}

constexpr int kNoRoot = -1;

// trace::traced() with the bytes of `count` elements.
template <typename Run>
int traced(const char* operation, long comm, int root, long count, long type, Run run) {
  return trace::traced(
      operation, narrow(comm), root, [&](const trace::Span&) { return bytes_of(count, type); },
      run);
}

// A block that is given to, or taken from, the root: the root has one for every rank.
template <typename Run>
int traced_block(const char* operation, long comm, long root, long count, long type,
                 long root_count, long root_type, Run run) {
  return trace::traced(
      operation, narrow(comm), narrow(root),
      [&](const trace::Span& span) {
        return span.is_root() ? bytes_of(narrow(root_count), root_type)
                              : bytes_of(narrow(count), type);
      },
      run);
}

}  // namespace

int bcast_entry(void* buffer, long count, long type, long root, long comm) {
  return traced("MPI_Bcast", comm, narrow(root), narrow(count), type, [&] {
    return bcast(buffer, narrow(count), narrow(type), narrow(root), narrow(comm), false);
  });
}
int bcast_c_entry(void* buffer, long count, long type, long root, long comm) {
  return traced("MPI_Bcast", comm, narrow(root), count, type, [&] {
    return bcast(buffer, count, narrow(type), narrow(root), narrow(comm), true);
  });
}
int barrier_entry(long comm) {
  return traced("MPI_Barrier", comm, kNoRoot, 0, 0, [&] { return barrier(narrow(comm)); });
}
int reduce_entry(const void* send, void* recv, long count, long type, long op, long root,
                 long comm) {
  return traced("MPI_Reduce", comm, narrow(root), narrow(count), type, [&] {
    return reduce(send, recv, narrow(count), narrow(type), narrow(op), narrow(root), narrow(comm));
  });
}
int allreduce_entry(const void* send, void* recv, long count, long type, long op, long comm) {
  return traced("MPI_Allreduce", comm, kNoRoot, narrow(count), type, [&] {
    return allreduce(send, recv, narrow(count), narrow(type), narrow(op), narrow(comm));
  });
}
int reduce_scatter_entry(const void* send, void* recv, const int* counts, long type, long op,
                         long comm) {
  return trace::traced(
      "MPI_Reduce_scatter", narrow(comm), kNoRoot,
      [&](const trace::Span& span) { return bytes_of(sum(counts, span), type); },
      [&] { return reduce_scatter(send, recv, counts, narrow(type), narrow(op), narrow(comm)); });
}
int reduce_scatter_block_entry(const void* send, void* recv, long count, long type, long op,
                               long comm) {
  return trace::traced(
      "MPI_Reduce_scatter_block", narrow(comm), kNoRoot,
      [&](const trace::Span& span) {
        return bytes_of(std::int64_t{narrow(count)} * span.ranks(), type);
      },
      [&] {
        return reduce_scatter_block(send, recv, narrow(count), narrow(type), narrow(op),
                                    narrow(comm));
      });
}
int allgather_entry(const void* send, long send_count, long send_type, void* recv, long recv_count,
                    long recv_type, long comm) {
  return traced("MPI_Allgather", comm, kNoRoot, narrow(recv_count), recv_type, [&] {
    return allgather(send, narrow(send_count), narrow(send_type), recv, narrow(recv_count),
                     narrow(recv_type), narrow(comm));
  });
}
// Bytes that the rank itself gives.
int allgatherv_entry(const void* send, long send_count, long send_type, void* recv,
                     const int* counts, const int* displacements, long recv_type, long comm) {
  return trace::traced(
      "MPI_Allgatherv", narrow(comm), kNoRoot,
      [&](const trace::Span& span) { return bytes_of(counts[span.rank()], recv_type); },
      [&] {
        return allgatherv(send, narrow(send_count), narrow(send_type), recv, counts, displacements,
                          narrow(recv_type), narrow(comm));
      });
}
int gather_entry(const void* send, long send_count, long send_type, void* recv, long recv_count,
                 long recv_type, long root, long comm) {
  return traced_block("MPI_Gather", comm, root, send_count, send_type, recv_count, recv_type, [&] {
    return gather(send, narrow(send_count), narrow(send_type), recv, narrow(recv_count),
                  narrow(recv_type), narrow(root), narrow(comm));
  });
}
int scatter_entry(const void* send, long send_count, long send_type, void* recv, long recv_count,
                  long recv_type, long root, long comm) {
  return traced_block("MPI_Scatter", comm, root, recv_count, recv_type, send_count, send_type, [&] {
    return scatter(send, narrow(send_count), narrow(send_type), recv, narrow(recv_count),
                   narrow(recv_type), narrow(root), narrow(comm));
  });
}
// Bytes that the rank itself gives or takes; the root: the average of what it takes or gives.
int gatherv_entry(const void* send, long send_count, long send_type, void* recv, const int* counts,
                  const int* displacements, long recv_type, long root, long comm) {
  return trace::traced(
      "MPI_Gatherv", narrow(comm), narrow(root),
      [&](const trace::Span& span) {
        return span.is_root() ? average_bytes(counts, recv_type, span)
                              : bytes_of(narrow(send_count), send_type);
      },
      [&] {
        return gatherv(send, narrow(send_count), narrow(send_type), recv, counts, displacements,
                       narrow(recv_type), narrow(root), narrow(comm));
      });
}
int scatterv_entry(const void* send, const int* counts, const int* displacements, long send_type,
                   void* recv, long recv_count, long recv_type, long root, long comm) {
  return trace::traced(
      "MPI_Scatterv", narrow(comm), narrow(root),
      [&](const trace::Span& span) {
        return span.is_root() ? average_bytes(counts, send_type, span)
                              : bytes_of(narrow(recv_count), recv_type);
      },
      [&] {
        return scatterv(send, counts, displacements, narrow(send_type), recv, narrow(recv_count),
                        narrow(recv_type), narrow(root), narrow(comm));
      });
}
int alltoall_entry(const void* send, long send_count, long send_type, void* recv, long recv_count,
                   long recv_type, long comm) {
  return traced("MPI_Alltoall", comm, kNoRoot, narrow(recv_count), recv_type, [&] {
    return alltoall(send, narrow(send_count), narrow(send_type), recv, narrow(recv_count),
                    narrow(recv_type), narrow(comm));
  });
}
int alltoallv_entry(const void* send, const int* send_counts, const int* send_displacements,
                    long send_type, void* recv, const int* recv_counts,
                    const int* recv_displacements, long recv_type, long comm) {
  return trace::traced(
      "MPI_Alltoallv", narrow(comm), kNoRoot,
      [&](const trace::Span& span) { return average_bytes(recv_counts, recv_type, span); },
      [&] {
        return alltoallv(send, send_counts, send_displacements, narrow(send_type), recv,
                         recv_counts, recv_displacements, narrow(recv_type), narrow(comm));
      });
}

// Nonblocking calls enter the trace when they are handled (background_call.cc).
namespace {

MPI_Request* request_at(void* request) { return static_cast<MPI_Request*>(request); }

}  // namespace

int ibarrier_entry(long comm, void* request) { return ibarrier(narrow(comm), request_at(request)); }
int ibcast_entry(void* buffer, long count, long type, long root, long comm, void* request) {
  return ibcast(buffer, narrow(count), narrow(type), narrow(root), narrow(comm),
                request_at(request));
}
int ireduce_entry(const void* send, void* recv, long count, long type, long op, long root,
                  long comm, void* request) {
  return ireduce(send, recv, narrow(count), narrow(type), narrow(op), narrow(root), narrow(comm),
                 request_at(request));
}
int iallreduce_entry(const void* send, void* recv, long count, long type, long op, long comm,
                     void* request) {
  return iallreduce(send, recv, narrow(count), narrow(type), narrow(op), narrow(comm),
                    request_at(request));
}
int bcast_init_entry(void* buffer, long count, long type, long root, long comm, long info,
                     void* request) {
  return bcast_init(buffer, narrow(count), narrow(type), narrow(root), narrow(comm), narrow(info),
                    request_at(request));
}
int allreduce_init_entry(const void* send, void* recv, long count, long type, long op, long comm,
                         long info, void* request) {
  return allreduce_init(send, recv, narrow(count), narrow(type), narrow(op), narrow(comm),
                        narrow(info), request_at(request));
}
void started_entry(const void* requests, long count) {
  on_started(static_cast<const MPI_Request*>(requests), narrow(count));
}
void freed_entry(const void* request) {
  if (request) on_freed(*static_cast<const MPI_Request*>(request));
}

}  // namespace mpiactor::interpose
