#include "tests/collectives/odd_call.h"

namespace mpiactor::testing {
namespace {

// An array as the binding wants it.
template <typename To, typename From>
class Array {
 public:
  Array(const Side& side, const std::vector<From>& values) {
    switch (side.arrays) {
      case Side::Arrays::kRight:
        values_.assign(values.begin(), values.end());
        data_ = values_.data();
        break;
      case Side::Arrays::kNull:
        break;
      case Side::Arrays::kJunk:
        data_ = static_cast<To*>(junk_pointer());
        break;
    }
  }
  const To* data() const { return data_; }

 private:
  std::vector<To> values_;
  const To* data_ = nullptr;
};

int complete(int error, MPI_Request& request) {
  return error == MPI_SUCCESS ? MPI_Wait(&request, MPI_STATUS_IGNORE) : error;
}

int start_twice(int error, MPI_Request& request) {
  if (error != MPI_SUCCESS) return error;
  for (int i = 0; i < 2 && error == MPI_SUCCESS; ++i) {
    error = complete(MPI_Start(&request), request);
  }
  MPI_Request_free(&request);
  return error;
}

// Count is int or MPI_Count, Place int or MPI_Aint.
template <typename Count, typename Place, typename Functions>
int perform_as(const OddCall& call, MPI_Comm comm, const Functions& functions) {
  const Side& send = call.send;
  const Side& receive = call.receive;
  const auto send_count = static_cast<Count>(send.count);
  const auto receive_count = static_cast<Count>(receive.count);
  const Array<Count, MPI_Count> send_counts(send, send.counts);
  const Array<Count, MPI_Count> receive_counts(receive, receive.counts);
  const Array<Place, MPI_Aint> send_places(send, send.places);
  const Array<Place, MPI_Aint> receive_places(receive, receive.places);
  MPI_Request request = MPI_REQUEST_NULL;
  switch (call.entry) {
    case Entry::kBarrier:
      return functions.barrier(comm);
    case Entry::kBcast:
      return functions.bcast(receive.buffer, receive_count, receive.type, call.root, comm);
    case Entry::kReduce:
      return functions.reduce(send.buffer, receive.buffer, send_count, send.type, call.op,
                              call.root, comm);
    case Entry::kAllreduce:
      return functions.allreduce(send.buffer, receive.buffer, send_count, send.type, call.op, comm);
    case Entry::kReduceScatter:
      return functions.reduce_scatter(send.buffer, receive.buffer, receive_counts.data(), send.type,
                                      call.op, comm);
    case Entry::kReduceScatterBlock:
      return functions.reduce_scatter_block(send.buffer, receive.buffer, receive_count, send.type,
                                            call.op, comm);
    case Entry::kAllgather:
      return functions.allgather(send.buffer, send_count, send.type, receive.buffer, receive_count,
                                 receive.type, comm);
    case Entry::kAllgatherv:
      return functions.allgatherv(send.buffer, send_count, send.type, receive.buffer,
                                  receive_counts.data(), receive_places.data(), receive.type, comm);
    case Entry::kGather:
      return functions.gather(send.buffer, send_count, send.type, receive.buffer, receive_count,
                              receive.type, call.root, comm);
    case Entry::kGatherv:
      return functions.gatherv(send.buffer, send_count, send.type, receive.buffer,
                               receive_counts.data(), receive_places.data(), receive.type,
                               call.root, comm);
    case Entry::kScatter:
      return functions.scatter(send.buffer, send_count, send.type, receive.buffer, receive_count,
                               receive.type, call.root, comm);
    case Entry::kScatterv:
      return functions.scatterv(send.buffer, send_counts.data(), send_places.data(), send.type,
                                receive.buffer, receive_count, receive.type, call.root, comm);
    case Entry::kAlltoall:
      return functions.alltoall(send.buffer, send_count, send.type, receive.buffer, receive_count,
                                receive.type, comm);
    case Entry::kAlltoallv:
      return functions.alltoallv(send.buffer, send_counts.data(), send_places.data(), send.type,
                                 receive.buffer, receive_counts.data(), receive_places.data(),
                                 receive.type, comm);
    case Entry::kIbarrier:
      return complete(functions.ibarrier(comm, &request), request);
    case Entry::kIbcast:
      return complete(
          functions.ibcast(receive.buffer, receive_count, receive.type, call.root, comm, &request),
          request);
    case Entry::kIreduce:
      return complete(functions.ireduce(send.buffer, receive.buffer, send_count, send.type, call.op,
                                        call.root, comm, &request),
                      request);
    case Entry::kIallreduce:
      return complete(functions.iallreduce(send.buffer, receive.buffer, send_count, send.type,
                                           call.op, comm, &request),
                      request);
    case Entry::kIreduceScatter:
      return complete(functions.ireduce_scatter(send.buffer, receive.buffer, receive_counts.data(),
                                                send.type, call.op, comm, &request),
                      request);
    case Entry::kIreduceScatterBlock:
      return complete(functions.ireduce_scatter_block(send.buffer, receive.buffer, receive_count,
                                                      send.type, call.op, comm, &request),
                      request);
    case Entry::kIallgather:
      return complete(functions.iallgather(send.buffer, send_count, send.type, receive.buffer,
                                           receive_count, receive.type, comm, &request),
                      request);
    case Entry::kIallgatherv:
      return complete(functions.iallgatherv(send.buffer, send_count, send.type, receive.buffer,
                                            receive_counts.data(), receive_places.data(),
                                            receive.type, comm, &request),
                      request);
    case Entry::kIgather:
      return complete(functions.igather(send.buffer, send_count, send.type, receive.buffer,
                                        receive_count, receive.type, call.root, comm, &request),
                      request);
    case Entry::kIscatter:
      return complete(functions.iscatter(send.buffer, send_count, send.type, receive.buffer,
                                         receive_count, receive.type, call.root, comm, &request),
                      request);
    case Entry::kIalltoall:
      return complete(functions.ialltoall(send.buffer, send_count, send.type, receive.buffer,
                                          receive_count, receive.type, comm, &request),
                      request);
    case Entry::kBcastInit:
      return start_twice(functions.bcast_init(receive.buffer, receive_count, receive.type,
                                              call.root, comm, MPI_INFO_NULL, &request),
                         request);
    case Entry::kAllreduceInit:
      return start_twice(
          functions.allreduce_init(send.buffer, receive.buffer, send_count, send.type, call.op,
                                   comm, MPI_INFO_NULL, &request),
          request);
  }
  return MPI_ERR_INTERN;
}

// The four sets of functions; P is empty or P, C empty or _c.
#define FUNCTIONS(P, C)                                                                           \
  struct {                                                                                        \
    decltype(&MPI_Barrier) barrier = P##MPI_Barrier;                                              \
    decltype(&MPI_Bcast##C) bcast = P##MPI_Bcast##C;                                              \
    decltype(&MPI_Reduce##C) reduce = P##MPI_Reduce##C;                                           \
    decltype(&MPI_Allreduce##C) allreduce = P##MPI_Allreduce##C;                                  \
    decltype(&MPI_Reduce_scatter##C) reduce_scatter = P##MPI_Reduce_scatter##C;                   \
    decltype(&MPI_Reduce_scatter_block##C) reduce_scatter_block = P##MPI_Reduce_scatter_block##C; \
    decltype(&MPI_Allgather##C) allgather = P##MPI_Allgather##C;                                  \
    decltype(&MPI_Allgatherv##C) allgatherv = P##MPI_Allgatherv##C;                               \
    decltype(&MPI_Gather##C) gather = P##MPI_Gather##C;                                           \
    decltype(&MPI_Gatherv##C) gatherv = P##MPI_Gatherv##C;                                        \
    decltype(&MPI_Scatter##C) scatter = P##MPI_Scatter##C;                                        \
    decltype(&MPI_Scatterv##C) scatterv = P##MPI_Scatterv##C;                                     \
    decltype(&MPI_Alltoall##C) alltoall = P##MPI_Alltoall##C;                                     \
    decltype(&MPI_Alltoallv##C) alltoallv = P##MPI_Alltoallv##C;                                  \
    decltype(&MPI_Ibarrier) ibarrier = P##MPI_Ibarrier;                                           \
    decltype(&MPI_Ibcast##C) ibcast = P##MPI_Ibcast##C;                                           \
    decltype(&MPI_Ireduce##C) ireduce = P##MPI_Ireduce##C;                                        \
    decltype(&MPI_Iallreduce##C) iallreduce = P##MPI_Iallreduce##C;                               \
    decltype(&MPI_Ireduce_scatter##C) ireduce_scatter = P##MPI_Ireduce_scatter##C;                \
    decltype(&MPI_Ireduce_scatter_block##C) ireduce_scatter_block =                               \
        P##MPI_Ireduce_scatter_block##C;                                                          \
    decltype(&MPI_Iallgather##C) iallgather = P##MPI_Iallgather##C;                               \
    decltype(&MPI_Iallgatherv##C) iallgatherv = P##MPI_Iallgatherv##C;                            \
    decltype(&MPI_Igather##C) igather = P##MPI_Igather##C;                                        \
    decltype(&MPI_Iscatter##C) iscatter = P##MPI_Iscatter##C;                                     \
    decltype(&MPI_Ialltoall##C) ialltoall = P##MPI_Ialltoall##C;                                  \
    decltype(&MPI_Bcast_init##C) bcast_init = P##MPI_Bcast_init##C;                               \
    decltype(&MPI_Allreduce_init##C) allreduce_init = P##MPI_Allreduce_init##C;                   \
  }

const FUNCTIONS(, ) kPlain;
const FUNCTIONS(, _c) kLarge;
const FUNCTIONS(P, ) kLibraryPlain;
const FUNCTIONS(P, _c) kLibraryLarge;

}  // namespace

int perform(const OddCall& call, MPI_Comm comm, bool by_library) {
  if (call.is_large) {
    return by_library ? perform_as<MPI_Count, MPI_Aint>(call, comm, kLibraryLarge)
                      : perform_as<MPI_Count, MPI_Aint>(call, comm, kLarge);
  }
  return by_library ? perform_as<int, int>(call, comm, kLibraryPlain)
                    : perform_as<int, int>(call, comm, kPlain);
}

}  // namespace mpiactor::testing
