#include "core/graphene/slots/formula.h"

#include <algorithm>
#include <unordered_map>

#include "core/expr/walk.h"

namespace tessera::graphene {

Formula::Formula(const Expr& e) : constant_(e.isConstant()) {
  std::unordered_map<const void*, std::size_t> line;
  childrenFirst(e, [&](const Expr& node) {
    Line l{node.op(), 0, 0, 0};
    if (node.op() == Op::Constant) {
      l.value = node.value();
    } else if (isLeaf(node.op())) {
      l.a = static_cast<std::size_t>(node.index());
    } else {
      l.a = line.at(node.lhs().id());
      l.b = line.at(node.rhs().id());
    }
    line.emplace(node.id(), lines_.size());
    lines_.push_back(l);
  });
}

std::optional<i64> Formula::at(std::span<const i64> values) const {
  if (constant_) return lines_.back().value;
  std::vector<i64> known(lines_.size());
  for (std::size_t k = 0; k < lines_.size(); ++k) {
    const Line& l = lines_[k];
    if (l.op == Op::Constant) {
      known[k] = l.value;
    } else if (isLeaf(l.op)) {
      if (l.op != Op::Param || l.a >= values.size()) return std::nullopt;
      known[k] = values[l.a];
    } else {
      const auto value = foldNumbers(l.op, known[l.a], known[l.b]);
      if (!value) return std::nullopt;
      known[k] = *value;
    }
  }
  return known.back();
}

bool Formula::mentions(int variable) const {
  return std::any_of(lines_.begin(), lines_.end(),
                     [&](const Line& l) { return l.op == Op::Param && l.a == static_cast<std::size_t>(variable); });
}

}  // namespace tessera::graphene
