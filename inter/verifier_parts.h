// The verifier's parts; private to it.
#ifndef MPIACTOR_INTER_VERIFIER_PARTS_H_
#define MPIACTOR_INTER_VERIFIER_PARTS_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "inter/verifier.h"

namespace mpiactor::inter::verifier {

inline constexpr std::uint32_t kNone = 0xffffffffu;

// A send and the receive that it meets.
struct Transfer {
  std::uint32_t send_op = 0;  // numbers over all nodes, see Network
  std::uint32_t receive_op = 0;
  std::uint32_t next_on_channel = kNone;  // transfer that may start only after this one has
};

// All nodes' operations under one numbering, matched into transfers.
struct Network {
  std::span<const Plan> plans;
  std::vector<std::uint32_t> first_op;  // of node i; one past the last node: the count
  std::vector<int> node_of_op;
  std::vector<Transfer> transfers;
  std::vector<std::uint32_t> transfer_of_op;
  std::vector<std::uint32_t> previous_on_channel;  // of transfer i, or kNone

  const PlanOp& op(std::uint32_t number) const {
    const auto node = static_cast<std::size_t>(node_of_op[number]);
    return plans[node].ops[number - first_op[node]];
  }
  std::uint32_t op_count() const { return first_op.back(); }
  BufferLayout layout() const { return plans.front().layout; }
};

// "node 3 op 2 (send to 4, bytes [0, 16), channel 0)"
std::string describe_op(const Network& network, std::uint32_t op);

// Each returns an error or nothing.
std::string check_layouts(std::span<const Plan> plans, const Scenario& scenario);
std::string check_ops(std::span<const Plan> plans, const Scenario& scenario);
std::string match(std::span<const Plan> plans, Network& network);
std::string check_races(const Network& network);
std::string run_randomly(const Network& network, const Scenario& scenario);

// Operations that wait for each operation, as lists behind one another.
struct Dependents {
  std::vector<std::uint32_t> first;
  std::vector<std::uint32_t> ops;

  explicit Dependents(const Network& network);
  std::span<const std::uint32_t> of(std::uint32_t op) const {
    return {ops.data() + first[op], ops.data() + first[op + 1]};
  }
};

void measure(const Network& network, const Scenario& scenario, VerifyReport& report);

}  // namespace mpiactor::inter::verifier

#endif  // MPIACTOR_INTER_VERIFIER_PARTS_H_
