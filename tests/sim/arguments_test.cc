#include "sim/arguments.h"

#include <gtest/gtest.h>

#include "sim/machine.h"

namespace mpiactor::sim {
namespace {

TEST(Bytes, WithAndWithoutSuffix) {
  EXPECT_EQ(parse_bytes("1", "x"), 1u);
  EXPECT_EQ(parse_bytes("16K", "x"), 16384u);
  EXPECT_EQ(parse_bytes("16k", "x"), 16384u);
  EXPECT_EQ(parse_bytes("1T", "x"), std::uint64_t{1} << 40);
  for (const char* wrong :
       {"", "0", "K", "-1", "1KB", "1.5K", "2T", "99999999999999999999", " 1"}) {
    EXPECT_THROW(parse_bytes(wrong, "segment"), InputError) << wrong;
  }
}

TEST(Bytes, FormatIsReadBack) {
  for (const std::uint64_t bytes : {1ull, 1000ull, 1024ull, 1536ull, 3ull << 20, 1ull << 40}) {
    EXPECT_EQ(parse_bytes(format_bytes(bytes), "x"), bytes);
  }
  EXPECT_EQ(format_bytes(1536), "1536");
  EXPECT_EQ(format_bytes(1ull << 30), "1G");
}

TEST(Bytes, ListsAndRanges) {
  EXPECT_EQ(parse_byte_list("1K..8K", "bytes"),
            (std::vector<std::uint64_t>{1024, 2048, 4096, 8192}));
  EXPECT_EQ(parse_byte_list("3,1K..3K", "bytes"),
            (std::vector<std::uint64_t>{3, 1024, 2048, 3072}));
  EXPECT_EQ(parse_byte_list("5..5", "bytes"), (std::vector<std::uint64_t>{5}));
  EXPECT_THROW(parse_byte_list("8K..1K", "bytes"), InputError);
  EXPECT_THROW(parse_byte_list("1K,", "bytes"), InputError);
  EXPECT_THROW(parse_byte_list("..", "bytes"), InputError);
}

TEST(ShapeArgument, TorusAndMesh) {
  const inter::Shape shape = parse_shape("8x6mx8");
  EXPECT_EQ(shape.nodes(), 384);
  EXPECT_TRUE(shape.wraps[0]);
  EXPECT_FALSE(shape.wraps[1]);
  EXPECT_EQ(format_shape(shape), "8x6mx8");
  EXPECT_EQ(format_shape(parse_shape("384")), "384");
  EXPECT_EQ(format_shape(parse_shape("64x6x1")), "64x6");
}

TEST(ShapeArgument, ImpossibleShapesNameTheAxis) {
  for (const char* wrong : {"", "x", "8x", "8x0x8", "8x-6", "8x6x8x2", "8*6", "m", "8mm",
                            "2097152x3", "1000000x1000000x1000000", "99999999999"}) {
    EXPECT_THROW(parse_shape(wrong), InputError) << wrong;
  }
  try {
    parse_shape("8x0x8");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("'8x0x8': axis 1 is '0'"), std::string::npos);
  }
}

TEST(Names, UnknownOnesListTheKnown) {
  EXPECT_EQ(parse_collective("bcast"), inter::Collective::kBcast);
  EXPECT_THROW(parse_collective("broadcast"), InputError);
  const inter::Shape shape = parse_shape("4");
  EXPECT_STREQ(parse_algorithm(inter::Collective::kBcast, "chain", shape).name, "chain");
  try {
    parse_algorithm(inter::Collective::kBcast, "smoke", shape);
    FAIL();
  } catch (const InputError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("'smoke'"), std::string::npos) << text;
    EXPECT_NE(text.find("chain"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace mpiactor::sim
