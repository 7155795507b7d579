#include "inter/registry.h"

#include <array>

#include "inter/algorithms.h"
#include "inter/tofu_algos/algorithms.h"
#include "inter/tofu_algos/swing_rounds.h"

namespace mpiactor::inter {
namespace {

bool any_shape(const Shape& shape) { return shape.nodes() >= 1; }

int one_stream(const Shape&) { return 1; }

int two_streams(const Shape&) { return 2; }

constexpr auto kBcast = Collective::kBcast;
constexpr auto kReduce = Collective::kReduce;
constexpr auto kAllreduce = Collective::kAllreduce;
constexpr auto kReduceScatter = Collective::kReduceScatter;
constexpr auto kAllgather = Collective::kAllgather;
constexpr auto kAlltoall = Collective::kAlltoall;

// The last three fields.
constexpr bool kSameSizes = false;
constexpr bool kAnySizes = true;
constexpr bool kOfTrees = true;
constexpr bool kNotOfTrees = false;
constexpr bool kInNodeOrder = true;

constexpr std::array kAlgorithms = {
    Algorithm{kBcast, "linear", "the root sends to every node", "[Fugaku] basic linear", any_shape,
              bcast_linear, one_stream, 1, kSameSizes, kOfTrees},
    Algorithm{kBcast, "chain", "every node hands segments on to the next", "[Fugaku] chain",
              any_shape, bcast_chain, one_stream, 1, kSameSizes, kOfTrees},
    Algorithm{kBcast, "pipeline", "chain from neighbour to neighbour on the torus",
              "[Fugaku] pipeline", any_shape, bcast_pipeline, one_stream, 1, kSameSizes, kOfTrees},
    Algorithm{kBcast, "binary", "binary tree, pipelined", "[Fugaku] binary tree", any_shape,
              bcast_binary, one_stream, 1, kSameSizes, kOfTrees},
    Algorithm{kBcast, "splitbinary", "two binary trees with half the message each, then a swap",
              "[Fugaku] split binary tree", any_shape, bcast_split_binary, two_streams, 2},
    Algorithm{kBcast, "binomial", "binomial tree", "[CP] P-BT", any_shape, bcast_binomial,
              one_stream, 1, kSameSizes, kOfTrees},
    Algorithm{kBcast, "rdaas", "scatter, then allgather by recursive doubling", "[CP] RDAAS",
              any_shape, bcast_rdaas, one_stream, 1},
    Algorithm{kBcast, "ring", "scatter, then allgather on a ring", "[CP] RingAAS", any_shape,
              bcast_ring, one_stream, 1},
    Algorithm{kBcast, "trinaryx3", "a third of the message along each of 3 link-disjoint trees",
              "[K-MPI] Trinaryx3", any_shape, bcast_trinaryx3, trinaryx3_streams, 3, kSameSizes,
              kOfTrees},
    Algorithm{kBcast, "trinaryx6", "a sixth of the message along each of 6 link-disjoint trees",
              "[Fugaku] Trinaryx6", any_shape, bcast_trinaryx6, trinaryx6_streams, 6, kSameSizes,
              kOfTrees},
    Algorithm{kBcast, "bintree3d", "binary trees along x, then y, then z", "[Fugaku] Bintree3d",
              any_shape, bcast_bintree3d, one_stream, 1, kSameSizes, kOfTrees},
    Algorithm{kBcast, "bintree6d", "binary trees over six directions at once", "[Fugaku] Bintree6d",
              any_shape, bcast_bintree6d, bintree6d_streams, 6, kSameSizes, kOfTrees},
    Algorithm{kBcast, "bine", "binomial trees over six directions at once, short ways",
              "[Bine] tree", has_swing_rounds, bcast_bine, swing_streams, 6},
    Algorithm{kBcast, "bineaas", "scatter, then allgather over six directions at once",
              "[Bine] scatter, allgather", has_swing_rounds, bcast_bine_scattered, swing_streams,
              6},
    Algorithm{kReduce, "linear", "all nodes send to the root", "textbook", any_shape, reduce_linear,
              one_stream, 1},
    Algorithm{kReduce, "chain", "every node combines and hands segments on", "textbook", any_shape,
              reduce_chain, one_stream, 1},
    Algorithm{kReduce, "binomial", "binomial tree", "textbook", any_shape, reduce_binomial,
              one_stream, 1},
    Algorithm{kReduce, "rabenseifner", "reduce-scatter by halving, then a binomial gather",
              "Rabenseifner", any_shape, reduce_rabenseifner, one_stream, 1},
    Algorithm{kReduce, "trinaryx3", "a third of the message up each of 3 link-disjoint trees",
              "[K-MPI] Trinaryx3", any_shape, reduce_trinaryx3, trinaryx3_streams, 3},
    Algorithm{kReduce, "bine", "reduce-scatter, then a gather, over six directions at once",
              "[Bine] reduce-scatter, gather", has_swing_rounds, reduce_bine, swing_streams, 6},
    Algorithm{kAllreduce, "linear", "all nodes send to all others, in one round", "textbook",
              any_shape, allreduce_linear, one_stream, 1, kSameSizes, kNotOfTrees, kInNodeOrder},
    Algorithm{kAllreduce, "shares",
              "each node combines a share of the vector for all, in two rounds", "textbook",
              any_shape, allreduce_shares, one_stream, 1, kAnySizes},
    Algorithm{kAllreduce, "ring", "reduce-scatter, then allgather on a ring", "textbook", any_shape,
              allreduce_ring, one_stream, 1},
    Algorithm{kAllreduce, "recdoubling", "all swap and combine, at doubling distances", "textbook",
              any_shape, allreduce_recursive_doubling, one_stream, 1},
    Algorithm{kAllreduce, "rabenseifner", "reduce-scatter by halving, allgather by doubling",
              "Rabenseifner", any_shape, allreduce_rabenseifner, one_stream, 1},
    Algorithm{kAllreduce, "trinaryx3", "up and down 3 link-disjoint trees with a third each",
              "[K-perf] Trinaryx3", any_shape, allreduce_trinaryx3, trinaryx3_streams, 3},
    Algorithm{kAllreduce, "swing", "reduce-scatter, allgather over six directions at once",
              "[Swing] bandwidth-optimal", has_swing_rounds, allreduce_swing, swing_streams, 6},
    Algorithm{kAllreduce, "swingshort", "pairs swap all they have, over six directions at once",
              "[Swing] latency-optimal", has_swing_rounds, allreduce_swing_short, swing_streams, 6},
    Algorithm{kReduceScatter, "linear", "all nodes send to all others what these combine",
              "textbook", any_shape, reduce_scatter_linear, one_stream, 1, kAnySizes},
    Algorithm{kAllgather, "linear", "all nodes send to all others", "textbook", any_shape,
              allgather_linear, one_stream, 1, kAnySizes},
    Algorithm{kAllgather, "ring", "blocks go round a ring", "textbook", any_shape, allgather_ring,
              one_stream, 1},
    Algorithm{kAllgather, "recdoubling", "parts swap their blocks, at doubling distances",
              "textbook", any_shape, allgather_recursive_doubling, one_stream, 1},
    Algorithm{kAllgather, "bruck", "fewest rounds for any number of nodes", "Bruck et al.",
              any_shape, allgather_bruck, one_stream, 1},
    Algorithm{kAllgather, "multiring3d", "parts of the blocks go round rings of all axes",
              "[K-perf] 3D multi-ring", any_shape, allgather_multi_ring, multi_ring_streams, 4},
    Algorithm{kAlltoall, "linear", "everything at once", "[Fugaku] basic linear", any_shape,
              alltoall_linear, one_stream, 1, true},
    Algorithm{kAlltoall, "pairwise", "round R: to the R-th node after, from the R-th before",
              "[Fugaku] pairwise", any_shape, alltoall_pairwise, one_stream, 1, true},
    Algorithm{kAlltoall, "bruck", "fewest rounds, blocks passed on in sets", "Bruck et al.",
              any_shape, alltoall_bruck, one_stream, 1},
    Algorithm{kAlltoall, "doublespread", "a spread over six directions at once",
              "[Fugaku] doublespread", any_shape, alltoall_doublespread, doublespread_streams, 6,
              true},
};

}  // namespace

const char* collective_name(Collective collective) {
  switch (collective) {
    case Collective::kBcast:
      return "bcast";
    case Collective::kReduce:
      return "reduce";
    case Collective::kAllreduce:
      return "allreduce";
    case Collective::kReduceScatter:
      return "reduce_scatter";
    case Collective::kAllgather:
      return "allgather";
    case Collective::kAlltoall:
      return "alltoall";
  }
  return "unknown";
}

std::span<const Algorithm> algorithms() { return kAlgorithms; }

const Algorithm* find_algorithm(Collective collective, std::string_view name) {
  for (const Algorithm& algorithm : kAlgorithms) {
    if (algorithm.collective == collective && algorithm.name == name) return &algorithm;
  }
  return nullptr;
}

std::string stream_note(const Algorithm& algorithm, const Shape& shape) {
  const int streams = algorithm.streams(shape);
  if (streams >= algorithm.full_streams) return {};
  return std::to_string(streams) + " of " + std::to_string(algorithm.full_streams) +
         " streams on this shape";
}

std::string algorithm_names(Collective collective, std::string_view separator) {
  std::string names;
  for (const Algorithm& algorithm : kAlgorithms) {
    if (algorithm.collective != collective) continue;
    if (!names.empty()) names += separator;
    names += algorithm.name;
  }
  return names;
}

}  // namespace mpiactor::inter
