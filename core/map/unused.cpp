#include "core/map/unused.h"

#include <string>

#include "core/base/check.h"
#include "core/expr/walk.h"

namespace tessera {
namespace {

struct Used {
  std::vector<bool> digits, params;
  void add(const Expr& e) {
    childrenFirst(e, [&](const Expr& node) {
      if (node.op() == Op::Digit) digits[static_cast<std::size_t>(node.index())] = true;
      if (node.op() == Op::Param) params[static_cast<std::size_t>(node.index())] = true;
    });
  }
};

}  // namespace

WithoutUnused withoutUnused(const Map& map) {
  Used used{std::vector<bool>(map.digits().size()), std::vector<bool>(map.params().size())};
  for (const Axis& a : map.axes()) used.add(a.value);
  for (const Guard& g : map.guards()) used.add(g.value);
  WithoutUnused result;
  std::vector<Digit> digits;
  std::vector<Expr> newDigits, newParams;
  std::vector<Param> params;
  int fans = 0;
  for (std::size_t k = 0; k < map.digits().size(); ++k) {
    Digit d = map.digits()[k];
    newDigits.push_back(Expr::digit(static_cast<int>(digits.size())));
    if (d.kind == DigitKind::Fan) {
      if (!used.digits[k]) continue;
      d.name = "s" + std::to_string(fans++);
    }
    digits.push_back(std::move(d));
  }
  for (std::size_t k = 0; k < map.params().size(); ++k) {
    newParams.push_back(Expr::param(static_cast<int>(params.size())));
    if (!used.params[k]) continue;
    Param p = map.params()[k];
    p.name = "rt" + std::to_string(params.size());
    result.params.push_back(static_cast<int>(k));
    params.push_back(std::move(p));
  }
  std::vector<Axis> axes = map.axes();
  for (Axis& a : axes) a.value = substitute(a.value, newDigits, newParams);
  std::vector<Guard> guards = map.guards();
  for (Guard& g : guards) g.value = substitute(g.value, newDigits, newParams);
  auto made = Map::create(std::move(digits), std::move(axes), std::move(guards), std::move(params));
  LAYOUT_CHECK(made.ok(), "the same expressions over fewer variables are a map");
  result.map = *std::move(made);
  return result;
}

}  // namespace tessera
