// Dots: sums of products that are written as two lists of factors. They are what a matrix product consists of, and its
// elements share the lists: 128x128 of them have 128 rows of A and 128 columns of B.
//
//     const auto a = dots.row({%A[0,0], %A[0,1]}), b = dots.row({%B[0,0], %B[1,0]});
//     dots.extended(0, a), dots.extended(0, b)     %A[0,0]*%B[0,0] + %A[0,1]*%B[1,0]
//
// A row is a list of values, and a list a chain of rows that share their beginnings; both are interned. Two lists are
// equal as multisets of products if one permutation takes both factors of the one to those of the other. It is
// searched once for each pair of lists, so comparing all elements of a product costs its rows and columns, not its
// products.
//
// Laws: rows of equal values are one row, and lists of equal rows one list. permuted(...) implies that both are the
// same multiset of products.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "core/base/arith.h"
#include "solver/emulate/flat_index.h"

namespace tessera::graphene {

class Dots {
 public:
  using Value = std::uint32_t;
  using Row = std::uint32_t;
  using List = std::uint32_t;  // 0: empty

  Dots() : rows_(1), lists_(1) {}
  [[nodiscard]] Row row(std::span<const Value> values);
  [[nodiscard]] std::span<const Value> valuesOf(Row row) const {
    return {values_.data() + rows_[row].begin, rows_[row].count};
  }
  [[nodiscard]] std::size_t rows() const { return rows_.size(); }
  [[nodiscard]] List extended(List list, Row row);
  [[nodiscard]] std::vector<Value> flat(List list) const;
  // A list is its last row after the list before.
  [[nodiscard]] Row lastOf(List list) const { return lists_[list].last; }
  [[nodiscard]] List beforeOf(List list) const { return lists_[list].before; }

  // Of a product, symmetric in its factors; a multiset's hash is the sum of its products'.
  [[nodiscard]] static u64 hash(Value a, Value b) { return factor(a) * factor(b); }
  // Of the products of two rows of one length.
  [[nodiscard]] u64 hashOfRows(Row a, Row b) const {
    const u64 *x = factors_.data() + rows_[a].begin, *y = factors_.data() + rows_[b].begin;
    u64 out = 0;
    for (std::uint32_t k = 0; k < rows_[a].count; ++k) out += x[k] * y[k];
    return out;
  }
  // Whether one permutation takes a to c and b to d. The values within each list must differ; otherwise false.
  [[nodiscard]] bool permuted(List a, List b, List c, List d);

 private:
  using Permutation = std::uint32_t;
  static constexpr Permutation kNone = 0, kIdentity = 1;
  struct RowAt {
    std::size_t begin = 0;
    std::uint32_t count = 0;
  };
  struct ListAt {
    List before = 0;
    Row last = 0;
    std::uint32_t count = 0;  // of values
  };
  [[nodiscard]] static u64 factor(Value v) { return splitMix(u64{v} ^ 0x5bd1e995u); }
  [[nodiscard]] Permutation permutation(List from, List to);
  [[nodiscard]] Permutation searched(List from, List to);

  std::vector<RowAt> rows_;
  std::vector<Value> values_;
  std::vector<u64> factors_;  // of values_
  std::vector<ListAt> lists_;
  FlatIndex rowOf_, listOf_, permutationOf_;
  std::vector<std::vector<std::uint32_t>> permutations_;  // from kIdentity + 1
  std::unordered_map<u64, Permutation> known_;            // by two lists
};

}  // namespace tessera::graphene
