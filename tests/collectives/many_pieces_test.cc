// Messages of more pieces than a word of shared memory has room to count: on two ranks a block that
// goes from member to member through a short ring, on more a broadcast in short segments. Their
// buffers are the same memory, mapped again and again.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <string>
#include <vector>

#include "tests/collectives/harness.h"

namespace {

using namespace mpiactor::testing;

constexpr std::size_t kMapped = 16 << 20;
constexpr int kTimes = 264;     // 4,224 MiB
constexpr int kBroadcast = 72;  // 1,152 MiB

char expected(std::size_t at) { return static_cast<char>(at * 7 + at / 4096 + 1); }

class Repeated {
 public:
  Repeated() {
    const int file = memfd_create("repeated", 0);
    if (ftruncate(file, kMapped) != 0) fail("no memory");
    data_ = static_cast<char*>(mmap(nullptr, kMapped * kTimes, PROT_NONE,
                                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    for (std::size_t i = 0; i < kTimes; ++i) {
      if (mmap(data_ + i * kMapped, kMapped, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file,
               0) == MAP_FAILED) {
        fail("cannot map memory");
      }
    }
    close(file);
  }
  ~Repeated() { munmap(data_, kMapped * kTimes); }
  Repeated(const Repeated&) = delete;
  Repeated& operator=(const Repeated&) = delete;

  char* data() const { return data_; }
  void fill(bool is_message) {
    for (std::size_t i = 0; i < kMapped; ++i) data_[i] = is_message ? expected(i) : '\0';
  }
  void check(const std::string& call) const {
    for (std::size_t i = 0; i < kMapped; ++i) {
      if (data_[i] != expected(i)) fail(call + ": wrong data");
    }
  }

 private:
  char* data_ = nullptr;
};

}  // namespace

int main(int argc, char** argv) {
  const Job job(argc, argv);
  const Group& group = job.world();
  Repeated buffer;
  MPI_Datatype unit;
  MPI_Type_contiguous(kMapped, MPI_BYTE, &unit);
  MPI_Type_commit(&unit);
  if (group.size == 2) {
    const std::vector<int> at(2);
    const std::vector<int> counts{0, kTimes};
    buffer.fill(group.rank == 1);
    MPI_Gatherv(buffer.data(), counts[static_cast<std::size_t>(group.rank)], unit, buffer.data(),
                counts.data(), at.data(), unit, 0, group.comm);
    buffer.check("MPI_Gatherv");
  } else {
    buffer.fill(group.rank == 0);
    MPI_Bcast(buffer.data(), kBroadcast, unit, 0, group.comm);
    buffer.check("MPI_Bcast");
  }
  MPI_Type_free(&unit);
  return 0;
}
