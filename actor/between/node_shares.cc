#include "actor/between/node_shares.h"

#include <utility>

#include "actor/shm/cache_line.h"
#include "inter/algorithms.h"
#include "inter/exchange_plan.h"
#include "inter/ways.h"

namespace mpiactor {

std::uint64_t NodeShares::contributed_bytes(const NodeMap& nodes, std::uint64_t bytes,
                                            std::uint64_t largest, Kind kind) {
  const auto slots = static_cast<std::uint64_t>(nodes.nodes() == 2 ? 1 : nodes.nodes());
  return slots * shm::round_to_lines(kind == Kind::kWhole ? bytes : largest);
}

NodeShares::NodeShares(Container& container, Meeting& meeting, const Reduction& reduction,
                       std::vector<std::uint64_t> first, Kind kind, bool is_patient,
                       std::byte* vectors, std::byte* contributed)
    : container_(container),
      reduction_(reduction),
      first_(std::move(first)),
      kind_(kind),
      stride_(shm::round_to_lines(share_bytes(me()))),
      node_vector_(vectors),
      // Nobody has a combined share before this node has sent what it was made of. Of whole vectors
      // one that has come becomes the result.
      result_(kind == Kind::kWhole ? contributed : vectors + shm::round_to_lines(cut(nodes()))),
      contributed_(contributed),
      bytes_(static_cast<std::uint64_t>(contributed - vectors) +
             contributed_bytes(container.nodes(), cut(nodes()), share_bytes(me()), kind)),
      between_(container, meeting,
               {.is_patient = is_patient,
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
  std::vector<std::uint64_t> cuts;
  for (int node = 0; node <= nodes(); ++node) cuts.push_back(cut(node));
  const inter::PlanInput input{
      .shape = inter::Shape::line(nodes()), .bytes = cut(nodes()), .node = me(), .cuts = cuts};
  const inter::Plan plan = kind_ == Kind::kWhole    ? inter::allreduce_linear(input)
                           : kind_ == Kind::kShares ? inter::allreduce_shares(input)
                                                    : inter::reduce_scatter_linear(input);
  const auto contributed_begin = static_cast<std::uint64_t>(contributed_ - node_vector_);
  return inter::in_slots(plan, static_cast<std::uint64_t>(result_ - node_vector_),
                         [&](int node) { return contributed_begin + slot(node); });
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
