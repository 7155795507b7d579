// A user's buffer as a sequence of packed bytes.
#ifndef MPIACTOR_ACTOR_BUFFERS_MESSAGE_H_
#define MPIACTOR_ACTOR_BUFFERS_MESSAGE_H_

#include <mpi.h>

#include <cstddef>
#include <cstdint>

#include "actor/abi/handles.h"

namespace mpiactor {

class Message {
 public:
  // `type` must be valid and committed, `count` >= 0.
  Message(void* buffer, MPI_Count count, MPI_Datatype type);

  std::uint64_t bytes() const { return bytes_; }
  // The packed bytes themselves where the type has no gaps and keeps the order; else nullptr.
  std::byte* contiguous() const { return contiguous_; }
  // Where it begins in memory: for a type of absolute addresses not at the buffer's own. nullptr
  // where there is nothing.
  const void* first_byte() const;

  // All bytes() of the message to `out`.
  void pack(std::byte* out) const;
  // The first min(`bytes`, bytes()) bytes from `in`; whole elements alone where the type has gaps.
  void unpack(const std::byte* in, std::uint64_t bytes) const;

 private:
  void* buffer_;
  MPI_Count count_;
  MPI_Datatype type_;
  std::uint64_t element_bytes_;
  std::uint64_t bytes_;
  std::byte* contiguous_ = nullptr;
};

// Sets up and gives back what is remembered of derived types.
void initialise_messages();
void finalise_messages();

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_BUFFERS_MESSAGE_H_
