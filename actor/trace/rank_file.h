// A rank's trace while it runs: a ring of records in a mapped file, so that what is written
// survives the process, however it ends. Knows nothing of MPI.
#ifndef MPIACTOR_ACTOR_TRACE_RANK_FILE_H_
#define MPIACTOR_ACTOR_TRACE_RANK_FILE_H_

#include <sys/stat.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "actor/trace/call_sites.h"
#include "actor/trace/format.h"

namespace mpiactor::trace {

class RankFile {
 public:
  // 32 MiB of records; the file grows as they come.
  static constexpr std::uint64_t kDefaultCapacity = 1 << 18;

  // nullptr where the file cannot be made; `why` then names it and the reason. Takes the place of
  // an older one, which whoever writes it keeps without a name. `header`: what is known at the
  // start; the file's own fields are filled in here.
  static std::unique_ptr<RankFile> create(const std::string& path, const SectionHeader& header,
                                          std::uint64_t capacity, std::string& why);
  ~RankFile();
  RankFile(const RankFile&) = delete;
  RankFile& operator=(const RankFile&) = delete;

  // Any thread. Overwrites the oldest record where the ring is full, or where the disk is.
  void append(const Record& record);

  // No more append() after it: the header becomes that of a complete section, the file as long as
  // the section.
  void close(const ClockReading& end);

  // The file, unless another one has its name by now.
  void remove();

  const std::string& path() const { return path_; }
  const SectionHeader& header() const { return *header_; }
  CallSites& call_sites() { return *call_sites_; }
  std::span<const CallSite> called_from() const {
    return {reinterpret_cast<const CallSite*>(header_ + 1), header_->call_sites};
  }
  // In the order of the ring; after close().
  std::span<const Record> records() const { return {records_, header_->records}; }
  // 0, or the error that kept the file from growing.
  int growth_error() const { return growth_error_; }

 private:
  RankFile(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  bool map(const SectionHeader& header, std::uint64_t capacity, std::string& why);
  int reserve(std::uint64_t records);
  bool is_same(const struct stat& other) const;
  bool is_open() const;
  bool open_again();

  std::string path_;
  int descriptor_;
  struct stat file_ = {};  // st_dev and st_ino tell whether the descriptor is still the file's
  std::mutex mutex_;
  std::size_t mapped_bytes_ = 0;
  SectionHeader* header_ = nullptr;
  std::unique_ptr<CallSites> call_sites_;
  Record* records_ = nullptr;
  std::uint64_t reserved_ = 0;  // records that the file has room for
  int growth_error_ = 0;
};

}  // namespace mpiactor::trace

#endif  // MPIACTOR_ACTOR_TRACE_RANK_FILE_H_
