#include "actor/container/world.h"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <utility>

#include "actor/background/background.h"
#include "actor/comm/agreement.h"
#include "actor/config/node_spec.h"
#include "actor/config/settings_file.h"
#include "actor/config/torus_spec.h"
#include "actor/container/choices.h"
#include "actor/container/eager_limit.h"
#include "actor/container/machine.h"
#include "actor/container/machine_tables.h"
#include "actor/container/progress.h"
#include "actor/container/roll_call.h"
#include "actor/device_memory/device_memory.h"
#include "inter/engine.h"
#include "inter/kept_bytes.h"

namespace mpiactor {
namespace {

// Not destroyed at exit: a process that ends without MPI_Finalize, as a child that the program has
// forked, must not free the communicators, and other threads may still be in a call.
constinit World* the_world = nullptr;

// A mistake that all ranks see: rank 0 ends the job with the only message.
[[noreturn]] void stop(int rank, const std::string& text) {
  if (rank == 0) abort_job(text);
  for (;;) pause();
}

// The runtime's own communicator of all ranks. Its making is the first communication of all, since
// a rank without the runtime cannot be taken to be part of it, as of a collective on
// MPI_COMM_WORLD.
MPI_Comm meet(int rank) {
  int ranks = 0;
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const RollCall roll_call(rank, ranks);
  MPI_Group all;
  PMPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Comm comm;
  inter::check_mpi(PMPI_Comm_create_group(MPI_COMM_WORLD, all, 0, &comm),
                   "making a communicator of the runtime's own");
  PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  PMPI_Group_free(&all);
  return comm;
}

// Whether MPI_Comm_spawn has started this job: what is set for its parents need not suit it.
bool is_spawned() {
  MPI_Comm parent;
  PMPI_Comm_get_parent(&parent);
  return parent != MPI_COMM_NULL;
}

// A value does not suit the job.
void stop_or_ignore(const World& world, const std::string& text) {
  if (!is_spawned()) stop(world.rank, text);
  if (world.rank == 0 && world.settings.verbose >= Verbosity::kWarn) {
    print_line("ignored in spawned processes: " + text);
  }
}

// Rank 0's text, on every rank.
void share_text(std::string& text, MPI_Comm comm) {
  const Agreement agreement(comm);
  std::size_t length = text.size();
  agreement.share(&length, sizeof length);
  text.resize(length);
  agreement.share(text.data(), length);
}

// Rank 0's settings, on every rank. Wrong ones stop the job; other ranks' own ones are warned
// about.
Settings agree_on_settings(int rank, MPI_Comm comm) {
  const SettingTexts own = settings_from_environment(environ);
  std::string encoded = encode_settings(own);
  share_text(encoded, comm);
  const SettingTexts rank0 = decode_settings(encoded);

  Settings settings;
  try {
    settings = parse_settings(rank0);
  } catch (const SettingError& error) {
    stop(rank, error.what());
  }
  std::string difference = describe_difference(own, rank0);
  Agreement(comm).all(difference.empty(), difference);
  if (settings.verbose >= Verbosity::kWarn) {
    if (!difference.empty()) {
      print_line("settings differ between ranks, rank 0's are used: rank " + std::to_string(rank) +
                 " has " + difference);
    }
    if (rank == 0) {
      for (const std::string& warning : unknown_setting_warnings(own))
        print_line("warning: " + warning);
    }
  }
  return settings;
}

// Of this machine's, those that any of its ranks may use.
int usable_cores(const Machine& machine, MPI_Comm machine_comm) {
  CoreBits forbidden = find_forbidden_cores();
  Agreement(machine_comm).intersect(forbidden);
  int cores = 0;
  for (const std::uint64_t word : forbidden) cores += std::popcount(~word);
  return std::min(machine.cores, cores);
}

// The node of every rank: the machine's, cut into pretended ones where the settings say so.
void locate_ranks(World& world, MPI_Comm machine_comm) {
  int ranks = 0;
  PMPI_Comm_size(world.comm, &ranks);
  PMPI_Comm_size(machine_comm, &world.ranks_on_machine);
  int machine_id = world.rank;  // the lowest rank of the machine names it
  Agreement(machine_comm).share(&machine_id, sizeof machine_id);

  const Machine machine = detect_machine();
  world.cores = usable_cores(machine, machine_comm);
  const Agreement agreement(world.comm);
  world.crowded = !agreement.all(world.ranks_on_machine <= world.cores &&
                                 world.settings.wait != WaitMode::kYield);
  const int mine[2] = {machine_id, machine.my_domain};
  std::vector<int> all(2 * static_cast<std::size_t>(ranks));
  agreement.collect(mine, sizeof mine, all.data());

  std::vector<int> pretended;
  try {
    pretended = nodes_of_ranks(world.settings.nodes, ranks);
  } catch (const std::invalid_argument& error) {
    stop_or_ignore(world, "MPIACTOR_NODES='" + world.settings.nodes + "' " + error.what() +
                              "; allowed: " + node_spec_syntax());
    world.settings.nodes.clear();
    pretended = nodes_of_ranks("", ranks);
  }
  // A pretended node that spans machines is cut at their borders: numbers are of (machine, node).
  std::vector<std::pair<int, int>> keys;
  for (std::size_t rank = 0; rank < pretended.size(); ++rank)
    keys.emplace_back(all[2 * rank], pretended[rank]);
  std::vector<std::pair<int, int>> sorted = keys;
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  world.machines = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    world.machines += i == 0 || sorted[i].first != sorted[i - 1].first;
  }
  std::vector<Place> places;
  for (std::size_t rank = 0; rank < keys.size(); ++rank) {
    const auto number = std::lower_bound(sorted.begin(), sorted.end(), keys[rank]) - sorted.begin();
    places.push_back({static_cast<int>(number), all[2 * rank + 1]});
  }
  world.places = Places(places);
}

// Rank 0's view of a file, on every rank. Throws SettingError on all where it cannot be read.
std::string shared_file(const World& world, const std::string& setting, const std::string& path) {
  std::string text;
  std::string why;
  if (world.rank == 0) {
    try {
      text = read_settings_file(path);
    } catch (const SettingError& error) {
      why = setting + ": cannot read '" + path + "': " + error.what();
    }
  }
  share_text(why, world.comm);
  if (!why.empty()) throw SettingError(why);
  share_text(text, world.comm);
  return text;
}

// The host of every node, as its lowest rank says it.
std::vector<std::string> name_hosts(const NodeLayout& layout, int me, MPI_Comm comm) {
  constexpr int kLength = 256;
  char mine[kLength] = "";
  gethostname(mine, kLength - 1);
  std::vector<int> counts(static_cast<std::size_t>(layout.ranks()), 0);
  std::vector<int> begins(counts.size(), 0);
  // Nodes are numbered by their lowest ranks, so names come in their order.
  for (int node = 0; node < layout.nodes(); ++node) {
    const auto lowest = static_cast<std::size_t>(layout.members(node).front());
    counts[lowest] = kLength;
    begins[lowest] = node * kLength;
  }
  std::vector<char> all(static_cast<std::size_t>(layout.nodes()) * kLength);
  inter::check_mpi(PMPI_Allgatherv(mine, counts[static_cast<std::size_t>(me)], MPI_CHAR, all.data(),
                                   counts.data(), begins.data(), MPI_CHAR, comm),
                   "telling the other ranks which host this is");
  std::vector<std::string> hosts;
  for (std::size_t at = 0; at < all.size(); at += kLength) hosts.emplace_back(&all[at]);
  return hosts;
}

void locate_nodes_on_torus(World& world) {
  const std::string text = world.settings.torus;
  if (text.empty()) return;
  const bool is_file = text.starts_with(kTorusFilePrefix);
  const auto do_without = [&](const std::string& why) {
    stop_or_ignore(world, why);
    world.settings.torus.clear();
    world.torus = {};
  };
  try {
    std::string content =
        is_file ? shared_file(world, "MPIACTOR_TORUS", text.substr(kTorusFilePrefix.size()))
                : std::string();
    world.torus = Torus::parse(text, std::move(content));
    const NodeLayout& layout = world.places.layout();
    if (is_file) world.torus.set_hosts(name_hosts(layout, world.rank, world.comm));
    const std::string misfit = world.torus.check(layout.nodes());
    if (!misfit.empty() && world.settings.verbose >= Verbosity::kInfo && world.rank == 0) {
      print_line("the nodes are taken as a line, not as MPIACTOR_TORUS='" + text + "': " + misfit);
    }
  } catch (const SettingError& error) {
    do_without(error.what());
  } catch (const std::exception& error) {
    do_without("MPIACTOR_TORUS='" + text + "': " + error.what() + "; allowed: " + torus_syntax());
  }
}

// Tables as long as the job, which the machine's ranks need once.
void share_world_tables(World& world, MPI_Comm machine_comm) {
  std::string why;
  world.tables = share_tables(
      machine_comm, world.places.table_ints() + world.torus.table_ints(),
      [&](int* memory, bool writes) {
        world.torus.move_table(world.places.move_table(memory, writes), writes);
      },
      why);
  if (!why.empty() && world.settings.verbose >= Verbosity::kInfo) {
    print_line("each rank keeps its own tables of the job: " + why);
  }
}

void read_tuning(World& world) {
  const std::string& path = world.settings.tuning;
  if (path.empty()) return;
  try {
    world.tuning = inter::Tuning::parse(shared_file(world, "MPIACTOR_TUNING", path), path);
  } catch (const SettingError& error) {
    stop_or_ignore(world, error.what());
  } catch (const std::exception& error) {
    stop_or_ignore(world, std::string("MPIACTOR_TUNING: ") + error.what());
  }
}

shm::WaitPolicy choose_wait_policy(const World& world) {
  shm::WaitPolicy policy;
  policy.give_way =
      world.settings.wait == WaitMode::kYield ||
      (world.settings.wait == WaitMode::kAuto && world.ranks_on_machine > world.cores);
  policy.progress = let_mpi_progress;
  policy.events = [] { return network_events; };
  // What cannot be heard may be in the middle of something at any time.
  constexpr std::uint32_t kLongestDeafSleepUs = 200;
  if (!network_worker) policy.longest_sleep_us = kLongestDeafSleepUs;
  policy.give_back = background::give_back;
  policy.has_background_calls = [] { return background::unfinished() != 0; };
  return policy;
}

int thread_level() {
  int level = MPI_THREAD_MULTIPLE;
  PMPI_Query_thread(&level);
  return level;
}

// Memory of GPUs is possible where any rank has a driver for it.
//
// Background calls go on inside the MPI library's own waiting, if that can be heard, and in one
// thread at a time. A nonblocking call cannot ask the others whether its buffers are in a GPU's
// memory, since it must not wait for them.
void agree_on_possibilities(World& world) {
  const bool hears =
      thread_level() != MPI_THREAD_MULTIPLE && (network_worker || library_calls_back);
  const bool has_driver = world.settings.gpu && is_device_driver_loaded();
  const Agreement agreement(world.comm);
  world.device_memory = !agreement.all(!has_driver);
  const bool all_hear = agreement.all(hears);
  world.background = world.settings.nonblocking && all_hear && !world.device_memory;
  background::hold_signals(thread_level() != MPI_THREAD_SINGLE);
}

// As many containers share a private communicator as the MPI library's tags let, a power of two.
// False where they do not let one.
bool choose_places() {
  int* largest = nullptr;
  int found = 0;
  PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &largest, &found);
  for (inter::comm_places = inter::kMostPlaces; inter::comm_places > 1; inter::comm_places /= 2) {
    if (found && *largest >= inter::largest_tag(inter::comm_places)) break;
  }
  return found && *largest >= inter::largest_tag(inter::comm_places);
}

}  // namespace

void print_line(const std::string& text) {
  const std::string line = "mpiactor: " + printable(text) + "\n";
  // One write, so that lines of several ranks do not mix.
  if (write(STDERR_FILENO, line.data(), line.size()) < 0) return;
}

World* world() { return the_world; }

void say(Verbosity at_least, const std::string& text) {
  if (the_world && the_world->settings.verbose >= at_least) print_line(text);
}

void abort_job(const std::string& text) {
  print_line(text);
  // Hydra can lose what was written right before the job is ended.
  usleep(50000);
  PMPI_Abort(MPI_COMM_WORLD, 1);
  std::abort();
}

void initialise_world(const std::function<bool()>& stands_aside) {
  auto fresh = std::make_unique<World>();
  PMPI_Comm_rank(MPI_COMM_WORLD, &fresh->rank);
  fresh->comm = meet(fresh->rank);
  fresh->stands_aside = !Agreement(fresh->comm).all(!stands_aside());
  fresh->settings = agree_on_settings(fresh->rank, fresh->comm);
  inter::KeptBytes::keep(!fresh->settings.memory.is_limited());
  const bool is_off = fresh->settings.leader == LeaderMode::kOff && fresh->settings.trace.empty();
  if (!is_off && !fresh->stands_aside) {
    MPI_Comm machine_comm;
    inter::check_mpi(
        PMPI_Comm_split_type(fresh->comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine_comm),
        "finding the ranks of this machine");
    locate_ranks(*fresh, machine_comm);
    locate_nodes_on_torus(*fresh);
    share_world_tables(*fresh, machine_comm);
    PMPI_Comm_free(&machine_comm);
    read_tuning(*fresh);
    fresh->tuning.link = link_for_rules(fresh->settings, fresh->tuning.link);
    begin_progress(thread_level() < MPI_THREAD_SERIALIZED);
    fresh->wait = choose_wait_policy(*fresh);
    agree_on_possibilities(*fresh);
    inter::check_mpi(PMPI_Comm_split(MPI_COMM_SELF, 0, 0, &fresh->self_comm),
                     "making a communicator of one process");
    PMPI_Comm_set_errhandler(fresh->self_comm, MPI_ERRORS_RETURN);
    fresh->large_tags = choose_places();
    if (fresh->places.layout().nodes() > 1) {
      if (!fresh->settings.push_bytes && fresh->settings.torus.empty()) {
        fresh->eager_bytes = find_eager_limit(fresh->comm, fresh->places.layout());
      }
      fresh->private_comms = std::make_unique<PrivateComms>(fresh->comm);
      fresh->notices = std::make_unique<inter::Notices>(fresh->comm);
    }
  }
  the_world = fresh.release();
}

void finalise_world() {
  if (!the_world) return;
  end_progress();
  the_world->notices.reset();
  if (the_world->private_comms) the_world->private_comms->receive_left_over();
  the_world->private_comms.reset();
  PMPI_Comm_free(&the_world->comm);
  if (the_world->self_comm != MPI_COMM_NULL) PMPI_Comm_free(&the_world->self_comm);
  delete the_world;
  the_world = nullptr;
}

}  // namespace mpiactor
