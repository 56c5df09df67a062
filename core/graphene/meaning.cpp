#include "core/graphene/meaning.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/mapped.h"
#include "core/graphene/slots/slots.h"

namespace tessera::graphene {
namespace {

// How tightly a text binds.
enum Binding { kSum = 0, kProduct = 1, kFactor = 2 };

class Printer {
 public:
  Printer(const Meaning& meaning, const Spec& spec, const std::vector<std::string>& names)
      : meaning_(meaning), spec_(spec), names_(names), programs_(names.size()) {}

  std::string line(const Equation& e) {
    names_.resize(programs_);
    digits_.clear();
    for (const std::string& v : e.variables) {
      digits_.push_back(Expr::param(static_cast<int>(names_.size())));
      names_.push_back(v);
    }
    const std::vector<std::string> left(e.variables.begin(), e.variables.begin() + e.rank);
    std::string head = e.output < 0 ? e.name : operand(e.output);
    if (!left.empty()) head += fmt::format("[{}]", fmt::join(left, ","));
    return fmt::format("{} = {}", head, print(e.node, kSum));
  }

 private:
  [[nodiscard]] std::string operand(int k) const { return "%" + operandOf(spec_, static_cast<std::size_t>(k)).name; }
  [[nodiscard]] std::string text(const Expr& e) const { return graphene::print(substitute(e, digits_), names_); }
  [[nodiscard]] std::string at(const std::vector<Expr>& all) const {
    const auto out = mapped<std::string>(all, [&](const Expr& e) { return text(e); });
    return out.empty() ? "" : fmt::format("[{}]", fmt::join(out, ","));
  }
  [[nodiscard]] static std::string in(bool brackets, const std::string& text) {
    return brackets ? "(" + text + ")" : text;
  }

  [[nodiscard]] std::string binary(const MeaningNode& n, int level) const {
    if (n.operation == "max" || n.operation == "min")
      return fmt::format("{}({}, {})", n.operation, print(n.parts[0], kSum), print(n.parts[1], kSum));
    const int mine = n.operation == "*" || n.operation == "/" ? kProduct : kSum;
    return in(level > mine, fmt::format("{} {} {}", print(n.parts[0], mine), n.operation, print(n.parts[1], mine + 1)));
  }
  // Nested reductions by the same operation print as one list.
  [[nodiscard]] std::string reduction(const MeaningNode& n, int level) const {
    std::vector<std::string> bounds;
    const MeaningNode* at = &n;
    const auto bound = [&](const MeaningNode& r) {
      const std::string& name = names_[programs_ + static_cast<std::size_t>(r.variable)];
      const std::string first = r.lo.isConstant(0) ? "" : fmt::format(" = {}", text(r.lo));
      bounds.push_back(fmt::format("{}{} < {}", name, first, text(r.hi)));
    };
    bound(*at);
    int inner = at->parts[0];
    for (at = &node(inner); at->kind == MeaningNode::Kind::Reduce && at->operation == n.operation; at = &node(inner)) {
      bound(*at);
      inner = at->parts[0];
    }
    return in(level > kSum, fmt::format("{}({}) {}", n.operation == "+" ? "sum" : n.operation, fmt::join(bounds, ", "),
                                        print(inner, kProduct)));
  }
  [[nodiscard]] std::string where(const MeaningNode& n) const {
    std::vector<std::string> all;
    for (const Comparison& c : n.condition) all.push_back(fmt::format("{} {} {}", text(c.left), c.op, text(c.right)));
    return fmt::format("where({}, {}, {})", fmt::join(all, " && "), print(n.parts[0], kSum), print(n.parts[1], kSum));
  }
  [[nodiscard]] const MeaningNode& node(int k) const { return meaning_.nodes[static_cast<std::size_t>(k)]; }

  [[nodiscard]] std::string print(int k, int level) const {
    using Kind = MeaningNode::Kind;
    const MeaningNode& n = node(k);
    if (n.kind == Kind::Number) return fmt::format("{}", n.number);
    if (n.kind == Kind::Index) return fmt::format("[{}]", text(n.lo));
    if (n.kind == Kind::Operand) return operand(n.what) + at(n.at);
    if (n.kind == Kind::Named) return meaning_.equations[static_cast<std::size_t>(n.what)].name + at(n.at);
    if (n.kind == Kind::Unary) return fmt::format("{}({})", n.operation, print(n.parts[0], kSum));
    if (n.kind == Kind::Binary) return binary(n, level);
    return n.kind == Kind::Reduce ? reduction(n, level) : where(n);
  }

  const Meaning& meaning_;
  const Spec& spec_;
  std::vector<std::string> names_;
  std::size_t programs_;
  std::vector<Expr> digits_;
};

}  // namespace

int Meaning::of(int output) const {
  for (std::size_t k = 0; k < equations.size(); ++k)
    if (equations[k].output == output) return static_cast<int>(k);
  return -1;
}

std::optional<MeaningShape> meaningShape(const Spec& spec, const Tensor& operand, std::size_t rank, std::size_t* most) {
  MeaningShape out;
  if (operand.holds) {
    for (const i64 e : operand.holds.is->extents) out.extents.push_back(Expr::constant(e));
    out.held = true;
    if (most != nullptr) *most = out.extents.size();
    if (out.extents.size() == rank) return out;
    out = {};
  }
  const Expr threads = spec.threads.empty() ? Expr::constant(1) : elementCount(spec.threads[0]);
  out.byThread = operand.memory == Memory::Register && !threads.isConstant(1);
  bool sameRank = true;
  for (std::size_t l = 0; l < operand.levels.size(); ++l) {
    const Level& level = operand.levels[l];

    sameRank = sameRank && level.dims.size() == operand.levels.front().dims.size();
    for (std::size_t d = 0; d < level.dims.size() && sameRank; ++d) {
      if (l == 0) out.extents.push_back(Expr::constant(1));
      out.extents[d] = out.extents[d] * sizeOf(level.dims[d]);
    }
  }
  if (!sameRank) out.extents = {elementCount(operand)};
  if (out.byThread) out.extents.insert(out.extents.begin(), threads);
  if (most != nullptr && !operand.holds) *most = out.extents.size();
  if (out.extents.size() != rank) return std::nullopt;
  return out;
}

std::vector<std::string> print(const Meaning& meaning, const Spec& spec, const std::vector<std::string>& names) {
  Printer printer(meaning, spec, names);
  return mapped<std::string>(meaning.equations, [&](const Equation& e) { return printer.line(e); });
}

}  // namespace tessera::graphene
