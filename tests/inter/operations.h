// Operations and scenarios for tests with plans of their own.
#ifndef MPIACTOR_TESTS_INTER_OPERATIONS_H_
#define MPIACTOR_TESTS_INTER_OPERATIONS_H_

#include <cstdint>

#include "inter/verifier.h"

namespace mpiactor::inter {

inline PlanOp send(int peer, std::uint64_t offset, std::uint64_t bytes, int channel = 0,
                   int stream = 0) {
  return {.kind = OpKind::kSend,
          .peer = peer,
          .offset = offset,
          .bytes = bytes,
          .stream = stream,
          .channel = channel};
}

inline PlanOp receive(int peer, std::uint64_t offset, std::uint64_t bytes, int channel = 0,
                      int stream = 0) {
  PlanOp op = send(peer, offset, bytes, channel, stream);
  op.kind = OpKind::kReceive;
  return op;
}

inline Scenario scenario_of(int nodes, std::uint64_t bytes = 16, std::uint64_t segment_bytes = 4) {
  Scenario scenario;
  scenario.shape = Shape::line(nodes);
  scenario.bytes = bytes;
  scenario.segment_bytes = segment_bytes;
  return scenario;
}

}  // namespace mpiactor::inter

#endif  // MPIACTOR_TESTS_INTER_OPERATIONS_H_
