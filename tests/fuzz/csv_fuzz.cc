// Data sets in comma-separated values.
#include <sstream>
#include <string>

#include "apps/vcc/data_readers.h"
#include "tests/fuzz/target.h"

using namespace mpiactor;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  std::istringstream in{std::string(fuzz::text_of(data, bytes))};
  fuzz::takes<vcc::DataError>([&] {
    const vcc::DataTable table = vcc::read_csv(in, "data");
    fuzz::require(table.observations >= 2 && table.variables >= 1, "there is something to relate");
    fuzz::require(table.values.size() == static_cast<std::size_t>(table.observations) *
                                             static_cast<std::size_t>(table.variables),
                  "a value for every observation of every variable");
    fuzz::require(
        table.names.empty() || table.names.size() == static_cast<std::size_t>(table.variables),
        "all variables are named, or none");
    for (const double value : table.values) fuzz::require(vcc::is_allowed(value), "values fit");
  });
  return 0;
}
