#include "solver/graphene/certificate/instances.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/mapped.h"
#include "core/expr/facts.h"
#include "core/expr/simplify.h"
#include "core/graphene/assumptions.h"
#include "core/notation/graphene/operations.h"

namespace tessera::graphene {

Instances::Instances(const Z3Kernel& kernel, const Program& stated)
    : kernel_(kernel), program_(*kernel.sites().program) {
  std::vector<Expr> written;  // the sizes of the text
  std::vector<Expr> ignored;
  for (std::size_t v = 0; v < program_.variables.size(); ++v) {
    const Variable& variable = program_.variables[v];
    Expr value = Expr::param(static_cast<int>(v));
    if (variable.kind == Variable::Kind::Size) {
      const std::string name = (variable.unit == 1 ? "" : "$units_") + variable.sizeName();
      const i64 most = boundsOf(stated, static_cast<int>(v), Box::kMostSize).hi;
      value = digit(name, Expr::constant(most / variable.unit + 1), ignored);
      sizes_.push_back(value - 1);
      sizes_.push_back(Expr::constant(Box::kMostSize) - value * variable.unit);
    }
    sizeValues_.push_back(value);
    written.push_back(value * variable.unit);
  }
  for (const Assumption& a : stated.assumptions)
    for (const Comparison& c : a.condition)
      if (c.op != "!=") add(sizes_, {substitute(c.left, {}, written), substitute(c.right, {}, written), c.op});
  sizeCount_ = digits_.size();
  const Spec& spec = *kernel.kernel().spec;
  if (spec.blocks.empty())
    fault_ = "the kernel has no grid";
  else if (!numbered(spec.blocks.front()) || !numbered(spec.threads.front()))
    fault_ = "blocks or threads are not numbered by the digits of their tensors";
}

std::string Instances::together(bool several) const {
  for (const Site* s : kernel_.own()) {
    if (!s->atom) return "no instruction";
    const auto inRegister = [&](const Access& a) { return kernel_.sites().of(a).declared.memory == Memory::Register; };
    if (several && std::ranges::all_of(s->accesses, inRegister)) continue;
    if (several && isCopy(*s)) {
      const auto fresh = [&](const Access& a) { return !kernel_.sites().of(a).loops.empty(); };
      if (std::ranges::any_of(s->accesses, fresh)) return "a copy to or from a temporary of a loop";
      continue;
    }
    if (!ends(*s)) return "asynchronous instructions";
    if (!isSingle(*s) && !(several && s->spec->kind == SpecKind::Move)) return "instructions of several threads";
  }
  return {};
}

// The inequalities of a comparison. Requires: not !=.
void Instances::add(std::vector<Expr>& to, const Comparison& c) {
  const bool less = c.op.front() == '<';
  if (c.op == "==") {
    to.push_back(c.left - c.right);
    to.push_back(c.right - c.left);
  } else {
    to.push_back((less ? c.right - c.left : c.left - c.right) - (c.op.size() == 1 ? 1 : 0));
  }
}

// Each stride is the product of the smaller sizes, in some order.
bool Instances::numbered(const Tensor& tensor) const {
  std::vector<Mode> modes = modesOf(tensor);
  std::erase_if(modes, [](const Mode& m) { return m.size.isConstant(1); });
  return isCompact(std::move(modes)) && tensor.offset.isConstant(0) && tensor.levels.size() == 1 &&
         std::ranges::all_of(tensor.levels.front().dims, [](const Dim& d) { return d.size() == 1; });
}

void Instances::restart() {
  digits_.resize(sizeCount_);
  names_.resize(sizeCount_);
}

i64 Instances::most(const Expr& e) const {
  const Facts facts = factsOf(e, prover::boxOf(digits_));
  return facts.fits ? std::min(facts.interval.hi, Box::kFar) : Box::kFar;
}

Expr Instances::simplest(const Expr& e) const { return simplified(e, prover::boxOf(digits_)); }

Expr Instances::digit(const std::string& name, const Expr& extent, std::vector<Expr>& conditions) {
  const Expr made = Expr::digit(static_cast<int>(digits_.size()));
  const i64 reach = std::max<i64>(1, std::min(most(extent), Box::kFar));
  digits_.push_back({name, reach, DigitKind::Index, 0});
  names_.push_back(name);
  conditions.push_back(made);
  conditions.push_back(extent - 1 - made);
  return made;
}

std::vector<Expr> Instances::digitsOf(const Tensor& tensor, const std::string& word, SiteCopy& to) {
  std::vector<Expr> out;
  int number = 0;
  for (const Mode& mode : modesOf(tensor)) {
    const int at = number++;
    if (mode.size.isConstant(1)) continue;
    out.push_back(
        digit(fmt::format("${}{}{}", word, at, to.suffix), substitute(mode.size, {}, sizeValues_), to.conditions));
    to.own.push_back(out.back());
  }
  return out;
}

i64 Instances::numberOf(int loop) const {
  return std::count_if(program_.variables.begin(), program_.variables.begin() + loop,
                       [](const Variable& x) { return x.kind == Variable::Kind::Loop; });
}

SiteCopy Instances::copy(const Site& site, const std::string& suffix, const SiteCopy* from, const Share& share) {
  const Spec& spec = *kernel_.kernel().spec;
  SiteCopy made;
  made.site = &site;
  made.suffix = suffix;
  made.values = sizeValues_;
  made.blocks = from != nullptr && share.block ? from->blocks : digitsOf(spec.blocks.front(), "block", made);
  made.threads = from != nullptr && share.thread ? from->threads : digitsOf(spec.threads.front(), "thread", made);
  for (const bool block : {true, false}) {
    const Tensor& tensor = block ? spec.blocks.front() : spec.threads.front();
    const int param = block ? 0 : 1;
    Expr number = Expr::constant(0);
    std::size_t k = 0;
    for (const Mode& mode : modesOf(tensor)) {
      if (mode.size.isConstant(1)) continue;
      const Expr own = (block ? made.blocks : made.threads)[k++];
      number = number + own * substitute(mode.stride, {}, sizeValues_);
      const Expr index = mod(floorDiv(Expr::param(param), mode.stride), mode.size);
      for (std::size_t v = 2; v < made.values.size(); ++v)
        if (program_.variables[v].kind == Variable::Kind::Index && program_.variables[v].value == index)
          made.values[v] = own;
    }
    made.values[static_cast<std::size_t>(param)] = number;
  }
  for (std::size_t v = 2; v < made.values.size(); ++v)
    if (program_.variables[v].kind == Variable::Kind::Index && made.values[v] == Expr::param(static_cast<int>(v)))
      made.values[v] = substitute(program_.variables[v].value, {}, made.values);
  for (const int variable : site.loops) {
    const Variable& v = program_.variables[static_cast<std::size_t>(variable)];
    const auto shared = std::ranges::find(share.loops, variable);
    if (from != nullptr && shared != share.loops.end()) {
      made.values[static_cast<std::size_t>(variable)] = from->values[static_cast<std::size_t>(variable)];
      for (const auto& one : from->loops)
        if (one.first == variable) made.loops.push_back(one);
      continue;
    }
    const Expr lo = substitute(v.lo, {}, made.values), hi = substitute(v.hi, {}, made.values);
    std::vector<Expr> ignored;
    const Expr n =
        digit(fmt::format("$loop{}{}", numberOf(variable), suffix), floorDiv(hi - lo + (v.step - 1), v.step), ignored);
    const Expr value = lo + n * v.step;
    made.values[static_cast<std::size_t>(variable)] = value;
    made.loops.emplace_back(variable, n);
    made.own.push_back(n);
    made.conditions.push_back(n);
    made.conditions.push_back(hi - 1 - value);
  }
  for (const Comparison& c : site.guards)
    add(made.conditions, {substitute(c.left, {}, made.values), substitute(c.right, {}, made.values), c.op});
  return made;
}

SiteSpot Instances::spot(const SiteCopy& copy, const Access& access) {
  SiteSpot out;
  out.access = &access;
  const auto in = [&](const Expr& e) { return substitute(e, {}, copy.values); };
  out.coordinate = mapped<Expr>(access.view.origin, in);
  int number = 0;
  for (const Mode& mode : modesOf(access.view)) {
    const int at = number++;
    const bool one = mode.size.isConstant(1);
    const std::string name = fmt::format("$slot{}_{}{}", access.operand, at, copy.suffix);
    out.slots.push_back(one ? Expr::constant(0) : digit(name, in(mode.size), out.conditions));
    Expr& along = out.coordinate[static_cast<std::size_t>(mode.dim)];
    along = along + out.slots.back() * in(mode.step);
  }
  std::size_t k = 0;
  for (const Level& level : access.view.levels)
    for (const Dim& dim : level.dims) {
      Expr inside = Expr::constant(0), running = Expr::constant(1);
      for (const Mode& mode : dim) {
        inside = inside + out.slots[k++] * running;
        running = running * in(mode.size);
      }
      out.slotNumber = out.slotNumber * in(sizeOf(dim)) + inside;
    }
  return out;
}

std::vector<Expr> Instances::element(const std::vector<Expr>& extents, std::vector<Expr>& conditions) {
  std::vector<Expr> out;
  for (std::size_t d = 0; d < extents.size(); ++d) out.push_back(digit(fmt::format("$c{}", d), extents[d], conditions));
  return out;
}

std::vector<Expr> Instances::extentsOf(int storage) const {
  return mapped<Expr>(kernel_.sites().of(storage).declared.extents,
                      [&](const Expr& e) { return substitute(e, {}, sizeValues_); });
}

std::vector<Expr> Instances::launched() const {
  const Spec& spec = *kernel_.kernel().spec;
  std::vector<Expr> out;
  for (const Tensor* tensor : {&spec.blocks.front(), &spec.threads.front()})
    for (const Mode& mode : modesOf(*tensor))
      if (!mode.size.isConstant(1)) out.push_back(substitute(mode.size, {}, sizeValues_));
  return out;
}

std::string Instances::text(const Expr& e) const {
  std::vector<Expr> params;
  for (std::size_t d = 0; d < digits_.size(); ++d) params.push_back(Expr::param(static_cast<int>(d)));
  return graphene::print(substitute(e, params), names_);
}

}  // namespace tessera::graphene
