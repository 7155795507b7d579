// What every rank knows of one collective call, and knows alike.
//
// All ranks of a communicator have to take the same path through a call: one that takes another one
// alone leaves the others waiting for ever. So whether a call is handled, and in which way, is
// decided by functions of this type (and of the communicator's container, which all ranks have made
// alike), and this type can only be made of what MPI makes equal on all ranks. It has no place for
// what a rank alone knows: addresses, its own counts and types, what its buffers overlap.
#ifndef MPIACTOR_ACTOR_COLLECTIVES_CALL_FACTS_H_
#define MPIACTOR_ACTOR_COLLECTIVES_CALL_FACTS_H_

#include <cstdint>

namespace mpiactor {

enum class Operation {
  kBarrier,
  kBcast,
  kReduce,
  kAllreduce,
  kReduceScatter,
  kReduceScatterBlock,
  kAllgather,
  kAllgatherv,
  kGather,
  kGatherv,
  kScatter,
  kScatterv,
  kAlltoall,
  kAlltoallv,
};

// "MPI_Barrier", ...
const char* operation_name(Operation operation);

class CallFacts {
 public:
  static constexpr int kNoRoot = -1;

  static CallFacts barrier() { return {Operation::kBarrier, kNoRoot, 0}; }
  // Type signatures of a message are equal on all ranks, so its packed bytes are.
  static CallFacts bcast(int root, std::uint64_t message_bytes) {
    return {Operation::kBcast, root, message_bytes};
  }
  // Operation, count and type of the vector are equal on all ranks; of reduce_scatter all counts
  // are.
  static CallFacts reduce(int root, std::uint64_t vector_bytes, bool order_matters) {
    return reduction(Operation::kReduce, root, vector_bytes, order_matters);
  }
  static CallFacts allreduce(std::uint64_t vector_bytes, bool order_matters) {
    return reduction(Operation::kAllreduce, kNoRoot, vector_bytes, order_matters);
  }
  static CallFacts reduce_scatter(std::uint64_t vector_bytes, bool order_matters) {
    return reduction(Operation::kReduceScatter, kNoRoot, vector_bytes, order_matters);
  }
  static CallFacts reduce_scatter_block(std::uint64_t vector_bytes, bool order_matters) {
    return reduction(Operation::kReduceScatterBlock, kNoRoot, vector_bytes, order_matters);
  }
  // What a rank takes from another one has the same type signature everywhere.
  static CallFacts allgather(std::uint64_t block_bytes) {
    return {Operation::kAllgather, kNoRoot, block_bytes};
  }
  static CallFacts alltoall(std::uint64_t block_bytes) {
    return {Operation::kAlltoall, kNoRoot, block_bytes};
  }
  // All ranks know all blocks.
  static CallFacts allgatherv(std::uint64_t total_bytes, int ranks) {
    return {Operation::kAllgatherv, kNoRoot, total_bytes / static_cast<std::uint64_t>(ranks),
            total_bytes == 0};
  }
  // The root's blocks, and each other rank's own one, are equal.
  static CallFacts gather(int root, std::uint64_t block_bytes) {
    return {Operation::kGather, root, block_bytes};
  }
  static CallFacts scatter(int root, std::uint64_t block_bytes) {
    return {Operation::kScatter, root, block_bytes};
  }
  // The root alone, or nobody, knows all sizes.
  static CallFacts gatherv(int root) { return {Operation::kGatherv, root, 0, false}; }
  static CallFacts scatterv(int root) { return {Operation::kScatterv, root, 0, false}; }
  static CallFacts alltoallv() { return {Operation::kAlltoallv, kNoRoot, 0, false}; }

  Operation operation() const { return operation_; }
  int root() const { return root_; }
  // Of the message, of the whole vector, of one rank's block (allgatherv: of the average one); 0
  // where it differs between ranks.
  std::uint64_t bytes() const { return bytes_; }
  // Nothing is to be moved anywhere.
  bool is_empty() const { return is_empty_; }
  // A reduction: whether its result depends on the order in which contributions are combined.
  bool order_matters() const { return order_matters_; }
  bool is_reduction() const { return is_reduction_; }

 private:
  static CallFacts reduction(Operation operation, int root, std::uint64_t bytes,
                             bool order_matters) {
    CallFacts facts(operation, root, bytes);
    facts.is_reduction_ = true;
    facts.order_matters_ = order_matters;
    return facts;
  }
  CallFacts(Operation operation, int root, std::uint64_t bytes)
      : CallFacts(operation, root, bytes, bytes == 0 && operation != Operation::kBarrier) {}
  CallFacts(Operation operation, int root, std::uint64_t bytes, bool is_empty)
      : operation_(operation), root_(root), bytes_(bytes), is_empty_(is_empty) {}

  Operation operation_;
  int root_;
  std::uint64_t bytes_;
  bool is_empty_;
  bool is_reduction_ = false;
  bool order_matters_ = true;
};

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_COLLECTIVES_CALL_FACTS_H_
