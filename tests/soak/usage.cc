#include "tests/soak/usage.h"

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace mpiactor::soak {

namespace {

// Large buffers that the allocator happens to keep have mappings of their own.
constexpr std::uint64_t kMappingsOfAllocator = 16;

std::uint64_t resident_kb() {
  std::ifstream statm("/proc/self/statm");
  std::uint64_t size_pages = 0;
  std::uint64_t resident_pages = 0;
  statm >> size_pages >> resident_pages;
  return resident_pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) / 1024;
}

std::uint64_t descriptors() {
  const std::filesystem::directory_iterator open("/proc/self/fd");
  return static_cast<std::uint64_t>(std::distance(begin(open), end(open))) - 1;  // its own
}

std::uint64_t mappings() {
  std::ifstream maps("/proc/self/maps");
  return static_cast<std::uint64_t>(
      std::count(std::istreambuf_iterator<char>(maps), std::istreambuf_iterator<char>(), '\n'));
}

std::string exceeds(const char* what, std::uint64_t before, std::uint64_t now) {
  return std::string(what) + " grew from " + std::to_string(before) + " to " + std::to_string(now);
}

}  // namespace

Usage usage_now() {
  malloc_trim(0);
  return {resident_kb(), descriptors(), mappings()};
}

Usage most_of(const Usage& one, const Usage& other) {
  return {std::max(one.resident_kb, other.resident_kb),
          std::max(one.descriptors, other.descriptors), std::max(one.mappings, other.mappings)};
}

std::string describe(const Usage& usage) {
  return std::to_string(usage.resident_kb) + " kB resident, " + std::to_string(usage.descriptors) +
         " descriptors, " + std::to_string(usage.mappings) + " mappings";
}

std::string growth(const Usage& before, const Usage& now, std::uint64_t growth_kb) {
  if (now.resident_kb > before.resident_kb + growth_kb)
    return exceeds("resident memory (kB)", before.resident_kb, now.resident_kb);
  if (now.descriptors > before.descriptors)
    return exceeds("descriptors", before.descriptors, now.descriptors);
  if (now.mappings > before.mappings + kMappingsOfAllocator)
    return exceeds("mappings", before.mappings, now.mappings);
  return {};
}

}  // namespace mpiactor::soak
