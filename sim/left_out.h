// Which recorded calls are not played, and why.
#ifndef MPIACTOR_SIM_LEFT_OUT_H_
#define MPIACTOR_SIM_LEFT_OUT_H_

#include <span>

#include "sim/recorded_call.h"

namespace mpiactor::sim {

struct LeftOut {
  const char* reason;  // one word
  const char* text;    // for readers, behind "left out:"
};

std::span<const LeftOut> left_out_reasons();

// nullptr: the call is played. By the rules that the runtime goes by, with its settings as they are
// by default.
const LeftOut* left_out(const RecordedCall& call);

}  // namespace mpiactor::sim

#endif  // MPIACTOR_SIM_LEFT_OUT_H_
