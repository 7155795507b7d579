// Containers whose communicator was freed, for the next one of the same ranks. Programs make and
// free communicators of the same ranks again and again, and shared memory takes long to make.
#ifndef MPIACTOR_ACTOR_CONTAINER_IDLE_CONTAINERS_H_
#define MPIACTOR_ACTOR_CONTAINER_IDLE_CONTAINERS_H_

#include <mpi.h>

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

  // What a communicator gets: a container that all its ranks have kept, or none, and the name for a
  // new one, which no other container of the job has. Nothing where a rank wants none.
  struct Taken {
    std::unique_ptr<Container> container;
    std::uint64_t name = 0;
    bool is_wanted = true;
  };
  // Collective over `comm`, of processes that have `world_ranks` in MPI_COMM_WORLD. Ranks may have
  // kept containers in another order, or not all of them: the one that was kept last is taken where
  // it is the same everywhere.
  Taken take(MPI_Comm comm, std::span<const int> world_ranks, bool wants);

  void clear();

 private:
  std::unique_ptr<Container> find(std::span<const int> world_ranks);

  std::mutex mutex_;
  std::list<std::unique_ptr<Container>> kept_;  // the last one in front
  std::uint32_t named_ = 0;
};

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_CONTAINER_IDLE_CONTAINERS_H_
