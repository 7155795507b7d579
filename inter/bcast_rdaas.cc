// Broadcast by scatter and recursive doubling allgather (RDAAS, [CP]), for any number of nodes.
//
// The scatter halves the ranks recursively (scatter_tree.h); the allgather undoes the halvings from
// the smallest up. When two parts meet, every rank holds its own part's blocks, and
//   - rank i of the lower part and rank i of the upper part swap their parts' blocks, except that
//   - the first rank of the lower part has had all blocks of both since the scatter, so it gets
//     nothing, and the upper part's first rank has its send to spare for the lower part's last
//     rank where the lower part is one longer.
// So each rank sends and receives at most once per meeting, and nobody gets a byte twice.
#include "inter/algorithms.h"
#include "inter/scatter_tree.h"
#include "inter/virtual_rank.h"

namespace mpiactor::inter {
namespace {

// Channel of the meeting that undoes halving number `index`; the scatter has 0.
int channel_of(std::size_t index) { return 1 + static_cast<int>(index); }

constexpr int kNobody = -1;

struct Meeting {
  int send_to = kNobody;
  int receive_from = kNobody;
};

Meeting partners(const Halving& halving, int self) {
  const int lower_size = halving.middle - halving.begin;
  const int upper_size = halving.end - halving.middle;
  if (self >= halving.middle) {
    const int index = self - halving.middle;
    const int from = halving.begin + index;
    if (index > 0) return {from, from};
    return {lower_size > upper_size ? halving.middle - 1 : kNobody, from};
  }
  const int index = self - halving.begin;
  if (index >= upper_size) return {kNobody, halving.middle};
  const int partner = halving.middle + index;
  return {partner, index == 0 ? kNobody : partner};
}

std::vector<std::uint32_t> receives_within(const Plan& plan, const ByteRange& range) {
  std::vector<std::uint32_t> found;
  for (std::uint32_t i = 0; i < plan.ops.size(); ++i) {
    const PlanOp& op = plan.ops[i];
    const bool overlaps = op.offset < range.offset + range.bytes && range.offset < op.end();
    if (op.kind == OpKind::kReceive && overlaps) found.push_back(i);
  }
  return found;
}

}  // namespace

Plan bcast_rdaas(const PlanInput& input) {
  const VirtualRank ranks(input);
  const int self = ranks.of_node(input.node);
  const Blocks blocks(input.bytes, ranks.nodes, input.granule_bytes);
  Plan plan;
  add_scatter(plan, input, blocks);
  const std::vector<Halving> path = halvings(self, ranks.nodes);
  for (std::size_t index = path.size(); index-- > 0;) {
    const Halving& halving = path[index];
    const ByteRange lower = blocks.range(halving.begin, halving.middle);
    const ByteRange upper = blocks.range(halving.middle, halving.end);
    const bool in_lower = self < halving.middle;
    const ByteRange& own = in_lower ? lower : upper;
    const ByteRange& other = in_lower ? upper : lower;
    const Meeting meeting = partners(halving, self);
    if (meeting.send_to != kNobody) {
      plan.add({.kind = OpKind::kSend,
                .peer = ranks.to_node(meeting.send_to),
                .offset = own.offset,
                .bytes = own.bytes,
                .channel = channel_of(index)},
               receives_within(plan, own));
    }
    if (meeting.receive_from != kNobody) {
      plan.add({.kind = OpKind::kReceive,
                .peer = ranks.to_node(meeting.receive_from),
                .offset = other.offset,
                .bytes = other.bytes,
                .channel = channel_of(index)});
    }
  }
  return plan;
}

}  // namespace mpiactor::inter
