// Curves as SVG pictures, drawn by gnuplot.
#ifndef MPIACTOR_SIM_PLOT_H_
#define MPIACTOR_SIM_PLOT_H_

#include <string>
#include <utility>
#include <vector>

namespace mpiactor::sim {

struct Curve {
  std::string name;
  std::vector<std::pair<double, double>> points;
  bool dashed = false;  // for closed forms beside simulated values
};

struct Plot {
  std::string title;
  std::string x_label;
  std::string y_label;
  bool log_x = false;
  bool log_y = false;
  std::vector<Curve> curves;
};

// Throws InputError where gnuplot is missing or the file cannot be written.
void write_svg(const Plot& plot, const std::string& path);

}  // namespace mpiactor::sim

#endif  // MPIACTOR_SIM_PLOT_H_
