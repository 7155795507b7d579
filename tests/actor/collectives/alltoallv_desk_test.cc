// What members give each other arrives, whatever the layout, the sizes and the order in which they
// write.
#include "actor/collectives/alltoallv_desk.h"

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

// A communicator's desks, one a node, in memory that is as dirty as it may be.
class Desks {
 public:
  Desks(const NodeMap& nodes, std::uint64_t short_bytes, std::mt19937_64& random)
      : nodes_(nodes), random_(random) {
    for (int node = 0; node < nodes.nodes(); ++node) {
      desks_.emplace_back(nodes, node, short_bytes);
      EXPECT_LE(desks_.back().bytes(), AlltoallvDesk::most_bytes(nodes, short_bytes));
      memory_.emplace_back(desks_.back().bytes(), std::byte{0xa5});
      std::fill_n(memory_.back().begin(), desks_.back().zeroed_bytes(), std::byte{});
      desks_.back().lie_at(memory_.back().data());
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

  // Sends all letters, in an order of each node's own.
  void exchange() {
    for (int to = 0; to < nodes_.nodes(); ++to) {
      std::vector<int> senders(static_cast<std::size_t>(nodes_.nodes()));
      std::iota(senders.begin(), senders.end(), 0);
      std::shuffle(senders.begin(), senders.end(), random_);
      std::uint64_t index = 0;
      for (const int from : senders) {
        if (from == to) continue;
        const auto letter = desk(from).finish_letter(to);
        ASSERT_LE(letter.bytes, desk(to).most_incoming_bytes());
        std::copy_n(letter.begin, letter.bytes, desk(to).incoming(index++));
      }
    }
  }

  void check() {
    std::uint64_t longest = *std::max_element(sizes_.begin(), sizes_.end());
    for (int rank = 0; rank < nodes_.ranks(); ++rank) {
      const int node = nodes_.node_of(rank);
      std::vector<int> heard_of(static_cast<std::size_t>(nodes_.ranks()));
      std::uint64_t longest_seen = 0;
      const auto look = [&](const AlltoallvDesk::Papers& papers) {
        longest_seen = std::max(longest_seen, papers.head.longest_block);
        desk(node).read(papers, nodes_.member_index(rank),
                        [&](int from, std::uint64_t given, const std::byte* block) {
                          ++heard_of[static_cast<std::size_t>(from)];
                          ASSERT_EQ(given, bytes(from, rank));
                          for (std::uint64_t at = 0; at < desk(node).in_paper(given); ++at) {
                            ASSERT_EQ(block[at], content(from, rank, at));
                          }
                        });
      };
      look(desk(node).own_papers());
      for (int other = 0; other < nodes_.nodes() - 1; ++other) {
        look(desk(node).incoming_papers(static_cast<std::uint64_t>(other)));
      }
      EXPECT_EQ(heard_of, std::vector<int>(heard_of.size(), 1));
      EXPECT_EQ(longest_seen, longest);
    }
  }

 private:
  AlltoallvDesk& desk(int node) { return desks_[static_cast<std::size_t>(node)]; }

  void write(int rank) {
    AlltoallvDesk& own = desk(nodes_.node_of(rank));
    std::uint64_t longest = 0;
    for (int node = 0; node < nodes_.nodes(); ++node) {
      std::vector<std::uint64_t> numbers = {static_cast<std::uint64_t>(nodes_.member_index(rank))};
      Bytes blocks;
      for (const int to : nodes_.members(node)) {
        numbers.push_back(bytes(rank, to));
        longest = std::max(longest, bytes(rank, to));
        for (std::uint64_t at = 0; at < own.in_paper(bytes(rank, to)); ++at) {
          blocks.push_back(content(rank, to, at));
        }
      }
      const std::uint64_t head = numbers.size() * sizeof(std::uint64_t);
      std::byte* const paper = own.take_room(node, head + blocks.size());
      std::memcpy(paper, numbers.data(), head);
      std::copy(blocks.begin(), blocks.end(), paper + head);
    }
    own.note_longest(longest);
  }

  const NodeMap& nodes_;
  std::mt19937_64& random_;
  std::vector<AlltoallvDesk> desks_;
  std::vector<Bytes> memory_;
  std::vector<std::uint64_t> sizes_;
};

TEST(AlltoallvDesk, WhatIsGivenArrives) {
  const char* const given = std::getenv("TEST_SEED");
  const std::uint64_t seed = given ? std::strtoull(given, nullptr, 0) : std::random_device()();
  std::cout << "TEST_SEED=" << seed << std::endl;
  std::mt19937_64 random(seed);
  for (int round = 0; round < 200; ++round) {
    std::vector<Place> places(1 + random() % 12);
    for (Place& place : places) place.node = static_cast<int>(random() % 4);
    const NodeMap nodes(places, 8);
    Desks desks(nodes, 8 * (1 + random() % 20), random);
    desks.write();
    desks.exchange();
    desks.check();
    if (HasFatalFailure() || HasNonfatalFailure()) return;
  }
}

TEST(AlltoallvDesk, ShortBlocksFillTheRoom) {
  const NodeMap nodes(std::vector<Place>{{0, 0}, {0, 0}, {1, 0}, {1, 0}, {1, 0}}, 8);
  EXPECT_EQ(AlltoallvDesk::short_bytes_for(nodes, 64), 0u);
  for (std::uint64_t room = AlltoallvDesk::most_bytes(nodes, 8); room < 100'000; room += 777) {
    const std::uint64_t bytes = AlltoallvDesk::short_bytes_for(nodes, room);
    EXPECT_EQ(bytes % 8, 0u);
    EXPECT_LE(AlltoallvDesk::most_bytes(nodes, bytes), room);
    EXPECT_GT(AlltoallvDesk::most_bytes(nodes, bytes + 8), room);
  }
}

TEST(AlltoallvDesk, TellsTheLongestBlock) {
  const NodeMap nodes(std::vector<Place>{{0, 0}, {1, 0}}, 8);
  AlltoallvDesk desk(nodes, 0, 64);
  Bytes memory(desk.bytes());
  desk.lie_at(memory.data());
  desk.note_longest(80);
  desk.note_longest(100);
  desk.note_longest(5);
  EXPECT_EQ(desk.own_papers().head.longest_block, 100u);
}

}  // namespace
}  // namespace mpiactor
