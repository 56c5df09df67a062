// Rung 2c: set equality of strided maps with Fan digits, by a canonical form of the fanned part.
//
//     R[2:4@lane] R[3:8@lane]      {0,4} + {0,8,16} = {0,4,..,20}      ->  R[6:4@lane]
//     R[6:-4@lane] + 20            flipped                             ->  R[6:4@lane]
//
// The form is core/map/domain/variables.h's mergeFans. Equal forms over equal index parts are equal sets; different
// forms prove nothing (enumeration decides).
#include "core/map/domain/variables.h"
#include "solver/prove/obligation.h"
#include "solver/prove/structure/normal.h"

namespace tessera::prover {

namespace {

constexpr const char* kName = "strided";

struct SetForm {
  std::vector<i128> constant;                    // per axis
  std::vector<std::map<Monomial, i64>> indexed;  // per axis: strides of the Index parts
  std::vector<FanRun> fans;
  bool operator==(const SetForm&) const = default;
};

SetForm setForm(const Normal& normal, std::span<const Form> axes, const std::vector<bool>& isFan) {
  SetForm s{std::vector<i128>(axes.size(), 0), std::vector<std::map<Monomial, i64>>(axes.size()), {}};
  std::map<int, FanRun> byPart;
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
      FanRun& fan = byPart[monomial.front()];
      fan.stride.resize(axes.size(), 0);
      fan.stride[a] = coefficient;
      fan.extent = part.range.hi + 1;
    }
  }
  for (auto& [part, fan] : byPart) s.fans.push_back(std::move(fan));
  mergeFans(s.fans, s.constant);
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
