// Times of the registered broadcasts, for selection. Units as in cost_model.h.
//
// Every broadcast is a number of trees ("streams"), each for its part of the message, cut into
// segments. Its time is
//   start-up [+ rendezvous] + fill + tail:
// fill is what the first segment takes to the node that has it last, tail what it takes until the
// others have passed the narrowest place. That is one of
// - a transfer's own pace: latency and bytes of one segment, divided by the window;
// - the busiest link: where routes of several hops lie over one another, bytes wait for each other;
// - the busiest node: its processor, and its path to all of its links.
// On a torus the routes are those of the shape; on a switch a node has one link, and all that it
// sends goes over it.
#ifndef MPIACTOR_INTER_BCAST_COST_H_
#define MPIACTOR_INTER_BCAST_COST_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "inter/cost_model.h"
#include "inter/plan.h"

namespace mpiactor::inter {

// The binary tree along one axis that Bintree3d and Bintree6d are made of
// (inter/tofu_algos/line_tree.h), from position 0: counted forward, and backward, which differ
// where the axis does not wrap.
struct LineTreeCost {
  // Forward and backward, by depth: the most that a segment needs to a node of that depth, and from
  // there to having been sent on along this axis, beyond depth times (latency + bytes).
  std::vector<double> way_extra_us[2];
  int most_hops = 0;   // of an edge
  int children = 0;    // of the root
  int first_load = 0;  // of them, those over one link of the root
  // Edges over the busiest directed link, of the forward tree; and of both, in their mean.
  double load = 0;
  double both_ways_load = 0;

  LineTreeCost(int extent, bool wraps, const LinkModel& link);
  // Until the last position has the first segment, `step_us` being latency + bytes of one hop.
  double fill_us(double step_us, bool both_ways) const;
};

// What is known of a shape before message and segment are: made once, asked often. O(sum of the
// extents) to make, O(log nodes) to ask.
class BcastModel {
 public:
  BcastModel(const Shape& shape, const LinkModel& link);

  // Nothing for an unknown name, nor for "bine" and "bineaas", which are never selected. 0 for one
  // node and for no bytes.
  std::optional<double> time_us(std::string_view algorithm, std::uint64_t bytes,
                                std::uint64_t segment_bytes) const;

 private:
  // One stream's part of the message, in segments.
  struct Part {
    double bytes;
    double segment;
    double segments;
  };
  // What limits the pace of a broadcast by trees.
  struct Pace {
    int streams = 1;
    int most_hops = 1;      // of one transfer
    double node_sends = 1;  // of one segment, all streams together
    double link_load = 1;   // times the whole message that the busiest link carries
  };

  Part part_of(std::uint64_t bytes, std::uint64_t segment_bytes, int streams) const;
  double transfer_us(double bytes) const { return bytes / link_.bandwidth_mbps; }
  double latency_us(int hops) const { return link_.latency_us + link_.hop_us * (hops - 1); }
  bool meets(double part_bytes, int hops) const;  // too long to be sent eagerly
  double start_us(double part_bytes, int hops) const;
  // `rounds` segments after the first one, each of which ends `cycle_us` after it began; within the
  // window they follow each other after `gap_us`.
  double windowed_us(double rounds, double cycle_us, double gap_us) const;
  double tail_us(const Part& part, const Pace& pace) const;

  double linear_us(std::uint64_t bytes) const;
  double binomial_us(std::uint64_t bytes, std::uint64_t segment_bytes) const;
  double binary_us(std::uint64_t bytes, std::uint64_t segment_bytes, bool split) const;
  double scattered_us(std::uint64_t bytes, std::uint64_t segment_bytes, bool ring) const;
  double chain_us(std::uint64_t bytes, std::uint64_t segment_bytes) const;
  double trinary_us(std::uint64_t bytes, std::uint64_t segment_bytes, bool six) const;
  double bintree_us(std::uint64_t bytes, std::uint64_t segment_bytes, bool six) const;

  Shape shape_;
  LinkModel link_;
  bool torus_;
  std::int64_t nodes_;
  int axes_ = 0;                     // longer than one
  int ways_ = 0;                     // streams of Trinaryx6
  std::vector<LineTreeCost> lines_;  // of these axes
};

std::optional<double> bcast_us(std::string_view algorithm, const Shape& shape, std::uint64_t bytes,
                               std::uint64_t segment_bytes, const LinkModel& link);

}  // namespace mpiactor::inter

#endif  // MPIACTOR_INTER_BCAST_COST_H_
