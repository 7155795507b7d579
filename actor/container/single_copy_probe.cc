#include "actor/container/single_copy_probe.h"

#include <errno.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "actor/comm/agreement.h"
#include "actor/shm/single_copy.h"
#include "actor/shm/wait.h"

namespace mpiactor {
namespace {

struct Word {
  std::uint64_t address = 0;
  std::uint64_t value = 0;
  int pid = 0;
};

// Empty where the word was read as it is.
std::string why_unreadable(const Word& word) {
  std::uint64_t seen = 0;
  if (!shm::read_process(word.pid, word.address, &seen, sizeof seen)) {
    return std::string("process_vm_readv: ") + std::strerror(errno);
  }
  return seen == word.value ? "" : "ranks of one machine number its processes differently";
}

}  // namespace

bool members_read_each_other(MPI_Comm comm, std::string& why) {
  int me = 0;
  int size = 0;
  PMPI_Comm_rank(comm, &me);
  PMPI_Comm_size(comm, &size);
  // A number that no other process has at this address by chance.
  const std::uint64_t value =
      (shm::monotonic_ns() + static_cast<unsigned>(getpid())) * 0x9e3779b97f4a7c15u;
  const Word mine{reinterpret_cast<std::uint64_t>(&value), value, getpid()};
  std::vector<Word> words(static_cast<std::size_t>(size));
  const Agreement agreement(comm);
  agreement.collect(&mine, sizeof mine, words.data());
  why = why_unreadable(words[static_cast<std::size_t>((me + 1) % size)]);
  // Nobody leaves before its word was read.
  return agreement.all(why.empty(), why);
}

}  // namespace mpiactor
