// torus_sim --closed-loop: options, table, JSON and picture.
#ifndef MPIACTOR_SIM_CLOSED_LOOP_COMMAND_H_
#define MPIACTOR_SIM_CLOSED_LOOP_COMMAND_H_

#include <cstdint>
#include <string>
#include <vector>

#include "sim/arrivals.h"

namespace mpiactor::cli {
class App;
}

namespace mpiactor::sim {

struct ClosedLoopArguments {
  std::string application;  // empty: no closed loop
  std::string noise = "independent";
  std::vector<double> noise_us;
  double spread_us = 300;    // where noise_us is empty
  std::int64_t steps = 0;    // 0: the application's
  std::string size;          // empty: the application's
  double computing_us = -1;  // negative: the application's
};

// What it shares with the other simulations of torus_sim.
struct ClosedLoopMachine {
  std::string machine;
  std::string shape;
  int ranks_per_node = 1;
  std::vector<std::string> algorithms;  // none: as [CP] chooses
  std::string segment;                  // empty: the machine's
  RootSender sender = RootSender::kNode;
  int candidates = 0;
  std::uint64_t seed = 1;
  int threads = 0;
  std::string json_file;
  std::string plot_file;
};

void declare_closed_loop(cli::App* app, ClosedLoopArguments* arguments);

// Throws InputError.
void run_closed_loop_command(const ClosedLoopArguments& arguments, const ClosedLoopMachine& on);

}  // namespace mpiactor::sim

#endif  // MPIACTOR_SIM_CLOSED_LOOP_COMMAND_H_
