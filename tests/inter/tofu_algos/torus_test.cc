#include "inter/tofu_algos/torus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace mpiactor::inter {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(ParseShape, ExtentsAndMeshes) {
  const Shape shape = parse_shape("8mx6x8");
  EXPECT_THAT(shape.extent, ElementsAre(8, 6, 8));
  EXPECT_THAT(shape.wraps, ElementsAre(false, true, true));
  EXPECT_EQ(text_of(shape), "8mx6x8");
  EXPECT_THAT(parse_shape("384").extent, ElementsAre(384, 1, 1));
  EXPECT_EQ(text_of(parse_shape("64x6")), "64x6");
  EXPECT_EQ(text_of(parse_shape("1x1x5m")), "1x1x5m");
}

TEST(ParseShape, RefusesWithTheValueAndWhatIsAllowed) {
  for (const char* bad : {"", "x", "8x", "0x6", "-3", "8x6x8x2", "8y6", "8xm", "8 x6", "1048577",
                          "99999999999", "8M"}) {
    try {
      parse_shape(bad);
      FAIL() << bad;
    } catch (const TorusError& error) {
      EXPECT_THAT(error.what(), HasSubstr("'" + std::string(bad) + "'"));
      EXPECT_THAT(error.what(), HasSubstr("one to three extents"));
    }
  }
  EXPECT_THROW(parse_shape("1048576x1048576"), TorusError);
}

TEST(FactoredShape, MostCubeLike) {
  EXPECT_EQ(text_of(factored_shape(384)), "8x8x6");
  EXPECT_EQ(text_of(factored_shape(27)), "3x3x3");
  EXPECT_EQ(text_of(factored_shape(13)), "13");
  EXPECT_EQ(text_of(factored_shape(384, 2)), "24x16");
  EXPECT_EQ(text_of(factored_shape(384, 1)), "384");
  EXPECT_EQ(text_of(factored_shape(1)), "1");
}

CoordinateFile file_of(const std::string& text) {
  std::istringstream in(text);
  return CoordinateFile(in, "coords");
}

std::string error_of(const std::string& text, const std::vector<std::string>& hosts = {}) {
  try {
    file_of(text).view_of(hosts);
  } catch (const TorusError& error) {
    return error.what();
  }
  return "no error";
}

std::vector<int> positions_of(const TorusView& view) {
  std::vector<int> found;
  for (int node = 0; node < view.shape.nodes(); ++node) found.push_back(view.position_of(node));
  return found;
}

std::vector<int> nodes_at(const TorusView& view) {
  std::vector<int> found;
  for (int at = 0; at < view.shape.nodes(); ++at) found.push_back(view.node_at(at));
  return found;
}

TEST(TorusView, NeedsATableOnlyWhereNodesAreOutOfOrder) {
  const TorusView plain = TorusView::in_order(Shape::line(3));
  EXPECT_EQ(plain.table_ints(), 0u);
  EXPECT_THAT(nodes_at(plain), ElementsAre(0, 1, 2));
  EXPECT_THAT(positions_of(plain), ElementsAre(0, 1, 2));
  TorusView view(Shape::line(3), {1, 2, 0});
  std::vector<int> shared(view.table_ints() + 1, -1);
  EXPECT_EQ(view.move_table(shared.data(), true), shared.data() + 6);
  EXPECT_THAT(shared, ElementsAre(2, 0, 1, 1, 2, 0, -1));
  EXPECT_THAT(nodes_at(view), ElementsAre(2, 0, 1));
  EXPECT_THAT(positions_of(view), ElementsAre(1, 2, 0));
}

TEST(CoordinateFile, PlacesNodesOfATorus) {
  const CoordinateFile file =
      file_of("# four hosts\nshape 2x2\na 0 0\nb 1 0   # second\n\nc 0 1\nd 1 1\n");
  const TorusView view = file.view_of(std::vector<std::string>{"d", "a", "c", "b"});
  EXPECT_EQ(text_of(view.shape), "2x2");
  EXPECT_THAT(positions_of(view), ElementsAre(3, 0, 2, 1));
  EXPECT_THAT(nodes_at(view), ElementsAre(1, 3, 2, 0));
}

TEST(CoordinateFile, PartOfAnAxisDoesNotWrap) {
  const CoordinateFile file = file_of("shape 4x2m\na 1 0\nb 2 0\nc 1 1\nd 2 1\n");
  EXPECT_EQ(text_of(file.view_of(std::vector<std::string>{"a", "b", "c", "d"}).shape), "2mx2m");
}

TEST(CoordinateFile, TheMachineIsTheBoxOfAllHosts) {
  const CoordinateFile file = file_of("a 4 0\nb 5 0\nc 6 0\nd 4 1\ne 5 1\nf 6 1\n");
  EXPECT_EQ(text_of(file.view_of(std::vector<std::string>{"a", "b", "c"}).shape), "3");
  EXPECT_EQ(text_of(file.view_of(std::vector<std::string>{"a", "b", "d", "e"}).shape), "2mx2");
}

// Hosts h0, h1, ... of a box of the machine.
struct TofuHosts {
  std::string text;
  std::vector<std::string> hosts;

  explicit TofuHosts(const TofuNode& extent, const std::string& head = "") : text(head) {
    std::int64_t nodes = 1;
    for (const int n : extent) nodes *= n;
    for (std::int64_t i = 0; i < nodes; ++i) {
      hosts.push_back("h" + std::to_string(i));
      text += hosts.back();
      std::int64_t rest = i;
      for (const int n : extent) {
        text += ' ' + std::to_string(rest % n);
        rest /= n;
      }
      text += '\n';
    }
  }

  // The shape, after a look that every host has a place.
  std::string laid() const {
    const TorusView view = file_of(text).view_of(hosts);
    for (int node = 0; node < static_cast<int>(hosts.size()); ++node) {
      EXPECT_EQ(view.node_at(view.position_of(node)), node);
    }
    return text_of(view.shape);
  }
};

TEST(CoordinateFile, LaysTofuCoordinates) {
  const TofuNode extent = {4, 2, 1, 2, 3, 1};
  EXPECT_EQ(TofuHosts(extent, "tofu 4x2x1x2x3x1\n").laid(), "8x6");
  EXPECT_EQ(TofuHosts(extent).laid(), "8x6");
  EXPECT_EQ(TofuHosts(extent, "shape 48\n").laid(), "48");
  EXPECT_EQ(TofuHosts(extent, "shape 6x8m\n").laid(), "6x8m");
  // Of another number of nodes: not these hosts are meant.
  EXPECT_EQ(TofuHosts(extent, "shape 7x6\n").laid(), "8x6");
}

TEST(CoordinateFile, ATofuAxisThatDoesNotCloseIsAMesh) {
  EXPECT_EQ(TofuHosts({1, 3, 1, 1, 1, 1}, "tofu 8x8x8x2x3x2\n").laid(), "1x3m");
  EXPECT_EQ(TofuHosts({3, 1, 1, 1, 3, 1}, "tofu 8x8x8x2x3x2\n").laid(), "3mx3");
  EXPECT_EQ(TofuHosts({3, 3, 5, 1, 1, 1}, "tofu 8x8x8x2x3x2\n").laid(), "3mx3mx5m");
  EXPECT_THAT(error_of(TofuHosts({1, 3, 1, 1, 1, 1}, "shape 3\n").text, {"h0", "h1", "h2"}),
              HasSubstr("with 'm' after an extent (no wrap-around) it would fit"));
}

TEST(CoordinateFile, FailedTofuHostsAreLeftOut) {
  TofuHosts left({4, 2, 1, 2, 3, 1}, "shape 47\n");
  left.hosts.pop_back();
  EXPECT_EQ(left.laid(), "47");
  TofuHosts unsaid({4, 2, 1, 2, 3, 1});
  unsaid.hosts.pop_back();
  EXPECT_EQ(error_of(unsaid.text, unsaid.hosts),
            "coords: the 47 hosts do not fill the box of 4x2x1x2x3x1 that they lie in; a line "
            "'shape' with 47 nodes says what they are laid out as");
  // Hosts in two corners are no box with failed nodes in it.
  EXPECT_THAT(error_of("shape 2\na 0 0 0 0 0 0\nb 1023 1023 1023 1023 1023 1023\n", {"a", "b"}),
              HasSubstr("do not fill the box of 1024x1024x1024x1024x1024x1024"));
}

TEST(CoordinateFile, ErrorsNameLineAndValue) {
  EXPECT_EQ(error_of("a 0 0\nb x 0\n"), "coords:2: 'x' is not a coordinate: a number from 0");
  EXPECT_EQ(error_of("a 0 -1\n"), "coords:1: '-1' is not a coordinate: a number from 0");
  EXPECT_EQ(error_of("a\n"),
            "coords:1: host 'a' has 0 coordinates; 1 to 3, or 6 on Tofu, are allowed");
  EXPECT_EQ(error_of("a 1 2 3 4\n"),
            "coords:1: host 'a' has 4 coordinates; 1 to 3, or 6 on Tofu, are allowed");
  EXPECT_EQ(error_of("a 0 0\nb 0 0 0 0 0 0\n"),
            "coords:2: host 'b' has 6 coordinates, earlier ones have 3");
  EXPECT_EQ(error_of("a 0\na 1\n"), "coords:2: host 'a' has coordinates on line 1 already");
  EXPECT_EQ(error_of("a 0 1\n\nb 0 1\n"),
            "coords:3: coordinates (0,1,0) are those of line 1 already");
  EXPECT_EQ(error_of("shape 2x2\na 0 2\n"),
            "coords:2: host 'a': Y = 2 is outside an axis of 2 nodes");
  EXPECT_EQ(error_of("tofu 2x2x2x2x3x2\na 0 0 0 0 3 0\n"),
            "coords:2: host 'a': B = 3 is outside an axis of 3 nodes");
  EXPECT_EQ(error_of("tofu 2x2x2x2x3\na 0 0 0 0 0 0\n"),
            "coords:1: '2x2x2x2x3' is not six extents, as in 24x18x16x2x3x2");
  EXPECT_THAT(error_of("shape 2y2\na 0\n"), HasSubstr("coords:1: '2y2' is not a torus shape"));
  EXPECT_EQ(error_of("shape\na 0\n"), "coords:1: 'shape' wants one value");
  EXPECT_EQ(error_of("# nothing\n"), "coords: no host with coordinates in it");
  EXPECT_EQ(error_of("a 0\nb 1\n", {"a", "c"}), "coords: no coordinates for host 'c'");
  EXPECT_EQ(error_of("a 0\nb 1\n", {"a", "a"}),
            "coords: host 'a' stands for two nodes, which would share a place");
  EXPECT_EQ(error_of("a 0 0\nb 1 0\nc 1 1\n", {"a", "b", "c"}),
            "coords: the 3 hosts do not fill the box from (0,0,0) to (1,1,0) of 4 nodes");
  EXPECT_THROW(CoordinateFile::open("/nonexistent/coordinates"), TorusError);
}

TEST(TranslatePeers, PositionsBecomeNodeRanks) {
  const TorusView view(Shape::line(3), {1, 2, 0});
  Plan plan;
  plan.add({.kind = OpKind::kSend, .peer = 0, .bytes = 1});
  plan.add({.kind = OpKind::kSend, .peer = 1, .bytes = 1});
  translate_peers(plan, view);
  EXPECT_EQ(plan.ops[0].peer, 2);
  EXPECT_EQ(plan.ops[1].peer, 0);
}

}  // namespace
}  // namespace mpiactor::inter
