// The ways of broadcasting that one job compares.
#ifndef MPIACTOR_BENCH_CONTENDER_H_
#define MPIACTOR_BENCH_CONTENDER_H_

#include <string>
#include <string_view>
#include <vector>

namespace mpiactor::bench {

// Looks up `int mpiactor_set_leader(const char* leader)`, which a preloaded runtime exports: it
// switches the leader policy of all later collectives ("competitive", "static", or "off" for the
// MPI library alone), is called by every rank before the same call, and returns 0 if it succeeded.
class LeaderSwitch {
 public:
  LeaderSwitch();

  bool available() const { return set_leader_ != nullptr; }

  // Only where available. Gives what `rank`, this one, has to report where the runtime refuses the
  // leader, else nothing.
  std::string choose(const std::string& leader, int rank) const;

 private:
  using SetLeader = int (*)(const char*);
  SetLeader set_leader_ = nullptr;
};

// Splits a comma-separated list of leaders. Throws std::invalid_argument naming an entry that is
// not "competitive", "static" or "off", or that comes twice.
std::vector<std::string> parse_contenders(std::string_view list);

}  // namespace mpiactor::bench

#endif  // MPIACTOR_BENCH_CONTENDER_H_
