#include "bench/byte_size.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace mpiactor::bench {
namespace {

TEST(ByteSize, ReadsPlainNumbersAndSuffixes) {
  EXPECT_EQ(parse_byte_size("1"), 1);
  EXPECT_EQ(parse_byte_size("1000"), 1000);
  EXPECT_EQ(parse_byte_size("64K"), 65536);
  EXPECT_EQ(parse_byte_size("3k"), 3072);
  EXPECT_EQ(parse_byte_size("16M"), 16777216);
  EXPECT_EQ(parse_byte_size("1G"), 1073741824);
  EXPECT_EQ(parse_byte_size("2147483647"), kMaxMessageBytes);
}

TEST(ByteSize, RefusesWhatIsNoSizeAndNamesIt) {
  for (const char* text : {"", "0", "-8", "K", "1X", "1KB", "1.5M", " 8", "2G", "2147483648",
                           "99999999999999999999", "9223372036854775807G"}) {
    try {
      parse_byte_size(text);
      ADD_FAILURE() << "accepted '" << text << "'";
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find("'" + std::string(text) + "'"), std::string::npos);
    }
  }
}

TEST(ByteSize, ReadsListsInOrder) {
  EXPECT_EQ(parse_byte_sizes("1M"), (std::vector<std::int64_t>{1048576}));
  EXPECT_EQ(parse_byte_sizes("64K,8,1K"), (std::vector<std::int64_t>{65536, 8, 1024}));
  EXPECT_THROW(parse_byte_sizes(""), std::invalid_argument);
  EXPECT_THROW(parse_byte_sizes("1K,"), std::invalid_argument);
  EXPECT_THROW(parse_byte_sizes("1K,,8"), std::invalid_argument);
}

TEST(ByteSize, FormatsAsItReads) {
  EXPECT_EQ(format_byte_size(8), "8");
  EXPECT_EQ(format_byte_size(1000), "1000");
  EXPECT_EQ(format_byte_size(65536), "64K");
  EXPECT_EQ(format_byte_size(1536), "1536");
  EXPECT_EQ(format_byte_size(1048576), "1M");
  EXPECT_EQ(format_byte_size(1073741824), "1G");
}

}  // namespace
}  // namespace mpiactor::bench
