#include <csv.h>
#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <exception>
#include <limits>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/vcc/data_readers.h"

namespace mpiactor::vcc {
namespace {

bool equal_but_for_case(std::string_view a, std::string_view lower) {
  return std::equal(a.begin(), a.end(), lower.begin(), lower.end(), [](char x, char y) {
    return (x >= 'A' && x <= 'Z' ? static_cast<char>(x - 'A' + 'a') : x) == y;
  });
}

bool is_missing(std::string_view field) {
  return field.empty() || equal_but_for_case(field, "na") || equal_but_for_case(field, "nan");
}

// Empty where `field` is no number at all. Beyond the type: infinity, or zero where it is too
// small.
std::optional<double> number_in(std::string_view field) {
  if (field.starts_with("+-")) return std::nullopt;
  if (field.starts_with('+')) field.remove_prefix(1);
  double value = 0.0;
  const char* end = field.data() + field.size();
  const auto [stop, error] = std::from_chars(field.data(), end, value);
  if (stop != end || error == std::errc::invalid_argument || std::isnan(value)) return std::nullopt;
  if (error == std::errc::result_out_of_range) {
    return std::strtod(std::string(field).c_str(), nullptr);
  }
  return value;
}

// A field in an error message: short and printable, whatever the file holds.
std::string shown(std::string_view field) {
  constexpr std::size_t kMost = 40;
  std::string text(field.substr(0, kMost));
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < ' ' || c == 127) c = '?';
  }
  return field.size() > kMost ? text + "..." : text;
}

// Takes the rows that the library finds. What it throws must not pass through the library, which is
// C, so that callbacks keep an exception for `rethrow`.
class Rows {
 public:
  explicit Rows(const std::string& name) : name_(name) {}

  void at_line(std::int64_t line) { line_ = line; }
  std::int64_t ended() const { return ended_; }

  static void on_field(void* text, std::size_t bytes, void* self) {
    static_cast<Rows*>(self)->guarded([&](Rows& rows) {
      rows.add_field({static_cast<const char*>(text), bytes});
    });
  }
  static void on_row(int /*terminator*/, void* self) {
    static_cast<Rows*>(self)->guarded([](Rows& rows) { rows.end_row(); });
  }
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

  [[noreturn]] void fail(const std::string& message) const {
    throw DataError(fmt::format("{}:{}: {}", name_, line_, message));
  }

  DataTable table() &&;

 private:
  template <typename Step>
  void guarded(Step&& step) noexcept {
    if (failure_) return;
    try {
      step(*this);
    } catch (...) {
      failure_ = std::current_exception();
    }
  }

  void add_field(std::string_view text) {
    if (used_ == fields_.size()) fields_.emplace_back();
    fields_[used_++].assign(text);
  }

  void end_row() {
    ++ended_;
    const bool is_first = width_ == 0;
    if (is_first) width_ = used_;
    if (used_ != width_) {
      fail(fmt::format("{} fields; allowed are {}, as in the first row", used_, width_));
    }
    if (is_first && is_header()) {
      names_.assign(fields_.begin(), fields_.begin() + static_cast<std::ptrdiff_t>(used_));
    } else {
      for (std::size_t i = 0; i < used_; ++i) values_.push_back(value(i));
    }
    used_ = 0;
  }

  bool is_header() const {
    bool any_name = false;
    for (std::size_t i = 0; i < used_; ++i) {
      if (number_in(fields_[i])) return false;
      any_name = any_name || !is_missing(fields_[i]);
    }
    return any_name;
  }

  double value(std::size_t index) const {
    const std::string& field = fields_[index];
    if (is_missing(field)) return std::numeric_limits<double>::quiet_NaN();
    const std::optional<double> number = number_in(field);
    if (!number) {
      fail(fmt::format("field {}: '{}' is not a number; missing is an empty field, NA or NaN",
                       index + 1, shown(field)));
    }
    if (!is_allowed(*number)) {
      fail(fmt::format("field {}: {} is out of range: -{:g} .. {:g}", index + 1, shown(field),
                       kLargestValue, kLargestValue));
    }
    return *number;
  }

  const std::string& name_;
  std::int64_t line_ = 0;
  std::int64_t ended_ = 0;  // rows, blank lines apart
  std::exception_ptr failure_;
  std::vector<std::string> fields_;  // of the current row; `used_` of them
  std::size_t used_ = 0;
  std::size_t width_ = 0;
  std::vector<std::string> names_;
  std::vector<double> values_;  // row by row
};

DataTable Rows::table() && {
  if (width_ == 0) throw DataError(fmt::format("{}: no rows up to the end of the file", name_));
  DataTable table;
  const std::size_t rows = values_.size() / width_;
  check_shape(name_, static_cast<std::int64_t>(rows), static_cast<std::int64_t>(width_));
  table.observations = static_cast<std::int64_t>(rows);
  table.variables = static_cast<std::int32_t>(width_);
  table.names = std::move(names_);
  table.values.resize(values_.size());
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < width_; ++column) {
      table.values[column * rows + row] = values_[row * width_ + column];
    }
  }
  return table;
}

// The library's parser; feeds `rows`.
class Parser {
 public:
  explicit Parser(Rows& rows) : rows_(rows) { csv_init(&parser_, CSV_STRICT | CSV_STRICT_FINI); }
  ~Parser() { csv_free(&parser_); }
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;

  // `line` ends with a newline.
  void feed(const std::string& line) {
    const std::int64_t ended = rows_.ended();
    const std::size_t taken =
        csv_parse(&parser_, line.data(), line.size(), Rows::on_field, Rows::on_row, &rows_);
    rows_.rethrow();
    if (taken != line.size()) {
      if (csv_error(&parser_) != CSV_EPARSE) throw std::bad_alloc();
      rows_.fail("a quotation mark inside a field; allowed is a field in a pair of them");
    }
    const bool is_blank = line.find_first_not_of(" \t\r\n") == std::string::npos;
    if (!is_blank && rows_.ended() == ended) {
      rows_.fail("a quoted field does not end on its line");
    }
  }

 private:
  Rows& rows_;
  csv_parser parser_{};
};

}  // namespace

DataTable read_csv(std::istream& input, const std::string& name) {
  Rows rows(name);
  Parser parser(rows);
  std::string line;
  for (std::int64_t number = 1; std::getline(input, line); ++number) {
    constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
    if (number == 1 && line.starts_with(kByteOrderMark)) line.erase(0, kByteOrderMark.size());
    line.push_back('\n');
    rows.at_line(number);
    parser.feed(line);
  }
  if (input.bad()) throw DataError(fmt::format("{}: cannot be read", name));
  return std::move(rows).table();
}

}  // namespace mpiactor::vcc
