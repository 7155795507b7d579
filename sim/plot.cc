#include "sim/plot.h"

#include <fmt/format.h>

#include <cstdio>
#include <fstream>

#include "sim/machine.h"

namespace mpiactor::sim {
namespace {

// gnuplot's single-quoted strings: a quote is written twice.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char letter : text) {
    if (letter == '\'') result += '\'';
    if (letter != '\n') result += letter;
  }
  return result + "'";
}

std::string script(const Plot& plot, const std::string& path) {
  std::string text = fmt::format(
      "set terminal svg size 800,500 dynamic enhanced noenhanced background '#ffffff'\n"
      "set output {}\nset title {}\nset xlabel {}\nset ylabel {}\n"
      "set key outside right\nset grid\nset format x '%.4g'\nset format y '%.4g'\n",
      quoted(path), quoted(plot.title), quoted(plot.x_label), quoted(plot.y_label));
  if (plot.log_x) text += "set logscale x\n";
  if (plot.log_y) text += "set logscale y\n";
  for (std::size_t k = 0; k < plot.curves.size(); ++k) {
    text += fmt::format("$curve{} << END_OF_DATA\n", k);
    for (const auto& [x, y] : plot.curves[k].points) text += fmt::format("{} {}\n", x, y);
    text += "END_OF_DATA\n";
  }
  text += "plot ";
  for (std::size_t k = 0; k < plot.curves.size(); ++k) {
    text += fmt::format("{}$curve{} using 1:2 with {} title {}", k > 0 ? ", " : "", k,
                        plot.curves[k].dashed ? "lines dashtype 2" : "linespoints pointsize 0.4",
                        quoted(plot.curves[k].name));
  }
  return text + "\n";
}

}  // namespace

void write_svg(const Plot& plot, const std::string& path) {
  // gnuplot only warns about an output that it cannot open.
  if (!std::ofstream(path, std::ios::app)) {
    throw InputError(fmt::format("plot {}: the file cannot be written", path));
  }
  std::FILE* const gnuplot = popen("gnuplot", "w");
  if (gnuplot == nullptr) throw InputError("plot: no process for gnuplot can be started");
  const std::string text = script(plot, path);
  std::fwrite(text.data(), 1, text.size(), gnuplot);
  const int status = pclose(gnuplot);
  if (status != 0) {
    throw InputError(
        fmt::format("plot {}: gnuplot failed (status {}); it comes with the package gnuplot-nox",
                    path, status));
  }
}

}  // namespace mpiactor::sim
