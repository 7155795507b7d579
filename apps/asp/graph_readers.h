// Graphs from files. All readers check every line and throw GraphError with file and line.
#ifndef MPIACTOR_APPS_ASP_GRAPH_READERS_H_
#define MPIACTOR_APPS_ASP_GRAPH_READERS_H_

#include <istream>
#include <string>

#include "apps/asp/graph.h"

namespace mpiactor::asp {

// 9th DIMACS implementation challenge, shortest paths (.gr): "c" comments, one "p sp VERTICES
// ARCS" before the arcs, then "a FROM TO LENGTH".
Graph read_dimacs(std::istream& input, const std::string& name);

// Matrix Market coordinate format (.mtx), square: entry (i, j) is an arc i -> j of that length.
// Fields integer, real (whole values only) and pattern (length 1); symmetries general and
// symmetric (an entry off the diagonal stands for two arcs; only entries on or below it, as the
// format asks).
Graph read_matrix_market(std::istream& input, const std::string& name);

// Matrix Market where the name ends in .mtx or the file starts with its banner, else DIMACS.
Graph read_graph_file(const std::string& path);

}  // namespace mpiactor::asp

#endif  // MPIACTOR_APPS_ASP_GRAPH_READERS_H_
