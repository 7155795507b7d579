// A value of a JSON document, in a message.
#ifndef MPIACTOR_INTER_SHOWN_H_
#define MPIACTOR_INTER_SHOWN_H_

#include <nlohmann/json.hpp>
#include <string>

namespace mpiactor::inter {

// Never walks down into a value: it may be nested deeper than the stack is.
inline std::string shown(const nlohmann::json& value) {
  if (value.is_array()) return "a list";
  return value.is_object() ? "an object" : value.dump();
}

}  // namespace mpiactor::inter

#endif  // MPIACTOR_INTER_SHOWN_H_
