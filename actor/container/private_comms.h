// Private communicators: what the messages between nodes go through. All are made in MPI_Init, of
// all processes, and shared by the containers of all communicators: the tags of a message say whose
// it is.
//
// None is made later, since MPICH gives the context of a communicator that was freed to the next
// one, though receives may still be pending on the freed one: these would take the new one's
// messages.
#ifndef MPIACTOR_ACTOR_CONTAINER_PRIVATE_COMMS_H_
#define MPIACTOR_ACTOR_CONTAINER_PRIVATE_COMMS_H_

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <utility>

namespace mpiactor {

class PrivateComms {
 public:
  static constexpr std::size_t kComms = 16;

  // A container's part of a private communicator; given back by the destructor, in each process
  // for itself. No message of it may be on its way then.
  class Place {
   public:
    Place() = default;
    Place(Place&& other) noexcept { *this = std::move(other); }
    Place& operator=(Place&& other) noexcept {
      std::swap(owner_, other.owner_);
      std::swap(comm_index_, other.comm_index_);
      std::swap(place_, other.place_);
      return *this;
    }
    ~Place() {
      if (owner_) owner_->give_back(comm_index_, std::uint64_t{1} << place_);
    }

    explicit operator bool() const { return owner_ != nullptr; }
    // Of all processes of MPI_COMM_WORLD, with their ranks; MPI_COMM_NULL without a place.
    MPI_Comm comm() const { return owner_ ? owner_->comms_[comm_index_] : MPI_COMM_NULL; }
    // What stands for request `sequence` of this place in the tags of its messages. It grows with
    // the sequence, and no two requests of a communicator have one.
    std::uint64_t number(std::uint64_t sequence) const;

   private:
    friend class PrivateComms;
    Place(PrivateComms* owner, std::size_t comm_index, int place)
        : owner_(owner), comm_index_(comm_index), place_(place) {}
    PrivateComms* owner_ = nullptr;
    std::size_t comm_index_ = 0;
    int place_ = 0;
  };

  // Collective over `world_comm`: of all processes of MPI_COMM_WORLD, in their order, with an error
  // handler that returns. It stays the caller's, and is the first one to be shared.
  explicit PrivateComms(MPI_Comm world_comm);
  // Collective.
  ~PrivateComms();
  // When all processes have ended all their calls; not by the destructor, which runs in children
  // that the program has forked, too.
  void receive_left_over();
  PrivateComms(const PrivateComms&) = delete;
  PrivateComms& operator=(const PrivateComms&) = delete;

  // How ranks of a communicator, which may be any of the world, agree on a place: each says what is
  // free in its books, combined bit by bit, and one of them draws. Several threads may do so at a
  // time, in another order on each rank.
  static constexpr std::size_t kWords = kComms + 1;
  std::array<std::uint64_t, kWords> words(bool draws);
  enum class Need { kFull, kSpare };  // kSpare: leaves half of all places to others
  // The place that was drawn. It becomes this container's where it is_mine on every rank: no other
  // thread was about to take it.
  struct Claim {
    std::size_t comm_index = 0;
    int place = 0;
    bool is_mine = false;
  };
  // Nothing, on all ranks, where too few places are left.
  std::optional<Claim> claim(std::span<const std::uint64_t, kWords> agreed, Need need);
  Place settle(const Claim& claim, bool is_taken);
  // All of this, again and again, collective over `comm`. Without a place, on all ranks, where too
  // few are left.
  Place take(MPI_Comm comm, Need need);

 private:
  void give_back(std::size_t comm_index, std::uint64_t place);

  std::mutex mutex_;
  std::array<MPI_Comm, kComms> comms_;
  std::array<std::uint64_t, kComms> free_;       // places: a bit for each
  std::array<std::uint64_t, kComms> claimed_{};  // of these
};

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_CONTAINER_PRIVATE_COMMS_H_
