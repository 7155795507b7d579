#include "sim/machine.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sim/builtin_machines.h"

namespace mpiactor::sim {
namespace {

nlohmann::json generic() {
  for (const BuiltinMachine& machine : kBuiltinMachines) {
    if (machine.name == "generic") return nlohmann::json::parse(machine.json);
  }
  throw std::logic_error("no generic machine");
}

void expect_error(const nlohmann::json& machine, const std::string& text) {
  try {
    parse_machine(machine.dump(), "file.json");
    FAIL() << "no error; expected: " << text;
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()), text);
  }
}

TEST(Machine, BuiltInMachinesCarryTheirName) {
  EXPECT_EQ(machine_names(), (std::vector<std::string>{"ddr_infiniband", "fugaku", "generic", "k",
                                                       "k_model", "tcp_hosts"}));
  for (const std::string& name : machine_names()) EXPECT_EQ(load_machine(name).name, name);
}

TEST(Machine, LatencyBetweenNeighboursIsThePublishedOne) {
  EXPECT_EQ(load_machine("k").latency_ps(1), 1'270'000u);
  EXPECT_EQ(load_machine("k_model").latency_ps(1), 1'600'000u);
  EXPECT_EQ(load_machine("fugaku").latency_ps(1), 1'730'000u);
  EXPECT_EQ(load_machine("k").latency_ps(11), 2'270'000u);
  EXPECT_EQ(load_machine("k").startup_ps + load_machine("k").rendezvous_ps, 8'370'000u);
}

TEST(Machine, EagerLimitGrowsWithTheHops) {
  const Machine k = load_machine("k");
  EXPECT_EQ(k.eager_limit_bytes(0), 18'000u);
  EXPECT_EQ(k.eager_limit_bytes(1), 18'000u);
  EXPECT_EQ(k.eager_limit_bytes(14), 32'000u);
  EXPECT_EQ(k.eager_limit_bytes(40), 60'000u);
  EXPECT_EQ(k.eager_limit_bytes(100), 60'000u);
}

TEST(MachineErrors, NameFileFieldValueAndWhatIsAllowed) {
  nlohmann::json machine = generic();
  machine["network"]["kind"] = "ring";
  expect_error(machine, "file.json: network.kind is \"ring\"; allowed: torus, switch");

  machine = generic();
  machine["network"]["link_mbps"] = -1;
  expect_error(machine,
               "file.json: network.link_mbps is -1; allowed: a number from 0.001 to 1000000000");

  machine = generic();
  machine["network"]["hop_ns"] = "far";
  expect_error(machine,
               "file.json: network.hop_ns is \"far\"; allowed: a number from 0 to 1000000000");

  machine = generic();
  machine["interfaces"]["count"] = 7;
  expect_error(machine, "file.json: interfaces.count is 7; allowed: a whole number from 1 to 6");
  machine["interfaces"]["count"] = 1.5;
  expect_error(machine, "file.json: interfaces.count is 1.5; allowed: a whole number from 1 to 6");

  machine = generic();
  machine["memory"].erase("copy_mbps");
  expect_error(machine, "file.json: memory.copy_mbps is missing");

  machine = generic();
  machine["memory"]["copy_gbps"] = 3;
  expect_error(machine,
               "file.json: memory.copy_gbps is 3; allowed: one of the fields copy_mbps, "
               "memory_mbps, reduce_mbps");

  machine = generic();
  machine["message"] = 3;
  expect_error(machine, "file.json: message is 3; allowed: an object");

  machine = generic();
  machine["message"]["eager_bytes_40_hops"] = 1;
  expect_error(machine,
               "file.json: message.eager_bytes_40_hops is 1; allowed: at least "
               "eager_bytes_1_hop, 16384");

  machine = generic();
  machine["name"] = nullptr;
  expect_error(machine, "file.json: name is null; allowed: a string");
}

// Deeper than a stack can follow.
TEST(MachineErrors, DeepValuesAreNotWalkedDown) {
  constexpr int kDeep = 200'000;
  const std::string deep = std::string(kDeep, '[') + std::string(kDeep, ']');
  EXPECT_THROW(parse_machine(deep, "file.json"), InputError);
  std::string text = generic().dump();
  const std::string name = R"("name":"generic")";
  ASSERT_NE(text.find(name), std::string::npos);
  text.replace(text.find(name), name.size(), R"("name":)" + deep);
  EXPECT_THROW(parse_machine(text, "file.json"), InputError);
}

TEST(MachineErrors, NotJsonUnknownUnreadable) {
  EXPECT_THROW(parse_machine("{", "file.json"), InputError);
  EXPECT_THROW(parse_machine("[]", "file.json"), InputError);
  EXPECT_THROW(load_machine("/nowhere/machine.json"), InputError);
  try {
    load_machine("earth");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(
        error.what(),
        "machine is 'earth'; allowed: ddr_infiniband, fugaku, generic, k, k_model, tcp_hosts, or a "
        "path that ends in .json");
  }
}

}  // namespace
}  // namespace mpiactor::sim
