#include "solver/graphene/equal/inlined.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/work_budget.h"
#include "core/graphene/meaning.h"
#include "core/graphene/slots/slots.h"

namespace tessera::graphene {
namespace {

constexpr std::size_t kMostInlined = std::size_t{1} << 16;  // bytes of a text
constexpr int kMostInlinedDepth = 200;

using Exprs = std::vector<Expr>;

// The text of a value; of a chain of one commutative operation also its operands.
struct Piece {
  std::string text;
  std::string operation = {};
  std::vector<std::string> operands = {};
};

class Inliner {
 public:
  Inliner(const std::vector<const Spec*>& kernels, const std::vector<std::string>& names)
      : kernels_(kernels), names_(names), programs_(names.size()) {}

  // The value of an output of a kernel at these coordinates, inside `level` indices.
  Piece output(std::size_t kernel, std::size_t output, const Exprs& at, int level, int depth) {
    const Spec& spec = *kernels_[kernel];
    if (spec.meaning) {
      const int equation = spec.meaning->of(static_cast<int>(output));
      return equation < 0 ? fail() : equationAt(kernel, equation, at, level, depth);
    }
    if (output != 0) return fail();
    const auto input = [&](std::size_t k, const Exprs& where) { return operand(kernel, k, where, level, depth + 1); };
    const auto alike = [&](std::size_t inputs) {
      if (spec.inputs.size() != inputs) return false;
      const std::string own = extentsOf(spec.outputs[0], names());
      return std::ranges::all_of(spec.inputs, [&](const Tensor& t) { return extentsOf(t, names()) == own; });
    };
    if (spec.kind == SpecKind::Move && alike(1)) return input(1, at);
    if (spec.kind == SpecKind::UnaryPointwise && alike(1))
      return {fmt::format("{}({})", spec.attribute, input(1, at).text)};
    if (spec.kind == SpecKind::BinaryPointwise && alike(2)) return binary(spec.attribute, input(1, at), input(2, at));
    const bool matrices = std::ranges::all_of(spec.inputs, [](const Tensor& t) { return t.extents.size() == 2; });
    if (spec.kind == SpecKind::MatMul && spec.inputs.size() == 2 && matrices && at.size() == 2) {
      const Expr k = index(level);
      const Piece product = binary("*", operand(kernel, 1, {at[0], k}, level + 1, depth + 1),
                                   operand(kernel, 2, {k, at[1]}, level + 1, depth + 1));
      return binary("+", input(0, at), reduction("+", level, "0", text(spec.inputs[0].extents[1]), product));
    }
    return fail();
  }
  [[nodiscard]] bool failed() const { return failed_; }

  // The index inside `level` others.
  Expr index(int level) {
    while (names_.size() <= programs_ + static_cast<std::size_t>(level))
      names_.push_back(fmt::format("i{}", names_.size() - programs_));
    return Expr::param(static_cast<int>(programs_) + level);
  }

 private:
  [[nodiscard]] std::vector<std::string> names() const {
    return {names_.begin(), names_.begin() + static_cast<std::ptrdiff_t>(programs_)};
  }
  [[nodiscard]] std::string text(const Expr& e) const { return graphene::print(e, names_); }
  Piece fail() {
    failed_ = true;
    return {};
  }

  // The value that the operand had before the kernel: that of the last kernel that wrote it, or the caller's.
  Piece operand(std::size_t kernel, std::size_t k, const Exprs& at, int level, int depth) {
    const Tensor& t = operandOf(*kernels_[kernel], k);
    for (std::size_t before = kernel; before-- > 0;)
      for (std::size_t o = 0; o < kernels_[before]->outputs.size(); ++o)
        if (kernels_[before]->outputs[o].name == t.name) return output(before, o, at, level, depth + 1);
    std::vector<std::string> indices;
    for (const Expr& e : at) indices.push_back(text(e));
    return {fmt::format("%{}<{}>[{}]", t.name, extentsOf(t, names()), fmt::join(indices, ","))};
  }

  Piece equationAt(std::size_t kernel, int equation, const Exprs& at, int level, int depth) {
    const std::pair<std::size_t, int> key{kernel, equation};
    const Equation& e = kernels_[kernel]->meaning->equations[static_cast<std::size_t>(equation)];
    if (std::ranges::find(open_, key) != open_.end() || static_cast<std::size_t>(e.rank) != at.size()) return fail();
    open_.push_back(key);
    Exprs digits = at;
    digits.resize(e.variables.size());
    Piece out = term(kernel, e.node, digits, level, depth + 1);
    open_.pop_back();
    return out;
  }

  static Piece reduction(std::string_view operation, int level, const std::string& lo, const std::string& hi,
                         const Piece& body) {
    return {fmt::format("reduce<{}>(i{} = {} < {}: {})", operation, level, lo, hi, body.text)};
  }
  // Operands of a commutative operation are sorted; a chain of them is one list: "(a + b + c)".
  Piece binary(std::string_view operation, const Piece& a, const Piece& b) {
    const std::string between = fmt::format(" {} ", operation);
    if (operation != "+" && operation != "*" && operation != "max" && operation != "min")
      return {fmt::format("({}{}{})", a.text, between, b.text)};
    Piece out{"", std::string(operation), {}};
    for (const Piece* one : {&a, &b}) {
      spend(static_cast<i64>(one->text.size()) / 64 + 1);
      if (one->operation == operation)
        out.operands.insert(out.operands.end(), one->operands.begin(), one->operands.end());
      else
        out.operands.push_back(one->text);
    }
    std::ranges::sort(out.operands);
    out.text = fmt::format("({})", fmt::join(out.operands, between));
    return out;
  }

  Piece term(std::size_t kernel, int node, Exprs& digits, int level, int depth) {
    using Kind = MeaningNode::Kind;
    spend(4);
    if (depth > kMostInlinedDepth || failed_) return fail();
    const MeaningNode& n = kernels_[kernel]->meaning->nodes[static_cast<std::size_t>(node)];
    const auto of = [&](const Expr& e) { return substitute(e, digits); };
    const auto part = [&](std::size_t p) { return term(kernel, n.parts[p], digits, level, depth + 1); };
    const auto places = [&] {
      Exprs out;
      for (const Expr& e : n.at) out.push_back(of(e));
      return out;
    };
    Piece out;
    switch (n.kind) {
      case Kind::Number:
        out.text = fmt::format("{}", n.number);
        break;
      case Kind::Index:
        out.text = fmt::format("index({})", text(of(n.lo)));
        break;
      case Kind::Operand:
        out = operand(kernel, static_cast<std::size_t>(n.what), places(), level, depth);
        break;
      case Kind::Named:
        out = equationAt(kernel, n.what, places(), level, depth);
        break;
      case Kind::Unary:
        out.text = fmt::format("{}({})", n.operation, part(0).text);
        break;
      case Kind::Binary: {
        const Piece a = part(0), b = part(1);
        out = binary(n.operation, a, b);
        break;
      }
      case Kind::Reduce: {
        const std::string lo = text(of(n.lo)), hi = text(of(n.hi));
        const auto variable = static_cast<std::size_t>(n.variable);
        if (variable >= digits.size()) return fail();
        const Expr outer = std::exchange(digits[variable], index(level));
        const Piece body = term(kernel, n.parts[0], digits, level + 1, depth + 1);
        digits[variable] = outer;
        out = reduction(n.operation, level, lo, hi, body);
        break;
      }
      case Kind::Where: {
        std::string condition;
        for (const Comparison& c : n.condition)
          condition += fmt::format("{} {} {}, ", text(of(c.left)), c.op, text(of(c.right)));
        const Piece a = part(0), b = part(1);
        out.text = fmt::format("where({}{}, {})", condition, a.text, b.text);
        break;
      }
    }
    return failed_ || out.text.size() > kMostInlined ? fail() : out;
  }

  const std::vector<const Spec*>& kernels_;
  std::vector<std::string> names_;
  std::size_t programs_;
  std::vector<std::pair<std::size_t, int>> open_;  // equations around the current one
  bool failed_ = false;
};

}  // namespace

std::string extentsOf(const Tensor& t, const std::vector<std::string>& names) {
  std::vector<std::string> out;
  for (const Expr& e : t.extents) out.push_back(graphene::print(e, names));
  return fmt::format("[{}]", fmt::join(out, ","));
}

std::optional<std::string> inlinedText(const std::vector<const Spec*>& kernels, std::size_t kernel, std::size_t output,
                                       const std::vector<std::string>& names) {
  Inliner inliner(kernels, names);
  Exprs at;
  const int rank = static_cast<int>(kernels[kernel]->outputs[output].extents.size());
  for (int d = 0; d < rank; ++d) at.push_back(inliner.index(d));
  const std::string text = inliner.output(kernel, output, at, rank, 0).text;
  if (inliner.failed()) return std::nullopt;
  return text;
}

}  // namespace tessera::graphene
