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
      std::swap(index_, other.index_);
      std::swap(comm_, other.comm_);
      std::swap(name_, other.name_);
      return *this;
    }
    ~Place() {
      if (owner_) owner_->give_back(*this);
    }

    explicit operator bool() const { return owner_ != nullptr; }
    MPI_Comm comm() const { return comm_; }  // MPI_COMM_NULL without a place
    // Whether comm() is of all processes of MPI_COMM_WORLD, with their ranks; else of the
    // container's, with its ranks.
    bool is_of_all() const { return index_ != kOwn; }
    // A number of the container's own in this job, equal on all ranks.
    std::uint64_t name() const { return name_; }
    // What stands for request `sequence` of this place in the tags of its messages. It grows with
    // the sequence, and no two requests of a communicator have one.
    std::uint64_t number(std::uint64_t sequence) const;

   private:
    friend class PrivateComms;
    PrivateComms* owner_ = nullptr;
    std::size_t index_ = 0;  // of all places; kOwn: comm() is its own
    MPI_Comm comm_ = MPI_COMM_NULL;
    std::uint64_t name_ = 0;
  };

  // Collective over `world_comm`: of all processes of MPI_COMM_WORLD, in their order, with an error
  // handler that returns. It stays the caller's, and is the first one to be shared.
  explicit PrivateComms(MPI_Comm world_comm);
  // Collective.
  ~PrivateComms();
  PrivateComms(const PrivateComms&) = delete;
  PrivateComms& operator=(const PrivateComms&) = delete;

  // Collective over `comm`, whose processes are all of MPI_COMM_WORLD: the same place on every
  // rank, or none on any, and then a reason.
  Place take(MPI_Comm comm, std::string& why);

 private:
  static constexpr std::size_t kComms = 16;
  static constexpr std::size_t kMostOwn = 64;
  static constexpr std::size_t kOwn = ~std::size_t{0};
  // What the ranks agree on, combined by a bitwise and.
  struct Offer {
    std::array<std::uint32_t, kComms> free_places{};
    std::uint64_t name = ~std::uint64_t{0};
  };

  Offer make_offer(int rank);
  Place make_own(MPI_Comm comm, const Offer& agreed);
  void give_back(Place& place);

  std::mutex mutex_;
  std::array<MPI_Comm, kComms> comms_;
  std::array<std::uint32_t, kComms> taken_{};  // a bit for each place
  int world_rank_ = 0;
  // Threads that ask at the same time may do so in another order on another rank, so they share
  // nothing. `own_`: how many communicators have been made for them.
  bool has_threads_;
  std::size_t own_ = 0;
  std::uint64_t named_ = 0;
};

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_CONTAINER_PRIVATE_COMMS_H_
