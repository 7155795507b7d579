#include "tests/differential/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace differential {

namespace {

// Of a program that runs for some time: how often the ranks agree on whether it is over.
constexpr int kStepsBetweenLooks = 16;
constexpr std::size_t kMostPending = 10;
constexpr std::size_t kMostPersistent = 4;

using Drafter = CallPointer (*)(Draft&);
constexpr std::array<Drafter, 24> kDrafters = {draft_bcast,          draft_bcast,
                                               draft_bcast,          draft_reduce,
                                               draft_reduce,         draft_allreduce,
                                               draft_allreduce,      draft_allreduce,
                                               draft_barrier,        draft_barrier,
                                               draft_gather,         draft_gatherv,
                                               draft_gatherv,        draft_scatter,
                                               draft_scatterv,       draft_scatterv,
                                               draft_allgather,      draft_allgatherv,
                                               draft_alltoall,       draft_alltoallv,
                                               draft_reduce_scatter, draft_reduce_scatter_block,
                                               draft_alltoallv,      nullptr};
// Such as the runtime under test passes on.
constexpr std::array<Drafter, 3> kOthers = {draft_alltoallw, draft_scan, draft_exscan};

CallPointer draft_any(Draft& draft) {
  const auto which = static_cast<std::size_t>(draft.step.shared.below(kDrafters.size()));
  const auto other = static_cast<std::size_t>(draft.step.shared.below(kOthers.size()));
  return kDrafters[which] == nullptr ? kOthers[other](draft) : kDrafters[which](draft);
}

std::string name_of(const Way& way) {
  return fmt::format("{}{}", way.profiled ? "PMPI_" : "MPI_",
                     way.kind == Kind::kBlocking      ? ""
                     : way.kind == Kind::kNonblocking ? "I... "
                                                      : "..._init ");
}

}  // namespace

Program::Program(MPI_Comm world, const Options& options, int thread)
    : options_(options),
      thread_(thread),
      seed_(key_of({options.seed, 77 + std::uint64_t(thread)})) {
  MPI_Comm_rank(world, &world_rank_);
  PMPI_Comm_dup(world, &control_);
  PMPI_Comm_dup(world, &talk_);
  places_[0].communicator = whole_world(world);
  end_ = MPI_Wtime() + options.seconds;
}

Program::~Program() {
  PMPI_Comm_free(&control_);
  PMPI_Comm_free(&talk_);
}

bool Program::goes_on(int number) const {
  if (options_.steps > 0 && number >= options_.steps) return false;
  if (options_.seconds == 0 || number % kStepsBetweenLooks != 0) return true;
  int goes_on = MPI_Wtime() < end_ ? 1 : 0;
  PMPI_Bcast(&goes_on, 1, MPI_INT, 0, control_);
  return goes_on != 0;
}

bool Program::is_kept(int number) const {
  return number >= options_.first_step &&
         (options_.keeps_all ||
          std::binary_search(options_.keep.begin(), options_.keep.end(), number));
}

void Program::run() {
  for (int number = 0; goes_on(number); ++number) {
    if (is_kept(number)) run_step(number);
  }
  finish();
}

void Program::run_step(int number) {
  Step step(options_, seed_, number, world_rank_, thread_);
  ++steps_;
  const int kind = step.shared.below(100);
  const bool completes = step.own.one_in(4);
  if (pending_.size() > kMostPending || (completes && !pending_.empty())) {
    pending_.complete_some(step);
  }
  if (kind < 62) {
    collective(step);
  } else if (kind < 72) {
    make(step);
  } else if (kind < 76) {
    Place& place = place_of(step);
    step.text = "free";
    empty(step, place);
  } else if (kind < 82) {
    start_again(step);
  } else if (kind < 89) {
    message(step);
  } else if (kind < 91) {
    one_sided(step);
  } else if (kind < 94) {
    make_between(step);
  } else if (kind < 95) {
    set_late_attribute(step);
  } else if (kind < 97) {
    look_after_barriers(step);
  } else if (options_.wrong_sizes && step.has("wrong_sizes")) {
    const Place& place = place_of(step);
    if (place.communicator && place.communicator->size() > 1)
      call_with_wrong_sizes(step, *place.communicator);
  }
}

Program::Place& Program::place_of(Step& step) {
  const int which = step.shared.below(kPlaces);
  return places_[static_cast<std::size_t>(which)];
}

void Program::announce(Step& step, const Communicator* on) {
  if (on != nullptr) step.text += fmt::format(" on {} ({} ranks)", on->made, on->size());
  enter(thread_, where(step));
  if (options_.print && (on == nullptr ? world_rank_ : on->rank) == 0)
    std::printf("%s\n", where(step).c_str());
}

void Program::collective(Step& step) {
  Place& place = place_of(step);
  if (!place.communicator) return;
  Communicator& on = *place.communicator;
  Draft draft(step, on);
  CallPointer call = draft_any(draft);
  call->communicator = &on;
  run_call(step, std::move(call), on, place);
}

void Program::run_call(Step& step, CallPointer made, Communicator& on, Place& place) {
  const int kind = step.shared.below(20);
  Way way;
  way.profiled = step.shared.one_in(12) && step.has("profiled");
  way.large = step.own.one_in(3) && step.has("large_counts");
  const int rounds = step.shared.below(3);
  const bool defers = step.own.one_in(2) && step.has("deferred");
  const bool releases = step.own.one_in(3);
  if (kind >= 11 && kind < 17 && step.has("nonblocking")) way.kind = Kind::kNonblocking;
  const std::shared_ptr<Call> call = std::move(made);
  if (kind % 2 == 0 && call->may_be_persistent && step.has("persistent"))
    way.kind = Kind::kPersistent;
  step.text = name_of(way) + step.text;
  if (way.large) step.own_text += " (_c)";
  announce(step, &on);
  call->text = where(step);
  call->fill(*call, step.key);
  step.maybe_sleep();
  look_at_wildcard(on, call->text);
  require_success(call->begin(*call, way, &call->request), call->text);
  if (way.kind == Kind::kBlocking) {
    call->check();
    release_operation(*call);
    count(on);
    return;
  }
  if (releases) {
    release_types(*call);
    release_operation(*call);
  }
  if (way.kind == Kind::kPersistent) {
    call->persistent = true;
    for (int round = 0; round < rounds; ++round) {
      call->fill(*call, key_of({step.key, std::uint64_t(round) + 1}));
      require_success(MPI_Start(&call->request), call->text);
      pending_.add(call);
      step.maybe_sleep();
      pending_.complete(step, call.get());
      count(on);
    }
    call->fill(*call, key_of({step.key, 99}));
    require_success(MPI_Start(&call->request), call->text);
    place.persistent.push_back(call);
  }
  pending_.add(call);
  count(on);
  if (!defers) {
    step.maybe_sleep();
    pending_.complete(step, call.get());
  }
  // The oldest one goes. All ranks have it in the same place.
  if (place.persistent.size() > kMostPersistent) {
    const std::shared_ptr<Call> oldest = place.persistent.front();
    place.persistent.erase(place.persistent.begin());
    if (oldest->pending) pending_.complete(step, oldest.get());
    require_success(MPI_Request_free(&oldest->request), oldest->text);
    release_operation(*oldest);
  }
}

void Program::start_again(Step& step) {
  Place& place = place_of(step);
  const bool all_at_once = step.shared.one_in(2);
  const int first = step.shared.below(static_cast<int>(kMostPersistent));
  if (!place.communicator || place.persistent.empty()) return;
  step.text = all_at_once ? "Startall" : "Start";
  announce(step, place.communicator.get());
  std::vector<MPI_Request> requests;
  std::vector<std::shared_ptr<Call>> calls;
  for (std::size_t i = 0; i < place.persistent.size(); ++i) {
    if (static_cast<int>(i) < first % static_cast<int>(place.persistent.size())) continue;
    const std::shared_ptr<Call>& call = place.persistent[i];
    if (call->pending) pending_.complete(step, call.get());
    call->fill(*call, key_of({step.key, i}));
    calls.push_back(call);
    requests.push_back(call->request);
  }
  step.maybe_sleep();
  if (all_at_once) {
    require_success(MPI_Startall(static_cast<int>(requests.size()), requests.data()), where(step));
  } else {
    for (MPI_Request& request : requests) require_success(MPI_Start(&request), where(step));
  }
  for (std::size_t i = 0; i < calls.size(); ++i) {
    calls[i]->request = requests[i];
    pending_.add(calls[i]);
    count(*place.communicator);
  }
}

// A place's communicator is freed: with all that is pending completed, or before that.
void Program::empty(Step& step, Place& place) {
  const bool early = step.shared.one_in(2) && step.has("early_free");
  if (!place.communicator || !place.communicator->freed_in_the_end) return;
  Communicator& communicator = *place.communicator;
  // A delete callback may call collectives, for which MPI must not come to it from within.
  const bool completes = !early || communicator.has_attribute;
  step.text += completes ? ", all completed," : ", early,";
  announce(step, &communicator);
  const std::string text = where(step);
  answer_wildcard(communicator);
  if (completes) {
    pending_.complete_of(step, &communicator);
    if (communicator.wildcard) complete_wildcard(*communicator.wildcard, text);
  } else if (communicator.wildcard) {
    wildcards_.push_back(std::move(communicator.wildcard));
  }
  if (completes) {
    for (const auto& call : place.persistent) {
      require_success(MPI_Request_free(&call->request), call->text);
      release_operation(*call);
    }
    place.persistent.clear();
  }
  free_communicator(communicator, text);
  for (const auto& call : place.persistent) {
    if (call->pending) pending_.complete(step, call.get());
    require_success(MPI_Request_free(&call->request), call->text);
    release_operation(*call);
  }
  place.persistent.clear();
  pending_.forget(&communicator);
  place.communicator.reset();
}

void Program::make(Step& step) {
  const auto to = static_cast<std::size_t>(step.shared.between(1, kPlaces - 1));
  const auto from = static_cast<std::size_t>(step.shared.below(static_cast<int>(to)));
  const bool from_world = step.shared.one_in(2);
  step.text = fmt::format("place {}: free", to);
  // The makers' own draws must not depend on what was there.
  Random before = step.shared;
  empty(step, places_[to]);
  step.shared = before;
  Place& parent = places_[from_world ? 0 : from];
  if (!parent.communicator) return;
  step.text = fmt::format("place {}: make", to);
  announce(step, parent.communicator.get());
  step.maybe_sleep();
  places_[to].communicator = make_communicator(step, *parent.communicator);
}

void Program::set_late_attribute(Step& step) {
  Place& place = place_of(step);
  if (!place.communicator || !place.communicator->freed_in_the_end || !step.has("attributes"))
    return;
  step.text = "set an attribute";
  announce(step, place.communicator.get());
  set_attribute(*place.communicator);
}

void Program::free_between() {
  if (between_) MPI_Comm_free(&between_->comm);
  between_.reset();
}

void Program::make_between(Step& step) {
  const bool makes = step.shared.one_in(4);
  Place& place = place_of(step);
  if (!step.has("between")) return;
  if (makes) {
    step.text = "free inter-communicator, make another one";
    announce(step, place.communicator.get());
    free_between();
    if (place.communicator) between_ = make_inter_communicator(step, *place.communicator);
  } else if (between_) {
    step.text = fmt::format("a call between groups of {} and {}", between_->local.size(),
                            between_->remote.size());
    announce(step, nullptr);
    call_between(step, *between_);
    calls_ += between_->rank == 0 && between_->is_first ? 1 : 0;
  }
}

void Program::message(Step& step) {
  if (!step.has("traffic")) return;
  step.text = "messages";
  std::vector<std::shared_ptr<Call>> calls = begin_messages(step, talk_);
  announce(step, nullptr);
  for (auto& call : calls) pending_.add(std::move(call));
  if (!step.has("deferred")) pending_.complete_all(step);
}

void Program::one_sided(Step& step) {
  const Place& place = place_of(step);
  if (!place.communicator || !step.has("windows")) return;
  step.text = "one-sided";
  announce(step, place.communicator.get());
  one_sided_epochs(step, *place.communicator);
}

void Program::look_after_barriers(Step& step) {
  const Place& place = place_of(step);
  if (!place.communicator || !step.has("progress")) return;
  step.text = "messages seen after a barrier";
  announce(step, place.communicator.get());
  // A wildcard receive would take the message; one to oneself waits for its receive.
  if (place.communicator->wildcard || place.communicator->size() == 1) return;
  probe_after_barriers(step, *place.communicator);
}

void Program::finish() {
  Step step(options_, seed_, 1 << 30, world_rank_, thread_);
  step.text = "end";
  for (std::size_t i = 1; i < places_.size(); ++i) empty(step, places_[i]);
  free_between();
  step.text = "completion of all";
  enter(thread_, where(step));
  pending_.complete_all(step);
  for (const auto& call : places_[0].persistent) {
    MPI_Request_free(&call->request);
    release_operation(*call);
  }
  for (const auto& wildcard : wildcards_) complete_wildcard(*wildcard, where(step));
  wildcards_.clear();
}

}  // namespace differential
