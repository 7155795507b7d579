#include "inter/verifier_blocks.h"

#include <fmt/format.h>

#include <algorithm>

namespace mpiactor::inter::verifier {

BlockMatrix::BlockMatrix(const Scenario& scenario)
    : nodes_(static_cast<int>(scenario.shape.nodes())), begins_{0} {
  const std::size_t count = static_cast<std::size_t>(nodes_) * static_cast<std::size_t>(nodes_);
  const std::uint64_t equal_bytes = scenario.bytes / count;
  begins_.reserve(count + 1);
  for (std::size_t i = 0; i < count; ++i) {
    begins_.push_back(begins_.back() + (scenario.sizes.empty() ? equal_bytes : scenario.sizes[i]));
  }
}

ByteRange BlockMatrix::block(int from, int to) const {
  const std::size_t index = static_cast<std::size_t>(from) * static_cast<std::size_t>(nodes_) +
                            static_cast<std::size_t>(to);
  return {begins_[index], begins_[index + 1] - begins_[index]};
}

std::pair<int, int> BlockMatrix::block_at(std::uint64_t offset) const {
  const auto behind = std::upper_bound(begins_.begin(), begins_.end(), offset);
  const int index = static_cast<int>(behind - begins_.begin()) - 1;
  return {index / nodes_, index % nodes_};
}

OwnBuffers own_buffers(const BlockMatrix& matrix, int nodes, int node) {
  OwnBuffers buffers;
  std::uint64_t given = 0;
  std::uint64_t taken = 0;
  for (int other = 0; other < nodes; ++other) {
    buffers.gives.push_back({given, matrix.block(node, other).bytes});
    buffers.takes.push_back({taken, matrix.block(other, node).bytes});
    given += buffers.gives.back().bytes;
    taken += buffers.takes.back().bytes;
  }
  return buffers;
}

std::string join_buffers(const BlockMatrix& matrix, std::vector<Plan>& plans) {
  const int nodes = static_cast<int>(plans.size());
  for (int node = 0; node < nodes; ++node) {
    const OwnBuffers buffers = own_buffers(matrix, nodes, node);
    for (PlanOp& op : plans[static_cast<std::size_t>(node)].ops) {
      if (op.peer < 0 || op.peer >= nodes) continue;  // found by others
      const auto peer = static_cast<std::size_t>(op.peer);
      const bool sends = op.kind == OpKind::kSend;
      const ByteRange own = sends ? buffers.gives[peer] : buffers.takes[peer];
      const std::uint64_t begin = own.offset + (sends ? 0 : kTakenBegin);
      if (op.offset < begin || op.reach() > begin + own.bytes) {
        return fmt::format("node {} {} node {} at {} to {}, where the block is at {} to {}", node,
                           sends ? "sends to" : "receives from", op.peer, op.offset, op.reach(),
                           begin, begin + own.bytes);
      }
      op.offset = op.offset - begin +
                  (sends ? matrix.block(node, op.peer) : matrix.block(op.peer, node)).offset;
    }
    plans[static_cast<std::size_t>(node)].layout = BufferLayout::kMessage;
  }
  return {};
}

}  // namespace mpiactor::inter::verifier
