#include "actor/between/node_shares.h"

#include <utility>

#include "inter/ways.h"

namespace mpiactor {

std::uint64_t NodeShares::contributed_bytes(const NodeMap& nodes, std::uint64_t bytes,
                                            std::uint64_t largest, Kind kind) {
  const auto slots = static_cast<std::uint64_t>(nodes.nodes() == 2 ? 1 : nodes.nodes());
  return slots * part_stride(kind == Kind::kWhole ? bytes : largest);
}

NodeShares::NodeShares(Container& container, Meeting& meeting, const Reduction& reduction,
                       std::vector<std::uint64_t> first, Kind kind, bool is_patient,
                       std::byte* vectors, std::byte* contributed)
    : container_(container),
      reduction_(reduction),
      first_(std::move(first)),
      kind_(kind),
      stride_(part_stride(share_bytes(me()))),
      node_vector_(vectors),
      // Nobody has a combined share before this node has sent what it was made of. Of whole vectors
      // one that has come becomes the result.
      result_(kind == Kind::kWhole ? contributed : vectors + part_stride(cut(nodes()))),
      contributed_(contributed),
      bytes_(static_cast<std::uint64_t>(contributed - vectors) +
             contributed_bytes(container.nodes(), cut(nodes()), share_bytes(me()), kind)),
      leaders_(container.nodes()),
      between_(container, meeting,
               {.leaders = &leaders_,
                .leads = is_fixed_leader(container),
                .is_patient = is_patient,
                .describe = [this] { return describe(); },
                .combine = [this] { combine(); }}) {}

Contributions NodeShares::contributions() const {
  return {.memory = nodes() == 2 && me() == 0 ? contributed_ - stride_ : contributed_,
          .stride = stride_,
          .members = nodes(),
          .me = me(),
          .own = node_vector_ + begin(me())};
}

inter::Plan NodeShares::make_plan() const {
  const auto result_begin = static_cast<std::uint64_t>(result_ - node_vector_);
  const auto contributed_begin = static_cast<std::uint64_t>(contributed_ - node_vector_);
  std::vector<Transfer> sends;
  std::vector<Transfer> receives;
  const auto add = [&](int node, int round, std::uint64_t from, std::uint64_t sent,
                       std::uint64_t to, std::uint64_t received) {
    sends.push_back({node, from, sent, round});
    receives.push_back({node, to, received, round});
  };
  for (int node = 0; node < nodes(); ++node) {
    if (node == me()) continue;
    add(node, 0, begin(node), share_bytes(node), contributed_begin + slot(node), share_bytes(me()));
    if (kind_ != Kind::kShares) continue;
    add(node, 1, result_begin + begin(me()), share_bytes(me()), result_begin + begin(node),
        share_bytes(node));
  }
  return exchange_plan(me(), nodes(), sends, receives);
}

NodeExchange::Setup NodeShares::describe() {
  plan_ = make_plan();
  const bool in_one = kind_ == Kind::kWhole && share_bytes(me()) <= inter::kOneMessageBytes;
  return {.plan = &plan_,
          .buffer = node_vector_,
          .bytes = bytes_,
          .segment_bytes = in_one ? share_bytes(me()) : inter::kShareSegmentBytes};
}

void NodeShares::combine() {
  if (kind_ == Kind::kScatter) return;
  const std::uint64_t elements = share_bytes(me()) / reduction_.element_bytes();
  contributions().combine_for_others(reduction_, 0, elements, result_ + begin(me()));
}

}  // namespace mpiactor
