// What the engine's messages look like: tags, announcements, pushed messages.
#ifndef MPIACTOR_INTER_MESSAGES_H_
#define MPIACTOR_INTER_MESSAGES_H_

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "inter/plan.h"
#include "inter/push.h"
#include "inter/rank_list.h"

namespace mpiactor::inter {

// Tags of a private communicator: up to 16 bits of number, 2 of kind, 10 of channel. The number is
// a request's sequence, modulo the window, in the part of one of the containers that share the
// communicator.
//
// Within the window no two messages are under way that could be taken for each other: all ranks
// meet a quarter of it apart (Container::must_meet()), and a call of many requests waits for who
// receives (CollectorPace).
enum class MessageKind { kData = 0, kAnnouncement = 1, kPush = 2, kAdopted = 3 };
int message_tag(std::uint64_t number, MessageKind kind, int channel = 0);
inline constexpr std::uint64_t kSequenceWindow = 1 << 11;
inline constexpr std::uint64_t kMostPlaces = 1 << 5;
// How many containers share a private communicator. Set once, before the first message.
inline std::uint64_t comm_places = kMostPlaces;
// The MPI library must allow tags up to this for so many.
constexpr int largest_tag(std::uint64_t of_places) {
  return static_cast<int>((of_places * kSequenceWindow << 12) - 1);
}

// The ranks that may lead a node in one request, in the engine's communicator.
class PossibleLeaders {
 public:
  virtual ~PossibleLeaders() = default;
  virtual RankList of_node(int node) const = 0;
};

// A node's leader to the nodes that it receives from.
struct Announcement {
  std::int32_t node = 0;
  std::int32_t rank = 0;
  std::uint64_t bytes = 0;  // of the message, as the announcing leader believes
  // NoticeBox::place() of the communicator, and the whole sequence number: one made in error may be
  // heard much later.
  std::uint64_t place = 0;
  std::uint64_t sequence = 0;
  std::uint64_t uneven_ns = 0;  // EngineSetup's
};

// Before the bytes of a pushed message. All of a request's have one tag, since who believes in
// another size than the sender's does not know which ones will come.
struct PushHeader {
  bool to_all = false;  // every possible leader of the node has got a copy
  Push way = Push::kToAll;
  std::int32_t channel = 0;     // of the plan's operation
  std::uint64_t bytes = 0;      // of the whole message
  std::uint64_t uneven_ns = 0;  // the sender's, EngineSetup::uneven
};

// Calls use(node) once for every distinct peer of the plan's sends (or of its receives). Trees have
// few operations a node, rings one peer time after time: looking back is cheap.
template <typename Use>
void for_each_peer(const Plan& plan, bool sends, Use use) {
  std::vector<int> seen;
  for (const PlanOp& op : plan.ops) {
    if ((op.kind == OpKind::kSend) != sends) continue;
    if (!seen.empty() && seen.back() == op.peer) continue;
    if (std::find(seen.begin(), seen.end(), op.peer) != seen.end()) continue;
    seen.push_back(op.peer);
    use(op.peer);
  }
}

// Takes a posted receive back; false where its message has come after all.
bool take_back(MPI_Request& request);

// Throws std::runtime_error with the MPI library's text where `error` is one.
void check_mpi(int error, const char* what);

// Ends a send that is over. Unlike PMPI_Test() it lets the MPI library work only where it is not: a
// look at the network costs a system call on some, and a short message has mostly left at once.
// Returns MPI's error. (Not for receives: MPICH takes a truncated one to MPI_COMM_WORLD's handler.)
int end_if_over(MPI_Request& send, bool& is_over);

// Waits as a blocking call does, but ranks that share the core go on meanwhile: where there are
// more ranks than cores, MPICH's own waiting keeps them from it for a time slice. Returns MPI's
// error.
int wait_giving_way(MPI_Request& request);

// A communicator of the same ranks that returns errors. Collective. `what`: for its own errors.
MPI_Comm duplicate(MPI_Comm comm, const char* what);

}  // namespace mpiactor::inter

#endif  // MPIACTOR_INTER_MESSAGES_H_
