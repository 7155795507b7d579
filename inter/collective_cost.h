// Times of the registered reduces, allreduces, allgathers and alltoalls, for selection. Units as in
// cost_model.h.
#ifndef MPIACTOR_INTER_COLLECTIVE_COST_H_
#define MPIACTOR_INTER_COLLECTIVE_COST_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "inter/cost_model.h"
#include "inter/pipelined_steps.h"
#include "inter/plan.h"
#include "inter/traffic.h"

namespace mpiactor::inter {

// For N nodes, of which P is the largest power of two up to N; L, B and C are the link's latency,
// bandwidth and the rate at which a node combines. Every time has the link's start-up before it. On
// a torus L has the hops of a round's longest way in it, and B is shared by the messages over the
// busiest link (traffic.h), which take longer where they block each other all round a ring. A
// message beyond the eager limit waits for its receiver first, once in a call.
//
// Where segments go through steps one after the other, k segments of x bytes take
//   V(M) = (L + x/B + x/C) of each step + (k - 1) max(x/B, x/C, (L + x/B) / window),
// and another x/B of each step where k is beyond the window, but never less than a node sends, or
// combines, in all (pipelined_steps.h).
class CollectiveModel {
 public:
  CollectiveModel(const Shape& shape, const LinkModel& link);

  // Nothing for an unknown name. `bytes` of the vector M. Chain and binomial: V(M) of N - 1 and of
  // ceil(log N) steps; Trinaryx3 likewise with M over its trees, where a node combines for all
  // children in turn; Rabenseifner: V of steps of M/2, M/4 ..., and back to the root without C;
  // Bine: see swing_cost.h.
  std::optional<double> reduce_us(std::string_view algorithm, std::uint64_t bytes,
                                  std::uint64_t segment_bytes) const;

  // `bytes` of the vector. Recursive doubling: V(M) of log P steps, and of two more to fold in the
  // nodes beyond P and out; ring: V(M/N) of N - 1 steps, and as many without C; Rabenseifner: as
  // for reduce, and back to all; Trinaryx3: as for reduce, and as many steps down; Swing: see
  // swing_cost.h.
  std::optional<double> allreduce_us(std::string_view algorithm, std::uint64_t bytes,
                                     std::uint64_t segment_bytes) const;

  // `bytes` of one node's block b. Bruck and recursive doubling: V of steps of b, 2 b, 4 b ...
  // without C; ring: V(b) of N - 1 steps without C; multi-ring: V(b/w) of sum(extent - 1) steps
  // over w ways, and the other blocks behind them, but never less than a node sends in all.
  std::optional<double> allgather_us(std::string_view algorithm, std::uint64_t bytes,
                                     std::uint64_t segment_bytes) const;

  // `bytes` of the block b that a node gives each other one. Linear: L + (N - 1)(o + b/B), o =
  // kMessageOverheadUs; pairwise: (N - 1)(L + b/B); Bruck: log N (L + N/2 b/B); doublespread: the
  // nodes beyond spread over w ways of a node (one on a switch), (N - 1)/w (L + b/B). On a torus
  // none is quicker than its busiest link, for which pairwise waits in every round.
  static constexpr double kMessageOverheadUs = 0.18;  // [K-MPI] 1.27 us of MPI less 0.91 us, halved
  std::optional<double> alltoall_us(std::string_view algorithm, std::uint64_t bytes,
                                    std::uint64_t segment_bytes) const;

 private:
  bool folds() const { return places_ != nodes_; }
  // On more nodes that takes longer than a call.
  bool counts_links() const { return torus_ && nodes_ <= 1024; }
  double latency_us(int hops) const { return link_.latency_us + link_.hop_us * (hops - 1); }
  double send_us(double bytes) const { return bytes / link_.bandwidth_mbps; }
  void add_halving(double bytes, bool gathers, PipelinedSteps* pipeline) const;
  void add_ring(double bytes, bool combines, PipelinedSteps* pipeline) const;
  double trinaryx3_us(double bytes, double segment, bool all) const;

  template <typename Peer>
  Traffic traffic_to(Peer peer) const;
  // Rounds in which places swap at distances 1, 2, 4 ...
  const std::vector<Traffic>& swaps() const;
  // In which each node sends to the one 1, 2, 4 ... before it.
  const std::vector<Traffic>& shifts() const;
  // In which recursively halved parts meet, the smallest first.
  const std::vector<Traffic>& meetings() const;

  Shape shape_;
  LinkModel link_;
  bool torus_;
  int nodes_;
  int places_;  // P
  // Worked out when they are needed.
  mutable std::vector<Traffic> swaps_;
  mutable std::vector<Traffic> shifts_;
  mutable std::vector<Traffic> meetings_;
};

}  // namespace mpiactor::inter

#endif  // MPIACTOR_INTER_COLLECTIVE_COST_H_
