// Where the nodes of a communicator are on a torus or mesh: plans are made for positions, node rank
// x + X * (y + Y * z) of the shape, and translated to node ranks.
#ifndef MPIACTOR_INTER_TOFU_ALGOS_TORUS_H_
#define MPIACTOR_INTER_TOFU_ALGOS_TORUS_H_

#include <array>
#include <iosfwd>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "inter/int_table.h"
#include "inter/plan.h"
#include "inter/tofu_algos/tofu_map.h"

namespace mpiactor::inter {

// A shape text or coordinate file that cannot be used; names the file and line or the value, and
// what is allowed.
class TorusError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// "8x6x8", "64x6", "384"; an 'm' after an extent: no wrap-around on that axis ("8mx6x8").
// Extents are at most kLargestExtent. Throws TorusError.
inline constexpr int kLargestExtent = 1 << 20;  // larger ones would not fit a node rank
Shape parse_shape(std::string_view text);
std::string text_of(const Shape& shape);

// The most cube-like shape of `nodes` nodes in at most `dimensions` (1..3) dimensions: the one with
// the smallest sum of extents, longest axis first. Wraps everywhere.
Shape factored_shape(int nodes, int dimensions = 3);

class TorusView {
 public:
  Shape shape;

  TorusView() = default;
  // Node ranks are positions: no table is needed.
  static TorusView in_order(const Shape& shape);
  // `position_of`: a permutation, one position a node rank.
  TorusView(const Shape& shape, std::vector<int> position_of);

  bool is_in_order() const { return node_at_.empty(); }
  int node_at(int position) const { return at(node_at_, position); }
  int position_of(int node) const { return at(position_of_, node); }

  // Where node ranks are not positions: the table, in numbers, and where it goes. See IntTable;
  // returns what follows the table.
  std::size_t table_ints() const { return node_at_.size() + position_of_.size(); }
  int* move_table(int* memory, bool writes);

 private:
  static int at(const IntTable& table, int i) {
    return table.empty() ? i : table[static_cast<std::size_t>(i)];
  }

  IntTable node_at_;
  IntTable position_of_;
};

// The hosts lie where no torus or mesh can be laid out.
class TorusMisfit : public TorusError {
 public:
  using TorusError::TorusError;
};

// Coordinates of hosts, as read from a file:
//   # anything after a hash is a comment
//   shape 8x6mx8             optional. 3-D: the machine; else the box of all hosts of the file,
//                            with wrap-around. 6-D: what so many hosts are laid out as
//   tofu 24x18x16x2x3x2      optional; the machine of 6-D coordinates; else the box of all hosts
//   HOST x y z               1 to 3 numbers: 3-D (missing ones are 0); 6 numbers: X Y Z A B C
// Coordinates in 3-D are below kLargestExtent, in 6-D below kLargestTofuExtent.
class CoordinateFile {
 public:
  static constexpr int kLargestTofuExtent = 1 << 10;

  // `name` is used in errors. Throws TorusError, naming line and value.
  CoordinateFile(std::istream& in, std::string name);
  static CoordinateFile open(const std::string& path);

  // Places the communicator's nodes, given by the hosts they run on. 3-D: the hosts must fill a
  // box; an axis wraps where the box spans all of it and the machine's does. 6-D: lays the file's
  // `shape` on the machine where that has as many nodes, all hosts that are not given counting as
  // failed. Else the hosts must fill a box, which is laid out as X*A by Y*B by Z*C, as a ring on
  // every axis that can be closed. Throws TorusMisfit, or TorusError where a host is not in the
  // file or given twice.
  TorusView view_of(std::span<const std::string> hosts) const;

 private:
  struct Entry {
    std::vector<int> at;
    int line = 0;
  };

  struct TofuBox {
    TofuNode low;
    TofuMachine machine;
  };

  [[noreturn]] void fail(int line, const std::string& what) const;
  void read_shape(int line, const std::string& keyword, const std::string& value);
  void read_host(int line, const std::string& host, std::istream& rest);
  void check_bounds() const;
  const Entry& entry_of(const std::string& host) const;
  Shape box_of_all() const;
  TofuBox box_of(std::span<const std::string> hosts) const;
  TorusView view_of_box(std::span<const std::string> hosts) const;
  TorusView view_of_tofu(std::span<const std::string> hosts) const;
  std::vector<Shape> tofu_shapes(const TofuBox& box, std::int64_t hosts) const;

  std::string name_;
  std::size_t dimensions_ = 0;  // 3 or 6; 0 as long as no host is known
  std::optional<Shape> shape_;  // as the file says it
  Shape machine3_;              // 3-D coordinates
  TofuMachine machine_;         // 6-D ones
  bool machine_given_ = false;
  std::unordered_map<std::string, Entry> hosts_;
};

// Peers as node ranks instead of positions.
void translate_peers(Plan& plan, const TorusView& view);

}  // namespace mpiactor::inter

#endif  // MPIACTOR_INTER_TOFU_ALGOS_TORUS_H_
