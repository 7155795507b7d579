// A directed graph with whole-number lengths, as read from a file or made at random.
#ifndef MPIACTOR_APPS_ASP_GRAPH_H_
#define MPIACTOR_APPS_ASP_GRAPH_H_

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace mpiactor::asp {

using Distance = std::int32_t;

// Distance between vertices that no path joins. Twice this value still fits, so that relaxation
// adds any two distances without a test; a longest real distance is kUnreachable - 1.
inline constexpr Distance kUnreachable = (Distance{1} << 30) - 1;

struct Arc {
  std::int32_t from = 0;  // vertices are counted from 0
  std::int32_t to = 0;
  Distance length = 0;  // 0 .. kUnreachable - 1

  bool operator==(const Arc&) const = default;
};

// Parallel arcs and loops are kept as they were read; the shortest parallel arc counts, a loop
// never shortens a path.
struct Graph {
  std::int32_t vertices = 0;
  std::vector<Arc> arcs;
};

// Bad input. The message starts with the file's name, and its line where there is one.
class GraphError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Upper bound of the length of any shortest path: a simple path leaves every vertex at most once
// (and enters it at most once), so by the heaviest arc out of (into) each.
std::int64_t longest_path_bound(const Graph& graph);

// Throws GraphError where path lengths could reach kUnreachable, or the sum of all distances
// 2^63. `name` is the input's name for the message.
void check_path_sums(const Graph& graph, const std::string& name);

}  // namespace mpiactor::asp

#endif  // MPIACTOR_APPS_ASP_GRAPH_H_
