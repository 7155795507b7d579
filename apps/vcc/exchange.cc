#include "apps/vcc/exchange.h"

#include <algorithm>
#include <cstddef>

namespace mpiactor::vcc {
namespace {

constexpr int kTag = 1;

int rank_in(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

// `lines` lines of `entries` numbers each; their product may exceed a count of MPI.
class Lines {
 public:
  explicit Lines(std::int32_t entries) {
    MPI_Type_contiguous(entries, MPI_DOUBLE, &type_);
    MPI_Type_commit(&type_);
  }
  ~Lines() { MPI_Type_free(&type_); }
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;

  MPI_Datatype type() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

// What a rank of variables `from` .. computed of those of another rank, one matrix at a time.
using RowOf = double* (ResultRows::*)(std::int32_t);

class Swap {
 public:
  Swap(ResultRows& results, const Layout& layout, MPI_Comm comm)
      : results_(results), layout_(layout), comm_(comm) {}

  void with(int to, int from, RowOf row_of) {
    const apps::BlockRanges& ranges = layout_.ranges();
    const std::int32_t to_count = ranges.count(to);
    const std::int32_t from_count = ranges.count(from);
    const std::int32_t own = results_.count();
    out_.resize(static_cast<std::size_t>(own) * static_cast<std::size_t>(to_count));
    in_.resize(static_cast<std::size_t>(own) * static_cast<std::size_t>(from_count));
    auto next = out_.begin();
    for (std::int32_t row = results_.begin(); row < results_.end(); ++row) {
      next = std::copy_n((results_.*row_of)(row) + ranges.begin(to), to_count, next);
    }
    const Lines out_lines(to_count);
    const Lines in_lines(own);
    MPI_Sendrecv(out_.data(), own, out_lines.type(), to, kTag, in_.data(), from_count,
                 in_lines.type(), from, kTag, comm_, MPI_STATUS_IGNORE);
    take(ranges.begin(from), ranges.end(from), in_.data(), row_of);
  }

  // `computed`: rows begin .. end - 1, of which the columns of this rank's own variables.
  void take(std::int32_t begin, std::int32_t end, const double* computed, RowOf row_of) {
    for (std::int32_t row = results_.begin(); row < results_.end(); ++row) {
      double* entries = (results_.*row_of)(row);
      for (std::int32_t other = begin; other < end; ++other) {
        if (layout_.computed_by_holder(row, other)) continue;
        const auto line = static_cast<std::size_t>(other - begin);
        entries[other] = computed[line * static_cast<std::size_t>(results_.count()) +
                                  static_cast<std::size_t>(row - results_.begin())];
      }
    }
  }

  void within(RowOf row_of) {
    for (std::int32_t row = results_.begin(); row < results_.end(); ++row) {
      double* entries = (results_.*row_of)(row);
      for (std::int32_t other = results_.begin(); other < results_.end(); ++other) {
        if (layout_.computed_by_holder(row, other)) continue;
        entries[other] = (results_.*row_of)(other)[row];
      }
    }
  }

 private:
  ResultRows& results_;
  const Layout& layout_;
  MPI_Comm comm_;
  std::vector<double> out_;
  std::vector<double> in_;
};

}  // namespace

void distribute(const DataTable& table, const Layout& layout, Columns& own, MPI_Comm comm) {
  const auto observations = static_cast<int>(own.observations());
  if (rank_in(comm) != 0) {
    for (std::int32_t variable = own.first(); variable < own.end(); ++variable) {
      MPI_Recv(own.column(variable), observations, MPI_DOUBLE, 0, kTag, comm, MPI_STATUS_IGNORE);
    }
    return;
  }
  for (std::int32_t variable = own.first(); variable < own.end(); ++variable) {
    std::copy_n(table.column(variable), observations, own.column(variable));
  }
  for (int rank = 1; rank < layout.ranges().ranks(); ++rank) {
    for (std::int32_t variable = layout.ranges().begin(rank); variable < layout.ranges().end(rank);
         ++variable) {
      MPI_Send(table.column(variable), observations, MPI_DOUBLE, rank, kTag, comm);
    }
  }
}

std::vector<std::int64_t> present_counts(const Columns& own, const Layout& layout, MPI_Comm comm) {
  std::vector<std::int64_t> mine;
  for (std::int32_t variable = own.first(); variable < own.end(); ++variable) {
    mine.push_back(own.present(variable));
  }
  std::vector<int> counts;
  std::vector<int> begins;
  for (int rank = 0; rank < layout.ranges().ranks(); ++rank) {
    counts.push_back(layout.ranges().count(rank));
    begins.push_back(layout.ranges().begin(rank));
  }
  std::vector<std::int64_t> all(static_cast<std::size_t>(layout.variables()));
  MPI_Allgatherv(mine.data(), own.count(), MPI_INT64_T, all.data(), counts.data(), begins.data(),
                 MPI_INT64_T, comm);
  return all;
}

void mirror(ResultRows& results, const Layout& layout, MPI_Comm comm) {
  const int rank = rank_in(comm);
  const int ranks = layout.ranges().ranks();
  Swap swap(results, layout, comm);
  for (const RowOf row_of : {static_cast<RowOf>(&ResultRows::covariance),
                             static_cast<RowOf>(&ResultRows::correlation)}) {
    swap.within(row_of);
    for (int distance = 1; distance < ranks; ++distance) {
      swap.with((rank + distance) % ranks, (rank + ranks - distance) % ranks, row_of);
    }
  }
}

void visit_rows_on_root(
    const ResultRows& results, const Layout& layout, MPI_Comm comm,
    const std::function<void(std::int32_t, const double*, const double*)>& consume) {
  const std::int32_t variables = layout.variables();
  if (rank_in(comm) != 0) {
    for (std::int32_t row = results.begin(); row < results.end(); ++row) {
      MPI_Send(results.covariance(row), variables, MPI_DOUBLE, 0, kTag, comm);
      MPI_Send(results.correlation(row), variables, MPI_DOUBLE, 0, kTag, comm);
    }
    return;
  }
  for (std::int32_t row = results.begin(); row < results.end(); ++row) {
    consume(row, results.covariance(row), results.correlation(row));
  }
  std::vector<double> covariance(static_cast<std::size_t>(variables));
  std::vector<double> correlation(static_cast<std::size_t>(variables));
  for (int owner = 1; owner < layout.ranges().ranks(); ++owner) {
    for (std::int32_t row = layout.ranges().begin(owner); row < layout.ranges().end(owner); ++row) {
      MPI_Recv(covariance.data(), variables, MPI_DOUBLE, owner, kTag, comm, MPI_STATUS_IGNORE);
      MPI_Recv(correlation.data(), variables, MPI_DOUBLE, owner, kTag, comm, MPI_STATUS_IGNORE);
      consume(row, covariance.data(), correlation.data());
    }
  }
}

}  // namespace mpiactor::vcc
