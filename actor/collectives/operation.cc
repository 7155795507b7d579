#include "actor/collectives/operation.h"

#include "actor/collectives/direct_scatter.h"
#include "actor/container/world.h"
#include "inter/ways.h"

namespace mpiactor {

const char* operation_name(Operation operation) {
  switch (operation) {
    case Operation::kBarrier:
      return "MPI_Barrier";
    case Operation::kBcast:
      return "MPI_Bcast";
    case Operation::kReduce:
      return "MPI_Reduce";
    case Operation::kAllreduce:
      return "MPI_Allreduce";
    case Operation::kReduceScatter:
      return "MPI_Reduce_scatter";
    case Operation::kReduceScatterBlock:
      return "MPI_Reduce_scatter_block";
    case Operation::kAllgather:
      return "MPI_Allgather";
    case Operation::kAllgatherv:
      return "MPI_Allgatherv";
    case Operation::kGather:
      return "MPI_Gather";
    case Operation::kGatherv:
      return "MPI_Gatherv";
    case Operation::kScatter:
      return "MPI_Scatter";
    case Operation::kScatterv:
      return "MPI_Scatterv";
    case Operation::kAlltoall:
      return "MPI_Alltoall";
    case Operation::kAlltoallv:
      return "MPI_Alltoallv";
  }
  return "";
}

namespace {

constexpr std::uint64_t kKi = 1 << 10;

// Not between what lies in the request's slot and what repays a look for staging.
bool repays_staging(std::uint64_t all_bytes, std::uint64_t block_bytes) {
  return all_bytes <= competition::kInlineBytes || block_bytes >= 8 * kKi;
}

// Measured with 2 ranks on 2 cores, on cores that share a cache and on cores that do not.
bool is_worth_it_on_one_node(Operation operation, std::uint64_t bytes, std::uint64_t ranks) {
  switch (operation) {
    case Operation::kAllgather:
      // Two ranks' long blocks go directly from process to process in the MPI library; where more
      // read them, staging is in a cache for all but the first.
      return (ranks > 2 || bytes <= 256 * kKi) && repays_staging(bytes * ranks, bytes);
    case Operation::kAllgatherv:
      return repays_staging(bytes * ranks, bytes);
    case Operation::kAlltoall:
      return bytes <= 64 * kKi;  // likewise
    default:
      return true;
  }
}

// Single copy. What is shorter is quicker in staging, longer where every wait costs a change of
// context: a direct read needs two.
std::uint64_t shortest_direct_block() { return world()->crowded ? 128 * kKi : 32 * kKi; }

// Where several members read a block, all buffers must be so small in all that it is still in a
// cache for the second; staging is always.
constexpr std::uint64_t kReadOften = 32 * kKi * kKi;

// Measured on 2 to 8 virtual hosts, 16 ranks in all.
bool is_worth_it_between_nodes(Operation operation, std::uint64_t bytes, const NodeMap& nodes) {
  switch (operation) {
    case Operation::kAllgather:
      return bytes <= inter::most_allgather_block(nodes.nodes(), nodes.most_members());
    case Operation::kAlltoall:
      return bytes <= inter::most_alltoall_block(nodes.nodes(), nodes.most_members());
    case Operation::kScatter:
      return bytes <= inter::kMostScatterBlock;
    default:
      return true;
  }
}

// `bytes`: of the block that is read.
bool reads_directly(Operation operation, std::uint64_t bytes, const Container& container) {
  if (!container.single_copy() || bytes < shortest_direct_block()) return false;
  // With more ranks than cores it is turns on a core that decide who is in time.
  const bool in_time =
      fits_direct_scatter(container) && (!world()->crowded || !world()->settings.never_worse);
  const auto members = static_cast<std::uint64_t>(container.members());
  switch (operation) {
    case Operation::kAllgather:
    case Operation::kAllgatherv:
      return members == 2 || members * members * bytes <= kReadOften;
    case Operation::kAlltoall:
      return true;
    // Longer ones go through staging in parts, of which the root copies one while the others copy
    // another.
    case Operation::kScatter:
    case Operation::kScatterv:
      return in_time && bytes >= 64 * kKi && bytes < 4 * kKi * kKi;
    default:
      return false;
  }
}

// Longer blocks go directly, or where they cannot, through staging.
constexpr std::uint64_t kLongestInOutbox = 32 * kKi;

}  // namespace

bool goes_directly(const CallFacts& call, const Container& container) {
  return reads_directly(call.operation(), call.bytes(), container);
}

bool scatterv_block_goes_directly(std::uint64_t bytes, const Container& container) {
  return reads_directly(Operation::kScatterv, bytes, container);
}

bool goes_by_outboxes(const CallFacts& call, const Container& container) {
  if (call.operation() != Operation::kAllgather && call.operation() != Operation::kAllgatherv) {
    return false;
  }
  // With more ranks than cores every parcel would be a wake-up.
  const bool wakes_few = !world()->crowded || !world()->settings.never_worse;
  const auto members = static_cast<std::uint64_t>(container.members());
  return wakes_few && container.nodes().nodes() == 1 &&
         call.bytes() * members > competition::kInlineBytes && call.bytes() < kLongestInOutbox;
}

bool is_worth_it(const CallFacts& call, const Container& container) {
  // Nodes have no way for it.
  if (call.operation() == Operation::kScatterv && container.nodes().nodes() > 1) return false;
  return goes_directly(call, container) || goes_by_outboxes(call, container) ||
         is_worth_staging(call, container);
}

bool is_too_short(const CallFacts& call, const Container& container) {
  if (call.operation() != Operation::kBarrier && call.operation() != Operation::kAllreduce) {
    return false;
  }
  const NodeMap& nodes = container.nodes();
  return world()->crowded && world()->settings.never_worse &&
         !inter::shortest_pay_where_crowded(nodes.nodes(), nodes.most_members(), call.bytes());
}

bool is_worth_staging(const CallFacts& call, const Container& container) {
  if (!world()->settings.never_worse) return true;
  return container.nodes().nodes() == 1
             ? is_worth_it_on_one_node(call.operation(), call.bytes(),
                                       static_cast<std::uint64_t>(container.members()))
             : is_worth_it_between_nodes(call.operation(), call.bytes(), container.nodes());
}

}  // namespace mpiactor
