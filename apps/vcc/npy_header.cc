#include "apps/vcc/npy_header.h"

#include <fmt/core.h>

#include <charconv>
#include <set>

#include "apps/vcc/data_table.h"

namespace mpiactor::vcc {
namespace {

constexpr std::int64_t kPreambleBytes = 8;  // magic and version
// NumPy's own limit for headers that it does not trust.
constexpr std::uint64_t kLargestHeader = 10'000;

[[noreturn]] void fail(const std::string& name, std::int64_t offset, const std::string& message) {
  throw DataError(fmt::format("{}: offset {}: {}", name, offset, message));
}

std::string read_bytes(std::istream& input, const std::string& name, std::int64_t offset,
                       std::uint64_t bytes, std::string_view what) {
  std::string text(bytes, '\0');
  input.read(text.data(), static_cast<std::streamsize>(bytes));
  if (input.bad()) fail(name, offset, "cannot be read");
  if (input.gcount() != static_cast<std::streamsize>(bytes)) {
    fail(name, offset + input.gcount(), fmt::format("the file ends inside its {}", what));
  }
  return text;
}

// The Python dictionary of the header: as much of the language as NumPy writes there.
class Dictionary {
 public:
  Dictionary(const std::string& name, std::int64_t offset, std::string_view text)
      : name_(name), offset_(offset), text_(text) {}

  NpyHeader parse() {
    NpyHeader header;
    std::set<std::string> keys;
    expect('{');
    while (!accept('}')) {
      const std::string key = quoted();
      expect(':');
      if (key == "descr") {
        header.descr = descr();
      } else if (key == "fortran_order") {
        header.fortran_order = boolean();
      } else if (key == "shape") {
        header.shape = tuple();
      } else {
        refuse(fmt::format("key '{}'; allowed are descr, fortran_order and shape", key));
      }
      if (!keys.insert(key).second) refuse(fmt::format("key '{}' a second time", key));
      if (!accept(',') && peek() != '}') refuse("neither ',' nor '}' after an entry");
    }
    for (const char* key : {"descr", "fortran_order", "shape"}) {
      if (!keys.contains(key)) refuse(fmt::format("no key '{}' up to the end", key));
    }
    if (peek() != '\0') refuse("more text after the dictionary");
    return header;
  }

 private:
  [[noreturn]] void refuse(const std::string& message) const {
    fail(name_, offset_ + static_cast<std::int64_t>(at_), "header: " + message);
  }

  // The next character that is no blank; '\0' at the end.
  char peek() {
    at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size());
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) refuse(fmt::format("no '{}'", c));
  }

  std::string quoted() {
    const char mark = peek();
    if (mark != '\'' && mark != '"') refuse("no quoted text");
    const std::size_t end = text_.find(mark, at_ + 1);
    if (end == std::string_view::npos) refuse("quoted text without an end");
    const std::string_view inside = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return std::string(inside);
  }

  std::string descr() {
    if (peek() == '[') refuse("descr is a structure; allowed are '<f8' and '<f4'");
    return quoted();
  }

  bool boolean() {
    peek();
    for (const auto& [word, value] : {std::pair{"True", true}, std::pair{"False", false}}) {
      if (!text_.substr(at_).starts_with(word)) continue;
      at_ += std::string_view(word).size();
      return value;
    }
    refuse("fortran_order is neither True nor False");
  }

  std::vector<std::int64_t> tuple() {
    std::vector<std::int64_t> numbers;
    expect('(');
    while (!accept(')')) {
      peek();
      std::int64_t number = 0;
      const auto [stop, error] =
          std::from_chars(text_.data() + at_, text_.data() + text_.size(), number);
      if (error != std::errc() || number < 0) refuse("shape holds no whole number of 64 bits");
      at_ = static_cast<std::size_t>(stop - text_.data());
      numbers.push_back(number);
      if (!accept(',') && peek() != ')') refuse("neither ',' nor ')' after a number");
    }
    return numbers;
  }

  const std::string& name_;
  std::int64_t offset_;
  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

NpyHeader read_npy_header(std::istream& input, const std::string& name) {
  const std::string preamble = read_bytes(input, name, 0, kPreambleBytes, "magic");
  if (!preamble.starts_with(kNpyMagic)) fail(name, 0, "does not start with NumPy's magic");
  const int version = static_cast<unsigned char>(preamble[6]);
  if (version < 1 || version > 3) {
    fail(name, 6, fmt::format("format version {}; allowed are 1 .. 3", version));
  }
  const std::uint64_t length_bytes = version == 1 ? 2 : 4;
  const std::string length = read_bytes(input, name, kPreambleBytes, length_bytes, "header");
  std::uint64_t header_bytes = 0;
  for (std::size_t i = 0; i < length.size(); ++i) {
    header_bytes |= std::uint64_t{static_cast<unsigned char>(length[i])} << (8 * i);
  }
  if (header_bytes > kLargestHeader) {
    fail(name, kPreambleBytes,
         fmt::format("header of {} bytes; allowed are at most {}", header_bytes, kLargestHeader));
  }
  const std::int64_t offset = kPreambleBytes + static_cast<std::int64_t>(length_bytes);
  const std::string text = read_bytes(input, name, offset, header_bytes, "header");
  NpyHeader header = Dictionary(name, offset, text).parse();
  header.data_offset = offset + static_cast<std::int64_t>(header_bytes);
  return header;
}

std::string npy_header(std::int64_t rows, std::int64_t columns) {
  constexpr std::size_t kAlignment = 64;
  std::string text =
      fmt::format("{{'descr': '<f8', 'fortran_order': False, 'shape': ({}, {}), }}", rows, columns);
  const std::size_t unpadded = kPreambleBytes + 2 + text.size() + 1;
  text.append((kAlignment - unpadded % kAlignment) % kAlignment, ' ');
  text.push_back('\n');
  std::string header(kNpyMagic);
  header +=
      {'\1', '\0', static_cast<char>(text.size() & 0xff), static_cast<char>(text.size() >> 8)};
  return header + text;
}

}  // namespace mpiactor::vcc
