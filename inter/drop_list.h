// Messages that nobody on this process waits for: neither for their coming nor for their going.
#ifndef MPIACTOR_INTER_DROP_LIST_H_
#define MPIACTOR_INTER_DROP_LIST_H_

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "inter/kept_bytes.h"
#include "inter/messages.h"

namespace mpiactor::inter {

// Messages that were sent to this process as a possible leader but concern a request that another
// member led. They are certain to arrive and are taken off the network in passing.
class DropList {
 private:
  struct Drop {
    MPI_Request request = MPI_REQUEST_NULL;
    std::vector<std::byte> scrap;
  };
  struct Sent {
    std::unique_ptr<Announcement> announcement;
    std::vector<KeptBytes> pushed;
    std::vector<MPI_Request> requests;
  };

 public:
  explicit DropList(MPI_Comm comm) : comm_(comm) {}
  ~DropList();
  DropList(const DropList&) = delete;
  DropList& operator=(const DropList&) = delete;

  // `count` messages of at most `bytes` with this tag, from anybody.
  void expect(int tag, std::uint64_t bytes, int count);
  // An announcement whose sends have not ended. The receivers are certain to take it.
  void finish(std::unique_ptr<Announcement> announcement, std::vector<MPI_Request> requests);
  // The same of pushed messages. A receiver that another member of its node has outrun may have
  // left long since, and looks for its copy when it is in the MPI library again.
  void finish(std::vector<KeptBytes> pushed, std::vector<MPI_Request> requests);
  // Takes what is there, and forgets what is sent.
  void sweep();
  // Waits until all has come and gone; `pause` is called between looks.
  void drain(const std::function<void()>& pause);
  std::size_t size() const { return drops_.size() + sent_.size(); }
  // What expecting `count` messages of at most `bytes` takes, and what all expected ones take now.
  static std::size_t memory_for(std::size_t count, std::uint64_t bytes) {
    return count * (2 * sizeof(Drop) + 2 * sizeof(std::vector<std::byte>) + bytes);
  }
  std::size_t memory_bytes() const;

 private:
  MPI_Comm comm_;
  std::vector<Drop> drops_;
  std::vector<std::vector<std::byte>> spare_;
  std::vector<Sent> sent_;
};

// Takes in all messages of `comm` that have come and that nobody receives. A program whose ranks
// believed in different sizes leaves some: announcements of a communicator that was freed before
// they were withdrawn. Returns how many there were.
int receive_left_over(MPI_Comm comm);

}  // namespace mpiactor::inter

#endif  // MPIACTOR_INTER_DROP_LIST_H_
