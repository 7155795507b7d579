#include "actor/container/choices.h"

#include <algorithm>
#include <cfenv>
#include <utility>
#include <vector>

#include "actor/competition/request_queue.h"

namespace mpiactor {
namespace {

// What selection counts of PlanInput's bytes.
std::uint64_t bytes_of_selection(inter::Collective collective, std::uint64_t bytes,
                                 std::uint64_t nodes) {
  switch (collective) {
    case inter::Collective::kAllgather:
      return bytes / nodes;
    case inter::Collective::kAlltoall:
      return bytes / (nodes * nodes);
    default:
      return bytes;
  }
}

// The longest segment of a reduction that is chosen where memory is saved: what is taken in from a
// peer at a time.
constexpr std::uint64_t kLongestSavingSegment = 64 << 10;

bool is_shortened(inter::Collective collective, const Settings& settings) {
  const bool combines =
      collective == inter::Collective::kReduce || collective == inter::Collective::kAllreduce;
  return combines && settings.memory.is_limited() && settings.segment_bytes == 0;
}

// While it lives, floating-point operations are done as at a process's start. Ranks compare times
// that they compute, and programs may round otherwise, on each rank in another way.
class StandardArithmetic {
 public:
  StandardArithmetic() {
    std::fegetenv(&program_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~StandardArithmetic() { std::fesetenv(&program_); }
  StandardArithmetic(const StandardArithmetic&) = delete;
  StandardArithmetic& operator=(const StandardArithmetic&) = delete;

 private:
  std::fenv_t program_;
};

// Each segment of a broadcast is an entry for the node's members; further ones are for the ends of
// chunks, so this leaves room.
std::uint64_t shortest_segment(inter::Collective collective, std::uint64_t bytes) {
  if (collective != inter::Collective::kBcast) return 1;
  return bytes / (competition::kMaxEntries / 4) + 1;
}

}  // namespace

std::vector<std::string> unsuited_settings(const Settings& settings) {
  struct Instead {
    inter::Collective collective;
    const char* setting;
    const char* what;
  };
  constexpr Instead kAll[] = {
      {inter::Collective::kAllgather, "MPIACTOR_ALLGATHER", "every node sends to all others"},
      {inter::Collective::kAlltoall, "MPIACTOR_ALLTOALL", "linear is used"}};
  std::vector<std::string> sentences;
  for (const Instead& each : kAll) {
    const std::string& name = settings.algorithm(each.collective);
    const inter::Algorithm* const asked = inter::find_algorithm(each.collective, name);
    if (!asked || asked->takes_sizes) continue;
    sentences.push_back(std::string(each.setting) + "=" + name +
                        " needs nodes with equally many ranks; where they have not, " + each.what);
  }
  return sentences;
}

inter::Layout layout_for_rules(const Settings& settings, int members, int ranks, bool crowded) {
  inter::Layout layout{.members = members,
                       .ranks = static_cast<std::uint64_t>(ranks),
                       .crowded = crowded,
                       .never_worse = settings.never_worse};
  for (const inter::Call call : inter::all_calls()) {
    // Blocks of different sizes go as those of one size.
    const auto collective = call == inter::Call::kAllgatherv ? inter::Collective::kAllgather
                                                             : inter::collective_of(call);
    const bool names_one = collective && settings.algorithm(*collective) != "auto";
    if (names_one || !settings.torus.empty()) {
      layout.asked_plans |= 1u << static_cast<unsigned>(call);
    }
  }
  return layout;
}

inter::LinkModel link_for_rules(const Settings& settings, inter::LinkModel link) {
  if (!settings.torus.empty() && link.network == inter::NetworkKind::kByShape) {
    link.network = inter::NetworkKind::kTorus;
  }
  return link;
}

std::shared_ptr<const Choice> Choices::choose(inter::Collective collective, int root_node,
                                              std::uint64_t bytes, std::uint64_t granule_bytes) {
  const Key key{collective, root_node, bytes, granule_bytes};
  const auto found = kept_.find(key);
  if (found != kept_.end()) return found->second;
  const auto choice = std::make_shared<const Choice>(make(key));
  keep(key, choice);
  return choice;
}

Choice Choices::make(const Key& key) const {
  const StandardArithmetic arithmetic;
  Choice choice;
  const auto nodes = static_cast<std::uint64_t>(view_.shape.nodes());
  choice.selection = inter::select(
      key.collective, view_.shape, bytes_of_selection(key.collective, key.bytes, nodes),
      settings_.algorithm(key.collective), settings_.segment_bytes, tuning_, layout_);
  std::uint64_t& segment = choice.selection.segment_bytes;
  if (is_shortened(key.collective, settings_)) segment = std::min(segment, kLongestSavingSegment);
  segment = std::max(segment, shortest_segment(key.collective, key.bytes));
  segment = std::max(segment - segment % key.granule_bytes, key.granule_bytes);
  choice.plan = plan_of(node_, choice.selection, key.root_node, key.bytes, key.granule_bytes);
  return choice;
}

inter::Plan Choices::plan_of(int node, const inter::Selection& selection, int root_node,
                             std::uint64_t bytes, std::uint64_t granule_bytes) const {
  inter::PlanInput input;
  input.bytes = bytes;
  input.granule_bytes = granule_bytes;
  // The order that all nodes combine in is that of their numbers, wherever they lie.
  if (selection.algorithm->combines_in_node_order) {
    input.shape = inter::Shape::line(static_cast<int>(view_.shape.nodes()));
    input.node = node;
    return selection.algorithm->make_plan(input);
  }
  input.shape = view_.shape;
  input.root_node = view_.position_of(root_node);
  input.node = view_.position_of(node);
  inter::Plan plan = selection.algorithm->make_plan(input);
  inter::translate_peers(plan, view_);
  return plan;
}

std::shared_ptr<const Choice> Choices::served_by_root(const Choice& choice, int root_node,
                                                      std::uint64_t bytes) const {
  auto served = std::make_shared<Choice>(Choice{choice.selection, {}});
  served->selection.algorithm = inter::find_algorithm(inter::Collective::kBcast, inter::kServesAll);
  served->plan = plan_of(node_, served->selection, root_node, bytes);
  return served;
}

void Choices::keep(const Key& key, const std::shared_ptr<const Choice>& choice) {
  const std::size_t own = choice->plan.memory_bytes();
  if (own > kLongestKeptPlanBytes) return;
  if (kept_bytes_ + own + kChoiceBytes > kMostKeptBytes) {
    kept_.clear();
    kept_bytes_ = 0;
  }
  kept_bytes_ += own + kChoiceBytes;
  kept_.emplace(key, choice);
}

inter::Plan Choices::alltoall_plan(const inter::Algorithm& algorithm,
                                   std::span<const inter::ByteRange> gives,
                                   std::span<const inter::ByteRange> takes) const {
  std::vector<inter::ByteRange> gives_at(gives.size());
  std::vector<inter::ByteRange> takes_at(takes.size());
  for (std::size_t position = 0; position < gives.size(); ++position) {
    const auto node = static_cast<std::size_t>(view_.node_at(static_cast<int>(position)));
    gives_at[position] = gives[node];
    takes_at[position] = takes[node];
  }
  inter::PlanInput input;
  input.shape = view_.shape;
  input.node = view_.position_of(node_);
  input.gives = gives_at;
  input.takes = takes_at;
  inter::Plan plan = algorithm.make_plan(input);
  inter::translate_peers(plan, view_);
  return plan;
}

}  // namespace mpiactor
