#include "sim/messages.h"

#include <algorithm>
#include <map>
#include <utility>

#include "inter/plan.h"
#include "sim/simulation.h"

namespace mpiactor::sim {
namespace {

// All nodes' plans, of an operation for each end of each message.
class Plans {
 public:
  Plans(int nodes, const std::vector<RankMessage>& messages)
      : plans_(static_cast<std::size_t>(nodes)), entries_(plans_.size()), arrivals_(plans_.size()) {
    std::map<std::pair<int, int>, int> channels;  // used between two nodes
    std::uint64_t offset = 0;  // ranges do not overlap: waits are for order alone
    for (const RankMessage& message : messages) {
      int& channel = channels[{message.from, message.to}];
      inter::PlanOp op{.kind = inter::OpKind::kSend,
                       .peer = message.to,
                       .offset = offset,
                       .bytes = message.bytes,
                       .channel = channel++ % inter::kMaxChannels};
      sends_.push_back(add(message.from, op, message.given, {}));
      op.kind = inter::OpKind::kReceive;
      op.peer = message.from;
      std::vector<std::uint32_t> waits;
      for (const std::size_t before : message.after) waits.push_back(receives_[before]);
      receives_.push_back(add(message.to, op, message.wanted, waits));
      offset += message.bytes;
    }
    for (std::size_t k = 0; k < plans_.size(); ++k) {
      if (!entries_[k].empty()) {
        arrivals_[k] = *std::min_element(entries_[k].begin(), entries_[k].end());
      }
    }
  }

  MessageEnds simulate_on(const Machine& machine, const std::vector<RankMessage>& messages) const {
    SimulationInput input;
    input.machine = &machine;
    input.shape = inter::Shape::line(static_cast<int>(plans_.size()));
    input.segment_bytes = std::max<std::uint64_t>(longest_of(messages), 1);
    input.window = machine.window;
    input.arrivals = arrivals_;
    input.op_arrivals = entries_;
    input.make_plan = [this](int at) { return plans_[node(at)]; };
    const SimulationResult result = simulate(input);
    MessageEnds ends;
    for (std::size_t k = 0; k < messages.size(); ++k) {
      ends.sent.push_back(result.op_ends[node(messages[k].from)][sends_[k]]);
      ends.received.push_back(result.op_ends[node(messages[k].to)][receives_[k]]);
    }
    return ends;
  }

 private:
  static std::size_t node(int number) { return static_cast<std::size_t>(number); }
  std::uint32_t add(int at, const inter::PlanOp& op, Picoseconds entry,
                    const std::vector<std::uint32_t>& waits) {
    entries_[node(at)].push_back(entry);
    return plans_[node(at)].add(op, waits);
  }

  std::vector<inter::Plan> plans_;
  std::vector<std::vector<Picoseconds>> entries_;  // of operations
  std::vector<Picoseconds> arrivals_;              // of nodes
  std::vector<std::uint32_t> sends_;               // of messages: operations
  std::vector<std::uint32_t> receives_;
};

}  // namespace

std::uint64_t longest_of(const std::vector<RankMessage>& messages) {
  std::uint64_t longest = 0;
  for (const RankMessage& message : messages) longest = std::max(longest, message.bytes);
  return longest;
}

MessageEnds simulate_messages(const Machine& machine, int nodes,
                              const std::vector<RankMessage>& messages) {
  return Plans(nodes, messages).simulate_on(machine, messages);
}

}  // namespace mpiactor::sim
