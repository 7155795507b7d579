#include "bench/contender.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace mpiactor::bench {

LeaderSwitch::LeaderSwitch()
    : set_leader_(reinterpret_cast<SetLeader>(dlsym(RTLD_DEFAULT, "mpiactor_set_leader"))) {}

std::string LeaderSwitch::choose(const std::string& leader, int rank) const {
  const int error = set_leader_(leader.c_str());
  if (error == 0) return {};
  return fmt::format("rank {}: the runtime refused leader '{}' (mpiactor_set_leader returned {})",
                     rank, leader, error);
}

std::vector<std::string> parse_contenders(std::string_view list) {
  std::vector<std::string> contenders;
  while (true) {
    const std::size_t comma = list.find(',');
    const std::string_view name = list.substr(0, comma);
    if (name != "competitive" && name != "static" && name != "off") {
      throw std::invalid_argument(
          fmt::format("'{}' is not a contender: choose from competitive, static, off", name));
    }
    if (std::find(contenders.begin(), contenders.end(), name) != contenders.end()) {
      throw std::invalid_argument(fmt::format("contender '{}' is given twice", name));
    }
    contenders.emplace_back(name);
    if (comma == std::string_view::npos) return contenders;
    list.remove_prefix(comma + 1);
  }
}

}  // namespace mpiactor::bench
