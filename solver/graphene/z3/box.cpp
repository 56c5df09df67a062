#include "solver/graphene/z3/box.h"

#include <algorithm>

#include "core/base/arith.h"
#include "core/base/mapped.h"
#include "core/expr/facts.h"

namespace tessera::graphene {

i64 countOf(const Tensor& tensor) {
  i64 total = 1;
  for (const Level& level : tensor.levels) {
    const Expr size = sizeOf(level);
    if (!size.isConstant() || !mulInto(total, size.value())) return -1;
  }
  return total;
}

bool isWhole(const Tensor& view, const Tensor& declared) {
  return view.levels == declared.levels && view.offset == declared.offset && view.origin == declared.origin;
}

Box::Box(const Sites& sites, const SpecNode& kernel) : program_(*sites.program) {
  for (std::size_t v = 0; v < program_.variables.size(); ++v) {
    const Variable& variable = program_.variables[v];
    Expr value = Expr::param(static_cast<int>(v));
    if (variable.kind == Variable::Kind::Size) {
      value = newDigit(variable.name, kMostSize);
      assumed.push_back({value, 1, kMostSize});
    }
    sizeValues_.push_back(value);
  }
  sizes_ = static_cast<int>(digits.size());
  Copy sizes;
  sizes.values = sizeValues_;
  for (const Assumption& a : program_.assumptions)
    for (const Comparison& c : a.condition)
      if (c.op != "!=") assume(goalOf(c, sizes));
  if (!kernel.spec->blocks.empty()) {
    blocks_ = &kernel.spec->blocks.front();
    oneBlock_ = countOf(*blocks_) == 1;
    threads_ = std::max<i64>(1, countOf(kernel.spec->threads.front()));
  }
}

Expr Box::newDigit(const std::string& name, i64 extent) {
  digits.push_back({name, std::max<i64>(extent, 1), DigitKind::Index, 0});
  return Expr::digit(static_cast<int>(digits.size()) - 1);
}

i64 Box::most(const Expr& e) const {
  const Facts facts = factsOf(e, prover::boxOf(digits));
  return facts.fits ? std::min(facts.interval.hi, kFar) : kFar;
}

void Box::makeBlock(Copy& copy) {
  if (blocks_ == nullptr) return;
  if (const i64 count = countOf(*blocks_); count >= 0) {
    copy.block = newDigit("blockIdx.x", count);
    copy.blockDigits = {copy.block};
    return;
  }
  Expr block = Expr::constant(0);
  for (const Mode& mode : modesOf(*blocks_)) {
    if (mode.size.isConstant(1)) continue;
    const Expr size = substitute(mode.size, {}, sizeValues_), stride = substitute(mode.stride, {}, sizeValues_);
    const Expr digit = newDigit("block", std::min(most(size), kMostSize));
    if (!size.isConstant()) assumed.push_back({size - digit, 1, kFar});
    block = block + digit * stride;
    copy.blockDigits.push_back(digit);
    const Expr index = tessera::mod(floorDiv(Expr::param(0), mode.stride), mode.size);
    for (std::size_t v = 0; v < program_.variables.size(); ++v)
      if (program_.variables[v].kind == Variable::Kind::Index && program_.variables[v].value == index)
        copy.blockIndices.emplace_back(static_cast<int>(v), digit);
  }
  copy.block = block;
}

void Box::makeLoop(Copy& copy, int variable) {
  const Variable& v = program_.variables[variable];
  const Expr lo = in(copy, v.lo), hi = in(copy, v.hi);
  const i64 reach = most(hi - lo);
  const i64 trips = reach <= 0 ? 1 : std::min((reach - 1) / v.step + 1, kMostSize);
  const Expr digit = newDigit(v.name, trips);
  const Expr value = lo + digit * v.step;
  copy.loopDigits.emplace_back(variable, digit);
  copy.values[variable] = value;
  const bool exact = lo.isConstant() && hi.isConstant() && hi.value() > lo.value();
  if (!exact) assumed.push_back({hi - value, 1, kFar});
}

Box::Copy Box::copy(const Site& site, const Copy* from, const Share& share) {
  Copy made;
  made.values = sizeValues_;
  if (from != nullptr && share.block) {
    made.block = from->block;
    made.blockIndices = from->blockIndices;
    made.blockDigits = from->blockDigits;
  } else {
    makeBlock(made);
  }
  if (from != nullptr && share.thread) {
    made.thread = from->thread;
  } else if (threads_ > 1) {
    made.thread = newDigit("threadIdx.x", threads_);
  }
  made.values[0] = made.block;
  made.values[1] = made.thread;
  for (std::size_t v = 2; v < made.values.size(); ++v)
    if (program_.variables[v].kind == Variable::Kind::Index)
      made.values[v] = substitute(program_.variables[v].value, {}, made.values);
  for (const auto& [variable, digit] : made.blockIndices) made.values[variable] = digit;
  for (const int variable : site.loops) {
    if (from != nullptr && std::ranges::count(share.loops, variable) > 0) {
      made.values[variable] = from->values[variable];
      for (const auto& [v, digit] : from->loopDigits)
        if (v == variable) made.loopDigits.emplace_back(v, digit);
    } else {
      makeLoop(made, variable);
    }
  }
  made.loops = site.loops;
  for (const Comparison& c : site.guards) assume(goalOf(c, made));
  return made;
}

prover::Goal Box::goalOf(const Comparison& c, const Copy& copy) const {
  const Expr left = in(copy, c.left), right = in(copy, c.right);
  if (c.op == "==") return {left, right, 0, 0};
  const bool strict = c.op == "<" || c.op == ">";
  return {c.op.front() == '<' ? right - left : left - right, std::nullopt, strict ? 1 : 0, kFar};
}

Expr Box::in(const Copy& copy, const Expr& e) const { return substitute(e, {}, copy.values); }

bool Box::tileable(const Tensor& view) {
  return std::ranges::all_of(view.levels, [](const Level& level) { return sizeOf(level).isConstant(); });
}

std::vector<Expr> Box::slots(const Tensor& view) {
  std::vector<Expr> out;
  for (const Mode& mode : modesOf(view))
    out.push_back(mode.size.isConstant(1) ? Expr::constant(0) : newDigit("slot", mode.size.value()));
  return out;
}

std::vector<Expr> Box::coordinate(const Copy& copy, const Tensor& view, const std::vector<Expr>& slots) const {
  std::vector<Expr> out = mapped<Expr>(view.origin, [&](const Expr& o) { return in(copy, o); });
  std::size_t k = 0;
  for (const Mode& mode : modesOf(view)) out[mode.dim] = out[mode.dim] + slots[k++] * in(copy, mode.step);
  return out;
}

Expr Box::address(const Copy& copy, const Tensor& view, const std::vector<Expr>& slots) const {
  Expr out = in(copy, view.offset);
  std::size_t k = 0;
  for (const Mode& mode : modesOf(view)) out = out + slots[k++] * in(copy, mode.stride);
  return out;
}

Expr Box::slotNumber(const Tensor& view, const std::vector<Expr>& slots) const {
  Expr out = Expr::constant(0);
  std::size_t k = 0;
  for (const Level& level : view.levels)
    for (const Dim& dim : level.dims) {
      Expr inDim = Expr::constant(0), running = Expr::constant(1);
      for (const Mode& mode : dim) {
        inDim = inDim + slots[k++] * running;
        running = running * mode.size;
      }
      out = out * sizeOf(dim) + inDim;
    }
  return out;
}

Instance Box::instance(const Copy& copy, const Span& span, const std::vector<i64>& point) const {
  Instance out;
  out.span = span;
  const auto value = [&](const Expr& e) { return evaluate(e, point); };
  out.block = value(copy.block);
  out.thread = value(copy.thread);
  for (std::size_t v = 0; v < program_.variables.size(); ++v)
    if (program_.variables[v].kind == Variable::Kind::Size)
      out.variables.emplace_back(program_.variables[v].sizeName(), value(sizeValues_[v]) * program_.variables[v].unit);
  for (const int v : copy.loops) out.variables.emplace_back(program_.variables[v].name, value(copy.values[v]));
  return out;
}

}  // namespace tessera::graphene
