#include "solver/graphene/values/term_numbers.h"

#include <algorithm>
#include <cfloat>
#include <cmath>

#include "core/base/arith.h"
#include "core/base/work_budget.h"
#include "solver/emulate/numbers.h"

namespace tessera::graphene {
namespace {

constexpr double kNearInteger = 8, kFarInteger = 1e6;  // integers: -8 to 7, or the type's range up to 1e6

double single(double x) {
  if (x > FLT_MAX) return HUGE_VAL;
  if (x < -FLT_MAX) return -HUGE_VAL;
  return static_cast<double>(static_cast<float>(x));
}

double converted(const std::string& name, double a) {
  const auto type = numberFormat(std::string_view(name).substr(name.find(' ') + 1));
  if (!type) return Numbers::undefined();
  return name.starts_with("near ") ? a : name.starts_with("mod ") ? wrapped(a, *type) : rounded(a, *type);
}

}  // namespace

double TermNumbers::random(Terms& terms, Terms::Value v, const Terms::Node& input) const {
  if (v == options_.special) return options_.value;
  u64 h = splitMix(options_.seed);
  h = splitMix(h ^ static_cast<u64>(input.operation));
  h = splitMix(h ^ static_cast<u64>(input.copy));
  h = splitMix(h ^ static_cast<u64>(input.element));
  const double unit = 2 * static_cast<double>(h >> 11) / 9007199254740992.0 - 1;
  const NumberFormat* type = terms.typeOf(input.operation);
  if (type == nullptr || type->precision > 0) return options_.middle + options_.scale * unit;
  return rounded(std::floor(options_.middle + (options_.seed % 2 == 0 ? kFarInteger : kNearInteger) * unit), *type);
}

double TermNumbers::compute(Terms& terms, Terms::Value v, const Terms::Sum& sum) {
  const Terms::Node n = terms.node(v);
  const auto known = [&](Terms::Value x) { return known_.at(x); };
  switch (n.kind) {
    case Terms::Kind::Undefined:
      return Numbers::undefined();
    case Terms::Kind::Input:
      return random(terms, v, n);
    case Terms::Kind::Constant:
      return n.number;
    case Terms::Kind::Unary:
      if (terms.nameOf(n.operation).find(' ') != std::string::npos)
        return converted(terms.nameOf(n.operation), known(n.a));
      return Numbers::unary(Numbers::operation(terms.nameOf(n.operation)), known(n.a));
    case Terms::Kind::Binary:
      if (terms.nameOf(n.operation) == "whole /") return std::trunc(known(n.a) / known(n.b));
      [[fallthrough]];
    case Terms::Kind::Set:
      return Numbers::binary(Numbers::operation(terms.nameOf(n.operation)), known(n.a), known(n.b));
    case Terms::Kind::Sum: {
      double out = sum.constant;
      for (const auto& [x, times] : sum.terms) out += known(x) * static_cast<double>(times);
      for (const auto& [p, times] : sum.products) out += known(p.first) * known(p.second) * static_cast<double>(times);
      return out;
    }
  }
  return Numbers::undefined();
}

double TermNumbers::of(Terms& terms, Terms::Value v) {
  fromTheGround(
      terms, v, [&](Terms::Value x) { return known_.count(x) != 0; },
      [&](Terms::Value x, const Terms::Sum& sum) {
        spend(static_cast<i64>(sum.products.size()) + 4);
        double value = compute(terms, x, sum);
        if (options_.single) value = single(value);
        if (terms.node(x).kind != Terms::Kind::Constant)
          most_ = std::isnan(value) ? HUGE_VAL : std::max(most_, std::fabs(value));
        known_.emplace(x, value);
      });
  return known_.at(v);
}

}  // namespace tessera::graphene
