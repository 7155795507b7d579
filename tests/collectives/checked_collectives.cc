#include "tests/collectives/checked_collectives.h"

#include <signal.h>
#include <unistd.h>

#include <cstdlib>

namespace mpiactor::testing {

std::string at = "begin";

int value(int from, int to, int index) { return from * 1'000'003 + to * 1'009 + index; }

void expect(bool good, const std::string& what) {
  if (!good) fail(at + ": wrong data of " + what);
}

Values blocks(int from, int first_to, int last_to, int count) {
  Values all;
  for (int to = first_to; to < last_to; ++to) {
    for (int i = 0; i < count; ++i) all.push_back(value(from, to, i));
  }
  return all;
}

Values gathered(const Group& group, int to, int count) {
  Values all;
  for (int from = 0; from < group.size; ++from) {
    for (int i = 0; i < count; ++i) all.push_back(value(from, to, i));
  }
  return all;
}

namespace {

void say_where(int) {
  at += "\n";
  if (write(STDERR_FILENO, at.data(), at.size()) < 0) abort();
}

Values own_vector(const Group& group, int elements) {
  Values own(index(elements));
  std::iota(own.begin(), own.end(), group.rank);
  return own;
}

// Elements [first, first + count) of the sum of all own_vector()s.
Values summed(const Group& group, int first, int count) {
  Values sum;
  for (int i = first; i < first + count; ++i) {
    sum.push_back(i * group.size + group.size * (group.size - 1) / 2);
  }
  return sum;
}

// A nonblocking call, waited for at once.
template <typename Begin>
void complete(Begin begin) {
  MPI_Request request;
  begin(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

void check_bcast(const Group& group, int root, int count,
                 const std::function<void(int* data)>& call) {
  Values data = group.rank == root ? blocks(root, 0, 1, count) : Values(index(count));
  call(data.data());
  expect(data == blocks(root, 0, 1, count), "broadcast");
}

void check_sum(const Group& group, int count, bool has_result,
               const std::function<void(const int* send, int* recv)>& call) {
  const Values own = own_vector(group, count);
  Values sum(index(count));
  call(own.data(), sum.data());
  if (has_result) expect(sum == summed(group, 0, count), "sum");
}

void check_gather(const Group& group, int count, bool has_result, int to,
                  const std::function<void(const int* send, int* recv)>& call) {
  const Values own = blocks(group.rank, to, to + 1, count);
  Values all(index(group.size * count));
  call(own.data(), all.data());
  if (has_result) expect(all == gathered(group, to, count), "gathered blocks");
}

void check_scatter(const Group& group, int root, int count,
                   const std::function<void(const int* send, int* recv)>& call) {
  const Values all = blocks(root, 0, group.size, count);
  Values own(index(count));
  call(all.data(), own.data());
  expect(own == blocks(root, group.rank, group.rank + 1, count), "scattered block");
}

void check_alltoall(const Group& group, int count,
                    const std::function<void(const int* send, int* recv)>& call) {
  const Values mine = blocks(group.rank, 0, group.size, count);
  Values got(mine.size());
  call(mine.data(), got.data());
  expect(got == gathered(group, group.rank, count), "exchanged blocks");
}

}  // namespace

void say_when_slow(unsigned seconds) {
  signal(SIGALRM, say_where);
  alarm(seconds);
}

const std::vector<Collective>& collectives() {
  static const std::vector<Collective> all = {
      {"MPI_Barrier", [](const Group& g, int, int) { MPI_Barrier(g.comm); }},
      {"MPI_Bcast",
       [](const Group& g, int root, int n) {
         check_bcast(g, root, n, [&](int* data) { MPI_Bcast(data, n, MPI_INT, root, g.comm); });
       }},
      {"MPI_Reduce",
       [](const Group& g, int root, int n) {
         check_sum(g, n, g.rank == root, [&](const int* send, int* recv) {
           MPI_Reduce(send, recv, n, MPI_INT, MPI_SUM, root, g.comm);
         });
       },
       true},
      {"MPI_Allreduce",
       [](const Group& g, int, int n) {
         check_sum(g, n, true, [&](const int* send, int* recv) {
           MPI_Allreduce(send, recv, n, MPI_INT, MPI_SUM, g.comm);
         });
       }},
      {"MPI_Reduce_scatter_block",
       [](const Group& g, int, int n) {
         const Values own = own_vector(g, n * g.size);
         Values sum(index(n));
         MPI_Reduce_scatter_block(own.data(), sum.data(), n, MPI_INT, MPI_SUM, g.comm);
         expect(sum == summed(g, g.rank * n, n), "block of the sum");
       }},
      {"MPI_Reduce_scatter",
       [](const Group& g, int, int n) {
         const Layout layout(g, n);
         const Values own = own_vector(g, n * g.size);
         Values sum(index(n));
         MPI_Reduce_scatter(own.data(), sum.data(), layout.counts.data(), MPI_INT, MPI_SUM, g.comm);
         expect(sum == summed(g, g.rank * n, n), "block of the sum");
       }},
      {"MPI_Allgather",
       [](const Group& g, int, int n) {
         check_gather(g, n, true, 0, [&](const int* send, int* recv) {
           MPI_Allgather(send, n, MPI_INT, recv, n, MPI_INT, g.comm);
         });
       }},
      {"MPI_Allgatherv",
       [](const Group& g, int, int n) {
         const Layout layout(g, n);
         check_gather(g, n, true, 0, [&](const int* send, int* recv) {
           MPI_Allgatherv(send, n, MPI_INT, recv, layout.counts.data(), layout.at.data(), MPI_INT,
                          g.comm);
         });
       }},
      {"MPI_Gather",
       [](const Group& g, int root, int n) {
         check_gather(g, n, g.rank == root, root, [&](const int* send, int* recv) {
           MPI_Gather(send, n, MPI_INT, recv, n, MPI_INT, root, g.comm);
         });
       },
       true},
      {"MPI_Gatherv",
       [](const Group& g, int root, int n) {
         const Layout layout(g, n);
         check_gather(g, n, g.rank == root, root, [&](const int* send, int* recv) {
           MPI_Gatherv(send, n, MPI_INT, recv, layout.counts.data(), layout.at.data(), MPI_INT,
                       root, g.comm);
         });
       },
       true},
      {"MPI_Scatter",
       [](const Group& g, int root, int n) {
         check_scatter(g, root, n, [&](const int* send, int* recv) {
           MPI_Scatter(send, n, MPI_INT, recv, n, MPI_INT, root, g.comm);
         });
       }},
      {"MPI_Scatterv",
       [](const Group& g, int root, int n) {
         const Layout layout(g, n);
         check_scatter(g, root, n, [&](const int* send, int* recv) {
           MPI_Scatterv(send, layout.counts.data(), layout.at.data(), MPI_INT, recv, n, MPI_INT,
                        root, g.comm);
         });
       }},
      {"MPI_Alltoall",
       [](const Group& g, int, int n) {
         check_alltoall(g, n, [&](const int* send, int* recv) {
           MPI_Alltoall(send, n, MPI_INT, recv, n, MPI_INT, g.comm);
         });
       }},
      {"MPI_Alltoallv",
       [](const Group& g, int, int n) {
         const Layout layout(g, n);
         check_alltoall(g, n, [&](const int* send, int* recv) {
           MPI_Alltoallv(send, layout.counts.data(), layout.at.data(), MPI_INT, recv,
                         layout.counts.data(), layout.at.data(), MPI_INT, g.comm);
         });
       }},
      {"MPI_Ibarrier",
       [](const Group& g, int, int) {
         complete([&](MPI_Request* request) { MPI_Ibarrier(g.comm, request); });
       }},
      {"MPI_Ibcast",
       [](const Group& g, int root, int n) {
         check_bcast(g, root, n, [&](int* data) {
           complete(
               [&](MPI_Request* request) { MPI_Ibcast(data, n, MPI_INT, root, g.comm, request); });
         });
       }},
      {"MPI_Ireduce",
       [](const Group& g, int root, int n) {
         check_sum(g, n, g.rank == root, [&](const int* send, int* recv) {
           complete([&](MPI_Request* request) {
             MPI_Ireduce(send, recv, n, MPI_INT, MPI_SUM, root, g.comm, request);
           });
         });
       },
       true},
      {"MPI_Iallreduce",
       [](const Group& g, int, int n) {
         check_sum(g, n, true, [&](const int* send, int* recv) {
           complete([&](MPI_Request* request) {
             MPI_Iallreduce(send, recv, n, MPI_INT, MPI_SUM, g.comm, request);
           });
         });
       }},
  };
  return all;
}

}  // namespace mpiactor::testing
