#include "actor/container/torus.h"

#include <cstring>
#include <sstream>
#include <stdexcept>
#include <utility>
#include <vector>

#include "actor/config/torus_spec.h"

namespace mpiactor {
namespace {

inter::IntTable packed(const std::string& text) {
  std::vector<int> numbers((text.size() + sizeof(int) - 1) / sizeof(int));
  if (!text.empty()) std::memcpy(numbers.data(), text.data(), text.size());
  return inter::IntTable(std::move(numbers));
}

// The lines of `text`, without their ends.
std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  return lines;
}

}  // namespace

Torus Torus::parse(std::string_view text, std::string file_text) {
  Torus torus;
  try {
    if (text == "auto") {
      torus.factored_ = true;
    } else if (text.starts_with(kTorusFilePrefix)) {
      torus.is_file_ = true;
      torus.path_ = text.substr(kTorusFilePrefix.size());
      std::istringstream in(file_text);
      inter::CoordinateFile(in, torus.path_);
      torus.file_bytes_ = file_text.size();
      torus.text_ = packed(file_text);
    } else if (!text.empty()) {
      torus.shape_ = inter::parse_shape(text);
    }
  } catch (const inter::TorusError& error) {
    throw std::invalid_argument(error.what());
  }
  return torus;
}

void Torus::set_hosts(std::span<const std::string> hosts) {
  std::string text(reinterpret_cast<const char*>(text_.data()), file_bytes_);
  for (const std::string& host : hosts) text += host + '\n';
  hosts_bytes_ = text.size() - file_bytes_;
  text_ = packed(text);
}

std::string Torus::check(int nodes) const {
  if (shape_ && shape_->nodes() != nodes) {
    throw std::invalid_argument("has " + std::to_string(shape_->nodes()) +
                                " positions, but the job has " + std::to_string(nodes) + " nodes");
  }
  if (!is_file_) return "";
  std::vector<int> all;
  for (int node = 0; node < nodes; ++node) all.push_back(node);
  try {
    view_by_file(all);
  } catch (const inter::TorusMisfit& misfit) {
    return misfit.what();
  }
  return "";
}

inter::TorusView Torus::view_by_file(std::span<const int> world_nodes) const {
  const std::string_view text(reinterpret_cast<const char*>(text_.data()),
                              file_bytes_ + hosts_bytes_);
  std::istringstream in{std::string(text.substr(0, file_bytes_))};
  const inter::CoordinateFile coordinates(in, path_);
  const std::vector<std::string> all = lines_of(text.substr(file_bytes_));
  std::vector<std::string> hosts;
  for (const int node : world_nodes) hosts.push_back(all.at(static_cast<std::size_t>(node)));
  return coordinates.view_of(hosts);
}

inter::TorusView Torus::view(std::span<const int> world_nodes) const {
  const int count = static_cast<int>(world_nodes.size());
  if (factored_) return inter::TorusView::in_order(inter::factored_shape(count));
  if (shape_ && shape_->nodes() == count) return inter::TorusView::in_order(*shape_);
  if (is_file_) {
    try {
      return view_by_file(world_nodes);
    } catch (const inter::TorusMisfit&) {
    }
  }
  return inter::TorusView::in_order(inter::Shape::line(count));
}

}  // namespace mpiactor
