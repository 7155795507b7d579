#include "bench/byte_size.h"

#include <fmt/format.h>

#include <charconv>
#include <stdexcept>

namespace mpiactor::bench {
namespace {

[[noreturn]] void refuse(std::string_view text) {
  throw std::invalid_argument(fmt::format(
      "'{}' is not a message size: give a number from 1 to {}, with K, M or G for powers of 1024",
      text, kMaxMessageBytes));
}

// Multiplier of a suffix character, 0 if it is none.
std::int64_t suffix_factor(char suffix) {
  switch (suffix) {
    case 'K':
    case 'k':
      return std::int64_t{1} << 10;
    case 'M':
    case 'm':
      return std::int64_t{1} << 20;
    case 'G':
    case 'g':
      return std::int64_t{1} << 30;
    default:
      return 0;
  }
}

}  // namespace

std::int64_t parse_byte_size(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || number < 1) refuse(text);
  const std::string_view suffix(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (suffix.size() > 1) refuse(text);
  const std::int64_t factor = suffix.empty() ? 1 : suffix_factor(suffix.front());
  if (factor == 0 || number > kMaxMessageBytes / factor) refuse(text);
  return number * factor;
}

std::vector<std::int64_t> parse_byte_sizes(std::string_view list) {
  std::vector<std::int64_t> sizes;
  while (true) {
    const std::size_t comma = list.find(',');
    sizes.push_back(parse_byte_size(list.substr(0, comma)));
    if (comma == std::string_view::npos) return sizes;
    list.remove_prefix(comma + 1);
  }
}

std::string format_byte_size(std::int64_t bytes) {
  for (const char suffix : {'G', 'M', 'K'}) {
    const std::int64_t factor = suffix_factor(suffix);
    if (bytes >= factor && bytes % factor == 0) return fmt::format("{}{}", bytes / factor, suffix);
  }
  return fmt::format("{}", bytes);
}

}  // namespace mpiactor::bench
