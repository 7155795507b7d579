#include "actor/trace/rank_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "actor/shm/file_length.h"
#include "actor/shm/kernel.h"

namespace mpiactor::trace {
namespace {

// The file grows by so many records: half a mebibyte.
constexpr std::uint64_t kGrowth = 4096;

std::uint64_t file_bytes(std::uint64_t records) {
  return sizeof(SectionHeader) + CallSites::kCapacity * sizeof(CallSite) + records * sizeof(Record);
}

std::string describe(const std::string& path, int error) {
  return "cannot write '" + path + "': " + std::strerror(error);
}

// A new file of that name, or -1 and why not. Another job, or the one that has started this one,
// may be writing to the one that has it: that stays its own.
int open_anew(const std::string& path, std::string& why) {
  for (int tries = 100;; --tries) {
    struct stat facts;
    if (lstat(path.c_str(), &facts) == 0) {
      if (!S_ISREG(facts.st_mode)) {
        why = "cannot write '" + path + "': not a regular file";
        return -1;
      }
      if (unlink(path.c_str()) != 0 && errno != ENOENT) break;
    }
    const int descriptor = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (descriptor >= 0) return descriptor;
    if (errno != EEXIST || tries == 0) break;  // another job may have been quicker
  }
  why = describe(path, errno);
  return -1;
}

}  // namespace

std::unique_ptr<RankFile> RankFile::create(const std::string& path, const SectionHeader& header,
                                           std::uint64_t capacity, std::string& why) {
  const int descriptor = open_anew(path, why);
  if (descriptor < 0) return nullptr;
  std::unique_ptr<RankFile> file(new RankFile(path, descriptor));
  if (!file->map(header, capacity, why)) {
    file->remove();
    return nullptr;
  }
  return file;
}

bool RankFile::map(const SectionHeader& header, std::uint64_t capacity, std::string& why) {
  if (fstat(descriptor_, &file_) != 0) {
    why = describe(path_, errno);
    return false;
  }
  // Room is reserved before it is touched: a full disk must not become a SIGBUS.
  if (const int error = reserve(std::min(kGrowth, capacity))) {
    why = describe(path_, error);
    return false;
  }
  void* const memory =
      mmap(nullptr, file_bytes(capacity), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
  if (memory == MAP_FAILED) {
    why = describe(path_, errno);
    return false;
  }
  mapped_bytes_ = file_bytes(capacity);
  header_ = static_cast<SectionHeader*>(memory);
  auto* const slots = reinterpret_cast<CallSite*>(header_ + 1);
  records_ = reinterpret_cast<Record*>(slots + CallSites::kCapacity);
  SectionHeader complete = header;
  std::memcpy(complete.magic, kMagic, sizeof kMagic);
  complete.version = kFormatVersion;
  complete.header_bytes = sizeof(SectionHeader);
  complete.record_bytes = sizeof(Record);
  complete.state = SectionState::kOpen;
  complete.claimed = 0;
  complete.capacity = capacity;
  complete.records = 0;
  complete.call_site_bytes = sizeof(CallSite);
  complete.call_site_room = CallSites::kCapacity;
  complete.call_sites = 0;
  std::memcpy(header_, &complete, sizeof complete);
  call_sites_ = std::make_unique<CallSites>(header_, slots);
  return true;
}

RankFile::~RankFile() {
  if (header_) munmap(header_, mapped_bytes_);
  if (is_open()) ::close(descriptor_);
}

bool RankFile::is_same(const struct stat& other) const {
  return other.st_dev == file_.st_dev && other.st_ino == file_.st_ino;
}

// Programs may close what they did not open. Then the number is free, or another file's.
bool RankFile::is_open() const {
  struct stat facts;
  return fstat(descriptor_, &facts) == 0 && is_same(facts);
}

void RankFile::remove() {
  struct stat facts;
  if (lstat(path_.c_str(), &facts) == 0 && is_same(facts)) unlink(path_.c_str());
}

bool RankFile::open_again() {
  const int descriptor = open(path_.c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor < 0) return false;
  descriptor_ = descriptor;
  if (is_open()) return true;
  ::close(descriptor);
  descriptor_ = -1;
  return false;
}

// 0, or why the file cannot hold so many records.
int RankFile::reserve(std::uint64_t records) {
  if (!shm::may_be_as_long_as(file_bytes(records))) return EFBIG;
  if (!is_open() && !open_again()) return EBADF;
  // The new part alone: a program's timer could interrupt a long way through the file again and
  // again.
  const std::uint64_t old_bytes = reserved_ == 0 ? 0 : file_bytes(reserved_);
  const std::uint64_t new_bytes = file_bytes(records) - old_bytes;
  int error = EINTR;
  while (error == EINTR) {
    error =
        posix_fallocate(descriptor_, static_cast<off_t>(old_bytes), static_cast<off_t>(new_bytes));
  }
  if (error == 0) reserved_ = records;
  return error;
}

void RankFile::append(const Record& record) {
  const std::lock_guard lock(mutex_);
  if (header_->claimed == reserved_ && reserved_ < header_->capacity) {
    growth_error_ = reserve(std::min(reserved_ + kGrowth, header_->capacity));
    if (growth_error_ != 0) header_->capacity = reserved_;
  }
  Record& place = records_[header_->claimed % header_->capacity];
  // Whoever reads the file after a crash tells by the stamp whether a record is whole. The order of
  // stores is what the process does; the kernel keeps them all when it dies.
  place.stamp = 0;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  Record whole = record;
  whole.stamp = 0;
  std::memcpy(&place, &whole, sizeof whole);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  place.stamp = kWholeRecord;
  header_->claimed = header_->claimed + 1;
}

void RankFile::close(const ClockReading& end) {
  const std::lock_guard lock(mutex_);
  header_->end = end;
  header_->records = std::min(header_->claimed, header_->capacity);
  header_->state = SectionState::kClosed;
  // Where this fails the file is longer than its section, which readers accept.
  if (!is_open() && !open_again()) return;
  if (kernel::ftruncate(descriptor_, static_cast<off_t>(file_bytes(header_->records))) != 0) return;
}

}  // namespace mpiactor::trace
