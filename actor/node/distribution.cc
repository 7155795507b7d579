#include "actor/node/distribution.h"

#include <algorithm>
#include <bit>
#include <cinttypes>
#include <memory>
#include <vector>

#include "actor/container/world.h"
#include "actor/shm/copy.h"
#include "actor/trace/span.h"
#include "inter/assertion.h"

namespace mpiactor {

using competition::Description;
using competition::Entry;
using competition::kInlineBytes;
using competition::kMaxEntries;
using competition::Slot;
using competition::stamp;

namespace {

// A message is held where staging has room for a few of its kind; longer ones go through a ring
// small enough to stay in the cache.
constexpr std::uint64_t kHeldShare = 4;
constexpr std::uint64_t kRingBytes = 1 << 20;
constexpr std::uint64_t kRingChunks = 8;

// Bytes worth waking followers for where there are more ranks than cores.
constexpr std::uint64_t kCrowdedWakeBytes = 256 << 10;

// Unit in which a leader's copy overlaps its followers' copies.
std::uint64_t copy_chunk(std::uint64_t bytes) {
  if (world()->wait.give_way)
    return std::max(kCrowdedWakeBytes, std::bit_ceil(bytes / kMaxEntries + 1));
  constexpr std::uint64_t kShortest = 8 << 10;
  constexpr std::uint64_t kLongest = 128 << 10;
  const std::uint64_t chunk = std::clamp(std::bit_ceil(bytes / 4 + 1), kShortest, kLongest);
  return std::max(chunk, std::bit_ceil(bytes / kMaxEntries + 1));
}

}  // namespace

Placement place_message(const Container& container, std::uint64_t bytes) {
  if (bytes <= kInlineBytes) return Placement::kInline;
  return bytes <= container.staging_bytes() / kHeldShare ? Placement::kHeld : Placement::kRing;
}

Distribution::Distribution(Container& container, std::uint64_t sequence, std::uint64_t bytes,
                           Placement placement, std::uint64_t most_entries)
    : container_(container),
      sequence_(sequence),
      bytes_(bytes),
      placement_(placement),
      followers_(container.members() > 1),
      wake_bytes_(world()->wait.give_way ? kCrowdedWakeBytes : 0) {
  lay_out(most_entries);
}

void Distribution::lay_out(std::uint64_t most_entries) {
  Slot& slot = container_.queue().slot(sequence_);
  slot.description = {.sequence = sequence_, .bytes = bytes_};
  slot.served.clear();
  if (placement_ == Placement::kInline) {
    memory_ = slot.inline_bytes;
    return;
  }
  if (!followers_) return;
  if (placement_ == Placement::kHeld && lay_out_held(most_entries)) return;
  // Too long, or memory is short: a ring, if need be within the memory that is surely there.
  placement_ = Placement::kRing;
  if (!lay_out_ring(container_.staging_bytes())) lay_out_ring(container_.sure_staging_bytes());
}

bool Distribution::lay_out_held(std::uint64_t most_entries) {
  chunk_bytes_ = copy_chunk(bytes_);
  if (!take_staging(std::max(most_entries, bytes_ / chunk_bytes_ + 2), bytes_)) return false;
  memory_ = container_.staging(container_.queue().slot(sequence_).description.staging_offset);
  return true;
}

bool Distribution::lay_out_ring(std::uint64_t staging_bytes) {
  const std::uint64_t ring = std::min(kRingBytes, staging_bytes / kHeldShare);
  // Chunks of a ring are no smaller than what keeps the number of entries within its bits.
  chunk_bytes_ = std::max(ring / kRingChunks, bytes_ / (kMaxEntries / 2) + 1);
  chunk_bytes_ = std::min(shm::round_to_lines(chunk_bytes_), staging_bytes / 2);
  window_entries_ = std::max<std::uint64_t>(1, ring / chunk_bytes_);
  if (!take_staging(window_entries_, window_entries_ * chunk_bytes_)) return false;
  Description& description = container_.queue().slot(sequence_).description;
  description.window_entries = window_entries_;
  description.chunk_bytes = chunk_bytes_;
  ring_ = container_.staging(description.staging_offset);
  return true;
}

// Staging for a log of `entries` and the payload behind it.
bool Distribution::take_staging(std::uint64_t entries, std::uint64_t payload) {
  const std::uint64_t log_bytes = shm::round_to_lines(entries * sizeof(Entry));
  payload = shm::round_to_lines(payload);
  const auto offset = container_.allocate_staging(sequence_, log_bytes + payload);
  if (!offset) return false;
  Description& description = container_.queue().slot(sequence_).description;
  description.log_offset = *offset;
  description.staging_offset = *offset + log_bytes;
  description.staging_bytes = payload;
  log_ = reinterpret_cast<Entry*>(container_.staging(*offset));
  return true;
}

void Distribution::note_copies(std::uint64_t copied_receives, inter::Push push) {
  Description& description = container_.queue().slot(sequence_).description;
  description.copied_receives = copied_receives;
  description.push = push;
}

void Distribution::note_time(std::chrono::steady_clock::time_point leader_came) {
  if (entries_ != 0) return;
  Description& description = container_.queue().slot(sequence_).description;
  description.short_at = std::chrono::steady_clock::now();
  description.leader_came_after = leader_came;
}

void Distribution::publish(std::uint64_t offset, std::uint64_t bytes) {
  if (placement_ != Placement::kInline) {
    const std::uint64_t at = window_entries_ ? entries_ % window_entries_ : entries_;
    MPIACTOR_WITH_ASSERTIONS(assert_logged(at, offset, bytes));
    log_[at] = {offset, bytes};
  }
  ++entries_;
  published_bytes_ += bytes;
  unwoken_bytes_ += bytes;
  // With more ranks than cores a follower's copy overlaps nothing, and every wake-up costs a change
  // of context: few of them. In a ring the leader waits for the followers.
  const bool wake =
      placement_ == Placement::kRing || published_bytes_ >= bytes_ || unwoken_bytes_ >= wake_bytes_;
  if (wake) unwoken_bytes_ = 0;
  container_.queue().publish(sequence_, entries_, wake);
}

#if MPIACTOR_ASSERTIONS
// Entry `at` has room in the log and lies within the message.
void Distribution::assert_logged(std::uint64_t at, std::uint64_t offset,
                                 std::uint64_t bytes) const {
  const Description& description = container_.queue().slot(sequence_).description;
  const std::uint64_t room = (description.staging_offset - description.log_offset) / sizeof(Entry);
  MPIACTOR_ASSERT(at < room && bytes <= bytes_ && offset <= bytes_ - bytes,
                  "entry %" PRIu64 " of %" PRIu64 " in request %" PRIu64 ": bytes [%" PRIu64
                  ", %" PRIu64 ") of %" PRIu64,
                  at, room, sequence_, offset, offset + bytes, bytes_);
}
#endif

void Distribution::arrived(std::uint64_t offset, std::uint64_t bytes) {
  if (!followers_) return;
  if (placement_ == Placement::kInline) {
    inline_arrived_ += bytes;
    if (inline_arrived_ < bytes_) return;
    offset = 0;
  }
  publish(offset, bytes);
}

void Distribution::offer(const std::byte* source, std::uint64_t offset, std::uint64_t bytes) {
  if (followers_) offers_.push_back({source, offset, bytes});
}

// The next chunk of a ring may be written when every member has consumed its last use.
std::uint64_t Distribution::room_stamp() const {
  return entries_ < window_entries_ ? 0 : stamp(sequence_, entries_ - window_entries_ + 1);
}

bool Distribution::step() {
  if (offers_.empty()) return false;
  if (placement_ == Placement::kRing && !container_.queue().members_reached(room_stamp()))
    return false;
  Offer& offer = offers_.front();
  const std::uint64_t bytes =
      placement_ == Placement::kInline ? offer.bytes : std::min(offer.bytes, chunk_bytes_);
  std::byte* const target = placement_ == Placement::kRing
                                ? ring_ + entries_ % window_entries_ * chunk_bytes_
                                : memory_ + offer.offset;
  shm::copy_to_shared(target, offer.source + offer.offset, bytes);
  const std::uint64_t offset = offer.offset;
  offer.offset += bytes;
  offer.bytes -= bytes;
  if (offer.bytes == 0) offers_.pop_front();
  if (placement_ == Placement::kInline) {
    arrived(offset, bytes);
  } else {
    publish(offset, bytes);
  }
  return true;
}

void Distribution::wait_for_room() {
  if (placement_ == Placement::kRing && !offers_.empty())
    container_.queue().wait_members(room_stamp());
}

std::byte* offer_message(Distribution& distribution, const Message& message,
                         std::unique_ptr<std::byte[]>& copy) {
  const std::uint64_t bytes = message.bytes();
  if (std::byte* const source = message.contiguous()) {
    distribution.offer(source, 0, bytes);
    return source;
  }
  if (std::byte* const shared = distribution.memory()) {
    message.pack(shared);
    distribution.arrived(0, bytes);
    return shared;
  }
  copy.reset(new std::byte[bytes]);
  message.pack(copy.get());
  distribution.offer(copy.get(), 0, bytes);
  return copy.get();
}

namespace {

// Where the bytes of entry `k` lie.
const std::byte* entry_data(Container& container, const Description& description,
                            const Entry& entry, std::uint64_t k) {
  const std::byte* const payload = container.staging(description.staging_offset);
  return description.window_entries
             ? payload + k % description.window_entries * description.chunk_bytes
             : payload + entry.offset;
}

// Copies the part of an entry that fits `room` bytes.
void take(std::byte* target, std::uint64_t room, const Entry& entry, const std::byte* data) {
  if (entry.offset >= room) return;
  shm::copy_bytes(target + entry.offset, data, std::min(entry.bytes, room - entry.offset));
}

}  // namespace

StagedMessage::StagedMessage(Container& container, std::uint64_t sequence)
    : container_(container), sequence_(sequence) {
  container.queue().wait_published(sequence, 0);
  Slot& slot = container.queue().slot(sequence);
  const Description& description = slot.description;
  if (description.staging_bytes == 0) {
    memory_ = slot.inline_bytes;
    there_ = description.bytes;
  } else if (description.window_entries == 0) {
    memory_ = container.staging(description.staging_offset);
    log_ = reinterpret_cast<const Entry*>(container.staging(description.log_offset));
  }
}

std::uint64_t StagedMessage::there() {
  const std::uint64_t published = log_ ? container_.queue().published(sequence_) : 0;
  for (; entries_ < published; ++entries_) {
    MPIACTOR_ASSERT(log_[entries_].offset == there_,
                    "request %" PRIu64 ": entry %" PRIu64 " begins at byte %" PRIu64
                    " after %" PRIu64,
                    sequence_, entries_, log_[entries_].offset, there_);
    there_ += log_[entries_].bytes;
  }
  return there_;
}

std::uint64_t follow(Container& container, std::uint64_t sequence, const Message& message) {
  competition::RequestQueue& queue = container.queue();
  std::uint64_t published = queue.wait_published(sequence, 0);
  trace::first_byte();
  const Slot& slot = queue.slot(sequence);
  const Description& description = slot.description;
  const std::uint64_t bytes = description.bytes;
  MPIACTOR_ASSERT(description.sequence == sequence,
                  "member %d is in request %" PRIu64 ", whose slot describes request %" PRIu64,
                  container.member(), sequence, description.sequence);
  if (description.staging_bytes == 0) {
    if (!description.is_in_room) message.unpack(slot.inline_bytes, bytes);
    trace::last_byte();
    return bytes;
  }
  // A type with gaps is unpacked at the end: from staging, or, where that is a ring, from a copy.
  const bool ring = description.window_entries != 0;
  std::unique_ptr<std::byte[]> copy;
  std::byte* target = message.contiguous();
  std::uint64_t room = message.bytes();
  if (!target && ring) {
    copy.reset(new std::byte[bytes]);
    target = copy.get();
    room = bytes;
  }
  const Entry* const log =
      reinterpret_cast<const Entry*>(container.staging(description.log_offset));
  std::uint64_t consumed = 0;
  for (std::uint64_t k = 0; consumed < bytes; ++k) {
    if (k == published) published = queue.wait_published(sequence, k);
    const Entry entry = log[ring ? k % description.window_entries : k];
    MPIACTOR_ASSERT(entry.bytes > 0 && entry.bytes <= bytes && entry.offset <= bytes - entry.bytes,
                    "entry %" PRIu64 " of request %" PRIu64 ": bytes [%" PRIu64 ", %" PRIu64
                    ") of %" PRIu64,
                    k, sequence, entry.offset, entry.offset + entry.bytes, bytes);
    if (target) take(target, room, entry, entry_data(container, description, entry, k));
    consumed += entry.bytes;
    if (ring) queue.consumed(sequence, k + 1);
  }
  if (!message.contiguous()) {
    message.unpack(copy ? copy.get() : container.staging(description.staging_offset), bytes);
  }
  trace::last_byte();
  return bytes;
}

}  // namespace mpiactor
