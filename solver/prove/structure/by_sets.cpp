// Rung 2c: set equality of strided maps with Fan digits, by a canonical form of the fanned part.
//
//     R[2:4@lane] R[3:8@lane]      {0,4} + {0,8,16} = {0,4,..,20}      ->  R[6:4@lane]
//     R[6:-4@lane] + 20            flipped                             ->  R[6:4@lane]
//
// {0..n-1}*v plus {0..m-1}*(k*v) with k <= n is {0..n-1+k*(m-1)}*v. Making all strides positive and merging until
// nothing changes gives a form. Equal forms over equal index parts are equal sets; different forms prove nothing
// (enumeration decides).
#include <algorithm>

#include "solver/prove/obligation.h"
#include "solver/prove/structure/normal.h"

namespace tessera::prover {

namespace {

constexpr const char* kName = "strided";

struct Fan {
  std::vector<i128> stride;  // one per axis, first non-zero component > 0
  i128 extent = 1;
  bool operator==(const Fan&) const = default;
};

// k if b == k * a with k > 0.
std::optional<i128> multiple(const std::vector<i128>& b, const std::vector<i128>& a) {
  std::optional<i128> k;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == 0 && b[i] == 0) continue;
    if (a[i] == 0 || b[i] % a[i] != 0 || (k && *k != b[i] / a[i])) return std::nullopt;
    k = b[i] / a[i];
  }
  return k && *k > 0 ? k : std::nullopt;
}

void mergeAll(std::vector<Fan>& fans) {
  std::ranges::sort(fans, [](const Fan& a, const Fan& b) { return a.stride < b.stride; });
  for (bool merged = true; merged;) {
    merged = false;
    for (std::size_t i = 0; i < fans.size() && !merged; ++i) {
      spend(static_cast<i64>(fans.size()));
      for (std::size_t j = 0; j < fans.size() && !merged; ++j) {
        if (i == j) continue;
        const auto k = multiple(fans[j].stride, fans[i].stride);
        if (!k || *k > fans[i].extent) continue;
        fans[i].extent += *k * (fans[j].extent - 1);
        fans.erase(fans.begin() + static_cast<std::ptrdiff_t>(j));
        merged = true;
      }
    }
  }
}

struct SetForm {
  std::vector<i128> constant;                    // per axis
  std::vector<std::map<Monomial, i64>> indexed;  // per axis: strides of the Index parts
  std::vector<Fan> fans;
  bool operator==(const SetForm&) const = default;
};

SetForm setForm(const Normal& normal, std::span<const Form> axes, const std::vector<bool>& isFan) {
  SetForm s{std::vector<i128>(axes.size(), 0), std::vector<std::map<Monomial, i64>>(axes.size()), {}};
  std::map<int, Fan> byPart;
  for (std::size_t a = 0; a < axes.size(); ++a) {
    for (const auto& [monomial, coefficient] : axes[a].terms) {
      if (monomial.empty()) {
        s.constant[a] = coefficient;
        continue;
      }
      const Atom& part = normal.atoms()[monomial.front()];
      if (!isFan[part.source]) {
        s.indexed[a][monomial] = coefficient;
        continue;
      }
      Fan& fan = byPart[monomial.front()];
      fan.stride.resize(axes.size(), 0);
      fan.stride[a] = coefficient;
      fan.extent = part.range.hi + 1;
    }
  }
  for (auto& [part, fan] : byPart) {
    const auto lead = std::ranges::find_if(fan.stride, [](i128 v) { return v != 0; });
    if (*lead < 0) {
      for (std::size_t a = 0; a < axes.size(); ++a) {
        s.constant[a] += fan.stride[a] * (fan.extent - 1);
        fan.stride[a] = -fan.stride[a];
      }
    }
    s.fans.push_back(fan);
  }
  mergeAll(s.fans);
  return s;
}

}  // namespace

Answer byStridedSets(const Map& f, const Map& g) {
  if (!f.guards().empty() || !g.guards().empty()) return unknown(kName, "guards remove points");
  // One box: the Index digits, f's Fan digits, g's Fan digits.
  std::vector<Digit> digits = f.digits();
  std::vector<Expr> toG(g.digits().size());
  const std::vector<int> indexF = f.indexDigits(), indexG = g.indexDigits();
  for (std::size_t k = 0; k < indexG.size(); ++k) toG[indexG[k]] = Expr::digit(indexF[k]);
  for (int k : g.fanDigits()) {
    toG[k] = Expr::digit(static_cast<int>(digits.size()));
    digits.push_back(g.digits()[k]);
  }
  std::vector<Expr> exprs = axisExprs(f);
  for (const Axis& a : g.axes()) exprs.push_back(substitute(a.value, toG));
  const auto normal = Normal::create(digits, f.params(), exprs);
  if (!normal || !normal->isStrided(normal->forms()) || !normal->constraints().empty())
    return unknown(kName, "the axes are not linear over mixed-radix digits");
  std::vector<bool> isFan;
  for (const Digit& d : digits) isFan.push_back(d.kind == DigitKind::Fan);
  const std::span<const Form> forms(normal->forms());
  if (setForm(*normal, forms.first(f.axes().size()), isFan) == setForm(*normal, forms.subspan(f.axes().size()), isFan))
    return proved(kName, "the fanned strides have the same canonical form");
  return unknown(kName, "the fanned strides have different canonical forms");
}

}  // namespace tessera::prover
