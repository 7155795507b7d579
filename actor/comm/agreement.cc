#include "actor/comm/agreement.h"

#include <climits>

#include "actor/abi/handles.h"
#include "inter/messages.h"

namespace mpiactor {
namespace {

// A collective call: `blocking()`, or `nonblocking(&request)` and giving way until it has ended.
template <typename Blocking, typename Nonblocking>
void call([[maybe_unused]] Blocking blocking, [[maybe_unused]] Nonblocking nonblocking) {
  constexpr const char* kWhat = "agreeing with the other ranks";
  if constexpr (kAgreesBlocking) {
    inter::check_mpi(blocking(), kWhat);
  } else {
    MPI_Request request;
    inter::check_mpi(nonblocking(&request), kWhat);
    inter::check_mpi(inter::wait_giving_way(request), kWhat);
  }
}

void allreduce(void* words, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  call([=] { return PMPI_Allreduce(MPI_IN_PLACE, words, count, type, op, comm); },
       [=](MPI_Request* request) {
         return PMPI_Iallreduce(MPI_IN_PLACE, words, count, type, op, comm, request);
       });
}

}  // namespace

void Agreement::lowest(std::span<int> numbers) const {
  allreduce(numbers.data(), static_cast<int>(numbers.size()), MPI_INT, MPI_MIN, comm_);
}

bool Agreement::all(bool mine) const {
  int agreed = mine;
  lowest({&agreed, 1});
  return agreed != 0;
}

bool Agreement::all(bool mine, std::string& why) const {
  int rank = 0;
  PMPI_Comm_rank(comm_, &rank);
  int first_against = mine ? INT_MAX : rank;
  lowest({&first_against, 1});
  if (first_against != rank) why.clear();
  return first_against == INT_MAX;
}

void Agreement::intersect(std::span<std::uint64_t> words) const {
  allreduce(words.data(), static_cast<int>(words.size()), MPI_UINT64_T, MPI_BAND, comm_);
}

void Agreement::share(void* data, std::size_t bytes) const {
  const auto count = static_cast<int>(bytes);
  call([=, this] { return PMPI_Bcast(data, count, MPI_BYTE, 0, comm_); },
       [=, this](MPI_Request* request) {
         return PMPI_Ibcast(data, count, MPI_BYTE, 0, comm_, request);
       });
}

void Agreement::collect(const void* mine, std::size_t bytes, void* all) const {
  const auto count = static_cast<int>(bytes);
  call([=, this] { return PMPI_Allgather(mine, count, MPI_BYTE, all, count, MPI_BYTE, comm_); },
       [=, this](MPI_Request* request) {
         return PMPI_Iallgather(mine, count, MPI_BYTE, all, count, MPI_BYTE, comm_, request);
       });
}

}  // namespace mpiactor
