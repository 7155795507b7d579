// The papers' cost formulas. Times in microseconds, bandwidths in MB/s with 1 MB = 10^6 bytes, so
// that bytes / (MB/s) is a time in us. Nothing here measures; parameters come from the caller.
#ifndef MPIACTOR_INTER_COST_MODEL_H_
#define MPIACTOR_INTER_COST_MODEL_H_

#include <cstdint>
#include <limits>

#include "inter/plan.h"

namespace mpiactor::inter {

// What lies under a shape. On a torus the nodes are joined as the shape says, a node has a link to
// each neighbour, and messages of several hops share links with others. On a switch any node is one
// hop from any other, and all that a node sends shares its one link.
enum class NetworkKind {
  kByShape,  // a line of nodes (what a shape is where nothing is known) is on a switch
  kSwitch,
  kTorus
};

// One link, or one message from node to neighbour. The first two are enough; what is left at its
// default is left out of account.
struct LinkModel {
  // Of a message without bytes from neighbour to neighbour, in all but the rendezvous.
  double latency_us = 0;
  double bandwidth_mbps = 0;
  double reduce_mbps = std::numeric_limits<double>::infinity();  // at which a node combines
  NetworkKind network = NetworkKind::kByShape;

  double hop_us = 0;         // for every hop beyond the first
  double overhead_us = 0;    // the part of the latency for which it occupies the sender's processor
  double startup_us = 0;     // of a collective
  double rendezvous_us = 0;  // once, for a message beyond the limit of eager sending
  std::uint64_t eager_bytes_near = std::numeric_limits<std::uint64_t>::max();  // over one hop
  std::uint64_t eager_bytes_far = std::numeric_limits<std::uint64_t>::max();   // kEagerFarHops
  // Of all links of a node together, one direction.
  double path_mbps = std::numeric_limits<double>::infinity();
  int window = 1;  // segments of one transfer that may be under way at once

  bool is_torus(const Shape& shape) const;
};

// Parameters of [K-perf], Table 5: what one link of the K computer gives MPI.
inline constexpr LinkModel kKLink{1.600, 4'500};
inline constexpr double kKStartupUs = 8.370;
inline constexpr double kKReduceMbps = 4'750;
inline constexpr std::uint64_t kKSegmentBytes = 16'384;
// Fitted in [Fugaku] for the two algorithms.
inline constexpr LinkModel kFugakuTrinaryx6Link{1.73, 6'340};
inline constexpr LinkModel kFugakuBintree3dLink{4.29, 6'640};

// [CP] t(m) = a + m b.
double message_us(const LinkModel& link, std::uint64_t bytes);

// Hops from the root to the farthest node along Trinaryx3's trees: the sum of (extent - 1), and one
// more where there are two axes or three ([K-perf]).
int trinary_depth(const Shape& shape);
// Sum of floor(log2 extent) ([Fugaku] eq. 6).
int bintree_depth(const Shape& shape);

// Most edges of Bintree3d's tree over one directed link of a ring of `extent`: 1 below 10 nodes, 2
// from 10, 3 from 42, 4 from 170, ... (each limit 4 times the one before, and 2), as the edges of
// every second level lie over one another.
int bintree_link_load(int extent);

// ---- [K-perf]: broadcast and allreduce by Trinaryx3, `axes` (those longer than one) links at
// once. Broadcast: depth (L + m/b) + (M/axes/m) max(L, m/b) + L + t_o, with b one link's bandwidth.
double trinaryx3_bcast_us(const Shape& shape, std::uint64_t bytes, std::uint64_t segment_bytes,
                          const LinkModel& link, double startup_us);
// The reduce half alone: depth (L + m/b + m/c) + (M/axes/m) max(L + m/c, m/b) + L, with
// c = reduce_mbps / axes: memory is shared by the trees.
double trinaryx3_reduce_us(const Shape& shape, std::uint64_t bytes, std::uint64_t segment_bytes,
                           const LinkModel& link, double reduce_mbps);
double trinaryx3_allreduce_us(const Shape& shape, std::uint64_t bytes, std::uint64_t segment_bytes,
                              const LinkModel& link, double reduce_mbps, double startup_us);

// Allgather on three-dimensional multi-rings over four interfaces; `bytes` is one node's block.
// 3 (4 L_s + L_h + M/B) + max(4 L_s, L_h + M/B) (nodes - 4); B of all interfaces together.
struct MultiRingModel {
  double software_latency_us = 1.0;
  double hardware_latency_us = 0.6;
  double bandwidth_mbps = 15'000;
};
double multi_ring_allgather_us(int nodes, std::uint64_t bytes, const MultiRingModel& model);

// T(M) = B / (1 + M_half / M), t0 = M_half / B: the curve through which the papers summarise
// throughput (MB/s) over message size.
struct ThroughputFit {
  double bandwidth_mbps = 0;
  double half_bytes = 0;
  double t0_us() const { return half_bytes / bandwidth_mbps; }
  double throughput_mbps(double bytes) const { return bandwidth_mbps / (1 + half_bytes / bytes); }
};

// ---- [Fugaku]
// eq. 4: (NX + NY + NZ + M/(6 m) - 3)(L + m/B).
double trinaryx6_bcast_us(const Shape& shape, std::uint64_t bytes, std::uint64_t segment_bytes,
                          const LinkModel& link);
// eq. 5: sqrt(L B M / (6 (NX + NY + NZ - 2))).
double trinaryx6_best_segment_bytes(const Shape& shape, std::uint64_t bytes, const LinkModel& link);
// eq. 6: (sum of floor(log2 N) + M/m - 1)(L + m/B).
double bintree3d_bcast_us(const Shape& shape, std::uint64_t bytes, std::uint64_t segment_bytes,
                          const LinkModel& link);
// sqrt(L B M / (sum of floor(log2 N) - 1)); where the sum is 1 or less there is nothing to
// pipeline, and the message is one segment.
double bintree3d_best_segment_bytes(const Shape& shape, std::uint64_t bytes, const LinkModel& link);
// Alltoall: (NP - NLP) NLP M / t.
double alltoall_throughput_mbps(int ranks, int ranks_per_node, std::uint64_t bytes, double time_us);

// ---- [K-MPI]
// Messages up to this are sent eagerly: 18 KB to a neighbour, 60 KB over 40 hops, in proportion
// between. Fewer hops than 1 count as 1, more than 40 as 40.
inline constexpr std::uint64_t kEagerBytesNear = 18'000;
inline constexpr std::uint64_t kEagerBytesFar = 60'000;
inline constexpr int kEagerFarHops = 40;
std::uint64_t eager_limit_bytes(int hops);
// The same between other limits: `near_bytes` at one hop, `far_bytes` at kEagerFarHops.
std::uint64_t eager_limit_bytes(int hops, std::uint64_t near_bytes, std::uint64_t far_bytes);

// Hops between the two nodes of `shape` that are farthest apart: floor(extent / 2) along an axis
// that wraps, extent - 1 along another; 1 on a switch, 0 for one node.
int diameter_hops(const Shape& shape, const LinkModel& link);
// Hops between two nodes (inter/routes.h); 1 on a switch, 0 from a node to itself.
int hops_between(const Shape& shape, const LinkModel& link, int from, int to);

// ---- [CP]: arrivals uniform in [0, spread_us].
// Mean wait of a receiver for its late sender: spread / 6.
double expected_wait_us(double spread_us);
// Mean arrival of the first of `members`: spread / (members + 1). A fixed leader's is spread / 2.
double expected_leader_arrival_us(double spread_us, int members);
// ceil(log2 nodes) t(m) + r(m): pipelined binomial tree, copy inside the node last.
double pipelined_binomial_us(int nodes, std::uint64_t bytes, const LinkModel& link, double copy_us);

// ---- For selection; times of whole collectives are in bcast_cost.h and collective_cost.h.
// The time of what has to keep two paces: more than the slower of the two where they are alike,
// since the one is then now and then late for the other.
double both(double a, double b, double sharpness);
// A segment size near `wanted_bytes`, within [smallest, largest], that cuts `part_bytes` (what one
// stream carries) into segments of nearly equal size: a multiple of 64 bytes, or the whole part.
std::uint64_t rounded_segment_bytes(double wanted_bytes, std::uint64_t part_bytes,
                                    std::uint64_t smallest_bytes, std::uint64_t largest_bytes);

}  // namespace mpiactor::inter

#endif  // MPIACTOR_INTER_COST_MODEL_H_
