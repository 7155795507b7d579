// Plays matched plans segment by segment in a random order.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <random>
#include <unordered_map>

#include "inter/verifier_parts.h"
#include "inter/verifier_values.h"

namespace mpiactor::inter::verifier {

Dependents::Dependents(const Network& network) : first(network.op_count() + 1, 0) {
  auto for_each_wait = [&](auto&& visit) {
    for (std::uint32_t number = 0; number < network.op_count(); ++number) {
      const auto node = static_cast<std::size_t>(network.node_of_op[number]);
      for (std::uint32_t wait : network.plans[node].waits_of(network.op(number))) {
        visit(network.first_op[node] + wait, number);
      }
    }
  };
  for_each_wait([&](std::uint32_t waited, std::uint32_t) { ++first[waited + 1]; });
  for (std::size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
  ops.resize(first.back());
  std::vector<std::uint32_t> fill(first.begin(), first.end() - 1);
  for_each_wait([&](std::uint32_t waited, std::uint32_t waiter) { ops[fill[waited]++] = waiter; });
}

namespace {

std::vector<std::uint64_t> boundaries(const Network& network, const Scenario& scenario) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
  for (const Transfer& transfer : network.transfers) {
    for_each_run(network.op(transfer.send_op), [&](std::uint64_t offset, std::uint64_t bytes) {
      ranges.emplace_back(offset, offset + bytes);
    });
  }
  std::sort(ranges.begin(), ranges.end());
  ranges.erase(std::unique(ranges.begin(), ranges.end()), ranges.end());
  std::vector<std::uint64_t> cuts = block_boundaries(scenario, network.layout());
  for (const auto& [begin, end] : ranges) {
    for (std::uint64_t cut = begin; cut < end; cut += scenario.segment_bytes) cuts.push_back(cut);
    cuts.push_back(end);
  }
  return cuts;
}

class Run {
 public:
  Run(const Network& network, const Scenario& scenario)
      : network_(network),
        scenario_(scenario),
        dependents_(network),
        memory_(scenario, network.layout(), Atoms(boundaries(network, scenario))),
        random_(scenario.seed),
        started_(network.op_count(), 0),
        finished_(network.op_count(), 0),
        is_awake_(network.transfers.size(), true) {
    for (std::uint32_t i = 0; i < network.transfers.size(); ++i) awake_.push_back(i);
  }

  std::string play() {
    while (!awake_.empty() && error_.empty()) {
      const std::size_t pick =
          std::uniform_int_distribution<std::size_t>(0, awake_.size() - 1)(random_);
      const std::uint32_t transfer = awake_[pick];
      if (!advance(transfer)) {
        awake_[pick] = awake_.back();
        awake_.pop_back();
        is_awake_[transfer] = false;
      }
    }
    if (!error_.empty()) return error_;
    for (std::uint32_t i = 0; i < network_.transfers.size(); ++i) {
      const std::uint32_t receive = network_.transfers[i].receive_op;
      if (finished_[receive] < segments(i)) {
        return fmt::format("deadlock: {} stops after {} of {} segments",
                           describe_op(network_, receive), finished_[receive], segments(i));
      }
    }
    return memory_.check_final();
  }

 private:
  // A segment that has been taken in, but not yet combined or put in its place.
  using Taken = std::vector<Value>;

  std::uint64_t segments(std::uint32_t transfer) const {
    const PlanOp& op = network_.op(network_.transfers[transfer].send_op);
    return op.is_strided() ? 1 : (op.bytes - 1) / scenario_.segment_bytes + 1;
  }

  void wake(std::uint32_t transfer) {
    if (is_awake_[transfer]) return;
    is_awake_[transfer] = true;
    awake_.push_back(transfer);
  }

  // One randomly chosen step of those that are possible; false where none is.
  bool advance(std::uint32_t transfer) {
    const Transfer& both = network_.transfers[transfer];
    const unsigned first = static_cast<unsigned>(random_() % 4);
    for (unsigned i = 0; i < 4; ++i) {
      switch ((first + i) % 4) {
        case 0:
          if (start_segment(both.send_op, transfer)) return true;
          break;
        case 1:
          if (start_segment(both.receive_op, transfer)) return true;
          break;
        case 2:
          if (take_segment(transfer)) return true;
          break;
        default:
          if (place_segment(transfer)) return true;
      }
    }
    return false;
  }

  bool takes_ahead(std::uint32_t number) const { return network_.op(number).takes_ahead(); }

  bool start_segment(std::uint32_t number, std::uint32_t transfer) {
    const std::uint64_t segment = started_[number];
    if (segment == segments(transfer)) return false;
    if (segment - finished_[number] >= static_cast<std::uint64_t>(scenario_.segments_in_flight)) {
      return false;
    }
    if (!channel_is_free(number, transfer)) return false;
    if (!takes_ahead(number) && !waits_are_over(number, segment)) return false;
    if (++started_[number] == segments(transfer)) {
      const std::uint32_t next = network_.transfers[transfer].next_on_channel;
      if (next != kNone) wake(next);
    }
    return true;
  }

  bool channel_is_free(std::uint32_t number, std::uint32_t transfer) const {
    const std::uint32_t previous = network_.previous_on_channel[transfer];
    if (previous == kNone) return true;
    const Transfer& before = network_.transfers[previous];
    const bool is_send = network_.transfers[transfer].send_op == number;
    return started_[is_send ? before.send_op : before.receive_op] == segments(previous);
  }

  bool waits_are_over(std::uint32_t number, std::uint64_t segment) const {
    const PlanOp& op = network_.op(number);
    const std::uint64_t begin = op.offset + segment * scenario_.segment_bytes;
    const std::uint64_t end = std::min(begin + scenario_.segment_bytes, op.end());
    const auto node = static_cast<std::size_t>(network_.node_of_op[number]);
    for (std::uint32_t wait : network_.plans[node].waits_of(op)) {
      const PlanOp& waited = network_.plans[node].ops[wait];
      const std::uint32_t waited_number = network_.first_op[node] + wait;
      const std::uint64_t done = finished_[waited_number];
      if (op.is_strided() || waited.is_strided()) {
        if (done < segments(network_.transfer_of_op[waited_number])) return false;
        continue;
      }
      const std::uint64_t done_until =
          std::min(waited.offset + done * scenario_.segment_bytes, waited.end());
      const bool shares_bytes = waited.offset < op.end() && op.offset < waited.end();
      const std::uint64_t needed_until = shares_bytes ? std::min(end, waited.end()) : waited.end();
      const bool segment_is_before = shares_bytes && end <= waited.offset;
      if (!segment_is_before && done_until < needed_until) return false;
    }
    return true;
  }

  template <typename Visit>
  void for_each_atom(std::uint32_t number, std::uint64_t segment, Visit&& visit) const {
    const PlanOp& op = network_.op(number);
    const Atoms& atoms = memory_.atoms();
    const auto visit_range = [&](std::uint64_t begin, std::uint64_t end) {
      for (std::size_t atom = atoms.index_at(begin); atoms.begin(atom) < end; ++atom) visit(atom);
    };
    if (op.is_strided()) {
      for_each_run(op, [&](std::uint64_t offset, std::uint64_t bytes) {
        visit_range(offset, offset + bytes);
      });
      return;
    }
    const std::uint64_t begin = op.offset + segment * scenario_.segment_bytes;
    visit_range(begin, std::min(begin + scenario_.segment_bytes, op.end()));
  }

  // Moves a segment that both sides have started to the receiver.
  bool take_segment(std::uint32_t transfer) {
    const Transfer& both = network_.transfers[transfer];
    const std::uint64_t segment = finished_[both.send_op];
    if (started_[both.send_op] <= segment || started_[both.receive_op] <= segment) return false;
    Taken values;
    for_each_atom(both.send_op, segment, [&](std::size_t atom) {
      values.push_back(memory_.read(atom, network_.node_of_op[both.send_op]));
    });
    finish_segment(both.send_op);
    if (takes_ahead(both.receive_op)) {
      taken_[transfer].push_back(std::move(values));
    } else {
      store(both.receive_op, segment, values);
    }
    return true;
  }

  bool place_segment(std::uint32_t transfer) {
    const std::uint32_t receive = network_.transfers[transfer].receive_op;
    const auto taken = taken_.find(transfer);
    if (taken == taken_.end() || taken->second.empty()) return false;
    const std::uint64_t segment = finished_[receive];
    if (!waits_are_over(receive, segment)) return false;
    const Taken values = std::move(taken->second.front());
    taken->second.pop_front();
    store(receive, segment, values);
    return true;
  }

  void store(std::uint32_t receive, std::uint64_t segment, const Taken& values) {
    const PlanOp& op = network_.op(receive);
    std::size_t index = 0;
    for_each_atom(receive, segment, [&](std::size_t atom) {
      const std::string error =
          memory_.receive(atom, values[index++], op.peer, network_.node_of_op[receive], op.kind);
      if (error_.empty()) error_ = error;
    });
    finish_segment(receive);
  }

  void finish_segment(std::uint32_t number) {
    ++finished_[number];
    for (std::uint32_t waiter : dependents_.of(number)) wake(network_.transfer_of_op[waiter]);
  }

  const Network& network_;
  const Scenario& scenario_;
  const Dependents dependents_;
  Memory memory_;
  std::mt19937_64 random_;
  std::vector<std::uint64_t> started_;   // segments, per operation
  std::vector<std::uint64_t> finished_;  // likewise
  std::unordered_map<std::uint32_t, std::deque<Taken>> taken_;
  std::vector<std::uint32_t> awake_;  // transfers that may have a step to make
  std::vector<bool> is_awake_;
  std::string error_;
};

}  // namespace

std::string run_randomly(const Network& network, const Scenario& scenario) {
  return Run(network, scenario).play();
}

}  // namespace mpiactor::inter::verifier
