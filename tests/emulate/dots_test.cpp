// Dots against lists of products that are sorted: the same multiset or not.
#include "solver/emulate/dots.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <random>

#include "solver/emulate/terms.h"

using namespace tessera;
using namespace tessera::graphene;

namespace {

using Factors = std::vector<Dots::Value>;

std::vector<std::pair<Dots::Value, Dots::Value>> productsOf(const Factors& a, const Factors& b) {
  std::vector<std::pair<Dots::Value, Dots::Value>> out;
  for (std::size_t k = 0; k < a.size(); ++k) out.push_back(std::minmax(a[k], b[k]));
  std::ranges::sort(out);
  return out;
}

Factors shuffled(const Factors& from, const std::vector<std::size_t>& order) {
  Factors out;
  for (const std::size_t k : order) out.push_back(from[k]);
  return out;
}

// The list, in rows of random lengths; `cuts` gives the lengths.
Dots::List listOf(Dots& dots, const Factors& values, std::mt19937 cuts) {
  Dots::List out = 0;
  for (std::size_t k = 0; k < values.size();) {
    const std::size_t n = std::min<std::size_t>(1 + cuts() % 4, values.size() - k);
    out = dots.extended(out, dots.row(std::span(values).subspan(k, n)));
    k += n;
  }
  return out;
}

}  // namespace

TEST_CASE("lists of factors that one permutation exchanges are one multiset of products") {
  std::mt19937 random(2);
  int same = 0, other = 0;
  for (int round = 0; round < 4000; ++round) {
    Dots dots;
    const std::size_t n = 1 + random() % 6;
    Factors a(n), b(n);
    const bool distinct = random() % 2 == 0;
    for (std::size_t k = 0; k < n; ++k) {
      a[k] = distinct ? static_cast<Dots::Value>(10 + k) : static_cast<Dots::Value>(random() % 4);
      b[k] = distinct ? static_cast<Dots::Value>(20 + k) : static_cast<Dots::Value>(4 + random() % 3);
    }
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::shuffle(order, random);
    const bool exchanged = random() % 2 == 0;
    Factors c = shuffled(a, order), d = shuffled(b, order);
    if (exchanged) std::swap(d[0], d[random() % n]);
    const Dots::List la = listOf(dots, a, random), lb = listOf(dots, b, random), lc = listOf(dots, c, random),
                     ld = listOf(dots, d, random);
    CHECK(dots.flat(la) == a);
    CHECK(listOf(dots, a, std::mt19937(7)) == listOf(dots, a, std::mt19937(7)));
    const bool wanted = productsOf(a, b) == productsOf(c, d);
    const bool found = dots.permuted(la, lb, lc, ld);
    if (found) CHECK(wanted);
    if (distinct) CHECK(found == wanted);
    same += found ? 1 : 0;
    other += wanted ? 0 : 1;
  }
  CHECK(same > 1000);
  CHECK(other > 500);
}

TEST_CASE("a sum of rows is the sum of its products, one by one") {
  std::mt19937 random(9);
  int undefined = 0, equal = 0, differ = 0;
  for (int round = 0; round < 3000; ++round) {
    Terms t;
    const auto input = [&] { return t.input(0, 0, static_cast<i64>(random() % 6)); };
    const auto factor = [&] {
      switch (random() % 24) {
        case 0:
          return t.constant(0);
        case 1:
          return t.constant(3);
        case 2:
          return random() % 8 == 0 ? Terms::undefined() : input();
        case 3: {
          const Terms::Value x = input();
          return t.binary(t.operation("+"), x, input());
        }
        case 4: {
          const Terms::Value zero = t.constant(0);
          return t.binary(t.operation("+"), zero, zero);
        }
        default:
          return input();
      }
    };
    const Terms::Value base = random() % 2 == 0 ? t.constant(0) : input();
    Terms::Value rows = base, single = base;
    std::vector<Terms::Product> all;
    for (std::size_t r = random() % 4; r-- > 0;) {
      std::vector<Terms::Value> a, b;
      for (std::size_t k = random() % 4; k-- > 0;) {
        a.push_back(factor());
        b.push_back(factor());
        all.emplace_back(a.back(), b.back());
      }
      const Dots::Row left = t.row(a);
      rows = t.addRows(rows, left, t.row(b));
    }
    const bool more = random() % 4 == 0 && rows != Terms::undefined();
    const Terms::Value summand = input();
    if (more) rows = t.binary(t.operation("+"), summand, rows);
    std::ranges::shuffle(all, random);
    for (const Terms::Product& p : all)
      single = random() % 3 == 0 && single != Terms::undefined()
                   ? t.addRows(single, t.row({&p.first, 1}), t.row({&p.second, 1}))
                   : t.add(single, {&p, 1});
    if (more && single != Terms::undefined()) single = t.binary(t.operation("+"), single, summand);
    undefined += rows == Terms::undefined() ? 1 : 0;
    CHECK((rows == Terms::undefined()) == (single == Terms::undefined()));
    if (rows == Terms::undefined()) continue;
    CHECK(t.equal(rows, single));
    CHECK(t.sum(rows) == t.sum(single));
    CHECK(t.canonical(rows) == t.canonical(single));
    ++equal;
    const Terms::Product extra(t.input(0, 0, 7), input());
    const Terms::Value wrong = t.add(single, {&extra, 1});
    CHECK_FALSE(t.equal(rows, wrong));
    CHECK(t.canonical(rows) != t.canonical(wrong));
    if (all.empty()) continue;
    // One factor exchanged: the hashes decide, and the terms must agree with the sorted sums.
    std::vector<Terms::Value> x, y;
    for (const auto& [p, q] : all) x.push_back(p), y.push_back(q);
    std::swap(y[0], y[random() % y.size()]);
    const Dots::Row left = t.row(x);
    const Terms::Value swapped = t.addRows(base, left, t.row(y));
    const Terms::Value plain = more ? t.binary(t.operation("+"), swapped, summand) : swapped;
    CHECK(t.equal(rows, plain) == (t.sum(rows) == t.sum(plain)));
    differ += t.equal(rows, plain) ? 0 : 1;
  }
  CHECK(undefined > 20);
  CHECK(equal > 2000);
  CHECK(differ > 300);
}
