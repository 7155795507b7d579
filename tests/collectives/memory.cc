#include "tests/collectives/memory.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace mpiactor::testing {

namespace {

constexpr std::size_t kGuardBytes = 48;
constexpr std::size_t kAlignment = 16;

}  // namespace

std::vector<int> Blocks::counts(const Form& form) const {
  std::vector<int> counts;
  for (const int n : units) counts.push_back(form.count(n));
  return counts;
}

Blocks equal_blocks(const Form& form, int blocks, int units) {
  Blocks result;
  for (int i = 0; i < blocks; ++i) {
    result.units.push_back(units);
    result.at.push_back(i * form.count(units));
  }
  return result;
}

Blocks place_blocks(const Form& form, std::vector<int> units, Random& random) {
  Blocks result{std::move(units), {}};
  result.at.resize(result.units.size());
  int next = random.below(4);
  for (const int block : random.permutation(static_cast<int>(result.units.size()))) {
    const auto i = static_cast<std::size_t>(block);
    result.at[i] = next;
    // An element may reach beyond its extent: one more between blocks keeps them apart.
    next += form.count(result.units[i]) + 1 + random.below(3);
  }
  return result;
}

Blocks random_blocks(const Form& form, int blocks, int units, Random& random) {
  std::vector<int> chosen;
  for (int i = 0; i < blocks; ++i)
    chosen.push_back(random.one_in(4) ? 0 : random.below(2 * units + 1));
  return place_blocks(form, std::move(chosen), random);
}

Memory::Memory(const Form& form, const Blocks& blocks, Random& random) {
  MPI_Aint lower = 0;
  MPI_Aint upper = 0;
  for (std::size_t i = 0; i < blocks.units.size(); ++i) {
    const int elements = form.count(blocks.units[i]);
    if (elements == 0) continue;
    lower = std::min(lower, blocks.at[i] * form.extent + form.true_lower);
    upper = std::max(upper, (blocks.at[i] + elements - 1) * form.extent + form.true_upper);
  }
  cover(lower, upper, random);
}

Memory::Memory(const Form& form, int units, Random& random)
    : Memory(form, equal_blocks(form, 1, units), random) {}

void Memory::cover(MPI_Aint lower, MPI_Aint upper, Random& random) {
  const std::size_t before = static_cast<std::size_t>(-lower) + kGuardBytes;
  origin_ = (before + kAlignment - 1) / kAlignment * kAlignment;
  const std::size_t words = (origin_ + static_cast<std::size_t>(upper) + kGuardBytes) / 8 + 1;
  bytes_.resize(words * 8);
  for (std::size_t i = 0; i < words; ++i) {
    const std::uint64_t word = random.next();
    std::memcpy(bytes_.data() + i * 8, &word, 8);
  }
}

void Memory::check_equals(const Memory& expected, const Case& at, const char* what) const {
  const auto [mine, other] =
      std::mismatch(bytes_.begin(), bytes_.end(), expected.bytes_.begin(), expected.bytes_.end());
  if (mine == bytes_.end()) return;
  const auto offset = mine - bytes_.begin() - static_cast<std::ptrdiff_t>(origin_);
  fail(at, std::string(what) + " differs from the library's first at byte " +
               std::to_string(offset) +
               " from its origin: " + std::to_string(static_cast<int>(*mine)) + ", not " +
               std::to_string(static_cast<int>(*other)));
}

}  // namespace mpiactor::testing
