// What operations of the program's may do: want the alignment of their type, write to both of their
// operands, throw, and leave by longjmp().
#include <csetjmp>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "tests/actor/collectives/mpi_check.h"
#include "tests/collectives/harness.h"

namespace {

using namespace mpiactor::testing;

int misaligned = 0;

// As compilers add numbers of 16 bytes: by instructions that want them to be aligned.
void add_long_doubles(void* from, void* to, int* count, MPI_Datatype*) {
  for (const void* operand : {from, to}) {
    misaligned += reinterpret_cast<std::uintptr_t>(operand) % alignof(long double) != 0;
  }
  for (int i = 0; i < *count; ++i) {
    static_cast<long double*>(to)[i] += static_cast<const long double*>(from)[i];
  }
}

void add_and_spoil(void* from, void* to, int* count, MPI_Datatype*) {
  for (int i = 0; i < *count; ++i) {
    static_cast<int*>(to)[i] += static_cast<int*>(from)[i];
    static_cast<int*>(from)[i] = -1;
  }
}

enum class Leave { kNot, kByException, kByOther, kByJump };
Leave leave = Leave::kNot;
std::jmp_buf before_the_call;
struct NoException {};

void add_or_leave(void* from, void* to, int* count, MPI_Datatype*) {
  if (leave == Leave::kByException) throw std::runtime_error("data that cannot be added");
  if (leave == Leave::kByOther) throw NoException();
  if (leave == Leave::kByJump) std::longjmp(before_the_call, 1);
  for (int i = 0; i < *count; ++i) static_cast<int*>(to)[i] += static_cast<const int*>(from)[i];
}

// Calls check(in turn: allreduce, reduce, reduce_scatter_block) with equal vectors of every rank.
template <typename Value, typename Check>
void run_all(const Group& group, MPI_Datatype type, MPI_Op op, int elements, Check check) {
  const int all = elements * group.size;
  std::vector<Value> send(static_cast<std::size_t>(all));
  std::vector<Value> recv(send.size());
  const auto refill = [&] { std::iota(send.begin(), send.end(), Value(group.rank)); };
  refill();
  MPI_Allreduce(send.data(), recv.data(), all, type, op, group.comm);
  check(send, recv, 0, all);
  refill();
  MPI_Reduce(send.data(), recv.data(), all, type, op, group.size - 1, group.comm);
  check(send, recv, 0, group.rank == group.size - 1 ? all : 0);
  refill();
  MPI_Reduce_scatter_block(send.data(), recv.data(), elements, type, op, group.comm);
  check(send, recv, elements * group.rank, elements);
}

// Element i of rank r is i + r.
template <typename Value>
void check_sums(const Group& group, const std::vector<Value>& recv, int first, int elements) {
  for (int i = 0; i < elements; ++i) {
    const int expected = group.size * (first + i) + group.size * (group.size - 1) / 2;
    CHECK_EQUAL(static_cast<long>(recv[static_cast<std::size_t>(i)]), expected, "a sum");
  }
}

// A call that takes an odd number of bytes of the memory in common.
void take_an_odd_number(const Group& group) {
  constexpr int kBytes = 16387;
  const std::vector<char> send(kBytes, 'x');
  std::vector<char> recv(send.size() * static_cast<std::size_t>(group.size));
  MPI_Allgather(send.data(), kBytes, MPI_CHAR, recv.data(), kBytes, MPI_CHAR, group.comm);
  CHECK_EQUAL(recv.back(), 'x', "what is gathered");
}

void aligned(const Group& group, int elements) {
  MPI_Op op;
  MPI_Op_create(add_long_doubles, 1, &op);
  for (int round = 0; round < 20; ++round) {
    take_an_odd_number(group);
    run_all<long double>(group, MPI_LONG_DOUBLE, op, elements,
                         [&](const auto&, const auto& recv, int first, int count) {
                           check_sums(group, recv, first, count);
                         });
  }
  CHECK_EQUAL(misaligned, 0, "operands that are not aligned");
  MPI_Op_free(&op);
}

void spoiled(const Group& group, int elements) {
  MPI_Op op;
  MPI_Op_create(add_and_spoil, 1, &op);
  run_all<int>(group, MPI_INT, op, elements,
               [&](const auto& send, const auto& recv, int first, int count) {
                 check_sums(group, recv, first, count);
                 CHECK_EQUAL(send[0], group.rank, "the vector that is sent");
               });
  MPI_Op_free(&op);
}

// All ranks leave the same call.
void left(const Group& group) {
  MPI_Op op;
  MPI_Op_create(add_or_leave, 1, &op);
  static int times_left;
  times_left = 0;
  constexpr int kRounds = 5;
  for (int round = 0; round < kRounds; ++round) {
    for (const Leave how : {Leave::kByException, Leave::kByOther, Leave::kByJump}) {
      const int one = 1;
      int sum = 0;
      leave = how;
      try {
        if (setjmp(before_the_call) != 0) {
          ++times_left;
        } else {
          MPI_Allreduce(&one, &sum, 1, MPI_INT, op, group.comm);
        }
      } catch (const std::runtime_error&) {
        ++times_left;
      } catch (const NoException&) {
        ++times_left;
      }
      leave = Leave::kNot;
      MPI_Allreduce(&one, &sum, 1, MPI_INT, op, group.comm);
      CHECK_EQUAL(sum, group.size, "the sum after a call that was left");
    }
  }
  CHECK_EQUAL(times_left, 3 * kRounds, "calls left");
  MPI_Op_free(&op);
}

}  // namespace

int main(int argc, char** argv) {
  const Job job(argc, argv);
  const Group& group = job.world();
  for (const int elements : {1, 5, 40, 3000}) {
    aligned(group, elements);
    spoiled(group, elements);
  }
  // On one node every rank combines short vectors for itself.
  if (std::getenv("MPIACTOR_NODES") == nullptr) left(group);
  return 0;
}
