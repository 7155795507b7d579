#include "tests/soak/usage.h"

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace mpiactor::soak {

namespace {

// Large buffers that the allocator happens to keep have mappings of their own.
constexpr std::uint64_t kMappingsOfAllocator = 16;

// A line of /proc/self/status: "RssShmem:	    1234 kB".
std::uint64_t status_kb(const std::string& name) {
  std::ifstream status("/proc/self/status");
  std::string word;
  std::uint64_t kb = 0;
  while (status >> word)
    if (word == name + ":" && status >> kb) return kb;
  throw std::runtime_error("/proc/self/status has no " + name);
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
  return {status_kb("RssAnon") + status_kb("RssFile"), status_kb("RssShmem"), descriptors(),
          mappings()};
}

Usage most_of(const Usage& one, const Usage& other) {
  return {std::max(one.private_kb, other.private_kb), std::max(one.shared_kb, other.shared_kb),
          std::max(one.descriptors, other.descriptors), std::max(one.mappings, other.mappings)};
}

std::string describe(const Usage& usage) {
  return std::to_string(usage.private_kb) + " kB private, " + std::to_string(usage.shared_kb) +
         " kB shared, " + std::to_string(usage.descriptors) + " descriptors, " +
         std::to_string(usage.mappings) + " mappings";
}

std::string growth(const Usage& before, const Usage& now, const Allowed& allowed) {
  if (now.private_kb > before.private_kb + allowed.private_kb)
    return exceeds("private memory (kB)", before.private_kb, now.private_kb);
  if (now.shared_kb > before.shared_kb + allowed.shared_kb)
    return exceeds("shared memory (kB)", before.shared_kb, now.shared_kb);
  if (now.descriptors > before.descriptors)
    return exceeds("descriptors", before.descriptors, now.descriptors);
  if (now.mappings > before.mappings + kMappingsOfAllocator)
    return exceeds("mappings", before.mappings, now.mappings);
  return {};
}

}  // namespace mpiactor::soak
