#include "actor/shm/segment.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <boost/interprocess/exceptions.hpp>
#include <boost/interprocess/file_mapping.hpp>
#include <boost/interprocess/shared_memory_object.hpp>
#include <cstring>

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
  const int descriptor = open("/dev/shm", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (descriptor >= 0) return descriptor;
  if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL) {
    throw SegmentError(std::string("creating shared memory in /dev/shm: ") + std::strerror(errno));
  }
#endif
  return create_and_unlink();
}

std::string path_of(int pid, int descriptor) {
  return "/proc/" + std::to_string(pid) + "/fd/" + std::to_string(descriptor);
}

ipc::mapped_region map(const std::string& path, std::size_t bytes) {
  try {
    const ipc::file_mapping mapping(path.c_str(), ipc::read_write);
    return ipc::mapped_region(mapping, ipc::read_write, 0, bytes);
  } catch (const ipc::interprocess_exception& error) {
    throw SegmentError("mapping " + std::to_string(bytes) + " bytes of " + path + ": " +
                       error.what());
  }
}

}  // namespace

Segment Segment::create(std::size_t bytes, std::size_t reserved_bytes) {
  Segment segment;
  segment.descriptor_ = create_unnamed();
  int error = ftruncate(segment.descriptor_, static_cast<off_t>(bytes)) == 0 ? 0 : errno;
  // A merely sized object would give SIGBUS when the system is full.
  if (error == 0) {
    error = posix_fallocate(segment.descriptor_, 0, static_cast<off_t>(reserved_bytes));
  }
  if (error != 0) {
    throw SegmentError("reserving " + std::to_string(reserved_bytes) +
                       " bytes of shared memory: " + std::strerror(error));
  }
  segment.region_ = map(path_of(static_cast<int>(getpid()), segment.descriptor_), bytes);
  return segment;
}

void Segment::close_descriptor() {
  if (descriptor_ >= 0) close(std::exchange(descriptor_, -1));
}

Segment Segment::attach(const Address& address, std::size_t bytes) {
  const std::string path = path_of(address.pid, address.descriptor);
  struct stat status;
  if (stat(path.c_str(), &status) != 0) throw SegmentError(path + ": " + std::strerror(errno));
  if (!S_ISREG(status.st_mode) || status.st_uid != geteuid() ||
      static_cast<std::size_t>(status.st_size) != bytes) {
    throw SegmentError(path + ": not a segment of this job");
  }
  Segment segment;
  segment.region_ = map(path, bytes);
  return segment;
}

Segment::Address Segment::address() const { return {static_cast<int>(getpid()), descriptor_}; }

bool Segment::reserve(std::size_t offset, std::size_t bytes) const {
#ifdef MADV_POPULATE_WRITE
  const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t begin = offset / page * page;
  return madvise(data() + begin, offset + bytes - begin, MADV_POPULATE_WRITE) == 0;
#else
  static_cast<void>(offset);
  static_cast<void>(bytes);
  return false;
#endif
}

}  // namespace mpiactor::shm
