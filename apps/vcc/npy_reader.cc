#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <vector>

#include "apps/vcc/data_readers.h"
#include "apps/vcc/npy_header.h"

namespace mpiactor::vcc {
namespace {

static_assert(std::endian::native == std::endian::little, "allowed types are little-endian");

// What the reader needs to know about the file, checked.
struct Layout {
  NpyHeader header;
  std::int64_t entry_bytes = 0;
  std::int64_t observations = 0;
  std::int64_t variables = 0;

  // Entries that lie side by side (a row in C order), and how many such lines there are.
  std::int64_t line_entries() const { return header.fortran_order ? observations : variables; }
  std::int64_t lines() const { return header.fortran_order ? variables : observations; }
};

[[noreturn]] void fail(const std::string& name, std::int64_t offset, const std::string& message) {
  throw DataError(fmt::format("{}: offset {}: {}", name, offset, message));
}

std::int64_t file_bytes(std::istream& input, const std::string& name) {
  const auto here = input.tellg();
  input.seekg(0, std::ios::end);
  const auto bytes = static_cast<std::int64_t>(input.tellg());
  input.seekg(here);
  if (!input || bytes < 0) throw DataError(fmt::format("{}: cannot be read", name));
  return bytes;
}

// No announced shape may make the reader take memory that the file does not back.
void check_size(std::istream& input, const std::string& name, const Layout& layout) {
  const std::int64_t offset = layout.header.data_offset;
  const std::int64_t bytes = file_bytes(input, name);
  // Both factors are below 2^31 and an entry has at most 8 bytes: below 2^65, so a real number.
  const double wanted = static_cast<double>(layout.observations) *
                        static_cast<double>(layout.variables) *
                        static_cast<double>(layout.entry_bytes);
  if (static_cast<double>(bytes - offset) == wanted) return;
  const std::string shape =
      fmt::format("shape ({}, {}) of {} takes {:.0f} bytes from offset {}", layout.header.shape[0],
                  layout.header.shape[1], layout.header.descr, wanted, offset);
  if (static_cast<double>(bytes - offset) < wanted) {
    fail(name, bytes, fmt::format("the file ends after {} bytes; {}", bytes - offset, shape));
  }
  fail(name, offset + static_cast<std::int64_t>(wanted),
       fmt::format("{} more bytes; {}", static_cast<double>(bytes - offset) - wanted, shape));
}

Layout read_layout(std::istream& input, const std::string& name) {
  Layout layout;
  layout.header = read_npy_header(input, name);
  const NpyHeader& header = layout.header;
  if (header.descr == "<f8") {
    layout.entry_bytes = 8;
  } else if (header.descr == "<f4") {
    layout.entry_bytes = 4;
  } else {
    fail(name, 0,
         fmt::format("dtype '{}'; allowed are '<f8' (float64) and '<f4' (float32), little-endian",
                     header.descr));
  }
  if (header.shape.size() != 2) {
    fail(
        name, 0,
        fmt::format("{} dimensions; allowed are 2, observations x variables", header.shape.size()));
  }
  layout.observations = header.shape[0];
  layout.variables = header.shape[1];
  check_shape(name, layout.observations, layout.variables);
  check_size(input, name, layout);
  return layout;
}

// Entry by entry, since the buffer's alignment is not that of a number.
double entry(const char* bytes, std::int64_t entry_bytes) {
  if (entry_bytes == 4) {
    float value = 0.0F;
    std::memcpy(&value, bytes, sizeof(value));
    return value;
  }
  double value = 0.0;
  std::memcpy(&value, bytes, sizeof(value));
  return value;
}

}  // namespace

DataTable read_npy(std::istream& input, const std::string& name) {
  const Layout layout = read_layout(input, name);
  DataTable table;
  table.observations = layout.observations;
  table.variables = static_cast<std::int32_t>(layout.variables);
  table.values.resize(static_cast<std::size_t>(layout.observations * layout.variables));

  // Steps between entries of a line, and between lines, in the table's column-major order.
  const std::int64_t entry_step = layout.header.fortran_order ? 1 : layout.observations;
  const std::int64_t line_step = layout.header.fortran_order ? layout.observations : 1;
  std::vector<char> line(static_cast<std::size_t>(layout.line_entries() * layout.entry_bytes));
  for (std::int64_t i = 0; i < layout.lines(); ++i) {
    const std::int64_t offset =
        layout.header.data_offset + i * static_cast<std::int64_t>(line.size());
    input.read(line.data(), static_cast<std::streamsize>(line.size()));
    if (!input) fail(name, offset + input.gcount(), "cannot be read further");
    for (std::int64_t k = 0; k < layout.line_entries(); ++k) {
      const double value =
          entry(&line[static_cast<std::size_t>(k * layout.entry_bytes)], layout.entry_bytes);
      if (!is_allowed(value)) {
        fail(name, offset + k * layout.entry_bytes,
             fmt::format("{} is out of range: -{:g} .. {:g}", value, kLargestValue, kLargestValue));
      }
      table.values[static_cast<std::size_t>(i * line_step + k * entry_step)] = value;
    }
  }
  return table;
}

}  // namespace mpiactor::vcc
