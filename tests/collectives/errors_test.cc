// Wrong arguments, the same ones on all ranks: the error class is that of the MPI library, raised
// once through the communicator's error handler; nothing is written, and the communicator goes on
// working. Errors that only a root can see are not here: a library may have begun to send by then.
#include <algorithm>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "tests/collectives/calls.h"
#include "tests/collectives/harness.h"
#include "tests/leaders.h"

namespace {

using namespace mpiactor::testing;

constexpr int kWords = 32;  // for each rank, in every buffer

int handler_calls = 0;
void count_errors(MPI_Comm*, int*, ...) { ++handler_calls; }

int class_of(int error) {
  int error_class = 0;
  MPI_Error_class(error, &error_class);
  return error_class;
}

struct Arguments {
  explicit Arguments(const Group& of)
      : group(of),
        comm(of.comm),
        send_words(static_cast<std::size_t>(kWords * of.size)),
        receive_words(send_words.size()),
        counts(static_cast<std::size_t>(of.size), kWords),
        negative_counts(static_cast<std::size_t>(of.size), -1),
        places(counts.size()),
        send(send_words.data()),
        receive(receive_words.data()) {
    std::iota(send_words.begin(), send_words.end(), 100 * of.rank);
    std::iota(receive_words.begin(), receive_words.end(), -5000);
    for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<int>(i) * kWords;
    MPI_Type_contiguous(3, MPI_INT, &uncommitted);
  }
  ~Arguments() { MPI_Type_free(&uncommitted); }
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;

  const Group& group;
  MPI_Comm comm;
  std::vector<int> send_words;
  std::vector<int> receive_words;
  std::vector<int> counts;
  std::vector<int> negative_counts;
  std::vector<int> places;
  int* send;
  int* receive;
  MPI_Datatype uncommitted = MPI_DATATYPE_NULL;
};

struct Mistake {
  const char* what;
  std::function<int(const Calls&, Arguments&)> call;
};

#define CALL(...) [](const Calls& calls, Arguments& a) { return calls.__VA_ARGS__; }

std::vector<Mistake> mistakes_of_roots() {
  return {
      {"bcast, root -7", CALL(bcast(a.receive, 4, MPI_INT, -7, a.comm))},
      {"bcast, root too large", CALL(bcast(a.receive, 4, MPI_INT, a.group.size, a.comm))},
      {"reduce, root -7", CALL(reduce(a.send, a.receive, 4, MPI_INT, MPI_SUM, -7, a.comm))},
      {"reduce, root too large",
       CALL(reduce(a.send, a.receive, 4, MPI_INT, MPI_SUM, a.group.size, a.comm))},
      {"gather, root -7", CALL(gather(a.send, 4, MPI_INT, a.receive, 4, MPI_INT, -7, a.comm))},
      {"gather, root too large",
       CALL(gather(a.send, 4, MPI_INT, a.receive, 4, MPI_INT, a.group.size, a.comm))},
      {"scatter, root -7", CALL(scatter(a.send, 4, MPI_INT, a.receive, 4, MPI_INT, -7, a.comm))},
      {"scatter, root too large",
       CALL(scatter(a.send, 4, MPI_INT, a.receive, 4, MPI_INT, a.group.size, a.comm))},
      {"gatherv, root too large", CALL(gatherv(a.send, kWords, MPI_INT, a.receive, a.counts.data(),
                                               a.places.data(), MPI_INT, a.group.size, a.comm))},
      {"scatterv, root too large",
       CALL(scatterv(a.send, a.counts.data(), a.places.data(), MPI_INT, a.receive, kWords, MPI_INT,
                     a.group.size, a.comm))},
  };
}

// MPICH 4.0 does not look at the sign of the count of a reduce, allreduce or reduce_scatter_block.
std::vector<Mistake> mistakes_of_counts() {
  return {
      {"bcast, count", CALL(bcast(a.receive, -1, MPI_INT, 0, a.comm))},
      {"reduce_scatter, counts",
       CALL(reduce_scatter(a.send, a.receive, a.negative_counts.data(), MPI_INT, MPI_SUM, a.comm))},
      {"gather, count", CALL(gather(a.send, -1, MPI_INT, a.receive, -1, MPI_INT, 0, a.comm))},
      {"scatter, count", CALL(scatter(a.send, -1, MPI_INT, a.receive, -1, MPI_INT, 0, a.comm))},
      {"gatherv, counts", CALL(gatherv(a.send, -1, MPI_INT, a.receive, a.negative_counts.data(),
                                       a.places.data(), MPI_INT, 0, a.comm))},
      {"scatterv, counts", CALL(scatterv(a.send, a.negative_counts.data(), a.places.data(), MPI_INT,
                                         a.receive, -1, MPI_INT, 0, a.comm))},
      {"allgather, send count",
       CALL(allgather(a.send, -1, MPI_INT, a.receive, 4, MPI_INT, a.comm))},
      {"allgather, receive count",
       CALL(allgather(a.send, 4, MPI_INT, a.receive, -1, MPI_INT, a.comm))},
      {"allgatherv, counts",
       CALL(allgatherv(a.send, kWords, MPI_INT, a.receive, a.negative_counts.data(),
                       a.places.data(), MPI_INT, a.comm))},
      {"alltoall, send count", CALL(alltoall(a.send, -1, MPI_INT, a.receive, 4, MPI_INT, a.comm))},
      {"alltoall, receive count",
       CALL(alltoall(a.send, 4, MPI_INT, a.receive, -1, MPI_INT, a.comm))},
      {"alltoallv, counts",
       CALL(alltoallv(a.send, a.negative_counts.data(), a.places.data(), MPI_INT, a.receive,
                      a.negative_counts.data(), a.places.data(), MPI_INT, a.comm))},
  };
}

std::vector<Mistake> mistakes_of_types() {
  return {
      {"bcast, no type", CALL(bcast(a.receive, 4, MPI_DATATYPE_NULL, 0, a.comm))},
      {"bcast, uncommitted", CALL(bcast(a.receive, 4, a.uncommitted, 0, a.comm))},
      {"reduce, no type",
       CALL(reduce(a.send, a.receive, 4, MPI_DATATYPE_NULL, MPI_SUM, 0, a.comm))},
      {"allreduce, no type",
       CALL(allreduce(a.send, a.receive, 4, MPI_DATATYPE_NULL, MPI_SUM, a.comm))},
      {"allreduce, uncommitted",
       CALL(allreduce(a.send, a.receive, 4, a.uncommitted, MPI_SUM, a.comm))},
      {"reduce_scatter_block, no type",
       CALL(reduce_scatter_block(a.send, a.receive, 4, MPI_DATATYPE_NULL, MPI_SUM, a.comm))},
      {"reduce_scatter, no type", CALL(reduce_scatter(a.send, a.receive, a.counts.data(),
                                                      MPI_DATATYPE_NULL, MPI_SUM, a.comm))},
      {"gather, no type",
       CALL(gather(a.send, 4, MPI_DATATYPE_NULL, a.receive, 4, MPI_DATATYPE_NULL, 0, a.comm))},
      {"scatter, uncommitted",
       CALL(scatter(a.send, 4, a.uncommitted, a.receive, 4, a.uncommitted, 0, a.comm))},
      {"gatherv, uncommitted", CALL(gatherv(a.send, 4, a.uncommitted, a.receive, a.counts.data(),
                                            a.places.data(), a.uncommitted, 0, a.comm))},
      {"scatterv, no type",
       CALL(scatterv(a.send, a.counts.data(), a.places.data(), MPI_DATATYPE_NULL, a.receive, 4,
                     MPI_DATATYPE_NULL, 0, a.comm))},
      {"allgather, no send type",
       CALL(allgather(a.send, 4, MPI_DATATYPE_NULL, a.receive, 4, MPI_INT, a.comm))},
      {"allgather, no receive type",
       CALL(allgather(a.send, 4, MPI_INT, a.receive, 4, MPI_DATATYPE_NULL, a.comm))},
      {"allgatherv, no receive type",
       CALL(allgatherv(a.send, kWords, MPI_INT, a.receive, a.counts.data(), a.places.data(),
                       MPI_DATATYPE_NULL, a.comm))},
      {"alltoall, uncommitted",
       CALL(alltoall(a.send, 4, a.uncommitted, a.receive, 4, MPI_INT, a.comm))},
      {"alltoall, no receive type",
       CALL(alltoall(a.send, 4, MPI_INT, a.receive, 4, MPI_DATATYPE_NULL, a.comm))},
      {"alltoallv, no send type",
       CALL(alltoallv(a.send, a.counts.data(), a.places.data(), MPI_DATATYPE_NULL, a.receive,
                      a.counts.data(), a.places.data(), MPI_INT, a.comm))},
  };
}

std::vector<Mistake> mistakes_of_operations() {
  return {
      {"reduce, no operation", CALL(reduce(a.send, a.receive, 4, MPI_INT, MPI_OP_NULL, 0, a.comm))},
      {"reduce, bits of doubles",
       CALL(reduce(a.send, a.receive, 4, MPI_DOUBLE, MPI_BAND, 0, a.comm))},
      {"allreduce, no operation",
       CALL(allreduce(a.send, a.receive, 4, MPI_INT, MPI_OP_NULL, a.comm))},
      {"allreduce, sum of bytes", CALL(allreduce(a.send, a.receive, 4, MPI_BYTE, MPI_SUM, a.comm))},
      {"allreduce, location of an int",
       CALL(allreduce(a.send, a.receive, 4, MPI_INT, MPI_MAXLOC, a.comm))},
#ifndef OPEN_MPI  // to which the compiler would object
      {"allreduce, a type as operation",
       CALL(allreduce(a.send, a.receive, 4, MPI_INT, MPI_INT, a.comm))},
#endif
      {"reduce_scatter_block, no operation",
       CALL(reduce_scatter_block(a.send, a.receive, 4, MPI_INT, MPI_OP_NULL, a.comm))},
      {"reduce_scatter, maximum of complex numbers",
       CALL(reduce_scatter(a.send, a.receive, a.counts.data(), MPI_C_FLOAT_COMPLEX, MPI_MAX,
                           a.comm))},
  };
}

std::vector<Mistake> mistakes_of_buffers() {
  return {
      {"bcast, no buffer", CALL(bcast(nullptr, 4, MPI_INT, 0, a.comm))},
      {"allreduce, no send buffer",
       CALL(allreduce(nullptr, a.receive, 4, MPI_INT, MPI_SUM, a.comm))},
      {"allreduce, no receive buffer",
       CALL(allreduce(a.send, nullptr, 4, MPI_INT, MPI_SUM, a.comm))},
      {"allreduce, one buffer", CALL(allreduce(a.send, a.send, 4, MPI_INT, MPI_SUM, a.comm))},
      {"allreduce, in place as receive buffer",
       CALL(allreduce(a.send, MPI_IN_PLACE, 4, MPI_INT, MPI_SUM, a.comm))},
      {"reduce, no send buffer", CALL(reduce(nullptr, a.receive, 4, MPI_INT, MPI_SUM, 0, a.comm))},
      {"reduce_scatter_block, one buffer",
       CALL(reduce_scatter_block(a.send, a.send, 4, MPI_INT, MPI_SUM, a.comm))},
      {"reduce_scatter, no send buffer",
       CALL(reduce_scatter(nullptr, a.receive, a.counts.data(), MPI_INT, MPI_SUM, a.comm))},
      {"allgather, no receive buffer",
       CALL(allgather(a.send, 4, MPI_INT, nullptr, 4, MPI_INT, a.comm))},
      {"allgather, one buffer",
       CALL(allgather(a.send + 4 * a.group.rank, 4, MPI_INT, a.send, 4, MPI_INT, a.comm))},
      {"allgatherv, no send buffer",
       CALL(allgatherv(nullptr, kWords, MPI_INT, a.receive, a.counts.data(), a.places.data(),
                       MPI_INT, a.comm))},
      {"alltoall, no send buffer",
       CALL(alltoall(nullptr, 4, MPI_INT, a.receive, 4, MPI_INT, a.comm))},
      {"alltoall, one buffer", CALL(alltoall(a.send, 4, MPI_INT, a.send, 4, MPI_INT, a.comm))},
      {"alltoallv, one buffer",
       CALL(alltoallv(a.send, a.counts.data(), a.places.data(), MPI_INT, a.send, a.counts.data(),
                      a.places.data(), MPI_INT, a.comm))},
  };
}

void compare_mistake(const Mistake& mistake, Arguments& arguments) {
  const std::vector<int> before = arguments.receive_words;
  const std::vector<int> sent = arguments.send_words;
  const int calls_before = handler_calls;
  const int expected = class_of(mistake.call(kLibrary, arguments));
  const int calls_of_library = handler_calls - calls_before;
  // What the library notices on some ranks alone is no case for this test.
  int everywhere = expected != MPI_SUCCESS;
  PMPI_Allreduce(MPI_IN_PLACE, &everywhere, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  if (!everywhere) fail(std::string(mistake.what) + ": the library does not notice on all ranks");
  const int got = class_of(mistake.call(kProgram, arguments));
  const std::string where = std::string("MPI ") + mistake.what + " in " + arguments.group.name;
  if (got != expected)
    fail(where + ": error class " + std::to_string(got) + ", not " + std::to_string(expected));
  if (handler_calls - calls_before != 2 * calls_of_library)
    fail(where + ": the error handler was called " +
         std::to_string(handler_calls - calls_before - calls_of_library) + " times, not " +
         std::to_string(calls_of_library));
  if (arguments.receive_words != before || arguments.send_words != sent)
    fail(where + ": buffers were written");
}

// Every collective that was called wrongly still works.
void check_working(const Arguments& a) {
  const int size = a.group.size;
  const int rank = a.group.rank;
  std::vector<int> all(static_cast<std::size_t>(size));
  int sum = 0;
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, a.comm);
  MPI_Allgather(&rank, 1, MPI_INT, all.data(), 1, MPI_INT, a.comm);
  for (int i = 0; i < size; ++i) sum -= all[static_cast<std::size_t>(i)];
  std::vector<int> exchanged(all.size());
  MPI_Alltoall(all.data(), 1, MPI_INT, exchanged.data(), 1, MPI_INT, a.comm);
  for (const int value : exchanged) sum += value - rank;
  int from_last = rank;
  MPI_Bcast(&from_last, 1, MPI_INT, size - 1, a.comm);
  int total = 0;
  MPI_Reduce(&rank, &total, 1, MPI_INT, MPI_SUM, size - 1, a.comm);
  if (sum != 0 || from_last != size - 1 || (rank == size - 1 && total != size * (size - 1) / 2))
    fail("wrong results after errors in " + a.group.name);
}

}  // namespace

int main(int argc, char** argv) {
  const Job job(argc, argv);
  MPI_Errhandler counting;
  MPI_Comm_create_errhandler(count_errors, &counting);
  for (int choice = 0; choice < 4; ++choice) {
    set_leader_of_round(static_cast<std::uint64_t>(choice));
    Group group = random_group(job.seed() + static_cast<unsigned>(choice));
    if (!group.is_member() || group.size < job.world().size) {
      free_group(group);
      MPI_Comm copy;
      MPI_Comm_dup(MPI_COMM_WORLD, &copy);
      group = make_group(copy, "a copy of the world");
    }
    MPI_Comm_set_errhandler(group.comm, counting);
    Arguments arguments(group);
    for (int i = 0; i < 3; ++i) check_working(arguments);
    for (const auto& mistakes : {mistakes_of_roots(), mistakes_of_counts(), mistakes_of_types(),
                                 mistakes_of_operations(), mistakes_of_buffers()}) {
      for (const Mistake& mistake : mistakes) compare_mistake(mistake, arguments);
      check_working(arguments);
    }
    free_group(group);
  }
  MPI_Errhandler_free(&counting);
  return 0;
}
