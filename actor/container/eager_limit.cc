#include "actor/container/eager_limit.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <vector>

#include "actor/comm/agreement.h"
#include "inter/messages.h"

namespace mpiactor {
namespace {

// From the longest on, until one is sent at once.
constexpr std::array<std::uint64_t, 6> kTried = {
    kMostEagerBytes, 12 << 10, 8 << 10, 6 << 10, 4 << 10, 2 << 10,
};
constexpr std::uint64_t kHeaderBytes = sizeof(inter::PushHeader);
constexpr int kTrialTag = 1;
constexpr int kCountTag = 2;  // how many trials there are

// Whether it ends soon. Its receiver waits for another message meanwhile.
bool ends_by_itself(MPI_Request& request) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kPatience(2);
  constexpr int kLeastLooks = 20;      // others may have the core meanwhile
  constexpr int kMostLooks = 1 << 20;  // a program's clock may stand still
  int done = 0;
  const auto begin = Clock::now();
  for (int looks = 0; !done && looks < kMostLooks; ++looks) {
    if (looks >= kLeastLooks && Clock::now() - begin >= kPatience) break;
    inter::check_mpi(PMPI_Test(&request, &done, MPI_STATUS_IGNORE), "trying a length");
  }
  return done != 0;
}

std::uint64_t try_lengths(MPI_Comm comm, int peer) {
  const std::vector<std::byte> message(kHeaderBytes + kMostEagerBytes);
  std::vector<MPI_Request> requests;
  std::uint64_t limit = kLeastEagerBytes;
  for (const std::uint64_t bytes : kTried) {
    inter::check_mpi(PMPI_Isend(message.data(), static_cast<int>(kHeaderBytes + bytes), MPI_BYTE,
                                peer, kTrialTag, comm, &requests.emplace_back()),
                     "trying a length");
    if (ends_by_itself(requests.back())) {
      limit = bytes;
      break;
    }
  }
  const int count = static_cast<int>(requests.size());
  inter::check_mpi(PMPI_Send(&count, 1, MPI_INT, peer, kCountTag, comm), "trying lengths");
  inter::check_mpi(PMPI_Waitall(count, requests.data(), MPI_STATUSES_IGNORE), "trying lengths");
  return limit;
}

void receive_trials(MPI_Comm comm) {
  int count = 0;
  inter::check_mpi(PMPI_Recv(&count, 1, MPI_INT, 0, kCountTag, comm, MPI_STATUS_IGNORE),
                   "trying lengths");
  std::vector<std::byte> message(kHeaderBytes + kMostEagerBytes);
  for (int i = 0; i < count; ++i) {
    inter::check_mpi(PMPI_Recv(message.data(), static_cast<int>(message.size()), MPI_BYTE, 0,
                               kTrialTag, comm, MPI_STATUS_IGNORE),
                     "trying lengths");
  }
}

}  // namespace

std::uint64_t find_eager_limit(MPI_Comm comm, const NodeLayout& layout) {
  const int peer = layout.members(layout.node_of(0) == 0 ? 1 : 0).front();
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  // The two are connected before anything is tried.
  const int other = rank == 0 ? peer : 0;
  if (rank == 0 || rank == peer) {
    int word = 0;
    inter::check_mpi(PMPI_Sendrecv_replace(&word, 1, MPI_INT, other, kCountTag, other, kCountTag,
                                           comm, MPI_STATUS_IGNORE),
                     "connecting two nodes");
  }
  std::uint64_t limit = kMostEagerBytes;
  if (rank == 0) limit = try_lengths(comm, peer);
  if (rank == peer) receive_trials(comm);
  Agreement(comm).share(&limit, sizeof limit);
  return limit;
}

}  // namespace mpiactor
