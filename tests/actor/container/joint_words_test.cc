#include "actor/container/joint_words.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace mpiactor {
namespace {

constexpr shm::Segment::Address kAddress{
    .pid = 4'194'303, .descriptor = 17, .device = 28, .inode = std::uint64_t{1} << 40 | 5};

bool operator==(const shm::Segment::Address& a, const shm::Segment::Address& b) {
  return a.pid == b.pid && a.descriptor == b.descriptor && a.device == b.device &&
         a.inode == b.inode;
}

// What an allreduce makes of them.
void combine(std::vector<JointWords>& all) {
  for (std::size_t i = 0; i < all[0].all().size(); ++i) {
    std::uint64_t word = ~std::uint64_t{0};
    for (JointWords& each : all) word &= each.all()[i];
    for (JointWords& each : all) each.all()[i] = word;
  }
}

TEST(JointWords, AddressesOfNodesReachAll) {
  constexpr int kNodes = 5;
  std::vector<JointWords> all(kNodes, JointWords(kNodes, 12, false));
  for (int node = 0; node < kNodes; ++node) {
    shm::Segment::Address address = kAddress;
    address.descriptor += node;
    all[static_cast<std::size_t>(node)].set_address(node, address);
  }
  EXPECT_TRUE(all[0].lacks_addresses());
  combine(all);
  for (JointWords& each : all) {
    EXPECT_FALSE(each.lacks_addresses());
    for (int node = 0; node < kNodes; ++node) {
      shm::Segment::Address address = kAddress;
      address.descriptor += node;
      EXPECT_TRUE(each.address(node) == address) << node;
    }
  }
}

TEST(JointWords, NoMemoryIsAnAddressToo) {
  std::vector<JointWords> all(2, JointWords(2, 4, false));
  all[0].set_address(0, shm::Segment::Address{});
  combine(all);
  EXPECT_TRUE(all[0].lacks_addresses()) << "node 1 has not said";
  all[1].set_address(1, kAddress);
  combine(all);
  EXPECT_FALSE(all[1].lacks_addresses());
  EXPECT_LT(all[1].address(0).descriptor, 0);
  EXPECT_TRUE(all[1].address(1) == kAddress);
}

TEST(JointWords, PartsDoNotOverlap) {
  for (const int nodes : {1, 3}) {
    constexpr int kRanks = 7;
    JointWords joint(nodes, kRanks, nodes == 1);
    EXPECT_EQ(joint.has_probes(), nodes == 1);
    std::size_t written = 0;
    const auto write = [&](std::span<std::uint64_t> words) {
      for (std::uint64_t& word : words) word = ++written;
    };
    write(joint.kept());
    if (nodes > 1) write(joint.places());
    write(joint.addresses());
    for (int rank = 0; joint.has_probes() && rank < kRanks; ++rank) write(joint.probe(rank));
    ASSERT_EQ(written, joint.all().size());
    for (std::size_t i = 0; i < written; ++i) EXPECT_EQ(joint.all()[i], i + 1);
  }
}

}  // namespace
}  // namespace mpiactor
