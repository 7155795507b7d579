// Whether the leader of a node stays leader for some requests, and for how many: as long as that
// costs the node's other members little. Foreseen from how far apart members come, learnt from what
// it has cost.
#ifndef MPIACTOR_ACTOR_COMPETITION_STAY_POLICY_H_
#define MPIACTOR_ACTOR_COMPETITION_STAY_POLICY_H_

#include <atomic>
#include <cstdint>

namespace mpiactor::competition {

// What a node's members share. Starts as zeros.
struct StayRecord {
  std::atomic<std::uint64_t> lateness_ns;  // of followers, in requests for which all competed
  std::atomic<std::uint64_t> followers;    // that this is the sum of
  // Written by one member at a time: the one that leads.
  std::atomic<std::uint64_t> loss_ns;      // since the last decision
  std::atomic<std::uint64_t> requests;     // led by a member that stayed, since then
  std::atomic<std::uint64_t> last_length;  // in requests; 0: none was tried
  std::atomic<std::uint64_t> pause;        // decisions to come that are against it
  std::atomic<std::uint64_t>
      pauses_in_row;  // that were begun, each twice as long as the one before
};

class StayPolicy {
 public:
  // The first try is short; lengths grow while all is well.
  static constexpr std::uint64_t kFirstLength = 4;
  static constexpr std::uint64_t kGrowth = 4;
  static constexpr std::uint64_t kFirstPause = 8;
  static constexpr std::uint64_t kMostDoublings = 6;

  // Nobody is tried where members come later than so many times what they may lose.
  static constexpr std::uint64_t kMostLateness = 20;

  // `most_loss_ns`: what another member may lose in a request, on average. `most_length`: requests.
  StayPolicy(StayRecord& record, int members, std::uint64_t most_loss_ns, std::uint64_t most_length)
      : record_(record),
        members_(members),
        most_loss_ns_(most_loss_ns),
        most_length_(most_length) {}

  // A follower, in a request for which all have competed: how long the data had been there when it
  // came.
  void note_lateness(std::uint64_t late_ns);

  // The leader of a request for which all have competed: how many of the requests that follow it
  // shall lead, too.
  std::uint64_t decide();
  // A leader that has stayed, in each request: how long the data were there before it came and
  // others waited for it, the mean over the other members.
  void report(std::uint64_t loss_ns);

 private:
  bool is_promising();

  StayRecord& record_;
  int members_;
  std::uint64_t most_loss_ns_;
  std::uint64_t most_length_;
};

}  // namespace mpiactor::competition

#endif  // MPIACTOR_ACTOR_COMPETITION_STAY_POLICY_H_
