#include "core/codegen/address/scoped_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "core/base/work.h"
#include "core/expr/linear_sum.h"

namespace tessera::codegen {

using graphene::Memory;
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

std::string ScopedText::named(const Expr& e) {
  const Op op = e.op();
  if (op != Op::FloorDiv && op != Op::Mod && op != Op::Xor) return "";
  if (nodeCount(e) < 5 || variables_.inLoop(e)) return "";
  if (!fitsInt(variables_.range(e))) return "";
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

void ScopedText::restore(const Shown& shown, int depth) {
  for (std::size_t v = 0; v < shown_.size(); ++v)
    if (!shown_[v] || depthOf_[v] > depth) shown_[v] = shown[v];
}

std::string ScopedText::text(const Expr& e, bool whole) { return spelled(e, whole).text; }

std::string ScopedText::narrow(const Expr& e, bool whole) {
  Spelled out = spelled(e, whole);
  return out.wide ? fmt::format("(int)({})", out.text) : std::move(out.text);
}

Spelled ScopedText::spelled(const Expr& e, bool whole) {
  std::function<std::string(const Expr&)> shortcut;
  if (!whole) shortcut = [this](const Expr& x) { return named(x); };
  SpelledBody body = spell(
      {e}, variables_.facts(), Dialect::Kernel, [this](int param) { return nameOf(param); }, shortcut);
  if (!body.calls.empty()) {
    out_.calls("floor_div");
    out_.calls("floor_mod");
  }
  return std::move(body.values[0]);
}

struct Bases::Split {
  Expr from, rest;  // the loop-invariant part, and the offset added by unrolled loops
  Expr changed;     // `from`, with the index of one unrolled loop in it
  int loop = -1;    // that loop
  i64 step = 0;     // per round
  Expr stageStep;   // per stage
};

namespace {

constexpr i64 kFar = 32768;  // elements; below that, machine code adds offsets to a pointer for free

struct Stepped {
  Expr times, others;  // (round * n * stages + stage * stages + others) * times
  i64 stages = 0;
};

// A product of one factor that counts rounds and stages, and of sizes: (round * 3 + stage + 2) * N.
std::optional<Stepped> stepped(const Expr& part, const Rotation& r, const Variables& variables) {
  Stepped out;
  out.times = Expr::constant(1);
  std::optional<Expr> counting;
  const std::vector<Expr> factors = chainOf(part, Op::Mul);
  for (auto it = factors.rbegin(); it != factors.rend(); ++it) {
    const Expr& e = *it;
    const bool counts = anyParam(e, [&](int p) { return p == r.round || p == r.stage; });
    const bool sizes = !anyParam(e, [&](int p) { return !variables.isSize(p); });
    if (counts ? counting.has_value() : !sizes) return std::nullopt;
    if (counts) counting = e;
    if (!counts) out.times = out.times * e;
  }
  const auto sum = counting ? linearSum(*counting) : std::nullopt;
  if (!sum) return std::nullopt;
  i64 rounds = 0;
  out.others = Expr::constant(sum->constant);
  for (const Term& t : sum->terms) {
    if (t.part == Expr::param(r.round)) {
      rounds = t.coefficient;
    } else if (t.part == Expr::param(r.stage)) {
      out.stages = t.coefficient;
    } else {
      // (round * 4 + stage) mod 3: stages that do not repeat in a round
      if (mentionsParam(t.part, r.round)) return std::nullopt;
      out.others = out.others + t.part * t.coefficient;
    }
  }
  return rounds == out.stages * r.stages ? std::optional(out) : std::nullopt;
}

}  // namespace

// `depth`: the scope of the base. nullopt: a part of the address fits neither base nor rest. `far`: an offset that an
// unrolled loop adds may be so large that it needs a separate pointer.
std::optional<Bases::Split> Bases::split(const Expr& address, const Rotation& r, int depth, bool far) {
  const auto sum = linearSum(address);
  if (!sum) return std::nullopt;
  Split out;
  out.rest = Expr::constant(sum->constant);
  // Known in the scope of the base: threads, sizes, and loops around the rotated one.
  const auto before = [&](int p) { return text_.isKnownAt(p, depth); };
  std::vector<Term> terms = sum->terms;
  for (std::size_t k = 0; k < terms.size(); ++k) {
    spend(1);
    const Term t = terms[k];
    const Expr term = t.part * t.coefficient;
    const std::vector<int> params = paramsOf(t.part);
    if (t.part == Expr::param(r.round)) {
      out.step = t.coefficient;
    } else if (mentionsParam(t.part, r.round)) {
      const auto one = stepped(t.part, r, variables_);
      if (!one) return std::nullopt;
      const Expr step = one->times * (one->stages * t.coefficient);
      out.stageStep = out.stageStep + step;
      // The stages that the first round skips do not advance the pointer.
      out.from = out.from + step * r.skipped.value_or(0);
      const auto others = linearSum(one->others * one->times * t.coefficient);
      if (!others) return std::nullopt;
      out.rest = out.rest + others->constant;
      terms.insert(terms.end(), others->terms.begin(), others->terms.end());
    } else if (std::ranges::all_of(params, before)) {
      out.from = out.from + term;
    } else if (!variables_.inLoop(t.part)) {
      return std::nullopt;
    } else if (far && t.part.op() == Op::Param && variables_.unrolledTrips(t.part.index()) > 1 &&
               (out.loop < 0 || out.loop == t.part.index()) && std::abs(t.coefficient) >= kFar) {
      out.loop = t.part.index();
      out.changed = out.changed + term;
    } else if (std::ranges::all_of(params, [&](int p) { return variables_.inLoop(Expr::param(p)); })) {
      out.rest = term + out.rest;
    } else {  // threads and one loop: k * 16 ^ sA_at
      for (const int p : params) {
        if (before(p)) continue;
        if (!variables_.inLoop(Expr::param(p))) return std::nullopt;
        if (variables_.unrolledTrips(p) == 0 || (out.loop >= 0 && out.loop != p)) return std::nullopt;
        out.loop = p;
      }
      out.changed = out.changed + term;
    }
  }
  return out;
}

// Defines `type` NAME = the address without the rest, before the loop; an array with one element per iteration of an
// unrolled loop, if its index occurs in it.
Writer::Name Bases::base(const Root& root, const Split& s, const std::string& wish, const std::string& type,
                         const std::string& format, int depth) {
  const std::string word = out_.use(root.name);
  text_.hint(word);
  const Writer::Name name = out_.name(word + wish, depth);
  const std::string own = out_.use(name);
  (void)out_.takeUses();
  const Expr all = s.loop < 0 ? s.from : s.from + s.changed;
  const auto content = [&] {
    (void)out_.use(root.name);
    return filled(format, {word, text_.text(s.changed.isConstant(0) ? variables_.simple(all) : all)});
  };
  if (s.loop < 0) {
    const std::string made = content();
    out_.hoist(depth, name, fmt::format("{}* {} = {};", type, own, made), out_.takeUses());
    return name;
  }
  const Writer::Name inner = out_.name(variables_[s.loop].name, depth);
  const std::string k = out_.use(inner);
  const ScopedText::Shown before = text_.shown();
  text_.rename(s.loop, inner);
  const std::string made = content();
  std::vector<Writer::Name> uses = out_.takeUses();
  text_.restore(before);
  out_.hoist(depth, name, fmt::format("{}* {}[{}];", type, own, variables_.unrolledTrips(s.loop)), {});
  out_.hoist(depth, name, "#pragma unroll", {});
  out_.hoist(depth, name,
             fmt::format("for (int {} = 0; {} < {}; ++{}) {}[{}] = {};", k, k, variables_.unrolledTrips(s.loop), k, own,
                         k, made),
             std::move(uses));
  out_.release(inner, depth);
  return name;
}

std::string Bases::onPastBase(const Root& root, const Expr& address) {
  for (const Turn& turn : past_) {
    Rotation& r = *turn.rotation;
    const auto s = split(address, r, turn.depth, /*far=*/false);
    if (!s || s->step != 0 || !s->stageStep.isConstant(0)) continue;
    for (const Rotation::Pointer& p : r.pointers)
      if (p.root == root.name && p.step == 0 && p.stageStep.isConstant(0) && p.from == s->from + s->changed &&
          (p.count > 0) == (s->loop >= 0))
        return based(p.name, *s);
  }
  return "";
}

// BASE[rest], or BASE[loop][rest].
std::string Bases::based(Writer::Name name, const Split& s) {
  std::string own = out_.use(name);
  if (s.loop >= 0) {
    out_.keep(s.loop);
    own += fmt::format("[{}]", text_.nameOf(s.loop));
  }
  return fmt::format("{}[{}]", own, text_.text(variables_.simple(s.rest)));
}

// Empty: no base applies.
std::string Bases::onBase(const Root& root, const Expr& address) {
  const bool global = root.tensor.memory == Memory::Global;
  if (root.tensor.memory == Memory::Register) return "";
  if (turns_.empty()) return global ? "" : onPastBase(root, address);
  const auto [rotation, depth, convergent] = turns_.back();
  Rotation& r = *rotation;
  if (!global && (root.depth > depth || !convergent)) return "";
  const auto s = split(address, r, depth, global);
  if (!s || (s->step != 0 || !s->stageStep.isConstant(0)) != global) return "";
  std::vector<Writer::Name> outer = out_.takeUses();
  const Expr from = s->from + s->changed;
  const auto known = std::ranges::find_if(r.pointers, [&](const Rotation::Pointer& p) {
    return p.root == root.name && p.from == from && p.step == s->step && p.stageStep == s->stageStep;
  });
  Writer::Name name = -1;
  if (known != r.pointers.end()) {
    name = known->name;
  } else {
    const std::string type(root.type.text);
    if (global && s->loop >= 0) out_.calls("kept_global");
    if (!global) {
      out_.calls("shared_address");
      out_.calls("kept");
    }
    name = global ? base(root, *s, "_round", (root.written ? "" : "const ") + type,
                         s->loop < 0 ? "{} + ({})" : "tessera::kept_global({} + ({}))", depth)
                  : base(root, *s, "_base", type, "tessera::kept(&{}[{}])", depth);
    r.pointers.push_back(
        {root.name, name, from, s->step, s->stageStep, s->loop >= 0 ? variables_.unrolledTrips(s->loop) : 0});
  }
  out_.use(outer);
  return based(name, *s);
}

}  // namespace tessera::codegen
