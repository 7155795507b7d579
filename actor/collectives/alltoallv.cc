// Alltoallv: each rank knows its own row and column of the matrix of sizes, nobody all of it.
//
// On one node members lay down their rows of sizes in a first request, with the data where all of a
// row fits. Where some row does not, everybody now knows the whole matrix, and the data follow:
// each rank reads its blocks where they lie (single copy), or in requests that all cut alike.
#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <numeric>
#include <vector>

#include "actor/collectives/alltoallv_nodes.h"
#include "actor/collectives/collectives.h"
#include "actor/collectives/operation.h"
#include "actor/node/direct_reads.h"
#include "actor/node/meeting.h"
#include "actor/shm/cache_line.h"
#include "actor/trace/counters.h"

namespace mpiactor {
namespace {

class AlltoallvOnNode {
 public:
  AlltoallvOnNode(Container& container, RankBlocks& send, RankBlocks& recv)
      : container_(container),
        me_(container.rank()),
        ranks_(recv.ranks()),
        send_(send),
        recv_(recv) {}

  // What every member may write in the first request. 0: there are too many for the memory.
  std::uint64_t share() const;
  VariableOutcome run(MPI_Comm comm);

 private:
  std::uint64_t row_bytes() const {
    return static_cast<std::uint64_t>(ranks_) * sizeof(std::uint64_t);
  }
  std::uint64_t size(int from, int to) const { return matrix_[index(from, to)]; }
  std::size_t index(int from, int to) const {
    return static_cast<std::size_t>(from) * static_cast<std::size_t>(ranks_) +
           static_cast<std::size_t>(to);
  }
  // First request: true where it carried the data, too.
  bool meet(std::uint64_t share);
  std::uint64_t total_bytes() const {
    return std::accumulate(matrix_.begin(), matrix_.end(), std::uint64_t{0});
  }
  std::uint64_t write_sizes(std::byte* to);
  void give_row(std::byte* to);
  void take_column(const std::byte* memory, std::uint64_t share);
  bool read_all();
  VariableOutcome move_all(MPI_Comm comm);
  void move_part(std::uint64_t part, std::uint64_t parts);
  void take(int from, std::uint64_t offset, std::uint64_t bytes, const std::byte* in);

  Container& container_;
  int me_;
  int ranks_;
  RankBlocks& send_;
  RankBlocks& recv_;
  boost::container::small_vector<std::uint64_t, 64> matrix_;  // off the diagonal
  bool truncated_ = false;
};

std::uint64_t AlltoallvOnNode::share() const {
  constexpr std::uint64_t kLeastData = 64;
  constexpr std::uint64_t kMostData = 4 << 10;
  const auto ranks = static_cast<std::uint64_t>(ranks_);
  const std::uint64_t in_slot = competition::kInlineBytes / ranks / 64 * 64;
  if (in_slot >= row_bytes() + kLeastData) return in_slot;
  const std::uint64_t in_staging = container_.work_bytes() / ranks / 64 * 64;
  if (in_staging < row_bytes()) return 0;
  return std::min(in_staging, shm::round_to_lines(row_bytes() + kMostData));
}

void AlltoallvOnNode::take(int from, std::uint64_t offset, std::uint64_t bytes,
                           const std::byte* in) {
  const std::uint64_t room = recv_.bytes(from);
  if (offset < room) recv_.write(from, offset, std::min(bytes, room - offset), in);
  truncated_ |= offset + bytes > room;
}

// Of the row, the own block's being 0. Returns their sum.
std::uint64_t AlltoallvOnNode::write_sizes(std::byte* to) {
  std::uint64_t total = 0;
  for (int rank = 0; rank < ranks_; ++rank, to += sizeof total) {
    const std::uint64_t bytes = rank == me_ ? 0 : send_.bytes(rank);
    std::memcpy(to, &bytes, sizeof bytes);
    total += bytes;
  }
  return total;
}

// Blocks of the row lie one behind the other, the own one left out.
void AlltoallvOnNode::give_row(std::byte* to) {
  for (int rank = 0; rank < ranks_; ++rank) {
    if (rank == me_) continue;
    send_.lay_down(rank, 0, send_.bytes(rank), to);
    to += send_.bytes(rank);
  }
}

void AlltoallvOnNode::take_column(const std::byte* memory, std::uint64_t share) {
  for (int from = 0; from < ranks_; ++from) {
    if (from == me_) continue;
    const std::byte* block = memory + static_cast<std::uint64_t>(from) * share + row_bytes();
    for (int to = 0; to < me_; ++to) block += size(from, to);
    take(from, 0, size(from, me_), block);
  }
}

bool AlltoallvOnNode::meet(std::uint64_t share) {
  const auto ranks = static_cast<std::size_t>(ranks_);
  Meeting meeting(container_, static_cast<std::uint64_t>(ranks_) * share);
  std::byte* const mine = meeting.memory() + static_cast<std::uint64_t>(me_) * share;
  if (row_bytes() + write_sizes(mine) <= share) give_row(mine + row_bytes());
  meeting.end_phase(1);
  meeting.wait_phase(1);
  matrix_.resize(ranks * ranks);
  bool all_fit = true;
  for (int from = 0; from < ranks_; ++from) {
    std::uint64_t* const sizes = &matrix_[index(from, 0)];
    std::memcpy(sizes, meeting.memory() + static_cast<std::uint64_t>(from) * share, row_bytes());
    std::uint64_t bytes = row_bytes();
    for (int to = 0; to < ranks_; ++to) bytes += sizes[to];
    all_fit &= bytes <= share;
  }
  if (all_fit) take_column(meeting.memory(), share);
  meeting.leave();
  return all_fit;
}

// The `part`-th of `parts` of every block.
void AlltoallvOnNode::move_part(std::uint64_t part, std::uint64_t parts) {
  const auto cut = [&](int from, int to, std::uint64_t at) { return size(from, to) * at / parts; };
  const auto bytes_of = [&](int from, int to) {
    return cut(from, to, part + 1) - cut(from, to, part);
  };
  std::vector<std::uint64_t> begin(matrix_.size() + 1);
  for (int from = 0; from < ranks_; ++from) {
    for (int to = 0; to < ranks_; ++to) {
      begin[index(from, to) + 1] = begin[index(from, to)] + bytes_of(from, to);
    }
  }
  Meeting meeting(container_, begin.back());
  for (int to = 0; to < ranks_; ++to) {
    if (to == me_) continue;
    send_.lay_down(to, cut(me_, to, part), bytes_of(me_, to),
                   meeting.memory() + begin[index(me_, to)]);
  }
  meeting.end_phase(1);
  meeting.wait_phase(1);
  for (int from = 0; from < ranks_; ++from) {
    if (from == me_) continue;
    take(from, cut(from, me_, part), bytes_of(from, me_),
         meeting.memory() + begin[index(from, me_)]);
  }
  meeting.leave();
}

VariableOutcome AlltoallvOnNode::move_all(MPI_Comm comm) {
  const std::uint64_t total = total_bytes();
  const auto blocks = static_cast<std::uint64_t>(matrix_.size());
  // A part of every block rounds up to one byte more.
  const std::uint64_t room = request_room(container_, comm, total + blocks);
  if (room < 2 * blocks) return VariableOutcome::kNotDone;
  const std::uint64_t parts = (total - 1) / (room - blocks) + 1;
  for (std::uint64_t part = 0; part < parts; ++part) move_part(part, parts);
  return VariableOutcome::kDone;
}

// Each rank reads the blocks that it gets where they lie. False, on all ranks: some rank's cannot
// be read or written so.
bool AlltoallvOnNode::read_all() {
  // Of each block, from this table on: so a reader finds block and table by one address.
  std::vector<std::uint64_t> offsets(static_cast<std::size_t>(ranks_));
  const auto* const table = reinterpret_cast<const std::byte*>(offsets.data());
  bool readable = true;
  for (int rank = 0; rank < ranks_; ++rank) {
    if (rank == me_) continue;
    const std::byte* const block = send_.contiguous(rank);
    const std::byte* const place = recv_.contiguous(rank);
    if (size(me_, rank) != 0) readable &= block && block != place;  // in place it would change
    if (size(rank, me_) != 0) readable &= place != nullptr;
    offsets[static_cast<std::size_t>(rank)] =
        reinterpret_cast<std::uint64_t>(block) - reinterpret_cast<std::uint64_t>(table);
  }
  DirectReads reads(container_);
  reads.offer(readable ? table : nullptr);
  if (!reads.all_offered()) return false;
  for (int step = 1; step < ranks_; ++step) {
    // All are on one node, so ranks are members; no two begin with the same.
    const int from = (me_ + step) % ranks_;
    const std::uint64_t bytes = std::min(size(from, me_), recv_.bytes(from));
    if (bytes == 0) continue;
    std::uint64_t offset = 0;
    reads.read(from, static_cast<std::uint64_t>(me_) * sizeof offset, sizeof offset,
               reinterpret_cast<std::byte*>(&offset));
    reads.read(from, offset, bytes, recv_.contiguous(from));
  }
  if (!reads.finish()) return false;
  for (int from = 0; from < ranks_; ++from) truncated_ |= size(from, me_) > recv_.bytes(from);
  ++trace::counters().single_copy;
  return true;
}

VariableOutcome AlltoallvOnNode::run(MPI_Comm comm) {
  const std::uint64_t first_share = share();
  if (first_share == 0) return VariableOutcome::kNotDone;
  if (!meet(first_share)) {
    const auto blocks = static_cast<std::uint64_t>(ranks_) * static_cast<std::uint64_t>(ranks_ - 1);
    const bool reads =
        block_goes_directly(CallFacts::alltoallv(), total_bytes() / blocks, container_);
    if (!(reads && read_all()) && move_all(comm) == VariableOutcome::kNotDone)
      return VariableOutcome::kNotDone;
  }
  truncated_ |= copy_what_fits(send_, me_, recv_, me_);
  recv_.finish();
  return truncated_ ? VariableOutcome::kTruncated : VariableOutcome::kDone;
}

}  // namespace

VariableOutcome hybrid_alltoallv(Container& container, MPI_Comm comm, RankBlocks& send,
                                 RankBlocks& recv) {
  if (container.nodes().nodes() > 1) return alltoallv_between_nodes(container, comm, send, recv);
  return AlltoallvOnNode(container, send, recv).run(comm);
}

}  // namespace mpiactor
