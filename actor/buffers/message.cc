#include "actor/buffers/message.h"

#include <algorithm>
#include <atomic>
#include <climits>
#include <stdexcept>
#include <vector>

#include "actor/buffers/type_contents.h"
#include "actor/container/world.h"
#include "actor/shm/copy.h"

namespace mpiactor {
namespace {

struct TypeFacts {
  std::uint64_t bytes = 0;
  bool contiguous = false;  // packed bytes = memory from the buffer's address on
};

// That MPI_Pack and MPI_Unpack take.
constexpr std::uint64_t kMostPackedBytes = INT_MAX;

int keyval = MPI_KEYVAL_INVALID;

// Facts are the attribute's value itself: threads that look at a type while another one notes its
// facts find all of them or none.
void* to_attribute(const TypeFacts& facts) {
  return reinterpret_cast<void*>(facts.bytes << 1 | (facts.contiguous ? 1 : 0));
}

TypeFacts from_attribute(void* value) {
  const auto word = reinterpret_cast<std::uint64_t>(value);
  return {word >> 1, (word & 1) != 0};
}

// Whether `type` is a plain run of one predefined type. Other types may be contiguous too, but in
// another order than they are packed: they are packed.
bool is_plain_run(MPI_Datatype type) {
  if (is_builtin(type)) return true;
  const int combiner = TypeContents::combiner_of(type);
  return (combiner == MPI_COMBINER_DUP || combiner == MPI_COMBINER_CONTIGUOUS) &&
         is_plain_run(TypeContents(type).types()[0]);
}

TypeFacts facts_of(MPI_Datatype type) {
  if (is_builtin(type)) return {builtin_bytes(type), true};
  void* known = nullptr;
  int found = 0;
  PMPI_Type_get_attr(type, keyval, &known, &found);
  if (found) return from_attribute(known);
  MPI_Count bytes = 0;
  PMPI_Type_size_x(type, &bytes);
  const TypeFacts facts{static_cast<std::uint64_t>(bytes), is_plain_run(type)};
  PMPI_Type_set_attr(type, keyval, to_attribute(facts));
  return facts;
}

void check(int error) {
  if (error != MPI_SUCCESS) throw std::runtime_error("the MPI library could not pack a message");
}

// A message to oneself: packs, or unpacks, what MPI_Pack does not take. MPICH refuses its null
// buffer, although MPI_BOTTOM is one.
void copy_by_message(const void* from, MPI_Count count, MPI_Datatype type, void* to,
                     MPI_Count to_count, MPI_Datatype to_type) {
  constexpr int kTags = 1 << 15;  // of threads that do so at once, none takes the other's
  static std::atomic<unsigned> calls{0};
  const int tag = calls.fetch_add(1, std::memory_order_relaxed) % kTags;
  check(PMPI_Sendrecv_c(from, count, type, 0, tag, to, to_count, to_type, 0, tag,
                        world()->self_comm, MPI_STATUS_IGNORE));
}

}  // namespace

Message::Message(void* buffer, MPI_Count count, MPI_Datatype type)
    : buffer_(buffer), count_(count), type_(type) {
  const TypeFacts facts = facts_of(type);
  element_bytes_ = facts.bytes;
  bytes_ = facts.bytes * static_cast<std::uint64_t>(count);
  if (facts.contiguous) contiguous_ = static_cast<std::byte*>(buffer);
}

const void* Message::first_byte() const {
  if (bytes_ == 0) return nullptr;
  if (contiguous_) return contiguous_;
  MPI_Aint lower_bound = 0;
  MPI_Aint extent = 0;
  PMPI_Type_get_true_extent(type_, &lower_bound, &extent);
  return static_cast<std::byte*>(buffer_) + lower_bound;
}

void Message::pack(std::byte* out) const {
  if (bytes_ == 0) return;
  if (contiguous_) {
    shm::copy_bytes(out, contiguous_, bytes_);
    return;
  }
  const auto bytes = static_cast<MPI_Count>(bytes_);
  if (buffer_ == MPI_BOTTOM || bytes_ > kMostPackedBytes) {
    copy_by_message(buffer_, count_, type_, out, bytes, MPI_BYTE);
    return;
  }
  int position = 0;
  check(PMPI_Pack(buffer_, static_cast<int>(count_), type_, out, static_cast<int>(bytes), &position,
                  world()->self_comm));
}

void Message::unpack(const std::byte* in, std::uint64_t bytes) const {
  const std::uint64_t fitting = std::min(bytes, bytes_);
  if (fitting == 0) return;
  if (contiguous_) {
    shm::copy_bytes(contiguous_, in, fitting);
    return;
  }
  const auto elements = static_cast<MPI_Count>(fitting / element_bytes_);
  const auto whole = elements * static_cast<MPI_Count>(element_bytes_);
  if (elements == 0) return;
  if (buffer_ == MPI_BOTTOM || bytes_ > kMostPackedBytes) {
    copy_by_message(in, whole, MPI_BYTE, buffer_, elements, type_);
    return;
  }
  int position = 0;
  check(PMPI_Unpack(in, static_cast<int>(whole), &position, buffer_, static_cast<int>(elements),
                    type_, world()->self_comm));
}

void initialise_messages() {
  PMPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &keyval, nullptr);
}

void finalise_messages() { PMPI_Type_free_keyval(&keyval); }

}  // namespace mpiactor
