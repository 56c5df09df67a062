#include "core/codegen/operand/addresses.h"

#include <fmt/format.h>

#include "core/base/work_budget.h"
#include "core/codegen/address/address.h"
#include "core/graphene/spec_tree.h"

namespace tessera::codegen {

using graphene::Tensor;

Result<Place> Addresses::place(const Tensor& tensor) {
  Place out;
  out.root = storage_.find(graphene::nameOf(tensor));
  out.root->used = true;
  out.offset = variables_.known(tensor.offset);
  out.swizzle = tensor.swizzle;
  TESSERA_TRY(out.slots, slotsOf(tensor));
  out.dense = true;
  for (std::size_t s = 0; s < out.slots.size(); ++s)
    out.dense = out.dense && out.slots[s].isConstant(static_cast<i64>(s));
  if (!out.swizzle.isIdentity())
    out.dense = out.dense && (i64{1} << out.swizzle.base()) >= static_cast<i64>(out.slots.size());
  return out;
}

Result<Place> Addresses::startOf(const Tensor& tensor) {
  Tensor first = tensor;
  first.levels.clear();
  first.swizzle = {};
  return place(first);
}

Expr Addresses::address(const Place& p, std::size_t slot) {
  return addressExpr(p.offset + p.slots[slot], p.swizzle, variables_.facts(),
                     [this](const Expr& e) { return variables_.inLoop(e); });
}

// A register is known when its loop is unrolled.
void Addresses::keepLoops(const Place& p, const Expr& address) {
  if (!p.isRegister()) return;
  for (const int v : paramsOf(address)) out_.keep(v);
}

std::string Addresses::value(const Place& p, std::size_t slot) {
  spend(300);
  if (p.root->one) return out_.use(p.root->name);
  const Expr at = address(p, slot);
  keepLoops(p, at);
  const std::string word = out_.use(p.root->name);
  text_.hint(word);
  if (const std::string based = bases_.onBase(*p.root, at); !based.empty()) return based;
  return fmt::format("{}[{}]", word, text_.text(at));
}

std::string Addresses::counted(const Place& p, const std::string& index) {
  const Expr base = address(p, 0);
  const std::string first = base.isConstant(0) ? index : fmt::format("{} + {}", text_.text(base), index);
  keepLoops(p, base);
  return fmt::format("{}[{}]", out_.use(p.root->name), first);
}

std::string Addresses::pointer(const Place& p, std::size_t slot) {
  if (!p.root->one && address(p, slot).isConstant(0)) return out_.use(p.root->name);
  return "&" + value(p, slot);
}

bool Addresses::aligned(const Place& p, i64 elements) {
  return variables_.facts().of(address(p, 0)).divisibleBy(elements);
}

}  // namespace tessera::codegen
