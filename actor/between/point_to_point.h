// Single messages between ranks of different nodes in one request, for collectives whose sizes the
// receiver gets to know with the message itself.
#ifndef MPIACTOR_ACTOR_BETWEEN_POINT_TO_POINT_H_
#define MPIACTOR_ACTOR_BETWEEN_POINT_TO_POINT_H_

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <vector>

#include "actor/container/container.h"

namespace mpiactor {

// Errors of the MPI library are thrown (std::runtime_error), but that a message is longer than
// where it is received.
class PointToPoint {
 public:
  // What a message of a request is about. Block messages say themselves how long they are.
  enum class Kind : int { kBlocks = 0, kOwnBlock = 1, kForwardedBlock = 2 };

  PointToPoint(Container& container, std::uint64_t sequence)
      : comm_(container.inter_comm()),
        ranks_(container.inter_ranks()),
        number_(container.message_number(sequence)) {}
  // All must have ended by then.
  ~PointToPoint() = default;
  PointToPoint(const PointToPoint&) = delete;
  PointToPoint& operator=(const PointToPoint&) = delete;

  using Id = std::size_t;
  // `synchronous`: ends only when the receiver has taken it.
  Id send(const std::byte* data, std::uint64_t bytes, int rank, Kind kind,
          bool synchronous = false);
  // The same with memory that is kept until it is sent.
  Id send(std::vector<std::byte> data, int rank, Kind kind, bool synchronous = false);
  Id receive(std::byte* data, std::uint64_t bytes, int rank, Kind kind);
  // A receive that nothing will meet.
  void take_back(Id id);

  // A message that has come, from `rank` or MPI_ANY_SOURCE.
  struct Message {
    MPI_Message message = MPI_MESSAGE_NULL;
    int rank = 0;
    std::uint64_t bytes = 0;
  };
  std::optional<Message> find(Kind kind, int rank) const;
  // To `to`, message.bytes long.
  Id receive(Message& message, std::byte* to);

  // Lets messages come forward; true where one has ended.
  bool progress();
  bool is_done(Id id) const { return requests_[id] == MPI_REQUEST_NULL; }
  bool all_done() const { return open_ == 0; }
  // Whether a message was longer than where it was received; then that holds anything.
  bool any_truncated() const { return any_truncated_; }
  // Of a receive that is done; 0 where its message was longer.
  std::uint64_t bytes_of(Id id) const { return bytes_[id]; }

 private:
  Id add(MPI_Request request);
  int source(int rank) const;
  bool complete(Id id);
  void forget(Id id);
  int tag(Kind kind) const;

  MPI_Comm comm_;
  const inter::RankMap& ranks_;
  std::uint64_t number_;
  std::vector<MPI_Request> requests_;
  std::vector<std::uint64_t> bytes_;        // of each that has come
  std::size_t next_ = 0;                    // to be looked at
  std::list<std::vector<std::byte>> kept_;  // takes no memory while it is empty
  std::size_t open_ = 0;
  bool any_truncated_ = false;
};

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_BETWEEN_POINT_TO_POINT_H_
