// Messages and one-sided communication between collectives, and among them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "tests/differential/program.h"

namespace differential {

namespace {

using Words = std::vector<std::int64_t>;

std::int64_t word(const Step& step, int rank, int i) {
  return static_cast<std::int64_t>(
      mix(key_of({step.key, static_cast<std::uint64_t>(rank)}) + static_cast<std::uint64_t>(i)));
}

void check(const Step& step, std::int64_t got, std::int64_t expected, const char* what, int i) {
  if (got != expected)
    fail(where(step), fmt::format("{}: word {} is {:x}, not {:x}", what, i, got, expected));
}

// A collective in the middle of an epoch.
void sum(Step& step, const Communicator& on) {
  int ranks = 1;
  require_success(MPI_Allreduce(MPI_IN_PLACE, &ranks, 1, MPI_INT, MPI_SUM, on.comm), where(step));
  check(step, ranks, on.size(), "an allreduce in an epoch", 0);
}

// A window of two halves: the neighbour before writes the first, this rank the second.
struct Window {
  Window(Step& at, const Communicator& communicator, int count)
      : step(at),
        on(communicator),
        words(count),
        before((on.rank + on.size() - 1) % on.size()),
        behind((on.rank + 1) % on.size()),
        memory(2 * static_cast<std::size_t>(count), -1) {
    for (int i = 0; i < words; ++i) {
      memory[static_cast<std::size_t>(words + i)] = word(step, on.rank + 1000, i);
      given.push_back(word(step, on.rank, i));
    }
    MPI_Win_create(memory.data(), static_cast<MPI_Aint>(memory.size() * sizeof(std::int64_t)),
                   sizeof(std::int64_t), MPI_INFO_NULL, on.comm, &win);
  }
  ~Window() { MPI_Win_free(&win); }
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  void put() { MPI_Put(given.data(), words, MPI_INT64_T, behind, 0, words, MPI_INT64_T, win); }
  void check_put() const {
    for (int i = 0; i < words; ++i)
      check(step, memory[static_cast<std::size_t>(i)], word(step, before, i), "put", i);
  }

  Step& step;
  const Communicator& on;
  int words;
  int before;
  int behind;
  Words memory;
  Words given;
  MPI_Win win = MPI_WIN_NULL;
};

void fences(Window& w) {
  // MPICH 4.0 alone may leave a fence before a get of several packets has ended, on a busy machine.
  constexpr int kMostGot = 1024;
  const int words = std::min(w.words, kMostGot);
  Words got(static_cast<std::size_t>(words));
  MPI_Win_fence(0, w.win);
  w.put();
  MPI_Get(got.data(), words, MPI_INT64_T, w.behind, w.words, words, MPI_INT64_T, w.win);
  w.step.maybe_sleep();
  if (w.step.shared.one_in(2)) sum(w.step, w.on);
  MPI_Win_fence(0, w.win);
  w.check_put();
  for (int i = 0; i < words; ++i)
    check(w.step, got[static_cast<std::size_t>(i)], word(w.step, w.behind + 1000, i), "get", i);
}

void post_and_start(Window& w) {
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Group sources = MPI_GROUP_NULL;
  MPI_Group targets = MPI_GROUP_NULL;
  MPI_Comm_group(w.on.comm, &all);
  MPI_Group_incl(all, 1, &w.before, &sources);
  MPI_Group_incl(all, 1, &w.behind, &targets);
  MPI_Win_post(sources, 0, w.win);
  MPI_Win_start(targets, 0, w.win);
  w.put();
  if (w.step.shared.one_in(2)) sum(w.step, w.on);
  MPI_Win_complete(w.win);
  if (w.step.shared.one_in(2)) sum(w.step, w.on);
  MPI_Win_wait(w.win);
  w.check_put();
  for (MPI_Group* group : {&all, &sources, &targets}) MPI_Group_free(group);
}

void locks(Window& w) {
  MPI_Win_lock(MPI_LOCK_SHARED, w.behind, 0, w.win);
  w.put();
  MPI_Win_flush(w.behind, w.win);
  if (w.step.shared.one_in(2)) sum(w.step, w.on);
  MPI_Win_unlock(w.behind, w.win);
  sum(w.step, w.on);
  MPI_Win_lock(MPI_LOCK_SHARED, w.on.rank, 0, w.win);
  w.check_put();
  MPI_Win_unlock(w.on.rank, w.win);
}

}  // namespace

void one_sided_epochs(Step& step, const Communicator& on) {
  static constexpr std::array kEpochs = {fences, post_and_start, locks};
  const auto which = static_cast<std::size_t>(step.shared.below(3));
  const int words = static_cast<int>(draw_bytes(step.shared, 4) / 8);
  step.text += fmt::format(", kind {}, {} words", which, words);
  Window window(step, on, words);
  kEpochs[which](window);
}

std::vector<std::shared_ptr<Call>> begin_messages(Step& step, MPI_Comm talk) {
  Communicator world;
  int size = 0;
  MPI_Comm_rank(talk, &world.rank);
  MPI_Comm_size(talk, &size);
  world.members.resize(static_cast<std::size_t>(size));
  Draft draft(step, world);
  const int shift = step.shared.below(size);
  const std::int64_t units = draft.draw_units(1);
  const bool synchronous = step.shared.one_in(4);
  const int tag = step.number % 30000;
  const int to = (world.rank + shift) % size;
  const int from = (world.rank + size - shift) % size;
  step.text += fmt::format(" to the rank {} behind, {}", shift, draft.sizes(units));

  auto sent = std::make_shared<Call>();
  sent->send = draft.row(draft.draw_layout(step.own), {units});
  sent->from = draft.pass(sent->send, units);
  sent->send.reset(key_of({step.key, 1}));
  sent->send.put(0, bytes_of(step.key, world.rank, to, sent->send.block_bytes(0)));
  auto received = std::make_shared<Call>();
  received->receive = draft.row(draft.draw_layout(step.own), {units});
  received->to = draft.pass(received->receive, units);
  received->receive.reset(key_of({step.key, 2}));
  received->receive.expect(0,
                           bytes_of(step.key, from, world.rank, received->receive.block_bytes(0)));
  sent->text = where(step) + ", sent";
  received->text = where(step) + ", received";
  const auto send = synchronous ? MPI_Issend : MPI_Isend;
  const Argument& out = sent->from;
  const Argument& in = received->to;
  require_success(send(out.address, out.count, out.type, to, tag, talk, &sent->request),
                  sent->text);
  step.maybe_sleep();
  require_success(MPI_Irecv(in.address, in.count, in.type, from, tag, talk, &received->request),
                  received->text);
  return {sent, received};
}

void probe_after_barriers(Step& step, const Communicator& on) {
  const int behind = (on.rank + 1) % on.size();
  const int before = (on.rank + on.size() - 1) % on.size();
  const int tag = 30001;
  const bool matched = step.shared.one_in(2);
  int told = on.rank;
  int heard = -1;
  MPI_Send(&told, 1, MPI_INT, behind, tag, on.comm);
  MPI_Barrier(on.comm);
  MPI_Barrier(on.comm);
  int seen = 0;
  MPI_Message message = MPI_MESSAGE_NULL;
  if (matched) {
    MPI_Improbe(before, tag, on.comm, &seen, &message, MPI_STATUS_IGNORE);
  } else {
    MPI_Iprobe(before, tag, on.comm, &seen, MPI_STATUS_IGNORE);
  }
  if (!seen) fail(where(step), "a message that was sent before a barrier is not seen after it");
  if (matched) {
    MPI_Mrecv(&heard, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
  } else {
    MPI_Recv(&heard, 1, MPI_INT, before, tag, on.comm, MPI_STATUS_IGNORE);
  }
  check(step, heard, before, "message", 0);
}

}  // namespace differential
