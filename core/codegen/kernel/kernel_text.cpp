// Expressions and operands of a kernel as text.
#include <fmt/format.h>

#include <algorithm>

#include "core/base/work_budget.h"
#include "core/codegen/address/address.h"
#include "core/codegen/kernel/kernel_writer.h"
#include "core/expr/simplify.h"
#include "core/expr/walk.h"
#include "core/graphene/spec_tree.h"

namespace tessera::codegen {

using graphene::Tensor;
using graphene::Variable;

std::vector<int> KernelWriter::paramsOf(const Expr& e) const {
  std::vector<int> out;
  childrenFirst(e, [&](const Expr& x) {
    if (x.op() == Op::Param) out.push_back(x.index());
  });
  return out;
}

bool KernelWriter::inLoop(const Expr& e) const {
  const std::vector<int> params = paramsOf(e);
  return std::any_of(params.begin(), params.end(), [&](int p) {
    const auto index = static_cast<std::size_t>(p);
    return index >= program_.variables.size() || program_.variables[index].kind == Variable::Kind::Loop;
  });
}

std::string KernelWriter::nameOfParam(int param) {
  const auto index = static_cast<std::size_t>(param);
  if (named_[index]) return out_.use(*named_[index]);
  const Variable& v = program_.variables[index];
  if (v.kind == Variable::Kind::Thread || v.kind == Variable::Kind::Block)
    return v.kind == Variable::Kind::Thread ? "threadIdx.x" : "blockIdx.x";
  return "(" + text(values_[index], true) + ")";  // an index that is not visible here
}

Expr KernelWriter::known(const Expr& e) const { return substitute(e, {}, meaning_); }

Expr KernelWriter::small(const Expr& e) {
  const auto [at, fresh] = small_.try_emplace(e, Expr());
  if (fresh) at->second = simplified(known(e), facts_->box());
  return at->second;
}

// A quotient, remainder or exclusive or of what no loop changes, of two operations or more, gets a name.
std::string KernelWriter::named(const Expr& e) {
  const Op op = e.op();
  if (op != Op::FloorDiv && op != Op::Mod && op != Op::Xor) return "";
  if (nodeCount(e) < 5 || inLoop(e)) return "";
  const Range range = facts_->of(e).interval;
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
    for (const Writer::Name n : outer) (void)out_.use(n);
    at = known.emplace(e, name).first;
  }
  return out_.use(at->second);
}

// whole: nothing in it is given a name.
std::string KernelWriter::text(const Expr& e, bool whole) {
  ExprText::Named shortcut;
  if (!whole) shortcut = [this](const Expr& x) { return named(x); };
  ExprText printer(
      *facts_, [this](int param) { return nameOfParam(param); }, shortcut);
  std::string out = printer.print(e);
  if (printer.usesFloor()) {
    fixed("floor_div");
    fixed("floor_mod");
  }
  return out;
}

void KernelWriter::fixed(const std::string& function) {
  head_.functions.try_emplace(function, fixedFunction(function));
}

void KernelWriter::header(const ScalarType& type) {
  if (!type.header.empty()) head_.headers.insert(std::string(type.header));
}

Result<Place> KernelWriter::place(const Tensor& tensor) {
  Place out;
  out.root = rootOf(graphene::nameOf(tensor));
  out.root->used = true;
  out.offset = known(tensor.offset);
  out.swizzle = tensor.swizzle;
  TESSERA_TRY(out.slots, slotsOf(tensor));
  out.dense = true;
  for (std::size_t s = 0; s < out.slots.size(); ++s)
    out.dense = out.dense && out.slots[s].isConstant(static_cast<i64>(s));
  if (!out.swizzle.isIdentity())
    out.dense = out.dense && (i64{1} << out.swizzle.base()) >= static_cast<i64>(out.slots.size());
  return out;
}

Expr KernelWriter::address(const Place& p, std::size_t slot) {
  return addressExpr(p.offset + p.slots[slot], p.swizzle, *facts_, [this](const Expr& e) { return inLoop(e); });
}

std::string KernelWriter::value(const Place& p, std::size_t slot) {
  spend(300);
  if (p.root->one) return out_.use(p.root->name);
  const Expr at = address(p, slot);
  if (p.root->tensor.memory == graphene::Memory::Register)
    for (const int v : paramsOf(at)) out_.keep(v);  // a register is known when its loop is unrolled
  const std::string word = out_.use(p.root->name);
  hint_ = word;
  if (const std::string based = onBase(*p.root, at); !based.empty()) return based;
  return fmt::format("{}[{}]", word, text(at));
}

std::string KernelWriter::pointer(const Place& p, std::size_t slot) {
  if (!p.root->one && address(p, slot).isConstant(0)) return out_.use(p.root->name);
  return "&" + value(p, slot);
}

bool KernelWriter::aligned(const Place& p, i64 elements) { return facts_->of(address(p, 0)).divisibleBy(elements); }

}  // namespace tessera::codegen
