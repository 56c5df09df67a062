#include "solver/graphene/equal/definitions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/work_budget.h"
#include "core/graphene/meaning.h"
#include "core/graphene/slots/slots.h"
#include "core/graphene/walk.h"
#include "solver/emulate/format.h"
#include "solver/graphene/equal/inlined.h"
#include "solver/measure/reference/reference.h"

namespace tessera::graphene {

namespace {

constexpr std::size_t kMostText = std::size_t{1} << 20;  // of one definition
constexpr int kMostDepth = 200;                          // of definitions inside each other, and of terms

}  // namespace

// The texts of one specification. `before`: the definitions of the tensors that earlier kernels wrote.
class DefinitionText {
 public:
  DefinitionText(Definitions& all, const Spec& spec, const std::vector<std::string>& names,
                 const std::map<std::string, Definitions::Output>& before)
      : all_(all), spec_(spec), names_(names), before_(before), programs_(names.size()) {}

  // The definition of an output.
  Result<int> output(int k) {
    if (!spec_.meaning) return all_.intern(plain(k));
    const int equation = spec_.meaning->of(k);
    if (equation < 0) return Diag{"an output has no equation"};
    const std::string text = definition(equation);
    if (!fault_.empty()) return Diag{fault_};
    return std::stoi(text.substr(1));
  }

 private:
  // "%x", or "#3" of a tensor that an earlier kernel wrote.
  [[nodiscard]] std::string tensor(std::size_t operand) const {
    const Tensor& t = operandOf(spec_, operand);
    const auto found = before_.find(t.name);
    return found != before_.end() ? fmt::format("#{}", found->second.definition)
                                  : fmt::format("%{}<{}>", t.name, extentsOf(t, programNames()));
  }
  [[nodiscard]] std::vector<std::string> programNames() const {
    return {names_.begin(), names_.begin() + static_cast<std::ptrdiff_t>(programs_)};
  }
  [[nodiscard]] std::string text(const Expr& e) const { return graphene::print(substitute(e, digits_), names_); }
  [[nodiscard]] std::string at(const std::vector<Expr>& all) const {
    std::vector<std::string> out;
    for (const Expr& e : all) out.push_back(text(e));
    return fmt::format("[{}]", fmt::join(out, ","));
  }
  // A specification without equations: its kind over whole tensors.
  [[nodiscard]] std::string plain(int k) const {
    std::vector<std::string> operands;
    for (std::size_t o = 0; o < spec_.outputs.size() + spec_.inputs.size(); ++o)
      if (o >= spec_.outputs.size() || spec_.kind == SpecKind::MatMul) operands.push_back(tensor(o));
    return fmt::format("{}<{}>.{}({})", name(spec_.kind), spec_.attribute, k, fmt::join(operands, ","));
  }

  // "#3": the interned equation; "@1" inside of itself, counted from the innermost.
  std::string definition(int equation) {
    for (std::size_t k = 0; k < open_.size(); ++k)
      if (open_[open_.size() - 1 - k] == equation) return fmt::format("@{}", k);
    if (const auto known = done_.find(equation); known != done_.end()) return known->second;
    if (open_.size() >= static_cast<std::size_t>(kMostDepth)) return fault("its equations are nested too deeply");
    const Equation& e = spec_.meaning->equations[static_cast<std::size_t>(equation)];
    open_.push_back(equation);
    auto names = std::move(names_);
    auto digits = std::move(digits_);
    names_.assign(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(programs_));
    digits_.clear();
    for (std::size_t v = 0; v < e.variables.size(); ++v) {
      digits_.push_back(Expr::param(static_cast<int>(names_.size())));
      names_.push_back(fmt::format("d{}", v));
    }
    const bool inside = open_.size() > 1;
    const bool refersOut = std::exchange(refersOut_, false);
    std::string out = term(e.node, 0);
    names_ = std::move(names);
    digits_ = std::move(digits);
    open_.pop_back();
    if (!fault_.empty()) return "";
    out = fmt::format("#{}", all_.intern(fmt::format("rank {}: {}", e.rank, out)));
    // A text with @k of an outer equation depends on what is around it.
    if (!inside || !refersOut_) done_[equation] = out;
    refersOut_ = refersOut || refersOut_;
    return out;
  }

  std::string term(int k, int depth) {
    using Kind = MeaningNode::Kind;
    spend(4);
    if (depth > kMostDepth) return fault("its equations are nested too deeply");
    const MeaningNode& n = spec_.meaning->nodes[static_cast<std::size_t>(k)];
    const auto part = [&](std::size_t p) { return term(n.parts[p], depth + 1); };
    std::string out;
    switch (n.kind) {
      case Kind::Number:
        out = fmt::format("{}", n.number);
        break;
      case Kind::Index:
        out = fmt::format("index({})", text(n.lo));
        break;
      case Kind::Operand:
        out = tensor(static_cast<std::size_t>(n.what)) + at(n.at);
        break;
      case Kind::Named: {
        const std::string name = definition(n.what);
        if (name.starts_with('@')) refersOut_ = true;
        out = name + at(n.at);
        break;
      }
      case Kind::Unary:
        out = fmt::format("{}({})", n.operation, part(0));
        break;
      case Kind::Binary: {
        const std::string a = part(0), b = part(1);
        out = fmt::format("({} {} {})", a, n.operation, b);
        break;
      }
      case Kind::Reduce:
        out = fmt::format("reduce<{}>(d{} = {} < {}: {})", n.operation, n.variable, text(n.lo), text(n.hi), part(0));
        break;
      case Kind::Where: {
        std::string condition;
        for (const Comparison& c : n.condition)
          condition += fmt::format("{} {} {}, ", text(c.left), c.op, text(c.right));
        const std::string a = part(0), b = part(1);
        out = fmt::format("where({}{}, {})", condition, a, b);
        break;
      }
    }
    if (out.size() > kMostText) return fault("its equations are too long");
    return out;
  }
  std::string fault(const char* why) {
    if (fault_.empty()) fault_ = why;
    return "";
  }

  Definitions& all_;
  const Spec& spec_;
  std::vector<std::string> names_;
  const std::map<std::string, Definitions::Output>& before_;
  std::size_t programs_;
  std::vector<Expr> digits_;
  std::vector<int> open_;            // equations around the current one
  std::map<int, std::string> done_;  // equations that do not depend on what is around them
  bool refersOut_ = false;
  std::string fault_;
};

int Definitions::intern(std::string text) {
  return numbers_.try_emplace(std::move(text), static_cast<int>(numbers_.size())).first->second;
}

Result<std::map<std::string, Definitions::Output>> Definitions::of(const Program& program) {
  const std::vector<std::string> names = namesOf(program.variables);
  std::map<std::string, Output> out;
  std::vector<const Spec*> kernels;
  for (const Tensor& t : program.operands) {
    if (t.threads) continue;
    TESSERA_TRY(const NumberFormat type, numberFormat(t.element));
    if (type.precision == 0) return Diag{fmt::format("%{} is {}, and integers wrap", t.name, t.element)};
  }
  for (const Statement& s : program.specs) {
    const auto* spec = std::get_if<Spec>(&s.what);
    if (spec == nullptr) continue;
    if (!spec->meaning &&
        (spec->kind == SpecKind::Generic || spec->kind == SpecKind::Shfl || spec->kind == SpecKind::Allocate))
      return Diag{fmt::format("{} states no function", headOf(*spec))};
    for (const auto* list : {&spec->outputs, &spec->inputs})
      for (const Tensor& t : *list)
        if (!measure::isWhole(program, t)) return Diag{fmt::format("%{} is a part of a tensor", t.name)};
    for (std::size_t o = 0; o < spec->outputs.size() + spec->inputs.size(); ++o)
      if (o >= spec->outputs.size() || spec->kind == SpecKind::MatMul)
        if (const auto read = out.find(operandOf(*spec, o).name); read != out.end()) read->second.passed = true;
    kernels.push_back(spec);
    std::map<std::string, Output> now;
    DefinitionText text(*this, *spec, names, out);
    for (std::size_t k = 0; k < spec->outputs.size(); ++k) {
      const Tensor& t = spec->outputs[k];
      TESSERA_TRY(const int definition, text.output(static_cast<int>(k)));
      now[t.name] = {definition, -1, extentsOf(t, names), false};
      if (auto inlined = inlinedText(kernels, kernels.size() - 1, k, names))
        now[t.name].inlined = intern("inlined: " + *std::move(inlined));
    }
    for (auto& [name, one] : now) out[name] = std::move(one);
  }
  if (out.empty()) return Diag{"it has no kernel"};
  return out;
}

}  // namespace tessera::graphene
