#include "tests/differential/call.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>

namespace differential {

void Call::check(const std::string& completion) const {
  const auto look = [&](const Buffer& buffer, const std::string& name) {
    const std::optional<std::string> difference = buffer.difference();
    if (difference) fail(text + completion, fmt::format("{} {}", name, *difference));
  };
  look(send, "send buffer");
  look(receive, "receive buffer");
  for (std::size_t i = 0; i < parts.size(); ++i) look(parts[i], fmt::format("part {}", i));
}

void release_types(Call& call) {
  call.send.release_types();
  call.receive.release_types();
  for (Buffer& part : call.parts) part.release_types();
}

void release_operation(Call& call) {
  if (call.owns_operation) MPI_Op_free(&call.operation);
  call.owns_operation = false;
}

Bytes bytes_of(std::uint64_t key, int from, int to, std::size_t bytes) {
  const std::uint64_t stream =
      key_of({key, static_cast<std::uint64_t>(from), static_cast<std::uint64_t>(to)});
  Bytes packed(bytes);
  for (std::size_t i = 0; i < bytes; i += sizeof(std::uint64_t)) {
    const std::uint64_t word = mix(stream + kGolden * i);
    std::memcpy(packed.data() + i, &word, std::min(sizeof(word), bytes - i));
  }
  return packed;
}

}  // namespace differential
