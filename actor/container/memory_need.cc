#include "actor/container/memory_need.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "actor/config/torus_spec.h"
#include "actor/container/choices.h"
#include "actor/container/container.h"
#include "actor/container/eager_limit.h"
#include "actor/container/idle_containers.h"
#include "actor/container/peer_policy.h"
#include "actor/container/private_comms.h"
#include "actor/container/push_limit.h"
#include "actor/container/registry.h"
#include "actor/container/world.h"
#include "actor/shm/segment.h"
#include "inter/drop_list.h"
#include "inter/engine_memory.h"
#include "inter/kept_bytes.h"
#include "inter/messages.h"
#include "inter/notices.h"
#include "inter/peer_buffers.h"
#include "inter/rules.h"
#include "inter/split_plan.h"

namespace mpiactor {
namespace {

std::vector<Place> places_for(const MemoryQuestion& question) {
  const int ranks = question.nodes * question.ranks_per_node;
  std::vector<Place> places;
  places.reserve(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) {
    const int block = rank / question.ranks_per_node;
    switch (question.order) {
      case RankOrder::kBlocks:
        places.push_back({block, 0});
        break;
      case RankOrder::kCyclic:
        places.push_back({rank % question.nodes, 0});
        break;
      case RankOrder::kIrregular:  // every other round backwards
        places.push_back({rank / question.nodes % 2 == 0
                              ? rank % question.nodes
                              : question.nodes - 1 - rank % question.nodes,
                          0});
        break;
    }
  }
  return places;
}

inter::TorusView view_for(const MemoryQuestion& question) {
  if (question.settings.torus.starts_with(kTorusFilePrefix)) {
    throw std::invalid_argument("MPIACTOR_TORUS=file:... needs the job's hosts; give extents");
  }
  const Torus torus = Torus::parse(question.settings.torus, "");
  torus.check(question.nodes);
  std::vector<int> all(static_cast<std::size_t>(question.nodes));
  std::iota(all.begin(), all.end(), 0);
  return torus.view(all);
}

std::uint64_t heap_bytes(const std::string& text) {
  return text.capacity() > std::string().capacity() ? text.capacity() + 1 : 0;
}

// The table of all settings.
std::uint64_t setting_rows_bytes() {
  std::uint64_t bytes = setting_rows().capacity() * sizeof(SettingRow);
  for (const SettingRow& row : setting_rows()) {
    bytes += heap_bytes(row.default_text) + heap_bytes(row.allowed);
  }
  return bytes;
}

// What this C++ library takes for one that deletes in its own way.
constexpr std::uint64_t kSharedPointerBytes = 32;

// What requests of background calls need from the start (interpose/self_request.cc), at most.
constexpr std::uint64_t kSelfChannelBytes = 160;

// Of texts that were put together piece by piece.
std::uint64_t text_bytes(const Settings& settings) {
  std::uint64_t bytes = 0;
  for (const std::string* text :
       {&settings.nodes, &settings.torus, &settings.tuning, &settings.trace}) {
    if (heap_bytes(*text) != 0) bytes += 2 * (text->size() + 1);
  }
  return bytes;
}

std::uint64_t times(int count, std::uint64_t bytes) {
  return static_cast<std::uint64_t>(count) * bytes;
}

// What a call keeps beside plan and engine: two lists of parts, this C++ library's empty ones.
constexpr std::uint64_t kListsOfCallBytes = 2 * (64 + 512);

struct Case {
  inter::Collective collective;
  const char* name;
};

// What the root of a reduce takes in where all nodes send to it: whole vectors, or, where memory is
// saved, segments.
std::uint64_t star_bytes(const MemoryQuestion& question, std::uint64_t bytes,
                         std::uint64_t segment_bytes, int large_peers) {
  const int peers = question.nodes - 1;
  if (!question.settings.memory.is_limited()) return times(peers, bytes);
  const int large = std::min(peers, large_peers);
  const std::uint64_t window = times(question.settings.window, segment_bytes);
  return times(large, std::min(bytes, window)) +
         times(peers - large, std::min(bytes, segment_bytes));
}

bool all_send_to_root(const MemoryQuestion& question, std::uint64_t bytes) {
  const inter::Layout layout = layout_for_rules(question.settings, question.ranks_per_node,
                                                question.nodes * question.ranks_per_node, false);
  return inter::find_rule(question.tuning, inter::Call::kReduce, view_for(question).shape, layout,
                          bytes, inter::abilities_of({.competes = true}, bytes))
             .way == inter::Way::kDirect;
}

// Both parts of a plan of which other members than the leader send the first, and the copy that it
// is sent from.
std::uint64_t parts_bytes(const MemoryQuestion& question, inter::Collective collective,
                          const inter::Plan& plan) {
  const bool has_parts = collective != inter::Collective::kBcast &&
                         question.settings.leader == LeaderMode::kCompetitive &&
                         question.ranks_per_node > 1 && question.nodes <= inter::kMostSplitNodes;
  if (!has_parts) return 0;
  const inter::SplitPlan split = inter::split_plan(plan);
  return split.first.memory_bytes() + split.rest.memory_bytes() + split.copied.bytes;
}

// Of the call of `bytes` on the node that takes most: those beside the root, in the middle and at
// the ends of trees stand for all. `large_peers`: as for inter::engine_bytes.
std::uint64_t call_bytes(const MemoryQuestion& question, const Case& c, std::uint64_t bytes,
                         int large_peers) {
  const auto nodes = static_cast<std::uint64_t>(question.nodes);
  if (c.collective == inter::Collective::kAllgather) {
    bytes = std::max(bytes / nodes, std::uint64_t{1}) * nodes;
  }
  std::uint64_t most = 0;
  std::uint64_t segment_bytes = bytes;
  for (const int node : {0, 1, question.nodes / 2, question.nodes - 1}) {
    if (node >= question.nodes) continue;
    Choices choices(question.settings, question.tuning, view_for(question), node);
    auto choice = choices.choose(c.collective, 0, bytes, 1);
    if (node == 0 && c.collective == inter::Collective::kBcast &&
        inter::root_may_serve_all(choice->selection, question.nodes)) {
      choice = choices.served_by_root(*choice, 0, bytes);
    }
    segment_bytes = choice->selection.segment_bytes;
    const std::uint64_t copy =
        choice->selection.algorithm->combines_in_node_order ? bytes : 0;  // of the node's vector
    most = std::max<std::uint64_t>(
        most, copy + choice->plan.memory_bytes() +
                  parts_bytes(question, c.collective, choice->plan) +
                  inter::engine_bytes(choice->plan, segment_bytes, question.settings.window,
                                      large_peers));
  }
  if (c.collective == inter::Collective::kReduce && all_send_to_root(question, bytes)) {
    most += star_bytes(question, bytes, segment_bytes, large_peers);
  }
  return most + kListsOfCallBytes;
}

std::vector<MemoryItem> calls(const MemoryQuestion& question) {
  constexpr Case kCases[] = {{inter::Collective::kBcast, "bcast"},
                             {inter::Collective::kReduce, "reduce"},
                             {inter::Collective::kAllreduce, "allreduce"},
                             {inter::Collective::kAllgather, "allgather, of all nodes together"}};
  std::vector<MemoryItem> items;
  for (const Case& c : kCases) {
    const inter::PeerPolicy policy = peer_policy(question.settings.memory);
    const int at_first = policy.uses_before_large == 0 ? policy.most_large : 0;
    MemoryItem item{c.name, call_bytes(question, c, question.message_bytes, at_first),
                    call_bytes(question, c, question.message_bytes, policy.most_large)};
    for (std::uint64_t bytes = 8; bytes < question.message_bytes; bytes *= 8) {
      item.sure_bytes = std::min(item.sure_bytes, call_bytes(question, c, bytes, at_first));
      item.most_bytes =
          std::max(item.most_bytes, call_bytes(question, c, bytes, policy.most_large));
    }
    items.push_back(std::move(item));
  }
  return items;
}

// Of any broadcast on the shape.
int most_streams(const inter::Shape& shape) {
  int most = 1;
  for (const inter::Algorithm& algorithm : inter::algorithms()) {
    const bool runs =
        algorithm.collective == inter::Collective::kBcast && algorithm.supports(shape);
    if (runs) most = std::max(most, algorithm.streams(shape));
  }
  return most;
}

// The rules that a container picks out of the table when it is made: at most as many as for any
// number of nodes.
std::uint64_t rules_bytes(const MemoryQuestion& question, int members) {
  constexpr std::uint64_t kBlockBytes = 2 * sizeof(void*);  // what malloc() adds
  std::uint64_t most = 0;
  for (const int nodes : {1, 2, 4, 8, 16}) {
    for (const bool crowded : {false, true}) {
      const inter::Layout layout =
          layout_for_rules(question.settings, members, nodes * members, crowded);
      std::uint64_t bytes = 0;
      for (const inter::Call call : inter::all_calls()) {
        const auto rows =
            inter::rule_rows(question.tuning, call, inter::Shape::line(nodes), layout);
        bytes += rows.capacity() * sizeof(inter::RuleRow) + kBlockBytes;
      }
      most = std::max(most, bytes);
    }
  }
  return most;
}

}  // namespace

MemoryItem MemoryNeed::sum(const std::vector<MemoryItem>& items) {
  MemoryItem all{"in all", 0, 0};
  for (const MemoryItem& item : items) {
    all.sure_bytes += item.sure_bytes;
    all.most_bytes += item.most_bytes;
  }
  return all;
}

MemoryNeed memory_need(const MemoryQuestion& asked) {
  MemoryQuestion question = asked;
  question.tuning.link = link_for_rules(question.settings, question.tuning.link);
  const std::vector<Place> all = places_for(question);
  const Places places(all);
  const NodeMap map(all, question.settings.candidates);
  const inter::TorusView view = view_for(question);
  const SegmentLayout segment(map.most_members(), map.table_ints() + view.table_ints(),
                              question.settings.shm_limit_bytes);
  const int comms = question.communicators;
  MemoryNeed need;
  const auto fixed = [](std::vector<MemoryItem>& items, const char* what, std::uint64_t bytes) {
    items.push_back({what, bytes, bytes});
  };
  // A table for the machine has a segment of its own, where there is one.
  fixed(need.rank, "settings and what is known of the job",
        setting_rows_bytes() + text_bytes(question.settings) + sizeof(World) + places.own_bytes() +
            sizeof(CommStates) + sizeof(CommState) + sizeof(IdleContainers) + sizeof(PrivateComms) +
            kSelfChannelBytes + (question.nodes == 1 ? 0 : sizeof(inter::Notices)));
  const std::uint64_t notices = question.nodes == 1 ? 0 : inter::NoticeBox::entry_bytes();
  fixed(need.rank, "communicators",
        times(comms, sizeof(CommState) + kSharedPointerBytes + sizeof(Container) + map.own_bytes() +
                         rules_bytes(question, map.most_members()) + notices));
  need.rank.push_back({"plans that are kept", 0, times(comms, Choices::kMostKeptBytes)});
  // A member that may lead, but does not, gets copies of what is pushed: at most those of the
  // requests between two that are announced, one for each stream of a broadcast.
  const std::uint64_t copy =
      sizeof(inter::PushHeader) +
      push_limit_bytes(question.settings, view.shape, question.tuning.link, kMostEagerBytes);
  need.rank.push_back({"copies of what other leaders get", 0,
                       question.ranks_per_node == 1 || question.nodes == 1
                           ? 0
                           : times(comms, inter::DropList::memory_for(
                                              most_streams(view.shape) * kAnnouncedEvery, copy))});
  const inter::PeerPolicy policy = peer_policy(question.settings.memory);
  if (!question.settings.memory.is_limited()) {
    need.rank.push_back({"kept from call to call", 0, inter::KeptBytes::kMostKeptBytes});
  } else {
    need.rank.push_back({"peers whose uses are counted", 0,
                         times(comms, inter::PeerBuffers::memory_for(
                                          std::min(question.nodes - 1, policy.most_known())))});
  }
  need.call = calls(question);
  fixed(need.node, "tables about the job", round_to_pages(places.table_ints() * sizeof(int)));
  fixed(need.node, "request queues", times(comms, segment.tables_begin));
  fixed(need.node, "tables about communicators", times(comms, segment.table_bytes()));
  need.node.push_back({"staging", times(comms, SegmentLayout::kSureStagingBytes),
                       times(comms, segment.staging_bytes)});
  return need;
}

}  // namespace mpiactor
