// Table form: the layout Sw<B,M,S> o offset o shape:stride that has the values of a table, or the proof that none has.
//
//     8 columns of  0 1 9 8 18 19 27 26 ...        Sw<1,0,3> o 0 o ..., if every value fits
//     0 8 1 9 2 10 3 11                            (2,4):(8,1)
//     0 1 2 4                                      none: 7 swizzles, every point; the closest is 4:1, wrong at 3
//
// Why it is complete. A swizzle is an involution, so the layout exists iff Sw<B,M,S> of the table is a sum of strides
// for some B, M, S. A sum of strides is a sum of one function for each mode. A function g of [0, n) with g(0) = 0 is a
// nested shape:stride iff this reading succeeds: the first leaf has the stride g(1), and its extent is the smallest
// divisor d > 1 of n with g(d) != d * g(1) (or n); the rest is the same question about g(d), g(2d) ... The coalesced
// leaves of a layout are unique, so no other reading has to be tried. All swizzles within 62 bits are tried, except
// those that equal a smaller one on this table because the lowest or highest bit that they read is 0 in every value.
//
// Law: atPoint(formOfTable(t), c) == t(c) for every c; without a form, no B, M, S, offset and strides satisfy this
// (tests/map/table_form_test.cpp enumerates small layouts).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/map/forms/swizzled.h"
#include "core/map/map.h"

namespace tessera {

// Points of the largest table that is decided.
inline constexpr i64 kMostTablePoints = i64{1} << 20;

struct Table {
  std::vector<i64> extents;  // each >= 1
  std::vector<i64> values;   // colex: the first coordinate is the fastest; as many as points
  bool operator==(const Table&) const = default;
};
// The values of axis 0. A Diag: more than kMostTablePoints, parameters, guards or Fan digits.
[[nodiscard]] Result<Table> valueTable(const Map& map);

// The value of a form at a coordinate of the table.
[[nodiscard]] i64 atPoint(const Swizzled& form, std::span<const i64> coord);

struct TableForms {
  std::vector<Swizzled> forms;  // simplest first: the smallest B, then M, then |S|, S > 0 before S < 0
  i64 swizzles = 0;             // tried, the identity included
};
// At most `most` forms. The search ends with the first of them, or has tried every swizzle.
[[nodiscard]] TableForms formsOfTable(const Table& table, std::size_t most = 1);

// The closest form: of the layouts whose strides are read at the first or at the last coordinate, under every swizzle
// within the bits of the values, the one that differs at the fewest coordinates. Above 1024 points, the candidates are
// ranked on 1024 of them, and the best 16 are compared everywhere.
struct ClosestForm {
  Swizzled form;
  i64 differing = 0;            // coordinates
  std::vector<i64> first;       // the first of them, in colex order
  i64 expected = 0, found = 0;  // the table's value there, and the form's
};
[[nodiscard]] ClosestForm closestForm(const Table& table);

}  // namespace tessera
