#include "actor/interpose/self_request.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include "actor/abi/handles.h"
#include "actor/container/world.h"
#include "inter/lasting.h"

namespace mpiactor::interpose {

struct SelfChannel {
  MPI_Errhandler handler = MPI_ERRORS_ARE_FATAL;
  MPI_Comm comm = MPI_COMM_NULL;
  int requests = 0;            // that can still be completed
  std::vector<int> free_tags;  // has room for all
  int tags = 0;                // used and free ones
};

namespace {

// A communicator's error handler, held. Predefined ones are nobody's.
class ErrorHandler {
 public:
  explicit ErrorHandler(MPI_Comm comm) { PMPI_Comm_get_errhandler(comm, &handler_); }
  ~ErrorHandler() {
    if (!is_predefined(handler_)) PMPI_Errhandler_free(&handler_);
  }
  ErrorHandler(const ErrorHandler&) = delete;
  ErrorHandler& operator=(const ErrorHandler&) = delete;
  MPI_Errhandler get() const { return handler_; }

 private:
  MPI_Errhandler handler_ = MPI_ERRORS_ARE_FATAL;
};

// The first has MPI_ERRORS_ARE_FATAL and stands in where no other communicator can be had: then an
// error ends the job, but none is lost. Others come with their error handlers.
using Channels = std::vector<std::unique_ptr<SelfChannel>>;
Channels& channels() {
  static inter::Lasting<Channels> all;
  return *all;
}

constexpr std::size_t kUsualChannels = 8;

// Made in MPI_Init: while the program makes others by MPI_Comm_idup, or in another thread, a
// process can make none without waiting for other ranks.
using Comms = std::vector<MPI_Comm>;
Comms& spare_comms() {
  static inter::Lasting<Comms> all;
  return *all;
}

MPI_Comm make_comm() {
  MPI_Comm comm = MPI_COMM_NULL;
  const int error = PMPI_Comm_split(world()->self_comm, 0, 0, &comm);
  return error == MPI_SUCCESS ? comm : MPI_COMM_NULL;
}

MPI_Comm take_comm() {
  if (spare_comms().empty()) return make_comm();
  const MPI_Comm comm = spare_comms().back();
  spare_comms().pop_back();
  return comm;
}

std::unique_ptr<SelfChannel> make_channel(MPI_Errhandler handler) {
  auto channel = std::make_unique<SelfChannel>();
  channel->comm = take_comm();
  if (channel->comm == MPI_COMM_NULL) return nullptr;
  PMPI_Comm_set_errhandler(channel->comm, handler);  // and keeps it
  channel->handler = handler;
  return channel;
}

// Makes room where a program has many error handlers. Requests that have ended may still be
// waited for: they keep their communicator.
void drop_unused_channel() {
  if (channels().size() < kUsualChannels) return;
  const auto unused = std::find_if(channels().begin() + 1, channels().end(),
                                   [](const auto& channel) { return channel->requests == 0; });
  if (unused == channels().end()) return;
  PMPI_Comm_free(&(*unused)->comm);
  channels().erase(unused);
}

SelfChannel* channel_for(MPI_Errhandler handler) {
  for (const auto& channel : channels()) {
    if (channel->handler == handler) return channel.get();
  }
  drop_unused_channel();
  channels().reserve(channels().size() + 1);
  auto fresh = make_channel(handler);
  if (!fresh) return channels().front().get();
  channels().push_back(std::move(fresh));
  return channels().back().get();
}

int take_tag(SelfChannel& channel) {
  if (channel.free_tags.empty()) {
    channel.free_tags.reserve(static_cast<std::size_t>(channel.tags) + 1);
    return channel.tags++;
  }
  const int tag = channel.free_tags.back();
  channel.free_tags.pop_back();
  return tag;
}

}  // namespace

void initialise_self_requests() {
  channels().push_back(make_channel(MPI_ERRORS_ARE_FATAL));
  if (!channels().front()) abort_job("MPI_Init: no communicator for nonblocking collectives");
  while (spare_comms().size() + 1 < kUsualChannels) {
    const MPI_Comm comm = make_comm();
    if (comm == MPI_COMM_NULL) break;
    spare_comms().push_back(comm);
  }
}

void finalise_self_requests() {
  for (const auto& channel : channels()) PMPI_Comm_free(&channel->comm);
  channels().clear();
  for (MPI_Comm& comm : spare_comms()) PMPI_Comm_free(&comm);
  spare_comms().clear();
}

SelfRequest::SelfRequest(MPI_Comm comm) {
  const ErrorHandler handler(comm);
  channel_ = channel_for(handler.get());
  tag_ = take_tag(*channel_);
  ++channel_->requests;
}

SelfRequest::~SelfRequest() {
  if (!channel_) return;
  --channel_->requests;
  channel_->free_tags.push_back(tag_);
}

int SelfRequest::make_active(MPI_Request* request) const {
  return PMPI_Irecv(nullptr, 0, MPI_BYTE, 0, tag_, channel_->comm, request);
}

int SelfRequest::make_persistent(MPI_Request* request) const {
  return PMPI_Recv_init(nullptr, 0, MPI_BYTE, 0, tag_, channel_->comm, request);
}

void SelfRequest::complete(int error) const noexcept {
  const std::byte byte{};
  PMPI_Send(&byte, error == MPI_SUCCESS ? 0 : 1, MPI_BYTE, 0, tag_, channel_->comm);
}

}  // namespace mpiactor::interpose
