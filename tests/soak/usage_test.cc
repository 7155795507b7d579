#include "tests/soak/usage.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <vector>

namespace mpiactor::soak {
namespace {

constexpr Allowed kAllowed{1 << 10, 1 << 10};

TEST(Usage, NothingHasGrown) {
  const Usage before = usage_now();
  EXPECT_EQ(growth(before, usage_now(), kAllowed), "");
}

TEST(Usage, SeesMemoryInUseAndNotWhatWasFreed) {
  const Usage before = usage_now();
  {
    std::vector<char> touched(16 << 20, 'x');
    EXPECT_NE(growth(before, usage_now(), kAllowed).find("private memory"), std::string::npos);
    EXPECT_EQ(growth(before, usage_now(), {32 << 10, 0}), "");
    EXPECT_EQ(touched.back(), 'x');
  }
  EXPECT_EQ(growth(before, usage_now(), kAllowed), "");
}

TEST(Usage, SeesSharedMemoryInUseAndNotWhatWasUnmapped) {
  constexpr std::size_t kBytes = 16 << 20;
  const Usage before = usage_now();
  void* const shared =
      mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(shared, MAP_FAILED);
  std::memset(shared, 'x', kBytes);
  EXPECT_NE(growth(before, usage_now(), kAllowed).find("shared memory"), std::string::npos);
  EXPECT_EQ(growth(before, usage_now(), {1 << 10, 32 << 10}), "");
  munmap(shared, kBytes);
  EXPECT_EQ(growth(before, usage_now(), kAllowed), "");
}

TEST(Usage, SeesOneDescriptor) {
  const Usage before = usage_now();
  const int descriptor = open("/dev/null", O_RDONLY);
  ASSERT_GE(descriptor, 0);
  EXPECT_EQ(usage_now().descriptors, before.descriptors + 1);
  EXPECT_NE(growth(before, usage_now(), kAllowed).find("descriptors"), std::string::npos);
  close(descriptor);
  EXPECT_EQ(growth(before, usage_now(), kAllowed), "");
}

TEST(Usage, SeesManyMappings) {
  constexpr int kMappings = 20;
  constexpr std::size_t kPage = 4096;
  const Usage before = usage_now();
  std::vector<void*> mapped;
  for (int i = 0; i < kMappings; ++i) {
    // Shared ones of their own are not joined to neighbours.
    mapped.push_back(mmap(nullptr, kPage, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    ASSERT_NE(mapped.back(), MAP_FAILED);
  }
  EXPECT_NE(growth(before, usage_now(), kAllowed).find("mappings"), std::string::npos);
  for (void* const address : mapped) munmap(address, kPage);
  EXPECT_EQ(growth(before, usage_now(), kAllowed), "");
}

}  // namespace
}  // namespace mpiactor::soak
