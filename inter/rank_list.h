// A few ranks, or many, in no more memory than a pointer and three numbers: evenly spaced ones, or
// a view of a table that somebody else holds.
#ifndef MPIACTOR_INTER_RANK_LIST_H_
#define MPIACTOR_INTER_RANK_LIST_H_

#include <algorithm>
#include <compare>
#include <cstddef>
#include <iterator>

namespace mpiactor::inter {

class RankList {
 public:
  RankList() = default;
  // first, first + stride, ... : `count` of them.
  static RankList spaced(int first, int stride, int count) {
    return RankList(nullptr, first, stride, count);
  }
  static RankList single(int rank) { return spaced(rank, 0, 1); }
  // Those of `count` ranks at `ranks`, which must outlive the list.
  static RankList view(const int* ranks, int count) { return RankList(ranks, 0, 1, count); }
  // Elements chosen[0], chosen[1], ... (`count` of them) of spaced(first, stride, ...). `chosen`
  // must outlive the list.
  static RankList chosen_of_spaced(int first, int stride, const int* chosen, int count) {
    return RankList(chosen, first, stride, count);
  }

  std::size_t size() const { return static_cast<std::size_t>(count_); }
  bool empty() const { return count_ == 0; }
  int operator[](std::size_t i) const {
    return first_ + stride_ * (chosen_ ? chosen_[i] : static_cast<int>(i));
  }
  int front() const { return (*this)[0]; }
  // The first `count` of them, or all if there are fewer.
  RankList first(std::size_t count) const {
    return RankList(chosen_, first_, stride_, static_cast<int>(std::min(count, size())));
  }

  class Iterator {
   public:
    using iterator_category = std::random_access_iterator_tag;
    using value_type = int;
    using difference_type = std::ptrdiff_t;
    using pointer = const int*;
    using reference = int;

    Iterator() = default;
    Iterator(const RankList* list, std::ptrdiff_t at) : list_(list), at_(at) {}
    int operator*() const { return (*list_)[static_cast<std::size_t>(at_)]; }
    int operator[](std::ptrdiff_t by) const { return *(*this + by); }
    Iterator& operator++() { return *this += 1; }
    Iterator& operator--() { return *this += -1; }
    Iterator operator++(int) { return Iterator(list_, at_++); }
    Iterator operator--(int) { return Iterator(list_, at_--); }
    Iterator& operator+=(std::ptrdiff_t by) {
      at_ += by;
      return *this;
    }
    Iterator& operator-=(std::ptrdiff_t by) { return *this += -by; }
    friend Iterator operator+(Iterator it, std::ptrdiff_t by) { return it += by; }
    friend Iterator operator+(std::ptrdiff_t by, Iterator it) { return it += by; }
    friend Iterator operator-(Iterator it, std::ptrdiff_t by) { return it -= by; }
    friend std::ptrdiff_t operator-(Iterator a, Iterator b) { return a.at_ - b.at_; }
    // Of iterators into one list.
    friend bool operator==(Iterator a, Iterator b) { return a.at_ == b.at_; }
    friend auto operator<=>(Iterator a, Iterator b) { return a.at_ <=> b.at_; }

   private:
    const RankList* list_ = nullptr;  // must outlive the iterator
    std::ptrdiff_t at_ = 0;
  };
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, count_}; }

 private:
  RankList(const int* chosen, int first, int stride, int count)
      : chosen_(chosen), first_(first), stride_(stride), count_(count) {}

  const int* chosen_ = nullptr;  // nullptr: 0, 1, 2, ...
  int first_ = 0;
  int stride_ = 0;
  int count_ = 0;
};

}  // namespace mpiactor::inter

#endif  // MPIACTOR_INTER_RANK_LIST_H_
