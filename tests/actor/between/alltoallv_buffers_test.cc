// What members give each other arrives, whatever the layout, the sizes and the order in which they
// write.
#include "actor/between/alltoallv_buffers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <numeric>
#include <random>
#include <vector>

namespace mpiactor {
namespace {

using Bytes = std::vector<std::byte>;

// Of the block that `from` gives `to`.
std::byte content(int from, int to, std::uint64_t at) {
  return static_cast<std::byte>(static_cast<std::uint64_t>(from * 31 + to * 7) + at);
}

// A communicator's buffers, one a node, in memory that is as dirty as it may be.
class NodesMessages {
 public:
  NodesMessages(const NodeMap& nodes, std::uint64_t short_bytes, std::mt19937_64& random)
      : nodes_(nodes), random_(random) {
    for (int node = 0; node < nodes.nodes(); ++node) {
      of_node_.emplace_back(nodes, node, short_bytes);
      EXPECT_LE(of_node_.back().bytes(), AlltoallvBuffers::most_bytes(nodes, short_bytes));
      memory_.emplace_back(of_node_.back().bytes(), std::byte{0xa5});
      std::fill_n(memory_.back().begin(), of_node_.back().zeroed_bytes(), std::byte{});
      of_node_.back().lie_at(memory_.back().data());
    }
    sizes_.resize(static_cast<std::size_t>(nodes.ranks() * nodes.ranks()));
    for (auto& bytes : sizes_) {
      const std::uint64_t choices[] = {0, 1, short_bytes, short_bytes + 1,
                                       random() % (2 * short_bytes)};
      bytes = choices[random() % std::size(choices)];
    }
  }

  std::uint64_t bytes(int from, int to) const {
    return sizes_[static_cast<std::size_t>(from * nodes_.ranks() + to)];
  }

  void write() {
    std::vector<int> writers(static_cast<std::size_t>(nodes_.ranks()));
    std::iota(writers.begin(), writers.end(), 0);
    std::shuffle(writers.begin(), writers.end(), random_);
    for (const int rank : writers) write(rank);
  }

  // Sends all block messages, in an order of each node's own.
  void exchange() {
    for (int to = 0; to < nodes_.nodes(); ++to) {
      std::vector<int> senders(static_cast<std::size_t>(nodes_.nodes()));
      std::iota(senders.begin(), senders.end(), 0);
      std::shuffle(senders.begin(), senders.end(), random_);
      std::uint64_t index = 0;
      for (const int from : senders) {
        if (from == to) continue;
        const auto message = buffers(from).finish_message(to);
        ASSERT_LE(message.bytes, buffers(to).most_incoming_bytes());
        std::copy_n(message.begin, message.bytes, buffers(to).incoming(index++));
      }
    }
  }

  void check() {
    std::uint64_t longest = *std::max_element(sizes_.begin(), sizes_.end());
    for (int rank = 0; rank < nodes_.ranks(); ++rank) {
      const int node = nodes_.node_of(rank);
      std::vector<int> heard_of(static_cast<std::size_t>(nodes_.ranks()));
      std::uint64_t longest_seen = 0;
      const auto look = [&](const AlltoallvBuffers::Parts& parts) {
        longest_seen = std::max(longest_seen, parts.head.longest_block);
        buffers(node).read(parts, nodes_.member_index(rank),
                           [&](int from, std::uint64_t given, const std::byte* block) {
                             ++heard_of[static_cast<std::size_t>(from)];
                             ASSERT_EQ(given, bytes(from, rank));
                             for (std::uint64_t at = 0; at < buffers(node).in_part(given); ++at) {
                               ASSERT_EQ(block[at], content(from, rank, at));
                             }
                           });
      };
      look(buffers(node).own_parts());
      for (int other = 0; other < nodes_.nodes() - 1; ++other) {
        look(buffers(node).incoming_parts(static_cast<std::uint64_t>(other)));
      }
      EXPECT_EQ(heard_of, std::vector<int>(heard_of.size(), 1));
      EXPECT_EQ(longest_seen, longest);
    }
  }

 private:
  AlltoallvBuffers& buffers(int node) { return of_node_[static_cast<std::size_t>(node)]; }

  void write(int rank) {
    AlltoallvBuffers& own = buffers(nodes_.node_of(rank));
    std::uint64_t longest = 0;
    for (int node = 0; node < nodes_.nodes(); ++node) {
      std::vector<std::uint64_t> numbers = {static_cast<std::uint64_t>(nodes_.member_index(rank))};
      Bytes blocks;
      for (const int to : nodes_.members(node)) {
        numbers.push_back(bytes(rank, to));
        longest = std::max(longest, bytes(rank, to));
        for (std::uint64_t at = 0; at < own.in_part(bytes(rank, to)); ++at) {
          blocks.push_back(content(rank, to, at));
        }
      }
      const std::uint64_t head = numbers.size() * sizeof(std::uint64_t);
      std::byte* const part = own.take_room(node, head + blocks.size());
      std::memcpy(part, numbers.data(), head);
      std::copy(blocks.begin(), blocks.end(), part + head);
    }
    own.note_longest(longest);
  }

  const NodeMap& nodes_;
  std::mt19937_64& random_;
  std::vector<AlltoallvBuffers> of_node_;
  std::vector<Bytes> memory_;
  std::vector<std::uint64_t> sizes_;
};

TEST(AlltoallvBuffers, WhatIsGivenArrives) {
  const char* const given = std::getenv("TEST_SEED");
  const std::uint64_t seed = given ? std::strtoull(given, nullptr, 0) : std::random_device()();
  std::cout << "TEST_SEED=" << seed << std::endl;
  std::mt19937_64 random(seed);
  for (int round = 0; round < 200; ++round) {
    std::vector<Place> places(1 + random() % 12);
    for (Place& place : places) place.node = static_cast<int>(random() % 4);
    const NodeMap nodes(places, 8);
    NodesMessages all(nodes, 8 * (1 + random() % 20), random);
    all.write();
    all.exchange();
    all.check();
    if (HasFatalFailure() || HasNonfatalFailure()) return;
  }
}

TEST(AlltoallvBuffers, ShortBlocksFillTheRoom) {
  const NodeMap nodes(std::vector<Place>{{0, 0}, {0, 0}, {1, 0}, {1, 0}, {1, 0}}, 8);
  EXPECT_EQ(AlltoallvBuffers::short_bytes_for(nodes, 64), 0u);
  for (std::uint64_t room = AlltoallvBuffers::most_bytes(nodes, 8); room < 100'000; room += 777) {
    const std::uint64_t bytes = AlltoallvBuffers::short_bytes_for(nodes, room);
    EXPECT_EQ(bytes % 8, 0u);
    EXPECT_LE(AlltoallvBuffers::most_bytes(nodes, bytes), room);
    EXPECT_GT(AlltoallvBuffers::most_bytes(nodes, bytes + 8), room);
  }
}

TEST(AlltoallvBuffers, TellsTheLongestBlock) {
  const NodeMap nodes(std::vector<Place>{{0, 0}, {1, 0}}, 8);
  AlltoallvBuffers buffers(nodes, 0, 64);
  Bytes memory(buffers.bytes());
  buffers.lie_at(memory.data());
  buffers.note_longest(80);
  buffers.note_longest(100);
  buffers.note_longest(5);
  EXPECT_EQ(buffers.own_parts().head.longest_block, 100u);
}

}  // namespace
}  // namespace mpiactor
