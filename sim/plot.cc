#include "sim/plot.h"

#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "sim/machine.h"
#include "sim/text_file.h"

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

std::string script(const Plot& plot) {
  std::string text = fmt::format(
      "set terminal svg size 800,500 dynamic enhanced noenhanced background '#ffffff'\n"
      "set title {}\nset xlabel {}\nset ylabel {}\n"
      "set key outside right\nset grid\nset format x '%.4g'\nset format y '%.4g'\n",
      quoted(plot.title), quoted(plot.x_label), quoted(plot.y_label));
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

// What gnuplot makes of `text`: an SVG picture. It reads a file and not a pipe, which it might
// close before it has all.
std::string draw(const std::string& text) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), &std::fclose);
  if (!file || std::fputs(text.c_str(), file.get()) < 0 || std::fflush(file.get()) != 0) {
    throw InputError("plot: no temporary file can be written");
  }
  std::FILE* const gnuplot =
      popen(fmt::format("gnuplot /dev/fd/{}", fileno(file.get())).c_str(), "r");
  if (gnuplot == nullptr) throw InputError("plot: no process for gnuplot can be started");
  std::string picture;
  char part[4096];
  while (const std::size_t got = std::fread(part, 1, sizeof part, gnuplot)) {
    picture.append(part, got);
  }
  const int status = pclose(gnuplot);
  if (status != 0) {
    throw InputError(fmt::format(
        "plot: gnuplot failed (status {}); it comes with the package gnuplot-nox", status));
  }
  return picture;
}

}  // namespace

void write_svg(const Plot& plot, const std::string& path) {
  write_text(draw(script(plot)), "plot", path);
}

}  // namespace mpiactor::sim
