// The names of the obligations, findings as text, and notes.
#include "core/graphene/obligation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/expr/facts.h"
#include "core/expr/walk.h"
#include "core/graphene/walk.h"
#include "core/notation/graphene/operations.h"

namespace tessera::graphene {
namespace {

struct Row {
  std::string_view name, label;
};
constexpr Row kRows[kObligations] = {
    {"static", "O1"},     {"bounds", "O2"}, {"frame", "O3"},       {"coverage", "O4"},
    {"uniqueness", "O5"}, {"races", "O6"},  {"definedness", "O7"}, {"value", "O8"},
};

const Row& rowOf(Obligation o) { return kRows[static_cast<std::size_t>(o)]; }

std::string print(const Instance& i) {
  std::string out = fmt::format("block {}, thread {}", i.block, i.thread);
  std::vector<std::string> values;
  for (const auto& [name, value] : i.variables) values.push_back(fmt::format("{}={}", name, value));
  if (!values.empty()) out += fmt::format(" ({})", fmt::join(values, ", "));
  return out;
}

constexpr std::size_t kMostNotes = 20;
constexpr i64 kUnbounded = i64{1} << 31;  // blocks and threads are fewer

class Reviewer {
 public:
  explicit Reviewer(const Program& program) : program_(program) {
    for (std::size_t k = 0; k < program.variables.size(); ++k) addVariable(program.variables[k]);
  }

  std::vector<Diag> run() {
    for (Walk walk(program_.specs); const Statement* s = walk.next();) {
      const auto* spec = std::get_if<Spec>(&s->what);
      if (spec != nullptr && !spec->decomposed && walk.around<Branch>().empty())
        for (std::size_t k = 0; k < spec->outputs.size() + spec->inputs.size(); ++k) bounds(*s, operandOf(*spec, k));
      if (const auto* sync = std::get_if<Sync>(&s->what)) arrivals(*s, *sync, walk);
    }
    return std::move(notes_);
  }

 private:
  // Whether a value or an answer may differ between threads of a block, and of a warp.
  struct Differs {
    bool block = false, warp = false;
    void operator|=(const Differs& other) {
      block = block || other.block;
      warp = warp || other.warp;
    }
  };

  void addVariable(const Variable& v) {
    Range range{0, kUnbounded};
    Differs divergent{v.kind == Variable::Kind::Thread, v.kind == Variable::Kind::Thread};
    if (v.kind == Variable::Kind::Index) {
      range = factsOf(v.value, {{}, ranges_}).interval;
      divergent = differs(v.value);
    }
    if (v.kind == Variable::Kind::Loop) {
      const Range lo = factsOf(v.lo, {{}, ranges_}).interval, hi = factsOf(v.hi, {{}, ranges_}).interval;
      range = {lo.lo, std::max(hi.hi - 1, lo.lo)};
      if (lo.lo == lo.hi && hi.lo == hi.hi && hi.hi > lo.lo)  // the last step, not the bound
        range.hi = lo.lo + (hi.hi - 1 - lo.lo) / v.step * v.step;
      divergent = differs(v.lo);
      divergent |= differs(v.hi);
    }
    ranges_.push_back(range);
    divergent_.push_back(divergent);
  }

  // threadIdx.x / 128 is the same for all threads of a warp.
  [[nodiscard]] bool isWarpwise(const Expr& e) const {
    return e.op() == Op::FloorDiv && e.lhs().op() == Op::Param &&
           program_.variables[static_cast<std::size_t>(e.lhs().index())].kind == Variable::Kind::Thread &&
           e.rhs().isConstant() && e.rhs().value() > 0 && e.rhs().value() % 32 == 0;
  }

  [[nodiscard]] Differs differs(const Expr& whole) const {
    Differs out;
    childrenFirst(
        whole,
        [&](const Expr& e) {
          out.block = out.block || isWarpwise(e);
          return isWarpwise(e);
        },
        [&](const Expr& e) {
          if (e.op() == Op::Param) out |= divergent_[static_cast<std::size_t>(e.index())];
        });
    return out;
  }

  void note(const Statement& s, std::string message, std::string expected) {
    if (notes_.size() < kMostNotes) notes_.push_back(Diag{std::move(message), std::move(expected), "", s.span});
  }

  // Notes a barrier whose loops or conditions may differ between threads.
  void arrivals(const Statement& s, const Sync& sync, const Walk& at) {
    Differs divergent;
    for (const Loop* loop : at.around<Loop>()) divergent |= divergent_[static_cast<std::size_t>(loop->variable)];
    for (const Branch* branch : at.around<Branch>())
      for (const Comparison& c : branch->condition) {
        divergent |= differs(c.left);
        divergent |= differs(c.right);
      }
    if (sync.warp ? divergent.warp : divergent.block)
      note(s,
           fmt::format("{} where not every thread arrives: the condition or the loop depends on the thread",
                       sync.warp ? "syncwarp" : "sync"),
           "a barrier outside it");
  }

  void bounds(const Statement& s, const Tensor& t) {
    std::vector<Range> digits;
    for (const Mode& m : modesOf(t)) digits.push_back({0, m.size.isConstant() ? m.size.value() - 1 : kUnbounded});
    for (const Predicate& p : predicates(t)) {
      if (!p.extent.isConstant()) continue;
      const Facts facts = factsOf(p.coordinate, {digits, ranges_});
      if (!facts.fits || facts.interval.hi < p.extent.value() || facts.interval.hi >= kUnbounded) continue;
      return note(s,
                  fmt::format("%{} reaches coordinate {} of dimension {}, which has {}", t.name, facts.interval.hi,
                              p.dim, p.extent.value()),
                  "a tile that divides the dimension, or a condition around the access: if (coordinate < extent) { }");
    }
  }

  const Program& program_;
  std::vector<Range> ranges_;
  std::vector<Differs> divergent_;
  std::vector<Diag> notes_;
};

}  // namespace

std::string_view name(Obligation o) { return rowOf(o).name; }
std::string_view label(Obligation o) { return rowOf(o).label; }

std::string print(const Finding& f) {
  std::vector<std::string> parts;
  std::vector<std::string> who;
  for (const Instance& i : f.instances) who.push_back(print(i));
  if (!who.empty()) parts.push_back(fmt::format("{}", fmt::join(who, " and ")));
  if (!f.tensor.empty()) {
    std::string place = f.tensor;
    if (!f.coordinate.empty()) place += fmt::format("[{}]", fmt::join(f.coordinate, ","));
    if (f.address >= 0) place += fmt::format(" at {}", f.address);
    if (f.phase >= 0) place += fmt::format(", phase {}", f.phase);
    parts.push_back(std::move(place));
  }
  const auto tells = [&](const std::string& part) { return f.message.find(part) != std::string::npos; };
  const bool reported = tells(f.expected) && tells(f.actual);  // the message already has both sides
  if (!f.expected.empty() && !reported)
    parts.push_back(f.actual.empty() ? fmt::format("expected {}", f.expected)
                                     : fmt::format("expected {}, got {}", f.expected, f.actual));
  if (!f.message.empty()) parts.push_back(f.message);
  return fmt::format("{}", fmt::join(parts, ": "));
}

std::vector<Diag> notesOf(const Program& program) { return Reviewer(program).run(); }

}  // namespace tessera::graphene
