#include "actor/trace/recorder.h"

#include <fcntl.h>
#include <mpi.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <system_error>
#include <utility>

#include "actor/comm/agreement.h"
#include "actor/trace/clock.h"
#include "actor/trace/communicators.h"
#include "actor/trace/merge.h"
#include "actor/trace/rank_file.h"
#include "actor/trace/span.h"
#include "inter/messages.h"

namespace mpiactor::trace {
namespace {

struct Recording {
  std::string path;
  MPI_Comm comm = MPI_COMM_NULL;  // private copy of the world
  int rank = 0;
  std::unique_ptr<RankFile> file;
};
constinit Recording* recording = nullptr;  // not destroyed at exit, as World

template <std::size_t N>
void put(char (&target)[N], const std::string& text) {
  std::memcpy(target, text.data(), std::min(N - 1, text.size()));
}

std::string program_name() {
  std::string name;
  std::getline(std::ifstream("/proc/self/comm"), name);
  return name;
}

std::uint64_t agree_on_job_number(MPI_Comm comm) {
  std::random_device device;
  std::uint64_t number = std::uint64_t{device()} << 32 | device();
  Agreement(comm).share(&number, sizeof number);
  return number;
}

SectionHeader describe(const Job& job, const Recording& of) {
  SectionHeader header{};
  int ranks = 0;
  PMPI_Comm_size(of.comm, &ranks);
  header.ranks = static_cast<std::uint32_t>(ranks);
  header.rank = static_cast<std::uint32_t>(of.rank);
  header.node = static_cast<std::uint32_t>(job.node);
  header.job = agree_on_job_number(of.comm);
  bool is_rank0 = false;
  header.start = read_against_rank0(of.comm, is_rank0);
  header.clock_is_rank0 = is_rank0;
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  header.start_realtime_ns = now.tv_sec * std::int64_t{1000000000} + now.tv_nsec;
  gethostname(header.host, sizeof header.host - 1);
  put(header.leader, job.leader);
  put(header.program, program_name());
  put(header.version_text, job.version_text);
  return header;
}

// Rank 0: the merged file of an earlier run must not be taken for this one's. Returns why this
// one's will not be writable, if so.
std::string make_way(const std::string& path) {
  struct stat facts;
  if (stat(path.c_str(), &facts) == 0 && !S_ISREG(facts.st_mode)) {
    return "cannot write '" + path + "': not a regular file";
  }
  const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor < 0) return "cannot write '" + path + "': " + std::strerror(errno);
  close(descriptor);
  unlink(path.c_str());
  return {};
}

// Programs change their folder.
std::string absolute(const std::string& path) {
  std::error_code unknown;
  const std::filesystem::path found = std::filesystem::absolute(path, unknown);
  return unknown ? path : found.string();
}

// Collective.
std::uint64_t most_of_all(std::uint64_t mine, MPI_Comm comm) {
  inter::check_mpi(PMPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_UINT64_T, MPI_MAX, comm),
                   "comparing what ranks have recorded");
  return mine;
}

// Collective. All ranks lose much the same where their rings are full: rank 0 speaks for them. A
// full disk is said by each rank that has one.
std::string describe_loss(const Recording& of) {
  const SectionHeader& header = of.file->header();
  std::uint64_t lost = header.claimed - header.records;
  if (const int error = of.file->growth_error()) {
    const std::string text = "rank " + std::to_string(of.rank) + ": the oldest " +
                             std::to_string(lost) + " calls were dropped, since '" +
                             of.file->path() + "' could not grow: " + std::strerror(error);
    most_of_all(0, of.comm);
    return text;
  }
  lost = most_of_all(lost, of.comm);
  if (lost == 0 || of.rank != 0) return {};
  return "up to " + std::to_string(lost) +
         " of the oldest calls of a rank were dropped: the last " +
         std::to_string(header.capacity) + " are kept";
}

}  // namespace

std::string start_recording(const Job& job) {
  auto fresh = std::make_unique<Recording>();
  fresh->path = absolute(job.path);
  fresh->comm = inter::duplicate(MPI_COMM_WORLD, "making a communicator for traces");
  PMPI_Comm_rank(fresh->comm, &fresh->rank);
  const SectionHeader header = describe(job, *fresh);
  std::string why = fresh->rank == 0 ? make_way(fresh->path) : std::string();
  if (why.empty()) {
    fresh->file = RankFile::create(fresh->path + "." + std::to_string(fresh->rank), header,
                                   RankFile::kDefaultCapacity, why);
  }
  if (!Agreement(fresh->comm).all(fresh->file != nullptr, why)) {
    if (fresh->file) fresh->file->remove();
    PMPI_Comm_free(&fresh->comm);
    return why;
  }
  initialise_identities(fresh->rank);
  recording = fresh.release();
  the_file.store(recording->file.get(), std::memory_order_release);
  return {};
}

std::string stop_recording() {
  if (!recording) return {};
  const std::unique_ptr<Recording> ended(std::exchange(recording, nullptr));
  the_file.store(nullptr, std::memory_order_release);
  finalise_identities();
  RankFile& file = *ended->file;
  bool is_rank0 = false;
  file.close(read_against_rank0(ended->comm, is_rank0));
  std::string message;
  if (!merge_sections(ended->comm, file, ended->path, message)) {
    if (ended->rank == 0) message += "; the ranks' files " + ended->path + ".RANK are left";
  } else {
    file.remove();
  }
  const std::string lost = describe_loss(*ended);
  if (!message.empty() && !lost.empty()) message += "; ";
  message += lost;
  PMPI_Comm_free(&ended->comm);
  return message;
}

}  // namespace mpiactor::trace
