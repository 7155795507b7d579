#include "tests/differential/draft.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace differential {

namespace {

constexpr std::int64_t kKiB = 1024;
constexpr std::int64_t kUsualBytes = 2048 * kKiB;
constexpr std::int64_t kMostBytes = 8192 * kKiB;

// Addresses that lead to nothing.
void* senseless_address(Random& random) {
  static char somewhere = 0;
  static const std::array<void*, 3> kAddresses = {nullptr, reinterpret_cast<void*>(24), &somewhere};
  return kAddresses[static_cast<std::size_t>(random.below(3))];
}

}  // namespace

std::int64_t draw_bytes(Random& random, int blocks) {
  static constexpr std::array<std::int64_t, 6> kSmallLimits = {2, 2, 4, 8, 16, 64};
  static constexpr std::array<std::int64_t, 4> kLargeLimits = {128, 256, 512, 1024};
  const int kind = random.below(100);
  const std::int64_t off = random.between(-17, 17);
  const bool for_all_blocks = random.one_in(3);
  const std::int64_t divisor = for_all_blocks ? blocks : 1;
  std::int64_t bytes = 0;
  if (kind < 5) {
    bytes = 0;
  } else if (kind < 50) {
    bytes = random.between(1, 600);
  } else if (kind < 75) {
    bytes = (kSmallLimits[static_cast<std::size_t>(random.below(6))] * kKiB + off) / divisor;
  } else if (kind < 82) {
    bytes = (kLargeLimits[static_cast<std::size_t>(random.below(4))] * kKiB + off) / divisor;
  } else if (kind == 99 && random.one_in(2)) {
    return std::min(4096 * kKiB + off, kMostBytes / blocks);
  } else {
    bytes = random.between(1, 40000) / divisor;
  }
  return std::max<std::int64_t>(0, std::min(bytes, kUsualBytes / blocks));
}

Draft::Draft(Step& at, const Communicator& communicator)
    : step(at), on(communicator), size(on.size()), rank(on.rank) {
  static constexpr std::array<int, 9> kGrains = {1, 1, 1, 2, 3, 4, 12, 24, 60};
  root = step.shared.below(size);
  is_root = rank == root;
  wants_in_place = step.shared.one_in(4);
  unit = static_cast<Unit>(step.shared.below(kUnits));
  grain = kGrains[static_cast<std::size_t>(step.shared.below(9))];
  if (!step.has("types")) {
    if (unit == Unit::kMixed) unit = Unit::kInt;
    grain = 1;
  }
}

std::int64_t Draft::draw_units(int blocks) {
  const std::int64_t bytes = draw_bytes(step.shared, blocks);
  const std::int64_t units = bytes / unit_bytes(unit);
  return units / grain * grain;
}

Units Draft::draw_several(int blocks) {
  const std::int64_t most = draw_units(blocks) / grain;
  const bool equal = step.shared.one_in(4);
  const bool some_empty = step.shared.one_in(2);
  const int only = step.shared.one_in(8) ? step.shared.below(blocks) : -1;
  Units units;
  for (int i = 0; i < blocks; ++i) {
    const std::int64_t part = equal ? most : step.shared.below(static_cast<int>(2 * most) + 1);
    const bool empty = (step.shared.one_in(3) && some_empty) || (only >= 0 && only != i);
    units.push_back(empty ? 0 : part * grain);
  }
  return units;
}

Layout Draft::draw_layout(Random& random) const {
  std::vector<int> divisors;
  for (int d = 1; d <= grain; ++d)
    if (grain % d == 0) divisors.push_back(d);
  const int units = random.one_in(3) ? 1 : random.pick(divisors);
  const bool plain = random.one_in(4);
  Layout layout = random_layout(unit, plain ? 1 : units, random, step.has("large_counts"));
  if (step.has("types")) return layout;
  static const std::array<MPI_Datatype, 5> kTypes = {MPI_BYTE, MPI_SHORT, MPI_INT, MPI_LONG,
                                                     MPI_DOUBLE};
  return predefined_layout(kTypes[static_cast<std::size_t>(unit)], unit_bytes(unit), "predefined");
}

std::int64_t Draft::elements(const Layout& layout, std::int64_t units) const {
  return units * unit_bytes(unit) / layout.bytes;
}

Units Draft::elements(const Layout& layout, const Units& units) const {
  Units counts;
  for (const std::int64_t block : units) counts.push_back(elements(layout, block));
  return counts;
}

Buffer Draft::row(Layout layout, const Units& units) const {
  std::vector<Block> blocks = blocks_in_a_row(elements(layout, units));
  return Buffer(std::move(layout), std::move(blocks));
}

Buffer Draft::scattered(Layout layout, const Units& units) const {
  // MPICH 4.0 takes no notice of the displacement in an allgatherv of one rank.
  std::vector<Block> blocks = size == 1 ? blocks_in_a_row(elements(layout, units))
                                        : scattered_blocks(elements(layout, units), step.own);
  return Buffer(std::move(layout), std::move(blocks));
}

Argument Draft::pass(Buffer& buffer, std::int64_t units) const {
  const bool absolute = step.own.one_in(6) && step.has("absolute");
  const bool senseless = step.own.one_in(3) && step.has("junk");
  void* const address = senseless_address(step.own);
  step.own_text += fmt::format("{}{}{}", step.own_text.empty() ? "" : " -> ", buffer.layout().text,
                               absolute ? " absolute" : "");
  Argument argument;
  argument.count = Count{elements(buffer.layout(), units)};
  if (absolute) buffer.make_absolute();
  argument.address = buffer.address();
  argument.type = buffer.type();
  const bool is_empty = std::all_of(buffer.blocks().begin(), buffer.blocks().end(),
                                    [](const Block& block) { return block.count == 0; });
  if (is_empty && senseless) argument.address = address;
  return argument;
}

Argument Draft::in_place() const {
  static const std::array<MPI_Datatype, 3> kTypes = {MPI_INT, MPI_DATATYPE_NULL, MPI_CHAR};
  step.own_text += "in place";
  Argument argument;
  argument.address = MPI_IN_PLACE;
  const int type = step.own.below(3);
  const int count = step.own.below(3) - 1;
  if (step.has("junk")) {
    argument.count = Count{count};
    argument.type = kTypes[static_cast<std::size_t>(type)];
  } else {
    argument.type = MPI_INT;
  }
  return argument;
}

Argument Draft::junk(Buffer& buffer) const {
  const int count = step.own.below(5);
  const bool null_type = step.own.one_in(3);
  const int which = step.own.below(3);
  const Layout layout = draw_layout(step.own);
  void* const address = senseless_address(step.own);
  Argument argument;
  argument.type = MPI_INT;
  if (!step.has("junk")) return argument;
  if (null_type) argument.type = MPI_DATATYPE_NULL;
  argument.count = Count{count == 0 ? -7 : 1000000 * count};
  if (which == 0) {
    buffer = Buffer(layout, {{grain, 0}});
    argument.address = buffer.address();
    if (!null_type) argument.type = buffer.type();
  } else {
    argument.address = address;
  }
  step.own_text += " (junk)";
  return argument;
}

std::string Draft::sizes(std::int64_t units) const {
  static const std::array<const char*, kUnits> kNames = {"byte", "short",  "int",
                                                         "long", "double", "mixed"};
  return fmt::format("{} {} ({} bytes)", units, kNames[static_cast<std::size_t>(unit)],
                     units * unit_bytes(unit));
}

}  // namespace differential
