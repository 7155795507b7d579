// The matrix of blocks of an alltoall, as the verifier sees it; private to it.
#ifndef MPIACTOR_INTER_VERIFIER_BLOCKS_H_
#define MPIACTOR_INTER_VERIFIER_BLOCKS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "inter/plan.h"
#include "inter/verifier.h"

namespace mpiactor::inter::verifier {

// All blocks behind one another, row after row: what node 0 gives node 0, 1, ..., then node 1.
class BlockMatrix {
 public:
  explicit BlockMatrix(const Scenario& scenario);

  std::uint64_t bytes() const { return begins_.back(); }
  ByteRange block(int from, int to) const;
  // {from, to} of the block that holds this byte.
  std::pair<int, int> block_at(std::uint64_t offset) const;
  const std::vector<std::uint64_t>& begins() const { return begins_; }

 private:
  int nodes_;
  std::vector<std::uint64_t> begins_;
};

// One node's blocks in buffers of its own, see PlanInput.
struct OwnBuffers {
  std::vector<ByteRange> gives;
  std::vector<ByteRange> takes;
};

OwnBuffers own_buffers(const BlockMatrix& matrix, int nodes, int node);

// Turns plans in buffers of each node's own into plans over the matrix. Returns an error where an
// operation leaves the block of its peer.
std::string join_buffers(const BlockMatrix& matrix, std::vector<Plan>& plans);

}  // namespace mpiactor::inter::verifier

#endif  // MPIACTOR_INTER_VERIFIER_BLOCKS_H_
