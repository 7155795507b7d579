// Coordinates per host: reading them, and placing a communicator's nodes by them.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <map>
#include <set>
#include <sstream>
#include <utility>

#include "inter/tofu_algos/torus.h"

namespace mpiactor::inter {
namespace {

// Nodes of the box that no host is on: more are no failed ones.
constexpr std::int64_t kMostAbsent = 128;

constexpr const char* kAxisNames6[] = {"X", "Y", "Z", "A", "B", "C"};

std::string text_of(const std::vector<int>& at) { return fmt::format("({})", fmt::join(at, ",")); }

struct Box {
  Shape shape;  // without wrap-around
  std::vector<int> low;
};

Box box_around(const std::vector<std::vector<int>>& places) {
  std::vector<int> low(3, std::numeric_limits<int>::max());
  std::vector<int> high(3, 0);
  for (const std::vector<int>& at : places) {
    for (std::size_t i = 0; i < 3; ++i) {
      low[i] = std::min(low[i], at[i]);
      high[i] = std::max(high[i], at[i]);
    }
  }
  Box box{{}, low};
  for (std::size_t i = 0; i < 3; ++i) {
    box.shape.extent[i] = high[i] - low[i] + 1;
    box.shape.wraps[i] = false;
  }
  return box;
}

}  // namespace

CoordinateFile::CoordinateFile(std::istream& in, std::string name) : name_(std::move(name)) {
  std::string text;
  for (int line = 1; std::getline(in, text); ++line) {
    std::istringstream words(text.substr(0, text.find('#')));
    std::string first;
    if (!(words >> first)) continue;
    if (first == "shape" || first == "tofu") {
      std::string value;
      std::string more;
      if (!(words >> value) || (words >> more)) fail(line, "'" + first + "' wants one value");
      read_shape(line, first, value);
    } else {
      read_host(line, first, words);
    }
  }
  if (hosts_.empty()) throw TorusError(name_ + ": no host with coordinates in it");
  if (dimensions_ == 6 && !machine_given_) {
    for (const auto& [host, entry] : hosts_) {
      for (std::size_t i = 0; i < 6; ++i) {
        machine_.extent[i] = std::max(machine_.extent[i], entry.at[i] + 1);
      }
    }
  }
  if (dimensions_ == 3) machine3_ = shape_ ? *shape_ : box_of_all();
  check_bounds();
}

CoordinateFile CoordinateFile::open(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw TorusError(path + ": cannot be read as a file of coordinates");
  return CoordinateFile(in, path);
}

void CoordinateFile::fail(int line, const std::string& what) const {
  throw TorusError(fmt::format("{}:{}: {}", name_, line, what));
}

void CoordinateFile::read_shape(int line, const std::string& keyword, const std::string& value) {
  if (keyword == "shape") {
    try {
      shape_ = parse_shape(value);
    } catch (const TorusError& error) {
      fail(line, error.what());
    }
    return;
  }
  std::istringstream extents(value);
  for (std::size_t i = 0; i < 6; ++i) {
    char separator = 'x';
    const bool good = (i == 0 || extents >> separator) && (extents >> machine_.extent[i]) &&
                      separator == 'x' && machine_.extent[i] > 0 &&
                      machine_.extent[i] <= kLargestTofuExtent;
    if (!good) fail(line, "'" + value + "' is not six extents, as in 24x18x16x2x3x2");
  }
  if (extents.peek() != std::char_traits<char>::eof()) {
    fail(line, "'" + value + "' is not six extents, as in 24x18x16x2x3x2");
  }
  machine_given_ = true;
}

void CoordinateFile::read_host(int line, const std::string& host, std::istream& rest) {
  Entry entry;
  entry.line = line;
  std::string word;
  while (rest >> word) {
    int value = -1;
    std::istringstream number(word);
    if (!(number >> value) || !number.eof() || value < 0) {
      fail(line, "'" + word + "' is not a coordinate: a number from 0");
    }
    entry.at.push_back(value);
  }
  if (entry.at.empty() || (entry.at.size() > 3 && entry.at.size() != 6)) {
    fail(line, fmt::format("host '{}' has {} coordinates; 1 to 3, or 6 on Tofu, are allowed", host,
                           entry.at.size()));
  }
  if (entry.at.size() < 3) entry.at.resize(3, 0);
  if (dimensions_ != 0 && entry.at.size() != dimensions_) {
    fail(line, fmt::format("host '{}' has {} coordinates, earlier ones have {}", host,
                           entry.at.size(), dimensions_));
  }
  dimensions_ = entry.at.size();
  const int most = dimensions_ == 6 ? kLargestTofuExtent : kLargestExtent;
  for (const int value : entry.at) {
    if (value < most) continue;
    fail(line,
         fmt::format("host '{}': {} is too large; coordinates are below {}", host, value, most));
  }
  const auto [before, fresh] = hosts_.try_emplace(host, entry);
  if (!fresh) {
    fail(line,
         fmt::format("host '{}' has coordinates on line {} already", host, before->second.line));
  }
}

void CoordinateFile::check_bounds() const {
  std::map<std::vector<int>, const Entry*> taken;
  for (const auto& [host, entry] : hosts_) {
    for (std::size_t i = 0; i < entry.at.size(); ++i) {
      const bool has_limit = dimensions_ == 6 || shape_.has_value();
      if (!has_limit) continue;
      const int extent = dimensions_ == 6 ? machine_.extent[i] : machine3_.extent[i];
      if (entry.at[i] >= extent) {
        fail(entry.line, fmt::format("host '{}': {} = {} is outside an axis of {} nodes", host,
                                     kAxisNames6[i], entry.at[i], extent));
      }
    }
    const auto [other, fresh] = taken.try_emplace(entry.at, &entry);
    if (!fresh) {
      const auto [first, second] = std::minmax(entry.line, other->second->line);
      fail(second,
           fmt::format("coordinates {} are those of line {} already", text_of(entry.at), first));
    }
  }
}

const CoordinateFile::Entry& CoordinateFile::entry_of(const std::string& host) const {
  const auto found = hosts_.find(host);
  if (found == hosts_.end()) {
    throw TorusError(fmt::format("{}: no coordinates for host '{}'", name_, host));
  }
  return found->second;
}

TorusView CoordinateFile::view_of(std::span<const std::string> hosts) const {
  std::set<std::string> distinct;
  for (const std::string& host : hosts) {
    if (!distinct.insert(host).second) {
      throw TorusError(fmt::format("{}: host '{}' stands for two nodes, which would share a place",
                                   name_, host));
    }
  }
  return dimensions_ == 6 ? view_of_tofu(hosts) : view_of_box(hosts);
}

Shape CoordinateFile::box_of_all() const {
  std::vector<std::vector<int>> places;
  for (const auto& [host, entry] : hosts_) places.push_back(entry.at);
  Shape all = box_around(places).shape;
  std::fill(all.wraps, all.wraps + 3, true);
  return all;
}

TorusView CoordinateFile::view_of_box(std::span<const std::string> hosts) const {
  std::vector<std::vector<int>> places;
  for (const std::string& host : hosts) places.push_back(entry_of(host).at);
  auto [shape, low] = box_around(places);
  for (std::size_t i = 0; i < 3; ++i) {
    shape.wraps[i] = machine3_.wraps[i] && machine3_.extent[i] == shape.extent[i];
  }
  if (shape.nodes() != static_cast<std::int64_t>(hosts.size())) {
    std::vector<int> high;
    for (std::size_t i = 0; i < 3; ++i) high.push_back(low[i] + shape.extent[i] - 1);
    throw TorusMisfit(fmt::format("{}: the {} hosts do not fill the box from {} to {} of {} nodes",
                                  name_, hosts.size(), text_of(low), text_of(high), shape.nodes()));
  }
  std::vector<int> position_of;
  for (const std::vector<int>& at : places) {
    position_of.push_back((at[0] - low[0]) +
                          shape.extent[0] *
                              ((at[1] - low[1]) + shape.extent[1] * (at[2] - low[2])));
  }
  return TorusView(shape, std::move(position_of));
}

// The part of the machine that the hosts lie in; an axis of which it has not all does not wrap.
CoordinateFile::TofuBox CoordinateFile::box_of(std::span<const std::string> hosts) const {
  TofuBox box;
  box.low.fill(std::numeric_limits<int>::max());
  TofuNode high = {};
  for (const std::string& host : hosts) {
    const Entry& entry = entry_of(host);
    for (std::size_t i = 0; i < kTofuAxes; ++i) {
      box.low[i] = std::min(box.low[i], entry.at[i]);
      high[i] = std::max(high[i], entry.at[i]);
    }
  }
  for (std::size_t i = 0; i < kTofuAxes; ++i) {
    box.machine.extent[i] = high[i] - box.low[i] + 1;
    box.machine.wraps[i] = machine_.wraps[i] && box.machine.extent[i] == machine_.extent[i];
  }
  return box;
}

// What the hosts may be laid out as, the best first.
std::vector<Shape> CoordinateFile::tofu_shapes(const TofuBox& box, std::int64_t hosts) const {
  if (shape_ && shape_->nodes() == hosts && box.machine.nodes() - hosts <= kMostAbsent) {
    return {*shape_};
  }
  if (box.machine.nodes() != hosts) {
    throw TorusMisfit(fmt::format(
        "{}: the {} hosts do not fill the box of {} that they lie in; a line 'shape' with {} nodes "
        "says what they are laid out as",
        name_, hosts, inter::text_of(box.machine), hosts));
  }
  const TofuNode& extent = box.machine.extent;
  std::vector<Shape> shapes;
  for (unsigned open = 0; open < 8; ++open) {
    Shape shape;
    for (unsigned i = 0; i < 3; ++i) {
      shape.extent[i] = extent[i] * extent[i + 3];
      shape.wraps[i] = (open >> i & 1) == 0;
    }
    shapes.push_back(shape);
  }
  std::stable_sort(shapes.begin(), shapes.end(), [](const Shape& a, const Shape& b) {
    return std::count(a.wraps, a.wraps + 3, true) > std::count(b.wraps, b.wraps + 3, true);
  });
  return shapes;
}

TorusView CoordinateFile::view_of_tofu(std::span<const std::string> hosts) const {
  const TofuBox box = box_of(hosts);
  std::map<TofuNode, int> node_of_place;
  for (std::size_t node = 0; node < hosts.size(); ++node) {
    const Entry& entry = entry_of(hosts[node]);
    TofuNode place;
    for (std::size_t i = 0; i < kTofuAxes; ++i) place[i] = entry.at[i] - box.low[i];
    node_of_place[place] = static_cast<int>(node);
  }
  const std::vector<Shape> shapes = tofu_shapes(box, static_cast<std::int64_t>(hosts.size()));
  std::vector<TofuNode> absent;
  TofuNode place = {};
  for (std::int64_t i = 0; i < box.machine.nodes(); ++i) {
    if (!node_of_place.contains(place)) absent.push_back(place);
    for (std::size_t axis = 0; axis < kTofuAxes && ++place[axis] == box.machine.extent[axis];
         ++axis) {
      place[axis] = 0;
    }
  }
  std::string why;
  for (const Shape& shape : shapes) {
    try {
      const TofuMap map(box.machine, shape, absent);
      std::vector<int> position_of(hosts.size());
      for (int position = 0; position < static_cast<int>(hosts.size()); ++position) {
        position_of[static_cast<std::size_t>(node_of_place.at(map.node_at(position)))] = position;
      }
      return TorusView(shape, std::move(position_of));
    } catch (const TofuMapError& error) {
      if (why.empty()) why = error.what();
    }
  }
  throw TorusMisfit(fmt::format("{}: {}", name_, why));
}

}  // namespace mpiactor::inter
