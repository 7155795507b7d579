#include "actor/trace/merge.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include "actor/comm/agreement.h"
#include "actor/shm/file_length.h"
#include "inter/messages.h"

namespace mpiactor::trace {
namespace {

constexpr std::uint64_t kPieceRecords = 8192;  // 1 MiB a message
constexpr int kTag = 2;

void send(const void* data, std::size_t bytes, MPI_Comm comm) {
  inter::check_mpi(PMPI_Ssend(data, static_cast<int>(bytes), MPI_BYTE, 0, kTag, comm),
                   "sending a trace to rank 0");
}

void receive(void* data, std::size_t bytes, int rank, MPI_Comm comm) {
  inter::check_mpi(
      PMPI_Recv(data, static_cast<int>(bytes), MPI_BYTE, rank, kTag, comm, MPI_STATUS_IGNORE),
      "receiving a rank's trace");
}

// In the merged file call sites take no more room than they need.
SectionHeader merged_header(const RankFile& own) {
  SectionHeader header = own.header();
  header.call_site_room = header.call_sites;
  return header;
}

// Sends end only when rank 0 takes them, so that it is not flooded.
void send_section(MPI_Comm comm, const RankFile& own) {
  const SectionHeader header = merged_header(own);
  send(&header, sizeof header, comm);
  const std::span<const CallSite> sites = own.called_from();
  send(sites.data(), sites.size_bytes(), comm);
  const std::span<const Record> records = own.records();
  for (std::uint64_t first = 0; first < records.size(); first += kPieceRecords) {
    const auto piece = records.subspan(first, std::min(kPieceRecords, records.size() - first));
    send(piece.data(), piece.size_bytes(), comm);
  }
}

class MergedFile {
 public:
  // `job`: two that end at a time write a file each, of which the last one stays.
  MergedFile(std::string path, std::uint64_t job)
      : path_(std::move(path)), job_(job), file_(fopen(part().c_str(), "w")) {
    if (!file_) error_ = errno;
  }

  void write(const void* data, std::size_t bytes) {
    written_ += bytes;
    if (error_ == 0 && !shm::may_be_as_long_as(written_)) error_ = EFBIG;
    if (error_ == 0 && bytes != 0 && fwrite(data, 1, bytes, file_) != bytes) error_ = errno;
  }

  // Returns whether the file is there, complete.
  bool finish() {
    if (file_ && fclose(file_) != 0 && error_ == 0) error_ = errno;
    if (error_ == 0 && rename(part().c_str(), path_.c_str()) != 0) error_ = errno;
    if (error_ != 0) unlink(part().c_str());
    return error_ == 0;
  }

  std::string reason() const {
    return "cannot write '" + path_ + "': " + std::string(std::strerror(error_));
  }

 private:
  std::string part() const { return path_ + "." + std::to_string(job_) + ".part"; }

  std::string path_;
  std::uint64_t job_;
  int error_ = 0;
  std::size_t written_ = 0;
  std::FILE* file_;
};

// Goes on receiving where the file cannot be written: the others wait for it.
void receive_section(MPI_Comm comm, int rank, std::vector<Record>& piece, MergedFile& file) {
  SectionHeader header;
  receive(&header, sizeof header, rank, comm);
  file.write(&header, sizeof header);
  std::vector<CallSite> sites(header.call_sites);
  receive(sites.data(), sites.size() * sizeof(CallSite), rank, comm);
  file.write(sites.data(), sites.size() * sizeof(CallSite));
  for (std::uint64_t first = 0; first < header.records; first += kPieceRecords) {
    const std::uint64_t bytes = std::min(kPieceRecords, header.records - first) * sizeof(Record);
    receive(piece.data(), bytes, rank, comm);
    file.write(piece.data(), bytes);
  }
}

}  // namespace

bool merge_sections(MPI_Comm comm, const RankFile& own, const std::string& path, std::string& why) {
  int rank = 0;
  int ranks = 0;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &ranks);
  int complete = 0;
  if (rank == 0) {
    MergedFile file(path, own.header().job);
    const SectionHeader header = merged_header(own);
    file.write(&header, sizeof header);
    file.write(own.called_from().data(), own.called_from().size_bytes());
    file.write(own.records().data(), own.records().size_bytes());
    std::vector<Record> piece(kPieceRecords);
    for (int other = 1; other < ranks; ++other) receive_section(comm, other, piece, file);
    complete = file.finish();
    if (!complete) why = file.reason();
  } else {
    send_section(comm, own);
  }
  Agreement(comm).share(&complete, sizeof complete);
  return complete != 0;
}

}  // namespace mpiactor::trace
