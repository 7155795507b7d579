#include "sim/reproduce/document.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <string_view>

#include "sim/machine.h"

namespace mpiactor::sim {
namespace {

std::string row(const std::vector<std::string>& cells) {
  return fmt::format("| {} |\n", fmt::join(cells, " | "));
}

std::string render_table(const std::vector<std::string>& header,
                         const std::vector<std::vector<std::string>>& rows) {
  std::string text = row(header) + row(std::vector<std::string>(header.size(), "---"));
  for (const auto& cells : rows) text += row(cells);
  return text + "\n";
}

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InputError(path + ": cannot be read");
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// What a picture says that does not depend on the version of gnuplot that drew it: its texts,
// in whatever order.
std::multiset<std::string> words_of(const std::string& svg) {
  static const std::regex kText("<text>.*?</text>");
  std::multiset<std::string> words;
  for (std::sregex_iterator text(svg.begin(), svg.end(), kText), end; text != end; ++text) {
    words.insert(text->str());
  }
  return words;
}

std::string drawn_by(const std::string& svg) {
  static const std::regex kVersion("<desc>.*?</desc>");
  std::smatch match;
  return std::regex_search(svg, match, kVersion) ? match.str() : "";
}

bool are_same_pictures(const std::string& one, const std::string& other) {
  return drawn_by(one) == drawn_by(other) ? one == other : words_of(one) == words_of(other);
}

constexpr const char* kPage = "/reproduction.md";
constexpr std::string_view kSummary = "What was aimed at";

}  // namespace

std::vector<std::string> differences(const std::string& folder, const std::string& kept) {
  std::vector<std::string> found;
  const std::string page = text_of(folder + kPage);
  const std::string kept_page = text_of(kept + kPage);
  for (std::size_t begin = page.find("\n## "); begin != std::string::npos;) {
    const std::size_t end = page.find("\n## ", begin + 1);
    const std::string section = page.substr(begin, end - begin);
    const std::string title = section.substr(4, section.find('\n', 1) - 4);
    begin = end;
    if (title != kSummary) {
      if (!contains(kept_page, section)) found.push_back("section '" + title + "'");
      continue;
    }
    std::istringstream lines(section);
    for (std::string line; std::getline(lines, line);) {
      if (!contains(kept_page, line)) found.push_back("summary: " + line);
    }
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder + "/reproduction")) {
    const std::string picture = "/reproduction/" + entry.path().filename().string();
    if (!std::filesystem::exists(kept + picture) ||
        !are_same_pictures(text_of(folder + picture), text_of(kept + picture))) {
      found.push_back(picture.substr(1));
    }
  }
  return found;
}

Document::Document(std::string folder) : folder_(std::move(folder)) {
  std::error_code error;
  std::filesystem::create_directories(folder_ + "/reproduction", error);
  if (error) {
    throw InputError(fmt::format("{}/reproduction: cannot be made: {}", folder_, error.message()));
  }
}

void Document::heading(const std::string& text) { body_ += fmt::format("## {}\n\n", text); }

void Document::subheading(const std::string& text) { body_ += fmt::format("### {}\n\n", text); }

void Document::paragraph(const std::string& text) { body_ += text + "\n\n"; }

void Document::table(const std::vector<std::string>& header,
                     const std::vector<std::vector<std::string>>& rows) {
  body_ += render_table(header, rows);
}

void Document::picture(const Plot& plot, const std::string& name) {
  write_svg(plot, fmt::format("{}/reproduction/{}.svg", folder_, name));
  body_ += fmt::format("![{}](reproduction/{}.svg)\n\n", plot.title, name);
}

void Document::target(const std::string& what, const std::string& found, const std::string& wanted,
                      bool met, const std::string& reason) {
  targets_.push_back({what, found, wanted, met ? "yes" : "**no**", reason});
  all_met_ = all_met_ && met;
}

void Document::write() const {
  const std::string path = folder_ + kPage;
  std::ofstream file(path);
  file << "# The papers' figures, simulated\n\n"
          "Written by `bazel run //sim:reproduce`; do not edit. MB = 10^6 bytes. The machines are "
          "the files of `sim/machines/`; nothing in them is fitted to the results below. One rule "
          "of "
          "the network was chosen with results in view: a message takes its place on links when "
          "its turn "
          "comes, because holding whole routes gave a fifteenth of the all-to-all throughput that "
          "[Fugaku] "
          "reports.\n\n"
          "- [CP]: competitive and pipelined broadcast under unbalanced process arrival, MPIActor, "
          "Journal of Software (China), 2011\n"
          "- [K-perf]: Evaluation of MPI communication performance using throughput on the K "
          "computer\n"
          "- [K-MPI]: the design of MPI on the K computer\n"
          "- [Fugaku]: Performance evaluation of MPI collective communications on the "
          "supercomputer Fugaku\n\n"
          "## "
       << kSummary << "\n\n"
       << render_table({"what", "simulated", "wanted", "met", "what the deviation comes from"},
                       targets_)
       << body_;
  file.flush();
  if (!file) throw InputError(path + ": cannot be written");
}

std::string number(double value) {
  if (value == 0) return "0";
  const int digits = 3 - static_cast<int>(std::floor(std::log10(std::abs(value))));
  if (digits >= 0) return fmt::format("{:.{}f}", value, digits);
  return fmt::format("{:.0f}", value);
}

std::string deviation(double value, double reference) {
  return fmt::format("{:+.1f} %", 100 * (value / reference - 1));
}

}  // namespace mpiactor::sim
