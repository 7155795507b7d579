// Where MPIACTOR_TORUS puts the nodes of a communicator.
#include "actor/container/torus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace mpiactor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kFile = "shape 2x2\na 0 0\nb 1 0\nc 0 1\nd 1 1\n";

std::vector<int> positions(const inter::TorusView& view) {
  std::vector<int> found;
  for (int node = 0; node < view.shape.nodes(); ++node) found.push_back(view.position_of(node));
  return found;
}

std::string error_of_check(const Torus& torus, int nodes) {
  try {
    const std::string misfit = torus.check(nodes);
    return misfit.empty() ? "no error" : "a line: " + misfit;
  } catch (const std::exception& error) {
    return error.what();
  }
}

Torus by_file(const std::vector<std::string>& hosts) {
  Torus torus = Torus::parse("file:coords", kFile);
  torus.set_hosts(hosts);
  return torus;
}

TEST(Torus, ShapesNeedNoTable) {
  const Torus torus = Torus::parse("2x3", "");
  EXPECT_EQ(torus.table_ints(), 0u);
  EXPECT_EQ(error_of_check(torus, 6), "no error");
  EXPECT_EQ(error_of_check(torus, 5), "has 6 positions, but the job has 5 nodes");
  EXPECT_EQ(text_of(torus.view(std::vector<int>{0, 1, 2, 3, 4, 5}).shape), "2x3");
  EXPECT_EQ(text_of(torus.view(std::vector<int>{0, 2, 4}).shape), "3");
  EXPECT_EQ(text_of(Torus::parse("auto", "").view(std::vector<int>{0, 1, 2, 3}).shape), "2x2");
}

TEST(Torus, AFilePlacesNodesByTheirHosts) {
  const Torus torus = by_file({"d", "a", "c", "b"});
  EXPECT_EQ(error_of_check(torus, 4), "no error");
  EXPECT_THAT(positions(torus.view(std::vector<int>{0, 1, 2, 3})), ElementsAre(3, 0, 2, 1));
  // Nodes of a communicator: c, d, a, b.
  EXPECT_THAT(positions(torus.view(std::vector<int>{2, 0, 1, 3})), ElementsAre(2, 3, 0, 1));
  // a and d fill no box.
  EXPECT_EQ(text_of(torus.view(std::vector<int>{0, 1}).shape), "2");
}

TEST(Torus, AJobThatFillsNoBoxIsALine) {
  const Torus torus = by_file({"a", "c", "d"});
  EXPECT_THAT(error_of_check(torus, 3), HasSubstr("a line: coords: the 3 hosts do not fill"));
  EXPECT_EQ(text_of(torus.view(std::vector<int>{0, 1, 2}).shape), "3");
  EXPECT_EQ(text_of(torus.view(std::vector<int>{0, 1}).shape), "1mx2");
}

TEST(Torus, AFileWithoutAHostIsAnError) {
  EXPECT_THAT(error_of_check(by_file({"a", "b", "c", "elsewhere"}), 4),
              HasSubstr("no coordinates for host 'elsewhere'"));
  EXPECT_THROW(Torus::parse("file:coords", "a x\n"), std::invalid_argument);
}

TEST(Torus, ItsTextMayLieInSharedMemory) {
  Torus first = by_file({"d", "a", "c", "b"});
  Torus other = by_file({"d", "a", "c", "b"});
  ASSERT_GT(first.table_ints(), 0u);
  std::vector<int> shared(first.table_ints() + 1, -7);
  EXPECT_EQ(first.move_table(shared.data(), true), shared.data() + first.table_ints());
  EXPECT_EQ(shared.back(), -7);
  other.move_table(shared.data(), false);
  const Torus moved = std::move(other);
  EXPECT_THAT(positions(moved.view(std::vector<int>{0, 1, 2, 3})), ElementsAre(3, 0, 2, 1));
}

}  // namespace
}  // namespace mpiactor
