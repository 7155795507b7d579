#include "sim/arguments.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

namespace mpiactor::sim {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 40;
constexpr std::int64_t kMostNodes = std::int64_t{1} << 22;
constexpr std::array<std::pair<char, unsigned>, 4> kSuffixes = {
    {{'K', 10}, {'M', 20}, {'G', 30}, {'T', 40}}};

template <typename Number>
bool parse_number(std::string_view text, Number* number) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, *number);
  return error == std::errc() && stop == end;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (true) {
    const std::size_t end = text.find(separator, begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == std::string::npos) return parts;
    begin = end + 1;
  }
}

}  // namespace

std::uint64_t parse_bytes(const std::string& text, const std::string& what) {
  std::string_view digits = text;
  unsigned shift = 0;
  for (const auto& [letter, bits] : kSuffixes) {
    if (!digits.empty() && (digits.back() & ~0x20) == letter) {
      digits.remove_suffix(1);
      shift = bits;
      break;
    }
  }
  std::uint64_t number = 0;
  if (!parse_number(digits, &number) || number == 0 || number > (kMostBytes >> shift)) {
    throw InputError(fmt::format(
        "{} is '{}'; allowed: a number of bytes from 1 to 1T, with or without K, M, G, T", what,
        text));
  }
  return number << shift;
}

std::vector<std::uint64_t> parse_byte_list(const std::string& text, const std::string& what) {
  std::vector<std::uint64_t> sizes;
  for (const std::string& part : split(text, ',')) {
    const std::size_t dots = part.find("..");
    if (dots == std::string::npos) {
      sizes.push_back(parse_bytes(part, what));
      continue;
    }
    const std::uint64_t first = parse_bytes(part.substr(0, dots), what);
    const std::uint64_t last = parse_bytes(part.substr(dots + 2), what);
    if (last < first) {
      throw InputError(
          fmt::format("{} is '{}'; allowed: a range whose end is not below its start", what, part));
    }
    for (std::uint64_t size = first; size < last; size *= 2) sizes.push_back(size);
    sizes.push_back(last);
  }
  return sizes;
}

std::string format_bytes(std::uint64_t bytes) {
  for (std::size_t k = kSuffixes.size(); k-- > 0;) {
    const auto [letter, bits] = kSuffixes[k];
    const std::uint64_t unit = std::uint64_t{1} << bits;
    if (bytes >= unit && bytes % unit == 0) return fmt::format("{}{}", bytes / unit, letter);
  }
  return std::to_string(bytes);
}

inter::Shape parse_shape(const std::string& text) {
  const auto fail = [&](const std::string& problem) {
    throw InputError(fmt::format(
        "shape is '{}': {}; allowed: 1 to 3 extents joined by x, each at least 1, with m after an "
        "axis that does not wrap around, at most {} nodes in all",
        text, problem, kMostNodes));
  };
  inter::Shape shape;
  const std::vector<std::string> parts = split(text, 'x');
  if (parts.size() > 3) fail(fmt::format("{} extents", parts.size()));
  std::int64_t nodes = 1;
  for (std::size_t axis = 0; axis < parts.size(); ++axis) {
    std::string_view digits = parts[axis];
    if (digits.ends_with('m')) {
      shape.wraps[axis] = false;
      digits.remove_suffix(1);
    }
    if (!parse_number(digits, &shape.extent[axis]) || shape.extent[axis] < 1) {
      fail(fmt::format("axis {} is '{}'", axis, parts[axis]));
    }
    nodes *= shape.extent[axis];
    if (nodes > kMostNodes) fail("too many nodes");
  }
  return shape;
}

std::string format_shape(const inter::Shape& shape) {
  int axes = 3;
  while (axes > 1 && shape.extent[axes - 1] == 1) --axes;
  std::string text;
  for (int axis = 0; axis < axes; ++axis) {
    text += fmt::format("{}{}{}", axis > 0 ? "x" : "", shape.extent[axis],
                        shape.wraps[axis] ? "" : "m");
  }
  return text;
}

Picoseconds picoseconds(double us, double most_us, const std::string& what) {
  if (!(us >= 0 && us <= most_us)) {
    throw InputError(fmt::format("{} is {}; allowed: 0 to {}", what, us, most_us));
  }
  return static_cast<Picoseconds>(
      std::llround(us * static_cast<double>(kPicosecondsPerMicrosecond)));
}

inter::Collective parse_collective(const std::string& name) {
  std::vector<std::string> known;
  for (const inter::Algorithm& algorithm : inter::algorithms()) {
    const std::string collective = inter::collective_name(algorithm.collective);
    if (collective == name) return algorithm.collective;
    if (known.empty() || known.back() != collective) known.push_back(collective);
  }
  throw InputError(fmt::format("collective is '{}'; allowed: {}", name, fmt::join(known, ", ")));
}

const inter::Algorithm& parse_algorithm(inter::Collective collective, const std::string& name,
                                        const inter::Shape& shape) {
  const inter::Algorithm* algorithm = inter::find_algorithm(collective, name);
  if (algorithm == nullptr) {
    throw InputError(fmt::format("algorithm of {} is '{}'; allowed: {}",
                                 inter::collective_name(collective), name,
                                 inter::algorithm_names(collective, ", ")));
  }
  if (!algorithm->supports(shape)) {
    throw InputError(fmt::format("algorithm {} cannot run on shape {}", name, format_shape(shape)));
  }
  return *algorithm;
}

}  // namespace mpiactor::sim
