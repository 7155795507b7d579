// A shared memory segment that leaves nothing behind.
//
// The object never has a name (an unnamed file in /dev/shm); others attach through the creator's
// descriptor (/proc/<pid>/fd/<fd>), so a process killed at any time cannot leave a file. Where the
// system has no unnamed files there, the name lives from the object's creation to its removal right
// afterwards.
#ifndef MPIACTOR_ACTOR_SHM_SEGMENT_H_
#define MPIACTOR_ACTOR_SHM_SEGMENT_H_

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

namespace mpiactor::shm {

// Names what was tried and what the system said.
class SegmentError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Whether a quarter of /dev/shm stays free where `bytes` more are taken. The MPI library and the
// program take their shared memory from it, too, and those who merely size it get SIGBUS where it
// is full.
bool leaves_enough_free(std::size_t bytes);
// Whether half of it is free.
bool is_half_free();

class Segment {
 public:
  // Where others find it while the creator holds it open, and which file it is: a process number
  // may mean another process to them.
  struct Address {
    int pid = 0;
    int descriptor = -1;
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
  };

  // Address space for `bytes`, of which the first `reserved_bytes` are zeroed memory: a full file
  // system, or a limit on the length of files, is an error here and not a signal later. Private to
  // the user (mode 0600, whatever the umask), never follows an existing name, not mapped in
  // children that the process forks. Throws SegmentError.
  static Segment create(std::size_t bytes, std::size_t reserved_bytes);
  // Throws SegmentError, also where what is there is not what create() makes: another user's, open
  // to other users, a file with a name, of another size, or not the file that the address means.
  static Segment attach(const Address& address, std::size_t bytes);

  Segment() = default;
  Segment(Segment&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)),
        data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)) {}
  Segment& operator=(Segment&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Segment();

  Address address() const;
  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }

  // For the creator, when all have attached: the address is void from now on.
  void close_descriptor();
  // Gives memory to [offset, offset + bytes) and maps it here, so that no later access faults;
  // false where there is none to be had, or the kernel is too old to say (before Linux 5.14).
  bool reserve(std::size_t offset, std::size_t bytes) const;
  // From now on this process only reads [offset, offset + bytes), whole pages. Best effort: it is
  // there to find mistakes.
  void make_read_only(std::size_t offset, std::size_t bytes) const;

 private:
  void map(int descriptor, std::size_t bytes);

  int descriptor_ = -1;  // of the creator, while it is open
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace mpiactor::shm

#endif  // MPIACTOR_ACTOR_SHM_SEGMENT_H_
