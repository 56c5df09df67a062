#include "solver/prove/rungs.h"

#include <fmt/format.h>

#include <utility>

#include "solver/prove/smt/text.h"

namespace tessera::prover {
namespace {

constexpr i64 kForcedLimit = i64{1} << 30;  // points, if the claim selects exhaustive evaluation
constexpr i64 kLastResort = i64{1} << 27;   // points, if Z3 could not decide
constexpr double kZ3Share = 0.4;            // share of the budget, if enumeration is still possible after Z3

constexpr i64 kMostPlaces = i64{1} << 14;  // limit on places that Z3 decides one by one by default

}  // namespace

i64 Rungs::limit() const { return forced(Method::Exhaustive) ? kForcedLimit : options_.exhaustiveLimit; }

Answer Rungs::climb(const std::vector<std::pair<Method, Rung>>& rungs, const std::vector<Digit>& digits,
                    const std::function<Answer(i64)>& enumerate) {
  std::vector<std::string> reasons;
  std::string method;
  const auto ask = [&](const Rung& rung) -> std::optional<Answer> {
    Answer a = rung();
    keep(std::exchange(a.smt2, {}));
    if (a.truth != Truth::Unknown) return a;
    reasons.push_back(a.method + ": " + a.detail);
    method = a.method;
    return std::nullopt;
  };
  for (const auto& [m, rung] : rungs) {
    if (!allowed(m)) continue;
    if (budget_.spent()) return unknown(method, budget_.reason());
    lastAsked_ = m;
    if (options_.onRung) options_.onRung(m);
    if (auto a = ask(rung)) return *std::move(a);
  }
  const auto points = countPoints(digits);
  if (method_ == Method::Auto && points && *points <= kLastResort && *points > limit() && !budget_.spent()) {
    lastAsked_ = Method::Exhaustive;
    if (options_.onRung) options_.onRung(Method::Exhaustive);
    if (auto a = ask([&] { return enumerate(kLastResort); })) return *std::move(a);
  }
  if (budget_.spent()) return unknown(method, budget_.reason());
  if (method_ == Method::Auto && reasons.size() > 2) reasons.erase(reasons.begin(), reasons.end() - 2);
  if (reasons.empty()) return unknown("", fmt::format("the method '{}' does not decide this claim", name(method_)));
  return unknown(method, fmt::format("{}", fmt::join(reasons, "; ")));
}

void Rungs::keep(Export texts) {
  for (auto& [file, text] : texts) {
    if (textBytes_ + text.size() > smt::kMostTexts) text = smt::notWritten(smt::kMostTexts);
    textBytes_ += text.size();
    smt2_.emplace_back(std::move(file), std::move(text));
  }
}

Answer structural(const Pointwise& p, Method method) {
  constexpr std::pair<Method, Answer (*)(const Pointwise&)> kRungs[] = {
      {Method::Simplify, bySimplify}, {Method::Strided, byStrided}, {Method::F2, byF2}};
  Answer a;
  for (const auto& [of, rung] : kRungs)
    if ((method == Method::Auto || method == of) && (a = rung(p)).truth == Truth::Proved) break;
  return a;
}

Answer Rungs::pointwise(const Pointwise& p, const std::string& what) {
  const auto enumerate = [&](i64 most) { return exhaustive(p, most, budget_); };
  return climb({{Method::Simplify, [&] { return bySimplify(p); }},
                {Method::Strided, [&] { return byStrided(p); }},
                {Method::F2, [&] { return byF2(p); }},
                {Method::Exhaustive, [&] { return enumerate(limit()); }},
                {Method::Z3, [&] { return solver(p, what, p.digits); }}},
               p.digits, enumerate);
}

Answer Rungs::byAny(const Pointwise& p, const std::string& what) {
  const Method asked = std::exchange(method_, Method::Auto);
  Answer a = pointwise(p, what);
  method_ = asked;
  return a;
}

Answer Rungs::placeByPlace(const Map& map, const std::string& what) {
  const i64 most = forced(Method::Z3) ? INT64_MAX : kMostPlaces;
  return byZ3Cover(map, most, what, options_.exportSmt2, solverBudget(map.digits()));
}

Budget Rungs::solverBudget(const std::vector<Digit>& digits) const {
  const auto points = countPoints(digits);
  const bool enumerable = method_ == Method::Auto && points && *points <= kLastResort;
  return Budget(budget_.share(enumerable ? kZ3Share : 1), options_.cancel);
}

Verdict verdictOf(const Answer& answer, std::optional<Counterexample> replayed) {
  Verdict v;
  v.truth = answer.truth;
  v.method = answer.method;
  v.detail = answer.detail;
  if (v.truth != Truth::Refuted) return v;
  if (!replayed) {
    v.truth = Truth::Unknown;
    v.detail = fmt::format("{} gave a counterexample that does not replay; this is a bug in Tessera", answer.method);
    return v;
  }
  v.counterexample = std::move(replayed);
  return v;
}

Verdict unknownVerdict(std::string reason) {
  Verdict v;
  v.detail = std::move(reason);
  return v;
}

}  // namespace tessera::prover
