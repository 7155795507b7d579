#include "apps/asp/line_reader.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <utility>

namespace mpiactor::asp {
namespace {

constexpr std::string_view kBlanks = " \t\r\v\f";

// Numbers beyond the type come back as its limits, so that callers report a range, not a syntax.
template <typename Number>
std::optional<Number> parse(std::string_view text) {
  using Limits = std::numeric_limits<Number>;
  Number value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (stop != end || error == std::errc::invalid_argument) return std::nullopt;
  if (error == std::errc::result_out_of_range) {
    const bool is_small = std::abs(std::strtod(std::string(text).c_str(), nullptr)) < 1.0;
    const Number largest = is_small ? Limits::denorm_min() : Limits::max();
    return text.front() == '-' ? -largest : largest;
  }
  return value;
}

}  // namespace

LineReader::LineReader(std::istream& input, std::string name)
    : input_(input), name_(std::move(name)) {}

bool LineReader::next() {
  fields_.clear();
  if (!std::getline(input_, line_)) {
    if (input_.bad()) throw GraphError(fmt::format("{}: cannot be read", name_));
    return false;
  }
  ++number_;
  const std::string_view text = line_;
  std::size_t begin = text.find_first_not_of(kBlanks);
  while (begin != std::string_view::npos) {
    const std::size_t end = std::min(text.find_first_of(kBlanks, begin), text.size());
    fields_.push_back(text.substr(begin, end - begin));
    begin = text.find_first_not_of(kBlanks, end);
  }
  return true;
}

void LineReader::fail(const std::string& message) const {
  throw GraphError(fmt::format("{}:{}: {}", name_, number_, message));
}

std::int64_t LineReader::count(std::size_t field, std::string_view what) const {
  const auto value = parse<std::int64_t>(fields_[field]);
  if (!value) fail(fmt::format("{} '{}' is not a whole number", what, fields_[field]));
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  if (*value < 0 || *value > kMost) {
    fail(fmt::format("{} {} is out of range: 0 .. {}", what, fields_[field], kMost));
  }
  return *value;
}

std::int32_t LineReader::vertex(std::size_t field, std::int32_t vertices) const {
  const auto value = parse<std::int64_t>(fields_[field]);
  if (!value) fail(fmt::format("vertex '{}' is not a whole number", fields_[field]));
  if (*value < 1 || *value > vertices) {
    fail(fmt::format("vertex {} is out of range: 1 .. {}", fields_[field], vertices));
  }
  return static_cast<std::int32_t>(*value - 1);
}

Distance LineReader::length(std::size_t field) const {
  const auto value = parse<std::int64_t>(fields_[field]);
  if (!value) fail(fmt::format("length '{}' is not a whole number", fields_[field]));
  if (*value < 0) {
    fail(
        fmt::format("length {} is negative; allowed is 0 .. {}", fields_[field], kUnreachable - 1));
  }
  if (*value >= kUnreachable) {
    fail(
        fmt::format("length {} is too long; allowed is 0 .. {}", fields_[field], kUnreachable - 1));
  }
  return static_cast<Distance>(*value);
}

Distance LineReader::real_length(std::size_t field) const {
  const auto value = parse<double>(fields_[field]);
  if (!value || !std::isfinite(*value)) {
    fail(fmt::format("length '{}' is not a number", fields_[field]));
  }
  if (*value < 0.0) {
    fail(
        fmt::format("length {} is negative; allowed is 0 .. {}", fields_[field], kUnreachable - 1));
  }
  if (*value >= kUnreachable) {
    fail(
        fmt::format("length {} is too long; allowed is 0 .. {}", fields_[field], kUnreachable - 1));
  }
  if (*value != std::floor(*value)) {
    fail(fmt::format("length {} is not whole; scale the file to whole numbers", fields_[field]));
  }
  return static_cast<Distance>(*value);
}

}  // namespace mpiactor::asp
