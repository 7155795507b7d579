#include "bench/common_start.h"

#include <sched.h>

#include <algorithm>
#include <ctime>

#include "bench/job_facts.h"

namespace mpiactor::bench {
namespace {

constexpr int kArrivedTag = 2;
constexpr int kStartTag = 3;
constexpr std::int64_t kNoStart = -1;
constexpr int kYieldsBeforeSleep = 20;
constexpr long kFirstSleepNs = 20'000;
constexpr long kLongestSleepNs = 200'000;

}  // namespace

CommonStart::CommonStart(MPI_Comm comm, const CommonClock& clock, bool stay_awake)
    : comm_(comm), clock_(clock), stay_awake_(stay_awake) {
  PMPI_Comm_rank(comm, &rank_);
  PMPI_Comm_size(comm, &ranks_);
}

void CommonStart::note_problem(const std::string& problem) {
  if (problem_.empty()) problem_ = problem;
}

std::int64_t CommonStart::agree(std::int64_t margin_ns) const {
  // Binomial tree rooted at rank 0: the children of a rank differ from it in one bit below its own
  // lowest set bit.
  const int lowest_bit = rank_ == 0 ? ranks_ : rank_ & -rank_;
  std::int64_t all_ready = problem_.empty() ? 1 : 0;
  for (int bit = 1; bit < lowest_bit && rank_ + bit < ranks_; bit *= 2) {
    std::int64_t child_ready = 0;
    receive(child_ready, rank_ + bit, kArrivedTag);
    all_ready &= child_ready;
  }
  std::int64_t start_ns = kNoStart;
  if (rank_ == 0) {
    if (all_ready) start_ns = clock_.to_common(now_ns()) + margin_ns;
  } else {
    send(all_ready, rank_ - lowest_bit, kArrivedTag);
    receive(start_ns, rank_ - lowest_bit, kStartTag);
  }
  for (int bit = 1; bit < lowest_bit && rank_ + bit < ranks_; bit *= 2) {
    send(start_ns, rank_ + bit, kStartTag);
  }
  if (start_ns == kNoStart) throw JobFailed(problem_);
  return clock_.to_own(start_ns);
}

// Unless ranks may stay awake: a few yields, then ever longer sleeps.
void CommonStart::complete(MPI_Request request) const {
  long sleep_ns = kFirstSleepNs;
  for (int polls = 0;; ++polls) {
    int done = 0;
    PMPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done) return;
    if (stay_awake_) continue;
    if (polls < kYieldsBeforeSleep) {
      sched_yield();
      continue;
    }
    const timespec pause{.tv_sec = 0, .tv_nsec = sleep_ns};
    nanosleep(&pause, nullptr);
    sleep_ns = std::min(2 * sleep_ns, kLongestSleepNs);
  }
}

void CommonStart::receive(std::int64_t& value, int peer, int tag) const {
  MPI_Request request = MPI_REQUEST_NULL;
  PMPI_Irecv(&value, 1, MPI_INT64_T, peer, tag, comm_, &request);
  complete(request);
}

void CommonStart::send(const std::int64_t& value, int peer, int tag) const {
  MPI_Request request = MPI_REQUEST_NULL;
  PMPI_Isend(&value, 1, MPI_INT64_T, peer, tag, comm_, &request);
  complete(request);
}

}  // namespace mpiactor::bench
