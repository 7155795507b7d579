#include "tests/differential/pending.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

namespace differential {

namespace {

using Requests = std::vector<MPI_Request>;

int size_of(const Requests& requests) { return static_cast<int>(requests.size()); }

// Each way completes all of the requests that are active.
int wait_one_by_one(Requests& requests, Random& random) {
  int error = MPI_SUCCESS;
  for (const int i : random.permutation(size_of(requests))) {
    const int now = MPI_Wait(&requests[static_cast<std::size_t>(i)], MPI_STATUS_IGNORE);
    if (error == MPI_SUCCESS) error = now;
  }
  return error;
}

int test_one_by_one(Requests& requests, Random& random) {
  int error = MPI_SUCCESS;
  for (const int i : random.permutation(size_of(requests))) {
    int done = 0;
    while (!done && error == MPI_SUCCESS)
      error = MPI_Test(&requests[static_cast<std::size_t>(i)], &done, MPI_STATUS_IGNORE);
  }
  return error;
}

int wait_all(Requests& requests, Random& random) {
  if (random.one_in(2)) return MPI_Waitall(size_of(requests), requests.data(), MPI_STATUSES_IGNORE);
  std::vector<MPI_Status> statuses(requests.size());
  return MPI_Waitall(size_of(requests), requests.data(), statuses.data());
}

int test_all(Requests& requests, Random&) {
  int done = 0;
  int error = MPI_SUCCESS;
  while (!done && error == MPI_SUCCESS)
    error = MPI_Testall(size_of(requests), requests.data(), &done, MPI_STATUSES_IGNORE);
  return error;
}

int active(const Requests& requests) {
  return size_of(requests) -
         static_cast<int>(std::count(requests.begin(), requests.end(), MPI_REQUEST_NULL));
}

template <typename Function>
int any(Requests& requests, Function&& function) {
  for (int count = active(requests); count > 0;) {
    int index = MPI_UNDEFINED;
    const int error = function(&index);
    if (error != MPI_SUCCESS) return error;
    count -= index != MPI_UNDEFINED ? 1 : 0;
  }
  return MPI_SUCCESS;
}

int wait_any(Requests& requests, Random&) {
  return any(requests, [&](int* index) {
    return MPI_Waitany(size_of(requests), requests.data(), index, MPI_STATUS_IGNORE);
  });
}

int test_any(Requests& requests, Random&) {
  return any(requests, [&](int* index) {
    int done = 0;
    return MPI_Testany(size_of(requests), requests.data(), index, &done, MPI_STATUS_IGNORE);
  });
}

template <typename Function>
int some(Requests& requests, Function&& function) {
  std::vector<int> indices(requests.size());
  for (int count = active(requests); count > 0;) {
    int done = 0;
    const int error =
        function(size_of(requests), requests.data(), &done, indices.data(), MPI_STATUSES_IGNORE);
    if (error != MPI_SUCCESS) return error;
    count -= std::max(done, 0);
  }
  return MPI_SUCCESS;
}

int wait_some(Requests& requests, Random&) { return some(requests, MPI_Waitsome); }
int test_some(Requests& requests, Random&) { return some(requests, MPI_Testsome); }

// Looks first, which completes nothing.
int look_and_wait(Requests& requests, Random& random) {
  for (const MPI_Request request : requests) {
    int done = 0;
    const int error = MPI_Request_get_status(request, &done, MPI_STATUS_IGNORE);
    if (error != MPI_SUCCESS) return error;
  }
  return wait_one_by_one(requests, random);
}

struct Completion {
  const char* name;
  int (*complete)(Requests&, Random&);
};
// The first ones are right for persistent collectives, too: by the others MPICH 4.0 completes those
// too early or not at all.
constexpr int kPersistentCompletions = 3;
constexpr std::array<Completion, 9> kCompletions = {{{"Wait", wait_one_by_one},
                                                     {"Test", test_one_by_one},
                                                     {"Waitall", wait_all},
                                                     {"Testall", test_all},
                                                     {"Waitany", wait_any},
                                                     {"Testany", test_any},
                                                     {"Waitsome", wait_some},
                                                     {"Testsome", test_some},
                                                     {"get_status, Wait", look_and_wait}}};

}  // namespace

void Pending::add(std::shared_ptr<Call> call) {
  call->pending = true;
  calls_.push_back(std::move(call));
}

void Pending::complete_those(Step& step, const std::function<bool(const Call&)>& wanted) {
  std::vector<std::shared_ptr<Call>> batch;
  std::vector<std::shared_ptr<Call>> others;
  for (auto& call : calls_) (wanted(*call) ? batch : others).push_back(std::move(call));
  calls_ = std::move(others);
  if (!batch.empty()) complete_batch(step, std::move(batch));
}

void Pending::complete_batch(Step& step, std::vector<std::shared_ptr<Call>> batch) {
  const bool any_persistent =
      std::any_of(batch.begin(), batch.end(), [](const auto& call) { return call->persistent; });
  const int which = step.own.below(static_cast<int>(kCompletions.size()));
  const auto& way = kCompletions[static_cast<std::size_t>(
      any_persistent ? which % kPersistentCompletions : which)];
  const int nulls = step.own.one_in(3) && step.has("null_requests") ? step.own.between(1, 2) : 0;
  std::vector<Call*> calls;
  for (const auto& call : batch) calls.push_back(call.get());
  for (int i = 0; i < nulls; ++i) calls.push_back(nullptr);
  std::vector<Call*> order;
  for (const int i : step.own.permutation(static_cast<int>(calls.size())))
    order.push_back(calls[static_cast<std::size_t>(i)]);
  Requests requests;
  for (const Call* call : order)
    requests.push_back(call == nullptr ? MPI_REQUEST_NULL : call->request);
  std::string all = fmt::format("step {}: completion by {} of", step.number, way.name);
  for (const Call* call : order) all += " [" + (call == nullptr ? "null" : call->text) + "]";
  enter(step.thread, all);
  require_success(way.complete(requests, step.own), all);
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order[i] == nullptr) continue;
    order[i]->request = requests[i];
    order[i]->pending = false;
    order[i]->check(fmt::format("; completed at step {} by {}", step.number, way.name));
    if (!order[i]->persistent && requests[i] != MPI_REQUEST_NULL)
      fail(order[i]->text, "its request is not null after its completion");
  }
}

void Pending::complete_some(Step& step) {
  Random& random = step.own;
  std::vector<const Call*> chosen;
  for (const auto& call : calls_)
    if (random.one_in(2)) chosen.push_back(call.get());
  complete_those(step, [&](const Call& call) {
    return std::find(chosen.begin(), chosen.end(), &call) != chosen.end();
  });
}

void Pending::complete_all(Step& step) {
  complete_those(step, [](const Call&) { return true; });
}

void Pending::complete_of(Step& step, const Communicator* communicator) {
  complete_those(step, [&](const Call& call) { return call.communicator == communicator; });
}

void Pending::complete(Step& step, const Call* wanted) {
  complete_those(step, [&](const Call& call) { return &call == wanted; });
}

void Pending::forget(const Communicator* communicator) {
  for (const auto& call : calls_)
    if (call->communicator == communicator) call->communicator = nullptr;
}

}  // namespace differential
