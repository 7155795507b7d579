// Containers whose communicator was freed, for the next one of the same ranks. Programs make and
// free communicators of the same ranks again and again, and shared memory takes long to make.
#ifndef MPIACTOR_ACTOR_CONTAINER_IDLE_CONTAINERS_H_
#define MPIACTOR_ACTOR_CONTAINER_IDLE_CONTAINERS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <span>

namespace mpiactor {

class Container;

// Any thread.
class IdleContainers {
 public:
  IdleContainers();
  ~IdleContainers();
  IdleContainers(const IdleContainers&) = delete;
  IdleContainers& operator=(const IdleContainers&) = delete;

  // So many are kept, with at most so much memory for messages in all, while half of /dev/shm is
  // free.
  static constexpr std::size_t kMost = 32;
  static constexpr std::uint64_t kMostStagingBytes = 16 << 20;

  // A drained one; the oldest are dropped where there are too many.
  void keep(std::unique_ptr<Container> container);

  // The one that was kept last of processes that have `world_ranks` in MPI_COMM_WORLD; nullptr
  // where there is none. Ranks may have kept containers in another order, or not all of them.
  std::unique_ptr<Container> find(std::span<const int> world_ranks);
  // What a rank that has found `mine` tells the others of its communicator; combined bit by bit
  // they say what the communicator gets. Rank 0 names the container that may have to be made.
  static constexpr std::size_t kWords = 6;
  std::array<std::uint64_t, kWords> words(const Container* mine, std::span<const int> world_ranks,
                                          int rank, bool wants);
  struct Agreed {
    bool is_wanted = true;   // by all ranks
    bool is_same = false;    // what they have found; it is the container, then
    std::uint64_t name = 0;  // for a new one, which no other container of the job has
  };
  static Agreed agreed(std::span<const std::uint64_t, kWords> words);

  void clear();

 private:
  std::mutex mutex_;
  std::list<std::unique_ptr<Container>> kept_;  // the last one in front
  std::uint32_t named_ = 0;
};

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_CONTAINER_IDLE_CONTAINERS_H_
