// What the runtime says it needs, and what it takes: private memory of every rank, shared memory of
// every node, as the number of nodes grows.
//
// --irregular: ranks of nodes follow no rule (an order of memory_need.h; the same of
// MPIACTOR_NODES).
#include <dlfcn.h>
#include <mpi.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "actor/container/container.h"
#include "actor/container/machine.h"
#include "actor/container/memory_need.h"
#include "actor/container/registry.h"
#include "actor/container/world.h"
#include "actor/device_memory/device_memory.h"
#include "actor/interpose/lifetime.h"
#include "inter/kept_bytes.h"
#include "tests/actor/memory/counted_new.h"

namespace mpiactor {
namespace {

using tests::live_bytes;

int failures = 0;
int me = 0;
RankOrder order = RankOrder::kBlocks;

// `computed` bounds `real`, and not by far.
void expect_bound(const char* what, int nodes, std::int64_t real, std::uint64_t computed,
                  double at_most = 1.5) {
  const bool good = static_cast<std::uint64_t>(real) <= computed &&
                    static_cast<double>(computed) <= at_most * static_cast<double>(real);
  if (good && me != 0) return;
  std::printf("%s rank %d, %d nodes, %s: %" PRId64 " bytes taken, %" PRIu64 " computed\n",
              good ? "good" : "BAD", me, nodes, what, real, computed);
  failures += !good;
}

// Memory that the files behind this process's unnamed segments have.
std::int64_t shared_bytes() {
  std::ifstream maps("/proc/self/maps");
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  std::int64_t bytes = 0;
  for (std::string line; std::getline(maps, line);) {
    if (line.find("/dev/shm/#") == std::string::npos) continue;
    std::size_t begin = 0;
    std::size_t end = 0;
    std::sscanf(line.c_str(), "%zx-%zx", &begin, &end);
    std::vector<unsigned char> pages((end - begin) / page);
    if (mincore(reinterpret_cast<void*>(begin), end - begin, pages.data()) != 0) std::abort();
    for (const unsigned char there : pages) bytes += there & 1 ? static_cast<int>(page) : 0;
  }
  return bytes;
}

std::int64_t kept_bytes() {
  const std::uint64_t bytes = inter::KeptBytes::kept_bytes();
  failures += bytes > inter::KeptBytes::kMostKeptBytes;
  return static_cast<std::int64_t>(bytes);
}

void first_collectives(MPI_Comm comm, int ranks) {
  std::vector<char> in(64 << 10, 1);
  std::vector<char> out(in.size() * static_cast<std::size_t>(ranks));
  for (const int bytes : {8, 1024, 64 << 10}) {
    MPI_Bcast(in.data(), bytes, MPI_CHAR, 0, comm);
    MPI_Reduce(in.data(), out.data(), bytes, MPI_CHAR, MPI_SUM, 0, comm);
    MPI_Allreduce(in.data(), out.data(), bytes, MPI_CHAR, MPI_SUM, comm);
    MPI_Allgather(in.data(), bytes, MPI_CHAR, out.data(), bytes, MPI_CHAR, comm);
    MPI_Barrier(comm);
  }
}

// What a call takes while it runs. Once more: the first one has kept its plan.
void expect_calls(MPI_Comm comm, const std::vector<MemoryItem>& computed) {
  constexpr int kBytes = 64 << 10;
  int ranks = 0;
  MPI_Comm_size(comm, &ranks);
  std::vector<char> in(kBytes, 1);
  std::vector<char> out(kBytes);
  for (std::size_t call = 0; call < computed.size(); ++call) {
    MPI_Barrier(comm);
    const std::int64_t before = live_bytes();
    tests::begin_peak();
    const int share = kBytes / ranks;
    if (call == 0) MPI_Bcast(in.data(), kBytes, MPI_CHAR, 0, comm);
    if (call == 1) MPI_Reduce(in.data(), out.data(), kBytes, MPI_CHAR, MPI_SUM, 0, comm);
    if (call == 2) MPI_Allreduce(in.data(), out.data(), kBytes, MPI_CHAR, MPI_SUM, comm);
    if (call == 3) MPI_Allgather(in.data(), share, MPI_CHAR, out.data(), share, MPI_CHAR, comm);
    const std::int64_t taken = tests::peak_bytes() - before;
    if (taken <= static_cast<std::int64_t>(computed[call].most_bytes)) continue;
    std::printf("BAD rank %d of %d, %s: %" PRId64 " taken, at most %" PRIu64 " computed\n", me,
                ranks, computed[call].what.c_str(), taken, computed[call].most_bytes);
    ++failures;
  }
}

// Nodes alike: a rank's memory does not grow with them, nor, but by rounds, a tree's plan.
void expect_no_growth() {
  MemoryQuestion question{.nodes = 2, .ranks_per_node = 8, .message_bytes = 64 << 10};
  const MemoryNeed few = memory_need(question);
  question.nodes = 82944;
  const MemoryNeed many = memory_need(question);
  constexpr std::uint64_t kRounds = 17;  // log2 of the nodes, each with one transfer at most
  const std::uint64_t of_round = question.message_bytes + 1024;
  const std::uint64_t rank[] = {
      MemoryNeed::sum(few.rank).sure_bytes, MemoryNeed::sum(many.rank).sure_bytes,
      MemoryNeed::sum(few.rank).most_bytes, MemoryNeed::sum(many.rank).most_bytes};
  bool good = rank[0] == rank[1] && rank[2] >= rank[3];
  for (std::size_t call = 0; call < 3; ++call) {
    good &= many.call[call].most_bytes <= few.call[call].sure_bytes + kRounds * of_round;
  }
  if (!good) std::printf("BAD: a rank's memory grows with the nodes\n");
  failures += !good;
}

struct Taken {
  std::int64_t container = 0;  // and the plan of a barrier
  std::int64_t after_calls = 0;
};

// Of the first `nodes` nodes.
MPI_Comm make_communicator(int nodes, int key) {
  MPI_Comm comm;
  const bool belongs = world()->places.of(me).node < nodes;
  MPI_Comm_split(MPI_COMM_WORLD, belongs ? 0 : MPI_UNDEFINED, key, &comm);
  return comm;
}

// What is made once, at the first calls. Nobody goes on with its container: the ranks are in
// another order.
void make_first_calls(int ranks) {
  MPI_Comm comm = make_communicator(2, -me);
  if (comm == MPI_COMM_NULL) return;
  first_collectives(comm, ranks);
  MPI_Comm_free(&comm);
}

Taken measure(int nodes, int ranks_per_node) {
  const int ranks = nodes * ranks_per_node;
  MPI_Comm comm = make_communicator(nodes, me);
  if (comm == MPI_COMM_NULL) return {};
  MemoryQuestion question{
      .nodes = nodes, .ranks_per_node = ranks_per_node, .message_bytes = 64 << 10};
  question.order = order;
  question.settings = world()->settings;
  const MemoryNeed need = memory_need(question);
  const std::uint64_t sure = need.rank[1].sure_bytes;
  const std::int64_t before = live_bytes();
  const std::int64_t kept_before = kept_bytes();
  const std::int64_t shared_before = shared_bytes();
  MPI_Barrier(comm);
  MPI_Barrier(comm);
  MPI_Barrier(comm);
  Taken taken{.container = live_bytes() - before};
  Container* const container = find_comm_state(comm)->container.get();
  expect_bound("a communicator", nodes, taken.container, sure + container->kept_plan_bytes());
  const MemoryItem shared = MemoryNeed::sum({need.node.begin() + 1, need.node.end()});
  // Of ranks that do not lie evenly apart in MPI_COMM_WORLD, a table says which they are.
  const std::size_t node_ints = container->nodes().table_ints();
  const std::size_t all_ints = node_ints + container->inter_ranks().table_ints();
  const std::uint64_t ranks_table =
      round_to_pages(all_ints * sizeof(int)) - round_to_pages(node_ints * sizeof(int));
  MPI_Barrier(comm);
  expect_bound("shared memory of a communicator", nodes, shared_bytes() - shared_before,
               shared.sure_bytes + ranks_table, 1.001);
  first_collectives(comm, ranks);
  if (ranks_per_node == 1) expect_calls(comm, need.call);
  // What is kept from call to call serves all communicators.
  taken.after_calls = live_bytes() - before - (kept_bytes() - kept_before);
  expect_bound("a communicator after calls", nodes, taken.after_calls,
               sure + container->kept_plan_bytes() + container->drops().memory_bytes());
  MPI_Comm_free(&comm);
  return taken;
}

}  // namespace
}  // namespace mpiactor

int main(int argc, char** argv) {
  using namespace mpiactor;
  if (argc > 1 && argv[1] == std::string_view("--irregular")) order = RankOrder::kIrregular;
  // The MPI library's own part, which may be in C++, too, is not counted, nor what hwloc and
  // GPUs' libraries take for themselves.
  using Init = int(int*, char***);
  reinterpret_cast<Init*>(dlsym(RTLD_NEXT, "PMPI_Init"))(&argc, &argv);
  detect_machine();
  is_device_driver_loaded();
  const std::int64_t before = live_bytes();
  interpose::begin();
  const std::int64_t after_init = live_bytes() - before;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int all_nodes = world()->places.layout().nodes();
  {
    MemoryQuestion question{.nodes = all_nodes, .ranks_per_node = ranks / all_nodes};
    question.order = order;
    question.settings = world()->settings;
    const MemoryNeed need = memory_need(question);
    expect_bound("after MPI_Init", all_nodes, after_init, need.rank[0].sure_bytes);
    expect_bound("shared memory after MPI_Init", all_nodes, shared_bytes(), need.node[0].sure_bytes,
                 1.001);
  }
  make_first_calls(2 * ranks / all_nodes);
  std::vector<Taken> taken;
  for (int nodes = 2; nodes <= all_nodes; nodes *= 2) {
    taken.push_back(measure(nodes, ranks / all_nodes));
  }
  // But for the rules that fit: some are for so many nodes.
  constexpr std::int64_t kRulesBytes = 256;
  for (const Taken& one : taken) {
    const std::int64_t more = taken.back().container - one.container;
    if (one.container == 0 || std::abs(more) <= kRulesBytes) continue;
    std::printf("BAD rank %d: a communicator's memory grows with its nodes\n", me);
    ++failures;
  }
  if (me == 0) expect_no_growth();
  int all_failures = 0;
  MPI_Allreduce(&failures, &all_failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return all_failures == 0 ? 0 : 1;
}
