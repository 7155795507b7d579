// Private communicators: what the messages between nodes go through. Each takes one of the MPI
// library's context ids, of which there are about 2,000 in all. So containers of the same ranks in
// the same order share one: the tags of its messages say whose they are.
#ifndef MPIACTOR_ACTOR_CONTAINER_PRIVATE_COMMS_H_
#define MPIACTOR_ACTOR_CONTAINER_PRIVATE_COMMS_H_

#include <mpi.h>

#include <array>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>

namespace mpiactor {

class PrivateComms {
 public:
  // A container's part of a private communicator; given back by the destructor, in each process
  // for itself. No message of it may be on its way then.
  class Place {
   public:
    Place() = default;
    Place(Place&& other) noexcept { *this = std::move(other); }
    Place& operator=(Place&& other) noexcept {
      std::swap(owner_, other.owner_);
      std::swap(slot_, other.slot_);
      std::swap(index_, other.index_);
      std::swap(comm_, other.comm_);
      return *this;
    }
    ~Place() {
      if (owner_) owner_->give_back(slot_, index_);
    }

    explicit operator bool() const { return owner_ != nullptr; }
    MPI_Comm comm() const { return comm_; }  // MPI_COMM_NULL without a place
    // What stands for request `sequence` of this place in the tags of its messages. It grows with
    // the sequence, and no two requests of a communicator have one.
    std::uint64_t number(std::uint64_t sequence) const;

   private:
    friend class PrivateComms;
    Place(PrivateComms* owner, std::size_t slot, std::size_t index, MPI_Comm comm)
        : owner_(owner), slot_(slot), index_(index), comm_(comm) {}
    PrivateComms* owner_ = nullptr;
    std::size_t slot_ = 0;
    std::size_t index_ = 0;
    MPI_Comm comm_ = MPI_COMM_NULL;
  };

  // `world_comm`: of all processes of MPI_COMM_WORLD, in their order, with an error handler that
  // returns. It stays the caller's, and is the first one to be shared.
  explicit PrivateComms(MPI_Comm world_comm);
  ~PrivateComms();
  PrivateComms(const PrivateComms&) = delete;
  PrivateComms& operator=(const PrivateComms&) = delete;

  // Collective over `comm`, whose processes are all of MPI_COMM_WORLD: the same place on every
  // rank, or none on any, and then a reason.
  Place take(MPI_Comm comm, std::string& why);

 private:
  static constexpr std::size_t kMost = 64;  // at a time: the rest is the application's

  struct Slot {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Group group = MPI_GROUP_NULL;
    std::uint32_t taken = 0;  // a bit for each place
  };
  // What the ranks agree on, combined by a bitwise and.
  struct Offer {
    std::uint64_t free_slots = 0;
    std::uint64_t tag = 0;
    std::array<std::uint32_t, kMost> free_places{};  // of the slots with this group
  };

  std::size_t reserve_slot();
  void release_slot(std::size_t slot);
  Offer make_offer(MPI_Comm comm, MPI_Group group);
  Place share(const Offer& agreed);
  Place make(std::size_t slot, MPI_Group group, std::uint64_t tag);
  void give_back(std::size_t slot, std::size_t index);

  std::mutex mutex_;
  MPI_Comm world_comm_;
  int world_rank_ = 0;
  // Threads that ask at the same time may do so in another order on another rank, so they share
  // nothing and keep their slots from each other.
  bool has_threads_;
  std::array<Slot, kMost> slots_;  // the first: world_comm
  std::uint64_t free_slots_ = ~std::uint64_t{1};
  std::uint64_t made_ = 0;
};

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_CONTAINER_PRIVATE_COMMS_H_
