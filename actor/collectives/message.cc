#include "actor/collectives/message.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <vector>

namespace mpiactor {
namespace {

struct TypeFacts {
  std::uint64_t bytes = 0;
  bool contiguous = false;  // packed bytes = memory from the buffer's address on
};

int keyval = MPI_KEYVAL_INVALID;

int on_type_free(MPI_Datatype, int, void* value, void*) {
  delete static_cast<TypeFacts*>(value);
  return MPI_SUCCESS;
}

// Whether `type` is a plain run of one predefined type. Other types may be contiguous too, but in
// another order than they are packed: they are packed.
bool is_plain_run(MPI_Datatype type) {
  if (is_builtin(type)) return true;
  int integers = 0;
  int addresses = 0;
  int types = 0;
  int combiner = 0;
  PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
  if (combiner != MPI_COMBINER_DUP && combiner != MPI_COMBINER_CONTIGUOUS) return false;
  std::vector<int> i(static_cast<std::size_t>(integers) + 1);
  std::vector<MPI_Aint> a(static_cast<std::size_t>(addresses) + 1);
  MPI_Datatype inner = MPI_DATATYPE_NULL;
  PMPI_Type_get_contents(type, integers, addresses, types, i.data(), a.data(), &inner);
  const bool plain = is_plain_run(inner);
  PMPI_Type_get_envelope(inner, &integers, &addresses, &types, &combiner);
  if (combiner != MPI_COMBINER_NAMED) PMPI_Type_free(&inner);
  return plain;
}

TypeFacts facts_of(MPI_Datatype type) {
  if (is_builtin(type)) return {builtin_bytes(type), true};
  void* known = nullptr;
  int found = 0;
  PMPI_Type_get_attr(type, keyval, &known, &found);
  if (found) return *static_cast<TypeFacts*>(known);
  auto facts = std::make_unique<TypeFacts>();
  MPI_Count bytes = 0;
  PMPI_Type_size_x(type, &bytes);
  facts->bytes = static_cast<std::uint64_t>(bytes);
  facts->contiguous = is_plain_run(type);
  const TypeFacts copy = *facts;
  if (PMPI_Type_set_attr(type, keyval, facts.get()) == MPI_SUCCESS) facts.release();
  return copy;
}

void check(int error) {
  if (error != MPI_SUCCESS) throw std::runtime_error("the MPI library could not pack a message");
}

}  // namespace

Message::Message(void* buffer, MPI_Count count, MPI_Datatype type)
    : buffer_(buffer), count_(count), type_(type) {
  const TypeFacts facts = facts_of(type);
  element_bytes_ = facts.bytes;
  bytes_ = facts.bytes * static_cast<std::uint64_t>(count);
  if (facts.contiguous) contiguous_ = static_cast<std::byte*>(buffer);
}

void Message::pack(std::byte* out) const {
  if (contiguous_) {
    std::memcpy(out, contiguous_, bytes_);
    return;
  }
  MPI_Count position = 0;
  check(PMPI_Pack_c(buffer_, count_, type_, out, static_cast<MPI_Count>(bytes_), &position,
                    MPI_COMM_SELF));
}

void Message::unpack(const std::byte* in, std::uint64_t bytes) const {
  const std::uint64_t fitting = std::min(bytes, bytes_);
  if (contiguous_) {
    std::memcpy(contiguous_, in, fitting);
    return;
  }
  if (element_bytes_ == 0) return;
  const MPI_Count elements = static_cast<MPI_Count>(fitting / element_bytes_);
  MPI_Count position = 0;
  check(PMPI_Unpack_c(in, static_cast<MPI_Count>(fitting), &position, buffer_, elements, type_,
                      MPI_COMM_SELF));
}

void initialise_messages() {
  PMPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, on_type_free, &keyval, nullptr);
}

void finalise_messages() { PMPI_Type_free_keyval(&keyval); }

}  // namespace mpiactor
