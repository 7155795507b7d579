#include "sim/simgrid/smpi_bcast.h"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <simgrid/s4u.hpp>
#include <span>
#include <stdexcept>
#include <string>

#include "inter/engine.h"
#include "sim/simgrid/completions.h"
#include "sim/simgrid/platform.h"

namespace mpiactor::sim {
namespace {

namespace s4u = simgrid::s4u;

static_assert(kMostWindow == inter::kMaxWindow);

constexpr int kRoot = 0;
constexpr double kPauseSeconds = 0.01;  // longer than any barrier

// One rank a node: it leads.
class SoleRanks : public inter::PossibleLeaders {
 public:
  inter::RankList of_node(int node) const override { return inter::RankList::single(node); }
};

std::byte pattern(std::uint64_t offset) {
  return static_cast<std::byte>((offset * 2654435761u) >> 13);
}

// A rank's memory: its own, or the same few pages for all ranks, whose content means nothing.
class Buffer {
 public:
  Buffer(std::uint64_t bytes, bool shared)
      : bytes_(bytes),
        shared_(shared),
        data_(static_cast<std::byte*>(shared ? SMPI_SHARED_MALLOC(bytes) : std::malloc(bytes))) {
    if (data_ == nullptr) throw std::bad_alloc();
  }
  ~Buffer() { shared_ ? smpi_shared_free(data_) : std::free(data_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  std::byte* data() { return data_; }
  void fill() {
    for (std::uint64_t i = 0; i < bytes_; ++i) data_[i] = pattern(i);
  }
  bool filled() const {
    for (std::uint64_t i = 0; i < bytes_; ++i) {
      if (data_[i] != pattern(i)) return false;
    }
    return true;
  }

 private:
  std::uint64_t bytes_;
  bool shared_;
  std::byte* data_;
};

// What all ranks share; they take turns on one thread.
struct Job {
  const Machine& machine;
  inter::Shape shape;
  std::vector<SmpiCase> cases;
  std::uint64_t most_private_bytes;
  SoleRanks leaders;
  std::vector<double> begins = std::vector<double>(cases.size(), 0);
  std::vector<double> ends = std::vector<double>(cases.size(), 0);
  std::string fault;

  bool shares_memory(const SmpiCase& of) const {
    return of.bytes * static_cast<std::uint64_t>(shape.nodes()) > most_private_bytes;
  }
};

void play(inter::Engine& engine, Completions& completions) {
  while (!engine.done()) {
    completions.begin_round();
    if (!engine.progress() && !engine.done()) completions.wait();
  }
}

void run_case(Job& job, std::size_t number, int node, MPI_Comm comm, Completions& completions) {
  const SmpiCase& now = job.cases[number];
  inter::PlanInput input;
  input.shape = job.shape;
  input.root_node = kRoot;
  input.bytes = now.bytes;
  input.node = node;
  const inter::Plan plan = now.algorithm->make_plan(input);
  const bool shared = job.shares_memory(now);
  Buffer buffer(now.bytes, shared);
  if (!shared && node == kRoot) buffer.fill();

  // All begin at the time that the last one to come has set.
  job.begins[number] = std::max(job.begins[number], s4u::Engine::get_clock() + kPauseSeconds);
  PMPI_Barrier(comm);
  s4u::this_actor::sleep_until(job.begins[number]);
  s4u::this_actor::sleep_for(static_cast<double>(job.machine.startup_ps) * 1e-12);
  {
    inter::EngineSetup setup;
    setup.comm = comm;
    setup.plan = &plan;
    setup.leaders = &job.leaders;
    setup.node = node;
    setup.rank = node;
    setup.sequence = number + 1;
    setup.message_bytes = now.bytes;
    setup.buffer = buffer.data();
    setup.capacity = now.bytes;
    setup.segment_bytes = now.segment_bytes;
    setup.window = now.window;
    inter::Engine engine(std::move(setup));
    play(engine, completions);
    job.ends[number] = std::max(job.ends[number], s4u::Engine::get_clock());
  }
  if (!shared && !buffer.filled()) {
    job.fault = fmt::format("{}, {} bytes: node {} has not got the root's bytes",
                            now.algorithm->name, now.bytes, node);
  }
}

void run_rank(Job& job, int node) {
  PMPI_Init(nullptr, nullptr);
  Completions completions;
  MPI_Comm comm = MPI_COMM_NULL;
  PMPI_Comm_dup(MPI_COMM_WORLD, &comm);  // receives from any source need one of their own
  for (std::size_t number = 0; number < job.cases.size(); ++number) {
    run_case(job, number, node, comm, completions);
  }
  PMPI_Comm_free(&comm);
  PMPI_Finalize();
}

void start_ranks(Job& job) {
  const auto nodes = static_cast<int>(job.shape.nodes());
  constexpr const char* kInstance = "bcast";
  SMPI_app_instance_register(kInstance, nullptr, nodes);
  for (int node = 0; node < nodes; ++node) {
    auto* const host = s4u::Host::by_name(host_name(static_cast<unsigned long>(node)));
    const s4u::ActorPtr actor = s4u::Actor::init(fmt::format("rank-{}", node), host);
    actor->set_property("instance_id", kInstance);
    actor->set_property("rank", std::to_string(node));
    actor->start([&job, node] { run_rank(job, node); });
  }
}

}  // namespace

std::vector<SmpiResult> run_under_smpi(const Machine& machine, const inter::Shape& shape,
                                       const std::vector<SmpiCase>& cases,
                                       std::uint64_t most_private_bytes) {
  check_for_simgrid(machine, shape);
  Job job{.machine = machine,
          .shape = shape,
          .cases = cases,
          .most_private_bytes = most_private_bytes,
          .leaders = {},
          .fault = {}};
  xbt_log_control_set("xbt_cfg.thresh:warning");  // which settings have been made
  smpi_init_options();
  s4u::Engine engine("smpi_bcast");
  configure_simgrid(machine);
  add_torus(machine, shape);
  SMPI_init();
  start_ranks(job);
  engine.run();
  SMPI_finalize();
  if (!job.fault.empty()) throw std::runtime_error(job.fault);

  std::vector<SmpiResult> results;
  for (std::size_t number = 0; number < cases.size(); ++number) {
    const double took = job.ends[number] - job.begins[number];
    results.push_back({.end = static_cast<Picoseconds>(std::llround(took * 1e12)),
                       .checked = !job.shares_memory(cases[number])});
  }
  return results;
}

}  // namespace mpiactor::sim
