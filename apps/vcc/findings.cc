#include "apps/vcc/findings.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace mpiactor::vcc {
namespace {

static_assert(std::is_trivially_copyable_v<Correlation>);

bool is_larger(const Correlation& a, const Correlation& b) {
  const double a_size = std::abs(a.value);
  const double b_size = std::abs(b.value);
  if (a_size != b_size) return a_size > b_size;
  return std::tie(a.first, a.second) < std::tie(b.first, b.second);
}

// The largest that came, in a heap with the smallest of them on top.
class Largest {
 public:
  explicit Largest(std::int32_t count) : count_(static_cast<std::size_t>(count)) {}

  void offer(const Correlation& candidate) {
    if (heap_.size() == count_) {
      if (!is_larger(candidate, heap_.front())) return;
      std::pop_heap(heap_.begin(), heap_.end(), is_larger);
      heap_.pop_back();
    }
    heap_.push_back(candidate);
    std::push_heap(heap_.begin(), heap_.end(), is_larger);
  }

  std::vector<Correlation> sorted() && {
    std::sort(heap_.begin(), heap_.end(), is_larger);
    return std::move(heap_);
  }

 private:
  std::size_t count_;
  std::vector<Correlation> heap_;
};

// The parts of all ranks one after the other, on rank 0.
template <typename Entry>
std::vector<Entry> gather(const std::vector<Entry>& mine, MPI_Comm comm) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(static_cast<int>(sizeof(Entry)), MPI_BYTE, &type);
  MPI_Type_commit(&type);
  const auto count = static_cast<int>(mine.size());
  std::vector<int> counts(static_cast<std::size_t>(ranks));
  MPI_Gather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, comm);
  std::vector<int> begins;
  int total = 0;
  for (const int part : counts) {
    begins.push_back(total);
    total += part;
  }
  std::vector<Entry> all(rank == 0 ? static_cast<std::size_t>(total) : 0);
  MPI_Gatherv(mine.data(), count, type, all.data(), counts.data(), begins.data(), type, 0, comm);
  MPI_Type_free(&type);
  return all;
}

}  // namespace

Findings find(const ResultRows& results, std::int32_t count, MPI_Comm comm) {
  std::vector<double> variances;
  Largest mine(count);
  std::int64_t undefined_pairs = 0;
  for (std::int32_t row = results.begin(); row < results.end(); ++row) {
    variances.push_back(results.covariance(row)[row]);
    const double* correlations = results.correlation(row);
    for (std::int32_t other = 0; other < row; ++other) {
      if (std::isnan(correlations[other])) {
        ++undefined_pairs;
      } else {
        mine.offer({other, row, correlations[other]});
      }
    }
  }
  Findings findings;
  MPI_Allreduce(&undefined_pairs, &findings.undefined_pairs, 1, MPI_INT64_T, MPI_SUM, comm);
  Largest all(count);
  for (const Correlation& candidate : gather(std::move(mine).sorted(), comm)) all.offer(candidate);
  findings.largest = std::move(all).sorted();
  // In the variables' order, so that the sum does not depend on the ranks.
  for (const double variance : gather(variances, comm)) {
    if (!std::isnan(variance)) findings.trace += variance;
  }
  return findings;
}

}  // namespace mpiactor::vcc
