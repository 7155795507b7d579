// Calls on inter-communicators.
#include <fmt/format.h>

#include <vector>

#include "tests/differential/program.h"

namespace differential {

namespace {

using Words = std::vector<std::uint64_t>;

struct Between {
  Step& step;
  const InterCommunicator& on;
  int words;

  std::uint64_t word(bool of_first, int rank, int i) const {
    return mix(key_of({step.key, of_first ? 1u : 2u, static_cast<std::uint64_t>(rank)}) +
               static_cast<std::uint64_t>(i));
  }
  Words words_of(bool of_first, int rank, int count, int begin = 0) const {
    Words result;
    for (int i = 0; i < count; ++i) result.push_back(word(of_first, rank, begin + i));
    return result;
  }
  Words mine(int count) const { return words_of(on.is_first, on.rank, count); }
  int others() const { return static_cast<int>(on.remote.size()); }

  // Calls a nonblocking form and waits, or the blocking one.
  template <typename Blocking, typename Nonblocking>
  void call(Blocking&& blocking, Nonblocking&& nonblocking) const {
    if (step.shared.one_in(2) && step.has("nonblocking")) {
      MPI_Request request = MPI_REQUEST_NULL;
      require_success(nonblocking(&request), where(step));
      step.maybe_sleep();
      require_success(MPI_Wait(&request, MPI_STATUS_IGNORE), where(step));
    } else {
      step.maybe_sleep();
      require_success(blocking(), where(step));
    }
  }
  void check(const Words& got, const Words& expected) const {
    for (std::size_t i = 0; i < got.size(); ++i) {
      if (got[i] != expected[i])
        fail(where(step), fmt::format("word {} is {:x}, not {:x}", i, got[i], expected[i]));
    }
  }
};

void barrier(const Between& b) {
  b.call([&] { return MPI_Barrier(b.on.comm); },
         [&](MPI_Request* request) { return MPI_Ibarrier(b.on.comm, request); });
}

void bcast(const Between& b) {
  const bool first_gives = b.step.shared.one_in(2);
  const std::size_t givers = first_gives == b.on.is_first ? b.on.local.size() : b.on.remote.size();
  const int root = b.step.shared.below(static_cast<int>(givers));
  const bool gives = first_gives == b.on.is_first;
  const int passed = !gives ? root : b.on.rank == root ? MPI_ROOT : MPI_PROC_NULL;
  Words words = gives ? b.mine(b.words) : Words(static_cast<std::size_t>(b.words));
  // By MPI_Ibcast of MPICH 4.0 nothing may arrive.
  b.step.maybe_sleep();
  require_success(MPI_Bcast(words.data(), b.words, MPI_UINT64_T, passed, b.on.comm), where(b.step));
  b.check(words, gives ? b.mine(b.words) : b.words_of(first_gives, root, b.words));
}

void allreduce(const Between& b) {
  const Words mine = b.mine(b.words);
  Words got(mine.size());
  b.call(
      [&] {
        return MPI_Allreduce(mine.data(), got.data(), b.words, MPI_UINT64_T, MPI_SUM, b.on.comm);
      },
      [&](MPI_Request* request) {
        return MPI_Iallreduce(mine.data(), got.data(), b.words, MPI_UINT64_T, MPI_SUM, b.on.comm,
                              request);
      });
  Words expected(mine.size());
  for (int rank = 0; rank < b.others(); ++rank) {
    for (int i = 0; i < b.words; ++i)
      expected[static_cast<std::size_t>(i)] += b.word(!b.on.is_first, rank, i);
  }
  b.check(got, expected);
}

void allgather(const Between& b) {
  const Words mine = b.mine(b.words);
  Words got(mine.size() * b.on.remote.size());
  b.call(
      [&] {
        return MPI_Allgather(mine.data(), b.words, MPI_UINT64_T, got.data(), b.words, MPI_UINT64_T,
                             b.on.comm);
      },
      [&](MPI_Request* request) {
        return MPI_Iallgather(mine.data(), b.words, MPI_UINT64_T, got.data(), b.words, MPI_UINT64_T,
                              b.on.comm, request);
      });
  Words expected;
  for (int rank = 0; rank < b.others(); ++rank) {
    const Words theirs = b.words_of(!b.on.is_first, rank, b.words);
    expected.insert(expected.end(), theirs.begin(), theirs.end());
  }
  b.check(got, expected);
}

void alltoall(const Between& b) {
  const Words mine = b.mine(b.words * b.others());
  Words got(mine.size());
  b.call(
      [&] {
        return MPI_Alltoall(mine.data(), b.words, MPI_UINT64_T, got.data(), b.words, MPI_UINT64_T,
                            b.on.comm);
      },
      [&](MPI_Request* request) {
        return MPI_Ialltoall(mine.data(), b.words, MPI_UINT64_T, got.data(), b.words, MPI_UINT64_T,
                             b.on.comm, request);
      });
  Words expected;
  for (int rank = 0; rank < b.others(); ++rank) {
    const Words theirs = b.words_of(!b.on.is_first, rank, b.words, b.on.rank * b.words);
    expected.insert(expected.end(), theirs.begin(), theirs.end());
  }
  b.check(got, expected);
}

}  // namespace

void call_between(Step& step, const InterCommunicator& between) {
  static constexpr std::array kCalls = {barrier, bcast, allreduce, allgather, alltoall};
  const auto which = static_cast<std::size_t>(step.shared.below(kCalls.size()));
  const int words = static_cast<int>(draw_bytes(step.shared, 16) / 8);
  step.text += fmt::format(" (kind {}, {} words)", which, words);
  kCalls[which](Between{step, between, words});
}

}  // namespace differential
