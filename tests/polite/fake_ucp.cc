// Stands for UCX: functions of its names that count how often they were called. A poll answers
// with the number of events that the caller has put into the worker.
extern "C" {

struct FakeWorker {
  unsigned events;
  int polls;
  int flushes;
  int destroyed;
};

unsigned ucp_worker_progress(void* worker) {
  auto* fake = static_cast<FakeWorker*>(worker);
  ++fake->polls;
  return fake->events;
}

/// An endpoint of this library is its worker; the answer is a request, so not null.
void* ucp_disconnect_nb(void* endpoint) {
  ++static_cast<FakeWorker*>(endpoint)->flushes;
  return endpoint;
}

/// As UCX's: through the name that a preload may have.
void ucp_ep_destroy(void* endpoint) { ucp_disconnect_nb(endpoint); }

void ucp_worker_destroy(void* worker) { ++static_cast<FakeWorker*>(worker)->destroyed; }
}
