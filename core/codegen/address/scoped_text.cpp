#include "core/codegen/address/scoped_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/codegen/address/expression.h"

namespace tessera::codegen {

using graphene::Variable;

ScopedText::ScopedText(Variables& variables, Writer& out)
    : variables_(variables), out_(out), depthOf_(static_cast<std::size_t>(variables.count()), 1), hoisted_(2) {
  shown_.resize(depthOf_.size());
}

std::string ScopedText::nameOf(int param) {
  if (const auto name = shown_[static_cast<std::size_t>(param)]) return out_.use(*name);
  const Variable& v = variables_[param];
  if (v.kind == Variable::Kind::Thread || v.kind == Variable::Kind::Block)
    return v.kind == Variable::Kind::Thread ? "threadIdx.x" : "blockIdx.x";
  return "(" + text(variables_.valueOf(param), true) + ")";  // an index that is not visible here
}

void ScopedText::show(int variable, Writer::Name name, int depth) {
  rename(variable, name);
  depthOf_[static_cast<std::size_t>(variable)] = depth;
}

bool ScopedText::isKnownAt(const Expr& e, int depth) const {
  const std::vector<int> params = paramsOf(e);
  return std::all_of(params.begin(), params.end(), [&](int p) { return isKnownAt(p, depth); });
}

std::string ScopedText::named(const Expr& e) {
  const Op op = e.op();
  if (op != Op::FloorDiv && op != Op::Mod && op != Op::Xor) return "";
  if (nodeCount(e) < 5 || variables_.inLoop(e)) return "";
  const Range range = variables_.range(e);
  if (range.lo < INT32_MIN || range.hi > INT32_MAX) return "";
  int depth = 1;  // the function
  for (const int p : paramsOf(e)) depth = std::max(depth, depthOf_[static_cast<std::size_t>(p)]);
  auto& known = hoisted_[static_cast<std::size_t>(depth)];
  auto at = known.find(e);
  if (at == known.end()) {
    std::vector<Writer::Name> outer = out_.takeUses();
    const std::string content = text(e, true);
    std::vector<Writer::Name> uses = out_.takeUses();
    const Writer::Name name = out_.name(hint_ + "_at", depth);
    const std::string& word = out_.use(name);
    (void)out_.takeUses();
    out_.hoist(depth, name, fmt::format("const int {} = {};", word, content), std::move(uses));
    out_.use(outer);
    at = known.emplace(e, name).first;
  }
  return out_.use(at->second);
}

std::string ScopedText::text(const Expr& e, bool whole) {
  std::function<std::string(const Expr&)> shortcut;
  if (!whole) shortcut = [this](const Expr& x) { return named(x); };
  SpelledBody body = spell(
      {e}, variables_.facts(), Dialect::Kernel, [this](int param) { return nameOf(param); }, shortcut);
  if (!body.calls.empty()) {
    out_.calls("floor_div");
    out_.calls("floor_mod");
  }
  return std::move(body.values[0].text);
}

}  // namespace tessera::codegen
