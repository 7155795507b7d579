// Which rule holds for a call: a pure function of what all ranks know.
#ifndef MPIACTOR_INTER_RULES_H_
#define MPIACTOR_INTER_RULES_H_

#include <array>
#include <cstdint>
#include <vector>

#include "inter/tuning.h"

namespace mpiactor::inter {

// What rules ask beside the nodes and the bytes. By default as many nodes of one rank each.
struct Layout {
  int members = 1;          // of the largest node
  std::uint64_t ranks = 0;  // 0: as many as nodes
  bool crowded = false;     // some machine has more ranks than cores
  bool never_worse = true;  // false: nothing is left to the MPI library
  // Calls whose nodes shall run a plan, as bits: neither kDirect nor kShares where they exchange or
  // reduce.
  std::uint32_t asked_plans = 0;

  bool asks_plan(Call call) const { return asked_plans >> static_cast<unsigned>(call) & 1; }
};

// Exchanges by kDirect, and kShares, are made for up to so many nodes.
inline constexpr std::int64_t kMostDirectNodes = 8;

// What a call can do, as far as that may change from call to call: bits.
inline constexpr unsigned kMayPass = 1;          // go to the MPI library
inline constexpr unsigned kMayPassBlocking = 2;  // the same, as a blocking call
inline constexpr unsigned kReadsOthers = 4;      // members can read each other's memory
inline constexpr unsigned kHasSendBuffers = 8;   // members have memory of their own for others
inline constexpr unsigned kCompetes = 16;        // whoever is there may send for its node
inline constexpr unsigned kCombinesShares = 32;  // that, and in fixed order
inline constexpr unsigned kOrderIsFree = 64;     // contributions may be combined as they come

// Up to so many bytes contributions are never combined as they come: reading them all at the end
// costs less than a claim for each.
inline constexpr std::uint64_t kShortReductionBytes = 2 << 10;

// What a call can do beside going to the MPI library. `reads_others`: its members can read each
// other's memory. A reduction: whether the order of its contributions is free, and whether they are
// to be combined as they come all the same.
struct CallKind {
  bool competes = false;
  bool reads_others = false;
  bool order_is_free = false;
  bool as_they_come = false;
};
unsigned abilities_of(const CallKind& kind, std::uint64_t bytes);

// A rule that holds for a communicator.
struct RuleRow {
  std::uint64_t least_bytes;  // as MPI's arguments say
  std::uint64_t up_to_bytes;
  unsigned needs;  // abilities
  const Rule* rule;

  bool fits(std::uint64_t bytes, unsigned abilities) const {
    return least_bytes <= bytes && bytes <= up_to_bytes && (needs & ~abilities) == 0;
  }
};

// In the order in which they are tried.
std::vector<RuleRow> rule_rows(const Tuning& tuning, Call call, const Shape& shape,
                               const Layout& layout);

// The rules for one communicator, a file's before the built-in ones. What does not depend on bytes
// is decided when it is made.
class RuleTable {
 public:
  // `tuning` must outlive it.
  RuleTable(const Tuning& tuning, const Shape& shape, const Layout& layout);

  // `bytes` as MPI's arguments say; `abilities`: of the call. The built-in table has a rule for
  // every call, so there is one; for a scatterv between nodes none but the library's.
  const Rule& find(Call call, std::uint64_t bytes, unsigned abilities) const {
    for (const RuleRow& row : rows_[static_cast<std::size_t>(call)]) {
      if (row.fits(bytes, abilities)) return *row.rule;
    }
    return no_rule(call);
  }

 private:
  [[noreturn]] static const Rule& no_rule(Call call);

  std::array<std::vector<RuleRow>, kCalls> rows_;
};

// The same for a single question.
const Rule& find_rule(const Tuning& tuning, Call call, const Shape& shape, const Layout& layout,
                      std::uint64_t bytes, unsigned abilities);

// The rule for a plan between nodes that moves `message_bytes` (see Rule::Measure::kMessage) in one
// request: of those that name an algorithm or say "auto". nullptr: the model chooses.
const Rule* find_plan_rule(const Tuning& tuning, Collective collective, const Shape& shape,
                           std::uint64_t message_bytes, const Layout& layout);

}  // namespace mpiactor::inter

#endif  // MPIACTOR_INTER_RULES_H_
