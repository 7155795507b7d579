#include "actor/shm/segment.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <boost/interprocess/exceptions.hpp>
#include <boost/interprocess/shared_memory_object.hpp>
#include <cstring>

#include "actor/shm/file_length.h"
#include "actor/shm/kernel.h"
#include "actor/shm/unlocked_map.h"

namespace mpiactor::shm {
namespace ipc = boost::interprocess;

namespace {

constexpr int kNameAttempts = 16;

std::string unique_name() {
  static std::atomic<unsigned> counter{0};
  const char* job = getenv("PMI_JOBID");
  std::string name = "mpiactor." + std::to_string(getuid()) + ".";
  for (const char* c = job ? job : "0"; *c && name.size() < 100; ++c)
    name += isalnum(*c) ? *c : '_';
  return name + "." + std::to_string(getpid()) + "." + std::to_string(counter++);
}

// Where unnamed files cannot be had: a new object whose name is gone again. An existing name is
// never opened: another one is tried.
int create_and_unlink() {
  for (int attempt = 0;; ++attempt) {
    const std::string name = unique_name();
    try {
      const ipc::shared_memory_object object(ipc::create_only, name.c_str(), ipc::read_write,
                                             ipc::permissions(0600));
      ipc::shared_memory_object::remove(name.c_str());
      return fcntl(object.get_mapping_handle().handle, F_DUPFD_CLOEXEC, 0);
    } catch (const ipc::interprocess_exception& error) {
      if (error.get_error_code() != ipc::already_exists_error || attempt == kNameAttempts) {
        throw SegmentError("creating shared memory '" + name + "': " + error.what());
      }
    }
  }
}

int create_unnamed() {
#ifdef O_TMPFILE
  // O_EXCL: nobody can give it a name later.
  const int descriptor = open("/dev/shm", O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
  if (descriptor >= 0) return descriptor;
  if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL) {
    throw SegmentError(std::string("creating shared memory in /dev/shm: ") + std::strerror(errno));
  }
#endif
  return create_and_unlink();
}

// posix_fallocate() that signals do not end. In pieces, so that a program's timer lets each end.
int allocate(int descriptor, std::size_t bytes) {
  constexpr std::size_t kPieceBytes = 64 << 10;
  for (std::size_t done = 0; done < bytes;) {
    const std::size_t piece = std::min(kPieceBytes, bytes - done);
    const int error =
        posix_fallocate(descriptor, static_cast<off_t>(done), static_cast<off_t>(piece));
    if (error != 0 && error != EINTR) return error;
    if (error == 0) done += piece;
  }
  return 0;
}

// 0, or the system's error.
int shape(int descriptor, std::size_t bytes, std::size_t reserved_bytes) {
  if (!may_be_as_long_as(bytes)) return EFBIG;
  if (!leaves_enough_free(reserved_bytes)) return ENOSPC;
  // The process's umask may have taken away what the owner needs.
  if (kernel::fchmod(descriptor, 0600) != 0) return errno;
  if (kernel::ftruncate(descriptor, static_cast<off_t>(bytes)) != 0) return errno;
  // A merely sized object would give SIGBUS when the system is full.
  return allocate(descriptor, reserved_bytes);
}

std::string path_of(int pid, int descriptor) {
  return "/proc/" + std::to_string(pid) + "/fd/" + std::to_string(descriptor);
}

// What is wrong with a file that shall be the segment of `bytes` at `address`; nullptr: nothing.
const char* objection(const struct stat& facts, const Segment::Address& address,
                      std::size_t bytes) {
  if (!S_ISREG(facts.st_mode)) return "not a regular file";
  if (facts.st_uid != geteuid()) return "another user's";
  if ((facts.st_mode & 07777) != 0600) return "open to other users";
  if (facts.st_nlink != 0) return "a file with a name";
  if (static_cast<std::size_t>(facts.st_size) != bytes) return "of another size";
  if (facts.st_dev != address.device || facts.st_ino != address.inode) return "another file";
  return nullptr;
}

// Closed when it goes out of scope.
class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (value_ >= 0) close(value_);
  }
  int get() const { return value_; }

 private:
  int value_;
};

}  // namespace

Segment::~Segment() {
  if (data_) munmap(data_, size_);
  close_descriptor();
}

// What an application's child does must not reach the segment: it is not mapped there. (In debug
// builds it is: tests let a child find a broken rule.)
void Segment::map(int descriptor, std::size_t bytes) {
  void* const memory = map_unlocked(bytes, MAP_SHARED, descriptor);
  if (memory == MAP_FAILED) {
    throw SegmentError("mapping " + std::to_string(bytes) +
                       " bytes of shared memory: " + std::strerror(errno));
  }
  data_ = static_cast<std::byte*>(memory);
  size_ = bytes;
#ifdef NDEBUG
  madvise(data_, size_, MADV_DONTFORK);
#endif
}

namespace {

// Whether `bytes` and a `part`-th of /dev/shm are free.
bool are_free(std::size_t bytes, unsigned part) {
  struct statvfs facts;
  if (statvfs("/dev/shm", &facts) != 0 || facts.f_blocks == 0) return true;  // it has no limit
  return facts.f_bavail * facts.f_frsize >= bytes + facts.f_blocks / part * facts.f_frsize;
}

}  // namespace

bool leaves_enough_free(std::size_t bytes) { return are_free(bytes, 4); }
bool is_half_free() { return are_free(0, 2); }

Segment Segment::create(std::size_t bytes, std::size_t reserved_bytes) {
  Segment segment;
  segment.descriptor_ = create_unnamed();
  if (const int error = shape(segment.descriptor_, bytes, reserved_bytes); error != 0) {
    throw SegmentError("reserving " + std::to_string(reserved_bytes) +
                       " bytes of shared memory: " + std::strerror(error));
  }
  segment.map(segment.descriptor_, bytes);
  return segment;
}

void Segment::close_descriptor() {
  if (descriptor_ >= 0) close(std::exchange(descriptor_, -1));
}

Segment Segment::attach(const Address& address, std::size_t bytes) {
  const std::string path = path_of(address.pid, address.descriptor);
  // What is looked at is what is mapped: the number may be another file's a moment later.
  const Descriptor opened(open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  struct stat facts;
  if (opened.get() < 0 || fstat(opened.get(), &facts) != 0) {
    throw SegmentError(path + ": " + std::strerror(errno));
  }
  if (const char* const wrong = objection(facts, address, bytes)) {
    throw SegmentError(path + ": not a segment of this job: " + wrong);
  }
  Segment segment;
  segment.map(opened.get(), bytes);
  return segment;
}

Segment::Address Segment::address() const {
  struct stat facts;
  if (fstat(descriptor_, &facts) != 0) {
    throw SegmentError(std::string("looking at shared memory: ") + std::strerror(errno));
  }
  return {static_cast<int>(getpid()), descriptor_, facts.st_dev, facts.st_ino};
}

bool Segment::reserve(std::size_t offset, std::size_t bytes) const {
#ifdef MADV_POPULATE_WRITE
  const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t begin = offset / page * page;
  int result = 0;
  do {
    result = madvise(data() + begin, offset + bytes - begin, MADV_POPULATE_WRITE);
  } while (result != 0 && errno == EINTR);
  return result == 0;
#else
  static_cast<void>(offset);
  static_cast<void>(bytes);
  return false;
#endif
}

void Segment::make_read_only(std::size_t offset, std::size_t bytes) const {
  static_cast<void>(mprotect(data() + offset, bytes, PROT_READ));
}

}  // namespace mpiactor::shm
