// One broadcast in an application, as each of four contenders does it.
#ifndef MPIACTOR_SIM_CONTENDER_H_
#define MPIACTOR_SIM_CONTENDER_H_

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "inter/plan.h"
#include "sim/arrivals.h"
#include "sim/machine.h"
#include "sim/simulation.h"

namespace mpiactor::sim {

enum class Contender {
  kPlain,        // the MPI library's broadcast over all ranks, each taking part for itself
  kTwoLevel,     // the library's between static leaders; a node copies when its leader has it all
  kStatic,       // this runtime with static leaders
  kCompetitive,  // this runtime with competitive leaders
};

inline constexpr std::array kContenders = {Contender::kPlain, Contender::kTwoLevel,
                                           Contender::kStatic, Contender::kCompetitive};

// "plain", "two-level", "static", "competitive".
const char* contender_name(Contender contender);

// Longest message that lies in staging as a whole, so that its leader may leave before others have
// copied: a quarter of the default staging.
inline constexpr std::uint64_t kMostHeldBytes = 2 << 20;
// A member may begin a broadcast when all members of its node have left the one so many before.
inline constexpr std::uint64_t kMostAhead = 32;

struct ContenderInput {
  Machine machine;
  inter::Shape shape;
  int ranks_per_node = 1;
  // Of the runtime's contenders, between nodes; empty: library_algorithm(). The others always go by
  // that, and by library_plan().
  std::string algorithm;
  std::uint64_t bytes = 0;          // static and competitive: at most kMostHeldBytes
  std::uint64_t segment_bytes = 0;  // 0: the machine's; plain and two-level do not cut
  int candidates = 0;               // 0: min(ranks of a node, 8)
  Contender contender = Contender::kStatic;
  RootSender sender = RootSender::kRoot;

  // Throws InputError.
  Layout layout() const { return Layout::of(shape.nodes(), ranks_per_node); }
};

// Plays broadcasts one by one: each has the network to itself.
class BroadcastPlayer {
 public:
  // Throws InputError.
  explicit BroadcastPlayer(ContenderInput input);

  // When every rank leaves a broadcast that it entered at `entries`. `number` counts the broadcasts
  // of the application: the runtime announces every 64th, however short. Throws PlanError.
  std::vector<Picoseconds> exits(std::uint64_t number, int root_rank,
                                 std::span<const Picoseconds> entries);

 private:
  // Of one broadcast.
  struct Call {
    int root_rank = 0;
    int root_node = 0;
    std::span<const Picoseconds> entries;  // per rank
    Leaders leaders;
    std::vector<Picoseconds> node_entries;  // when each node's plan may begin

    Picoseconds root_entry() const { return entries[static_cast<std::size_t>(root_rank)]; }
  };

  const std::vector<inter::Plan>& plans_from(int root);
  SimulationResult simulate_plans(const Machine& machine, int root,
                                  std::span<const Picoseconds> entries,
                                  std::uint64_t segment_bytes);
  Call make_call(int root_rank, std::span<const Picoseconds> entries) const;
  bool is_pushed(std::uint64_t number) const;

  std::vector<Picoseconds> plain_exits(int root_rank, std::span<const Picoseconds> entries);
  std::vector<Picoseconds> two_level_exits(const Call& call);
  std::vector<Picoseconds> pipelined_exits(std::uint64_t number, const Call& call);
  // Of the ranks of one node, given what the network did.
  void leave_root_node(const Call& call, Picoseconds sent, std::vector<Picoseconds>* exits) const;
  void leave_node(const Call& call, int node, Picoseconds plan_end,
                  std::span<const TakenSegment> taken, std::vector<Picoseconds>* exits) const;
  std::vector<TakenSegment> laid_down(Picoseconds from) const;
  std::vector<Picoseconds> begins_of(const Call& call, int node) const;

  ContenderInput input_;
  Layout layout_;
  bool flat_;                // ranks take part each for itself
  inter::Shape plan_shape_;  // of those who take part
  std::function<inter::Plan(const inter::PlanInput&)> make_plan_;
  std::vector<std::uint32_t> places_;
  Machine pushing_;                                // sends without asking the receiver
  Machine announcing_;                             // waits until the receiver is there
  std::map<int, std::vector<inter::Plan>> plans_;  // by root, of all who take part
};

}  // namespace mpiactor::sim

#endif  // MPIACTOR_SIM_CONTENDER_H_
