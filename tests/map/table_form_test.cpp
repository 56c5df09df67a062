// Layouts of tables: against the list of all small layouts, and on larger random ones, also damaged.
#include "core/map/forms/table_form.h"

#include <catch2/catch.hpp>
#include <random>
#include <set>

#include "core/base/arith.h"

using namespace tessera;

namespace {

using Ints = std::vector<i64>;

i64 swizzledBy(int b, int m, int s, i64 x) {
  const i64 run = (i64{1} << b) - 1;
  return x ^ (((x >> (m + std::max(0, s))) & run) << (m + std::max(0, -s)));
}

Ints valuesOf(const Swizzled& form, const Ints& extents) {
  i64 count = 1;
  for (const i64 e : extents) count *= e;
  Ints values;
  for (i64 n = 0; n < count; ++n) values.push_back(atPoint(form, delinearize(n, extents, LinearOrder::Colex)));
  return values;
}

// One mode of an extent: every way to cut it into leaves, with every stride in [-most, most].
std::vector<Ints> modesOf(i64 extent, i64 most) {
  std::vector<Ints> out;  // values along the mode
  if (extent == 1) return {{0}};
  for (i64 first = 2; first <= extent; ++first) {
    if (extent % first != 0) continue;
    for (const Ints& rest : modesOf(extent / first, most)) {
      for (i64 stride = -most; stride <= most; ++stride) {
        Ints values;
        for (const i64 r : rest)
          for (i64 k = 0; k < first; ++k) values.push_back(r + k * stride);
        out.push_back(std::move(values));
      }
    }
  }
  return out;
}

// Every table of these extents with values below `bound` that some layout has.
std::set<Ints> reachable(const Ints& extents, i64 bound) {
  std::set<Ints> plain{{0}}, all;
  for (const i64 extent : extents) {
    std::set<Ints> next;
    for (const Ints& before : plain)
      for (const Ints& mode : modesOf(extent, 2 * bound - 1)) {
        Ints values;
        for (const i64 m : mode)
          for (const i64 b : before) values.push_back(m + b);
        next.insert(std::move(values));
      }
    plain = std::move(next);
  }
  for (const Ints& shape : plain)
    for (i64 offset = 0; offset < 2 * bound; ++offset)
      for (int b = 0; b <= 2; ++b)
        for (int m = 0; m <= 3 && (b > 0 || m == 0); ++m)
          for (int s = -3; s <= 3; ++s) {
            if (std::abs(s) < b || (b == 0 && s != 0)) continue;
            Ints values;
            bool fits = true;
            for (const i64 v : shape) {
              const i64 sum = v + offset, value = sum < 0 ? -1 : swizzledBy(b, m, s, sum);
              fits = fits && value >= 0 && value < bound;
              if (!fits) break;
              values.push_back(value);
            }
            if (fits) all.insert(std::move(values));
          }
  return all;
}

template <typename Visit>
void eachTable(std::size_t points, i64 bound, Visit visit) {
  Ints values(points, 0);
  for (;;) {
    visit(values);
    std::size_t k = 0;
    for (; k < points; ++k) {
      if (++values[k] < bound) break;
      values[k] = 0;
    }
    if (k == points) return;
  }
}

}  // namespace

TEST_CASE("a small table has a form if and only if some layout has it") {
  for (const Ints& extents : std::vector<Ints>{{3}, {4}, {2, 2}, {5}}) {
    const i64 bound = 4;
    const std::set<Ints> known = reachable(extents, bound);
    std::size_t points = 1;
    for (const i64 e : extents) points *= static_cast<std::size_t>(e);
    std::size_t found = 0;
    eachTable(points, bound, [&](const Ints& values) {
      const TableForms forms = formsOfTable({extents, values});
      const bool has = !forms.forms.empty();
      if (has) ++found;
      if (has && valuesOf(forms.forms[0], extents) != values) FAIL("a form with other values");
      if (!has && known.count(values) != 0) FAIL("no form, although a layout has these values");
    });
    CHECK(found >= known.size());
  }
}

TEST_CASE("a table without any layout is refused, and the closest one is named") {
  const Table table{{4}, {0, 1, 2, 7}};
  const ClosestForm closest = closestForm({{8}, {0, 1, 2, 3, 4, 5, 6, 9}});
  CHECK(closest.differing == 1);
  CHECK(closest.first == Ints{7});
  CHECK(closest.expected == 9);
  CHECK(closest.found == 7);
  CHECK(closest.form.bits == 0);
  CHECK(formsOfTable({{5}, {0, 1, 2, 3, 9}}).forms.empty());
  CHECK(formsOfTable({{1}, {7}}).forms.at(0).offset == 7);
  CHECK_FALSE(formsOfTable(table).forms.empty());  // Sw<1,0,-2> or the like: checked against the list above
}

TEST_CASE("random layouts are found from their tables, damaged ones are not mistaken for others") {
  std::mt19937_64 random(7);
  const auto below = [&](i64 n) { return static_cast<i64>(random() % static_cast<u64>(n)); };
  for (int round = 0; round < 400; ++round) {
    Swizzled made;
    Ints extents;
    for (i64 mode = below(3) + 1; mode > 0; --mode) {
      std::vector<SwizzleLeaf> leaves;
      i64 extent = 1;
      for (i64 leaf = below(3) + 1; leaf > 0; --leaf) {
        leaves.push_back({below(4) + 2, below(2) == 0 ? i64{1} << below(9) : below(40)});
        extent *= leaves.back().extent;
      }
      made.digits.push_back(leaves);
      extents.push_back(extent);
    }
    made.offset = below(3) == 0 ? below(100) : 0;
    if (below(3) > 0) {
      made.bits = static_cast<int>(below(3)) + 1;
      made.base = static_cast<int>(below(5));
      made.shift = made.bits + static_cast<int>(below(4));
      if (below(3) == 0) made.shift = -made.shift;
    }
    Table table{extents, valuesOf(made, extents)};
    if (table.values.size() > 40000) continue;
    const TableForms forms = formsOfTable(table);
    REQUIRE(forms.forms.size() == 1);
    REQUIRE(valuesOf(forms.forms[0], extents) == table.values);
    CHECK(forms.forms[0].bits <= made.bits);
    const std::size_t at = static_cast<std::size_t>(below(static_cast<i64>(table.values.size())));
    table.values[at] += below(2) == 0 ? 1 : 64;
    const TableForms damaged = formsOfTable(table);
    if (!damaged.forms.empty()) {
      REQUIRE(valuesOf(damaged.forms[0], extents) == table.values);
      continue;
    }
    const ClosestForm closest = closestForm(table);
    const Ints values = valuesOf(closest.form, extents);
    i64 wrong = 0;
    for (std::size_t n = 0; n < values.size(); ++n) wrong += values[n] != table.values[n] ? 1 : 0;
    CHECK(closest.differing == wrong);
    CHECK(closest.differing >= 1);
    REQUIRE(closest.first.size() == extents.size());
    const auto n = static_cast<std::size_t>(linearize(closest.first, extents, LinearOrder::Colex));
    CHECK(closest.expected == table.values[n]);
    CHECK(closest.found == values[n]);
    CHECK(closest.found != closest.expected);
  }
}
