// Stands in for the MPI library under the engine: ranks of one process that take turns, messages
// that take their time. Defines the PMPI_ functions that inter/ calls, so that the engine can be
// tested without MPI, also under the sanitizers.
#ifndef MPIACTOR_TESTS_INTER_FAKE_NETWORK_H_
#define MPIACTOR_TESTS_INTER_FAKE_NETWORK_H_

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace mpiactor::inter {

class FakeNetwork {
 public:
  // The functions work on the one that lives; one at a time.
  explicit FakeNetwork(unsigned seed);
  ~FakeNetwork();
  FakeNetwork(const FakeNetwork&) = delete;
  FakeNetwork& operator=(const FakeNetwork&) = delete;

  // Whose calls the next ones are.
  void be(int rank) { rank_ = rank; }
  // Delivers some of what is on its way; messages of one sender and tag keep their order.
  void deliver();
  // Takes a message to this rank off the network, where one has come: which send it was, or -1.
  int look_for(int tag);
  // Sends that nobody has taken, and receives that wait.
  std::size_t unmatched() const;
  // From now on sends end when they are taken, and not before.
  void end_sends_when_taken() { sends_end_early_ = false; }
  // From now on PMPI_Testsome() says of everything that it has ended twice.
  void end_twice() { times_ended_ = 2; }

  struct Transfer {
    bool is_send = false;
    bool synchronous = false;
    int rank = 0;  // who has posted it
    int peer = 0;
    int tag = 0;
    std::byte* data = nullptr;
    std::size_t bytes = 0;
    std::vector<std::byte> taken = {};  // of a send that is over before its receive
    bool matched = false;
    bool over = false;
    bool cancelled = false;
    int source = 0;
  };
  int post(Transfer transfer);
  // Whether a request is over; a message may leave the moment that this is asked.
  bool may_end_at_once(Transfer& transfer);
  Transfer& transfer(int request) { return transfers_[static_cast<std::size_t>(request)]; }
  int rank() const { return rank_; }
  int times_ended() const { return times_ended_; }

 private:
  bool chance() { return random_() % 2 == 0; }
  // Takes a copy of what is sent if it is one of the messages that are over early.
  void buffer(Transfer& send);
  Transfer* receive_for(const Transfer& send);

  std::mt19937 random_;
  std::vector<Transfer> transfers_;  // a request is an index
  std::size_t first_open_ = 0;
  int rank_ = 0;
  int times_ended_ = 1;
  bool sends_end_early_ = true;
};

}  // namespace mpiactor::inter

#endif  // MPIACTOR_TESTS_INTER_FAKE_NETWORK_H_
