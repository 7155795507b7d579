// How the bytes of a request get from its leader to the other members of the node.
//
//   inline   the message lies in the request's slot; one publication
//   held     staging holds the whole message; the leader may leave before anybody has copied
//   ring     staging holds a few chunks of a longer message; the leader waits for slow members
//
// In `held` and `ring` a log of (offset, bytes) says what has arrived, in order of arrival.
#ifndef MPIACTOR_ACTOR_NODE_DISTRIBUTION_H_
#define MPIACTOR_ACTOR_NODE_DISTRIBUTION_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>

#include "actor/buffers/message.h"
#include "actor/container/container.h"

namespace mpiactor {

enum class Placement { kInline, kHeld, kRing };

// Where a message of so many bytes goes as long as there is memory.
Placement place_message(const Container& container, std::uint64_t bytes);

// The leader's side of a request.
class Distribution {
 public:
  // `most_entries`: log entries that the leader may make at most (held).
  Distribution(Container& container, std::uint64_t sequence, std::uint64_t bytes,
               Placement placement, std::uint64_t most_entries);

  // Where the message's bytes can be put directly; nullptr for a ring.
  std::byte* memory() const { return memory_; }

  // Of how many receives the other possible leaders have got a copy (Engine::copied_receives,
  // push_way).
  void note_copies(std::uint64_t copied_receives, inter::Push push);
  // That a short message is there now. `leader_came`: where it was there before the leader, when
  // that would have come had it had a core at once.
  void note_time(std::chrono::steady_clock::time_point leader_came = {});

  // Bytes are in memory(): tells the followers.
  void arrived(std::uint64_t offset, std::uint64_t bytes);
  // Bytes are in `source` (the whole message's address): step() copies them for the followers.
  void offer(const std::byte* source, std::uint64_t offset, std::uint64_t bytes);
  // Copies one chunk of what was offered; false where there is nothing to do right now.
  bool step();
  // Nothing offered is left to copy.
  bool finished() const { return offers_.empty(); }
  // Sleeps until a slow member has made room, where that is what step() waits for.
  void wait_for_room();

 private:
  struct Offer {
    const std::byte* source;
    std::uint64_t offset;
    std::uint64_t bytes;
  };

  void lay_out(std::uint64_t most_entries);
  bool lay_out_held(std::uint64_t most_entries);
  bool lay_out_ring(std::uint64_t staging_bytes);
  bool take_staging(std::uint64_t entries, std::uint64_t payload);
  void publish(std::uint64_t offset, std::uint64_t bytes);
  void assert_logged(std::uint64_t at, std::uint64_t offset, std::uint64_t bytes) const;
  std::uint64_t room_stamp() const;

  Container& container_;
  std::uint64_t sequence_;
  std::uint64_t bytes_;
  Placement placement_;
  bool followers_;
  std::byte* memory_ = nullptr;
  std::byte* ring_ = nullptr;
  competition::Entry* log_ = nullptr;
  std::uint64_t chunk_bytes_ = 0;
  std::uint64_t window_entries_ = 0;
  std::uint64_t entries_ = 0;
  std::uint64_t inline_arrived_ = 0;
  std::uint64_t wake_bytes_;  // sleeping followers are woken when so many bytes are new
  std::uint64_t unwoken_bytes_ = 0;
  std::uint64_t published_bytes_ = 0;
  std::deque<Offer> offers_;
};

// The root's side: offers the whole message, which must stay until finished(); one with gaps is
// packed first, where need be into `copy`. Returns where its bytes lie.
std::byte* offer_message(Distribution& distribution, const Message& message,
                         std::unique_ptr<std::byte[]>& copy);

// A follower's side: the message as it comes into shared memory.
class StagedMessage {
 public:
  // Waits until something of it is there.
  StagedMessage(Container& container, std::uint64_t sequence);

  // nullptr where it goes through a ring, else where it stays as a whole.
  std::byte* memory() const { return memory_; }
  // On the root's node, where it comes from its beginning on: so many bytes are there.
  std::uint64_t there();

 private:
  Container& container_;
  std::uint64_t sequence_;
  std::byte* memory_ = nullptr;
  const competition::Entry* log_ = nullptr;  // nullptr: inline, all of it is there
  std::uint64_t entries_ = 0;                // that were looked at
  std::uint64_t there_ = 0;
};

// A follower's side: waits for the request's bytes and copies them into `message` as they come.
// Returns the bytes of the request; where that is more than the message's, the rest is left out.
std::uint64_t follow(Container& container, std::uint64_t sequence, const Message& message);

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_NODE_DISTRIBUTION_H_
