// Renaming against all injective maps of a few inputs, and SameValue on many pairs in a row against numbers.
#include "solver/emulate/equality/renaming.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>
#include <random>

#include "solver/emulate/equality/same_value.h"

using namespace tessera;
using namespace tessera::graphene;

namespace {

using Term = Terms::Value;
constexpr int kNames = 4;

// A term built by a recipe, so that the same recipe gives the same structure over other inputs.
Term grown(Terms& terms, std::mt19937& recipe, const std::vector<int>& names, int depth) {
  const auto input = [&] { return terms.input(0, 0, names[recipe() % 3]); };
  if (depth == 0) return recipe() % 5 == 0 ? terms.constant(static_cast<double>(recipe() % 3)) : input();
  const char* const unary[] = {"exp", "tanh", "sqrt"};
  const char* const binary[] = {"+", "*", "-", "/", "max", "+"};
  const auto choice = recipe() % 9;
  if (choice < 3) return terms.unary(terms.operation(unary[choice]), grown(terms, recipe, names, depth - 1));
  const Term a = grown(terms, recipe, names, depth - 1), b = grown(terms, recipe, names, depth - 1);
  if (choice == 8) {
    const Terms::Product products[] = {{a, input()}, {b, a}};
    return terms.add(input(), products);
  }
  return terms.binary(terms.operation(binary[choice - 3]), a, b);
}

// v with the input e replaced by the input names[e].
Term substituted(Terms& terms, Term v, const std::vector<int>& names) {
  const Terms::Node n = terms.node(v);
  const auto inner = [&](Term x) { return substituted(terms, x, names); };
  switch (n.kind) {
    case Terms::Kind::Input:
      return terms.input(n.operation, n.copy, names[n.element]);
    case Terms::Kind::Unary:
      return terms.unary(n.operation, inner(n.a));
    case Terms::Kind::Binary:
    case Terms::Kind::Set: {
      const Term a = inner(n.a), b = inner(n.b);
      return terms.binary(n.operation, a, b);
    }
    case Terms::Kind::Sum: {
      const Terms::Sum sum = terms.sum(v);
      Term out = terms.constant(sum.constant);
      for (const auto& [x, times] : sum.terms)
        for (u64 k = 0; k < times; ++k) out = terms.binary(terms.operation("+"), out, inner(x));
      for (const auto& [p, times] : sum.products)
        for (u64 k = 0; k < times; ++k) {
          const Terms::Product product(inner(p.first), inner(p.second));
          out = terms.add(out, {&product, 1});
        }
      return out;
    }
    default:
      return v;
  }
}

// Some injective map of inputs takes `from` to `to`.
bool someMap(Terms& terms, const Renaming::Pair& from, const Renaming::Pair& to) {
  std::vector<int> names(kNames);
  std::iota(names.begin(), names.end(), 0);
  do {
    if (terms.equal(substituted(terms, from.first, names), to.first) &&
        terms.equal(substituted(terms, from.second, names), to.second))
      return true;
  } while (std::ranges::next_permutation(names).found);
  return false;
}

}  // namespace

TEST_CASE("a renaming is a map of inputs that takes one pair to the other") {
  std::mt19937 random(3);
  int found = 0, none = 0;
  for (int round = 0; round < 3000; ++round) {
    Terms terms;
    Renaming renaming(terms);
    std::vector<Renaming::Pair> pairs;
    const auto seed = random();
    for (int k = 0; k < 4; ++k) {
      std::vector<int> names(kNames);
      std::iota(names.begin(), names.end(), 0);
      std::ranges::shuffle(names, random);
      if (k == 3) names[1] = names[0];  // not injective
      std::mt19937 recipe(random() % 8 == 0 ? random() : seed);
      const Term a = grown(terms, recipe, names, 3);
      if (random() % 8 == 0) names[2] = names[1];
      pairs.emplace_back(a, grown(terms, recipe, names, 2));
    }
    for (std::size_t a = 0; a < pairs.size(); ++a)
      for (std::size_t b = 0; b < pairs.size(); ++b) {
        const bool maps = renaming.maps(pairs[a], pairs[b]);
        if (!maps) {
          ++none;
          continue;
        }
        ++found;
        CHECK(someMap(terms, pairs[a], pairs[b]));
      }
  }
  CHECK(found > 20000);
  CHECK(none > 10000);
}

TEST_CASE("inputs of a shared subterm keep their names") {
  Terms terms;
  Renaming renaming(terms);
  const auto x = [&](int k) { return terms.input(0, 0, k); };
  const auto plus = [&](Term a, Term b) { return terms.binary(terms.operation("+"), a, b); };
  const auto ratio = [&](Term a, Term b) { return terms.binary(terms.operation("/"), a, b); };
  const Term mean = plus(plus(x(0), x(1)), x(2)), other = terms.unary(terms.operation("exp"), x(5));
  CHECK(renaming.maps({ratio(x(3), mean), mean}, {ratio(x(4), mean), mean}));
  CHECK_FALSE(renaming.maps({ratio(x(0), mean), mean}, {ratio(x(1), mean), mean}));
  CHECK_FALSE(renaming.maps({ratio(x(3), mean), mean}, {ratio(x(1), mean), mean}));
  // Names kept for one pair do not bind the next.
  CHECK(renaming.maps({ratio(x(0), other), x(0)}, {ratio(x(1), other), x(1)}));
  CHECK_FALSE(renaming.maps({x(0), x(1)}, {x(2), x(2)}));
  CHECK_FALSE(renaming.maps({x(0), x(0)}, {x(2), x(3)}));
  CHECK_FALSE(renaming.maps({x(0), x(1)}, {x(1), terms.input(1, 0, 0)}));
}

TEST_CASE("values that are equal by a short cut have equal numbers") {
  std::mt19937 random(17);
  int equal = 0;
  for (int round = 0; round < 300; ++round) {
    Terms terms;
    SameValue same(terms);
    const auto seed = random();
    const Term shared = terms.unary(terms.operation("tanh"), terms.input(0, 0, 3));
    for (int k = 0; k < 12; ++k) {
      std::vector<int> names(kNames);
      std::iota(names.begin(), names.end(), 0);
      std::ranges::shuffle(names, random);
      std::mt19937 recipe(random() % 3 == 0 ? random() : seed), again(recipe);
      const Term a = grown(terms, recipe, names, 2);
      if (random() % 4 == 0) std::swap(names[0], names[1]);
      const Term b = grown(terms, again, names, 2);
      // (a * shared) / shared is a by the algebra only.
      const Term c = terms.binary(terms.operation("/"), terms.binary(terms.operation("*"), b, shared), shared);
      if (!same.equal(a, c)) continue;
      ++equal;
      for (u64 inputs = 1; inputs <= 4; ++inputs) {
        TermNumbers numbers({.seed = inputs});
        const double p = numbers.of(terms, a), q = numbers.of(terms, c);
        if (std::isfinite(p) && std::isfinite(q)) CHECK(std::fabs(p - q) <= 1e-7 * (1 + std::fabs(p)));
      }
    }
  }
  CHECK(equal > 1000);
}
