#include "tests/differential/communicators.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <numeric>
#include <utility>

#include "tests/differential/mpi_names.h"

namespace differential {

namespace {

constexpr int kWildcardTag = 4711;
constexpr int kIntercommTag = 4712;

// Calls collectives on the communicator that is being freed.
int call_collectives(MPI_Comm comm, int, void* value, void*) {
  const auto* const where = static_cast<const char*>(value);
  int size = 0;
  MPI_Comm_size(comm, &size);
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  for (int i = 0; i < 2; ++i) {
    int sum = rank + i;
    require_success(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, comm), where);
    const int expected = size * (size - 1) / 2 + size * i;
    if (sum != expected)
      fail(where, fmt::format("a delete callback's allreduce gave {}, not {}", sum, expected));
    int word = rank == size - 1 ? 4242 + i : 0;
    require_success(MPI_Bcast(&word, 1, MPI_INT, size - 1, comm), where);
    if (word != 4242 + i) fail(where, fmt::format("a delete callback's bcast gave {}", word));
    require_success(MPI_Barrier(comm), where);
  }
  return MPI_SUCCESS;
}

int collective_key() {
  static std::once_flag once;
  static int key = MPI_KEYVAL_INVALID;
  std::call_once(
      once, [] { MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, call_collectives, &key, nullptr); });
  return key;
}

// Makers know who is a member of what is made, without asking MPI.
struct Making {
  Step& step;
  Communicator& parent;
  Communicator made;

  int size() const { return parent.size(); }
  // The members in the order of these ranks of the parent.
  void set_members(const std::vector<int>& ranks) {
    made.members.clear();
    for (const int rank : ranks)
      made.members.push_back(parent.members[static_cast<std::size_t>(rank)]);
    const auto at = std::find(ranks.begin(), ranks.end(), parent.rank);
    made.rank = static_cast<int>(at - ranks.begin());
  }
  void set_all_members() {
    made.members = parent.members;
    made.rank = parent.rank;
  }
};

void duplicate(Making& m) {
  m.set_all_members();
  switch (m.step.shared.below(5)) {
    case 0:
    case 1:
      m.made.made = "dup";
      MPI_Comm_dup(m.parent.comm, &m.made.comm);
      return;
    case 2: {
      m.made.made = "dup_with_info";
      MPI_Comm_dup_with_info(m.parent.comm, MPI_INFO_NULL, &m.made.comm);
      return;
    }
    default: {
      // A collective on the parent while the copy is being made.
      const bool with_info = m.step.shared.one_in(2) && kHasMpi4;
      m.made.made = with_info ? "idup_with_info" : "idup";
      MPI_Request request = MPI_REQUEST_NULL;
      if (with_info) {
        MPI_Comm_idup_with_info(m.parent.comm, MPI_INFO_NULL, &m.made.comm, &request);
      } else {
        MPI_Comm_idup(m.parent.comm, &m.made.comm, &request);
      }
      if (m.step.shared.one_in(2)) MPI_Barrier(m.parent.comm);
      m.step.maybe_sleep();
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
  }
}

void split(Making& m) {
  const int colours = m.step.shared.between(1, 3);
  const bool some_undefined = m.step.shared.one_in(4);
  std::vector<int> colour;
  std::vector<int> key;
  const int order = m.step.shared.below(3);
  for (int rank = 0; rank < m.size(); ++rank) {
    const bool undefined = m.step.shared.one_in(4) && some_undefined;
    colour.push_back(undefined ? MPI_UNDEFINED : m.step.shared.below(colours));
    const int random_key = m.step.shared.below(5);
    key.push_back(order == 0 ? 0 : order == 1 ? -rank : random_key);
  }
  const auto mine = static_cast<std::size_t>(m.parent.rank);
  std::vector<int> ranks;
  for (int rank = 0; rank < m.size(); ++rank) {
    if (colour[static_cast<std::size_t>(rank)] == colour[mine] && colour[mine] != MPI_UNDEFINED)
      ranks.push_back(rank);
  }
  std::stable_sort(ranks.begin(), ranks.end(), [&](int a, int b) {
    return key[static_cast<std::size_t>(a)] < key[static_cast<std::size_t>(b)];
  });
  m.set_members(ranks);
  m.made.made = "split";
  MPI_Comm_split(m.parent.comm, colour[mine], key[mine], &m.made.comm);
}

void split_type(Making& m) {
  // All ranks are on one machine.
  m.set_all_members();
  m.made.made = "split_type";
  MPI_Comm_split_type(m.parent.comm, MPI_COMM_TYPE_SHARED, m.parent.rank, MPI_INFO_NULL,
                      &m.made.comm);
}

// Some ranks in any order.
std::vector<int> random_ranks(Making& m) {
  std::vector<int> ranks = m.step.shared.permutation(m.size());
  ranks.resize(static_cast<std::size_t>(m.step.shared.between((m.size() + 1) / 2, m.size())));
  if (m.step.shared.one_in(2)) std::sort(ranks.begin(), ranks.end());
  return ranks;
}

void of_group(Making& m) {
  const std::vector<int> ranks = random_ranks(m);
  // Open MPI 4.1 makes the second one by messages with the program's tags, which a pending receive
  // from anybody takes; the third one is of MPI 4.
  const int way = m.step.shared.below(kIsOpenMpi ? 1 : 3);
  m.set_members(ranks);
  const bool is_member = m.made.rank < m.made.size();
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Group some = MPI_GROUP_NULL;
  MPI_Comm_group(m.parent.comm, &all);
  MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &some);
  static constexpr std::array<const char*, 3> kWays = {"create", "create_group",
                                                       "create_from_group"};
  m.made.made = kWays[static_cast<std::size_t>(way)];
  if (way == 0) {
    MPI_Comm_create(m.parent.comm, some, &m.made.comm);
  } else if (way == 1 && is_member) {
    MPI_Comm_create_group(m.parent.comm, some, m.step.number % 30000, &m.made.comm);
  } else if (is_member) {
    const std::string tag = fmt::format("{} {}", m.step.number, m.step.thread);
    MPI_Comm_create_from_group(some, tag.c_str(), MPI_INFO_NULL, MPI_ERRORS_RETURN, &m.made.comm);
  }
  MPI_Group_free(&some);
  MPI_Group_free(&all);
}

// Rows or columns of a grid; the ranks that are left over get none.
void of_grid(Making& m) {
  const int rows = m.step.shared.between(1, std::min(m.size(), 4));
  const bool keeps_rows = m.step.shared.one_in(2);
  const std::array<int, 2> extents = {rows, m.size() / rows};
  const std::array<int, 2> periods = {0, 1};
  const std::array<int, 2> remain = {keeps_rows ? 0 : 1, keeps_rows ? 1 : 0};
  const auto place_of = [&](int rank) {
    return keeps_rows ? rank / extents[1] : rank % extents[1];
  };
  MPI_Comm grid = MPI_COMM_NULL;
  MPI_Cart_create(m.parent.comm, 2, extents.data(), periods.data(), 0, &grid);
  std::vector<int> ranks;
  if (grid != MPI_COMM_NULL) {
    for (int rank = 0; rank < extents[0] * extents[1]; ++rank)
      if (place_of(rank) == place_of(m.parent.rank)) ranks.push_back(rank);
    MPI_Cart_sub(grid, remain.data(), &m.made.comm);
    MPI_Comm_free(&grid);
  }
  m.set_members(ranks);
  m.made.made = "cart_sub";
}

void topology(Making& m) {
  const int size = m.size();
  std::vector<int> ranks(static_cast<std::size_t>(size));
  std::iota(ranks.begin(), ranks.end(), 0);
  constexpr int kDistGraph = 3;
  const int kind = m.step.shared.below(5);
  // Open MPI 4.1 now and then hangs in MPI_Dist_graph_create.
  switch (kIsOpenMpi && kind == kDistGraph ? kind + 1 : kind) {
    case 0: {
      const std::array<int, 2> dims = {m.step.shared.between(1, std::min(size, 3)), 1};
      const std::array<int, 2> extents = {dims[0], size / dims[0]};
      const std::array<int, 2> periods = {1, 0};
      ranks.resize(static_cast<std::size_t>(extents[0] * extents[1]));
      m.made.made = "cart_create";
      MPI_Cart_create(m.parent.comm, 2, extents.data(), periods.data(), 0, &m.made.comm);
      break;
    }
    case 1: {
      const int nodes = m.step.shared.between(1, size);
      ranks.resize(static_cast<std::size_t>(nodes));
      std::vector<int> index;
      std::vector<int> edges;
      for (int i = 0; i < nodes; ++i) {
        edges.push_back((i + 1) % nodes);
        edges.push_back((i + nodes - 1) % nodes);
        index.push_back(static_cast<int>(edges.size()));
      }
      m.made.made = "graph_create";
      MPI_Graph_create(m.parent.comm, nodes, index.data(), edges.data(), 0, &m.made.comm);
      break;
    }
    case 2:
      return of_grid(m);
    case kDistGraph: {
      const int one = 1;
      const int next = (m.parent.rank + 1) % size;
      m.made.made = "dist_graph_create";
      MPI_Dist_graph_create(m.parent.comm, 1, &m.parent.rank, &one, &next, MPI_UNWEIGHTED,
                            MPI_INFO_NULL, 0, &m.made.comm);
      break;
    }
    default: {
      const int before = (m.parent.rank + size - 1) % size;
      const int behind = (m.parent.rank + 1) % size;
      m.made.made = "dist_graph_create_adjacent";
      MPI_Dist_graph_create_adjacent(m.parent.comm, 1, &before, MPI_UNWEIGHTED, 1, &behind,
                                     MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &m.made.comm);
    }
  }
  m.set_members(ranks);
}

struct Halves {
  std::vector<int> first;  // ranks of the parent
  std::vector<int> second;
  bool in_first = false;
};

// Cut somewhere, or even and odd ranks. Neither half is empty.
Halves cut(Step& step, const Communicator& parent) {
  Halves halves;
  const bool alternating = step.shared.one_in(2);
  const int border = step.shared.between(1, parent.size() - 1);
  for (int rank = 0; rank < parent.size(); ++rank) {
    const bool first = alternating ? rank % 2 == 0 : rank < border;
    (first ? halves.first : halves.second).push_back(rank);
    if (rank == parent.rank) halves.in_first = first;
  }
  return halves;
}

MPI_Comm between(const Halves& halves, const Communicator& parent) {
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(parent.comm, halves.in_first ? 0 : 1, parent.rank, &half);
  MPI_Comm inter = MPI_COMM_NULL;
  MPI_Intercomm_create(half, 0, parent.comm, halves.in_first ? halves.second[0] : halves.first[0],
                       kIntercommTag, &inter);
  MPI_Comm_free(&half);
  return inter;
}

void merged(Making& m) {
  if (m.size() < 2 || !m.step.has("between")) return duplicate(m);
  const Halves halves = cut(m.step, m.parent);
  const bool first_is_high = m.step.shared.one_in(2);
  std::vector<int> ranks = first_is_high ? halves.second : halves.first;
  const std::vector<int>& behind = first_is_high ? halves.first : halves.second;
  ranks.insert(ranks.end(), behind.begin(), behind.end());
  m.set_members(ranks);
  m.made.made = "intercomm_merge";
  MPI_Comm inter = between(halves, m.parent);
  MPI_Intercomm_merge(inter, halves.in_first == first_is_high ? 1 : 0, &m.made.comm);
  MPI_Comm_free(&inter);
}

// What MPI says about it must be what is expected.
void compare_with_mpi(const Communicator& made, const Step& step) {
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(made.comm, &rank);
  MPI_Comm_size(made.comm, &size);
  if (rank != made.rank || size != made.size()) {
    fail(where(step), fmt::format("rank {} of {} of the new communicator, expected {} of {}", rank,
                                  size, made.rank, made.size()));
  }
}

}  // namespace

std::unique_ptr<Communicator> whole_world(MPI_Comm world) {
  auto communicator = std::make_unique<Communicator>();
  communicator->comm = world;
  MPI_Comm_rank(world, &communicator->rank);
  int size = 0;
  MPI_Comm_size(world, &size);
  communicator->members.resize(static_cast<std::size_t>(size));
  std::iota(communicator->members.begin(), communicator->members.end(), 0);
  communicator->made = "world";
  communicator->freed_in_the_end = false;
  return communicator;
}

std::unique_ptr<Communicator> make_communicator(Step& step, Communicator& parent) {
  using Maker = void (*)(Making&);
  static constexpr std::array<Maker, 8> kMakers = {duplicate, duplicate, split,  split,
                                                   of_group,  topology,  merged, split_type};
  Making making{step, parent, {}};
  const Maker maker = kMakers[static_cast<std::size_t>(step.shared.below(kMakers.size()))];
  const bool wildcard = step.shared.one_in(2) && step.has("wildcards");
  const bool attribute = step.shared.one_in(4) && step.has("attributes");
  const bool returns_errors = step.own.one_in(2);
  maker(making);
  step.text += fmt::format(" by {}", making.made.made);
  if (making.made.comm == MPI_COMM_NULL) {
    if (making.made.rank < making.made.size()) fail(where(step), "there is no new communicator");
    return nullptr;
  }
  auto made = std::make_unique<Communicator>(std::move(making.made));
  compare_with_mpi(*made, step);
  if (returns_errors) MPI_Comm_set_errhandler(made->comm, MPI_ERRORS_RETURN);
  made->made = fmt::format("{} of {} at step {}", made->made,
                           parent.made.substr(0, parent.made.find(' ')), step.number);
  // On a communicator of one rank MPICH 4.0 gives such a receive the messages of its alltoallv.
  if (wildcard && made->size() > 1) begin_wildcard(*made);
  if (attribute) set_attribute(*made);
  return made;
}

std::unique_ptr<InterCommunicator> make_inter_communicator(Step& step, Communicator& parent) {
  if (parent.size() < 2) return nullptr;
  const Halves halves = cut(step, parent);
  auto made = std::make_unique<InterCommunicator>();
  made->comm = between(halves, parent);
  made->is_first = halves.in_first;
  for (const int rank : halves.in_first ? halves.first : halves.second) {
    if (rank == parent.rank) made->rank = static_cast<int>(made->local.size());
    made->local.push_back(parent.members[static_cast<std::size_t>(rank)]);
  }
  for (const int rank : halves.in_first ? halves.second : halves.first)
    made->remote.push_back(parent.members[static_cast<std::size_t>(rank)]);
  return made;
}

void set_attribute(Communicator& communicator) {
  static const char* const kWhere = "the freeing of a communicator with an attribute";
  MPI_Comm_set_attr(communicator.comm, collective_key(), const_cast<char*>(kWhere));
  communicator.has_attribute = true;
}

void begin_wildcard(Communicator& communicator) {
  communicator.wildcard = std::make_unique<Wildcard>();
  MPI_Irecv(&communicator.wildcard->heard, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG,
            communicator.comm, &communicator.wildcard->request);
}

void look_at_wildcard(Communicator& communicator, const std::string& where) {
  if (!communicator.wildcard) return;
  int done = 0;
  MPI_Status status;
  MPI_Request_get_status(communicator.wildcard->request, &done, &status);
  // The rank before this one may have come to the end of the communicator.
  const int before = (communicator.rank + communicator.size() - 1) % communicator.size();
  if (!done || (status.MPI_TAG == kWildcardTag && status.MPI_SOURCE == before)) return;
  fail(where, fmt::format("a receive from anybody got a message of rank {} with tag {}",
                          status.MPI_SOURCE, status.MPI_TAG));
}

void answer_wildcard(Communicator& communicator) {
  if (!communicator.wildcard) return;
  Wildcard& wildcard = *communicator.wildcard;
  wildcard.told = communicator.rank + 1;
  MPI_Isend(&wildcard.told, 1, MPI_INT, (communicator.rank + 1) % communicator.size(), kWildcardTag,
            communicator.comm, &wildcard.sent);
}

void complete_wildcard(Wildcard& wildcard, const std::string& where) {
  MPI_Status status;
  MPI_Wait(&wildcard.request, &status);
  MPI_Wait(&wildcard.sent, MPI_STATUS_IGNORE);
  if (status.MPI_TAG != kWildcardTag || wildcard.heard != status.MPI_SOURCE + 1) {
    fail(where, fmt::format("a receive from anybody got {} of rank {} with tag {}", wildcard.heard,
                            status.MPI_SOURCE, status.MPI_TAG));
  }
}

void free_communicator(Communicator& communicator, const std::string& where) {
  require_success(MPI_Comm_free(&communicator.comm), where);
}

}  // namespace differential
