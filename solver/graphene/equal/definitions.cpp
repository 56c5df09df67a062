#include "solver/graphene/equal/definitions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/work_budget.h"
#include "core/graphene/meaning.h"
#include "core/graphene/walk.h"
#include "solver/emulate/format.h"
#include "solver/graphene/equal/side.h"
#include "solver/measure/reference/reference.h"

namespace tessera::graphene {
namespace {

constexpr int kMostDepth = 200;                 // of definitions inside each other, and of terms
constexpr int kMostRank = 16;                   // of an output, and of a value that refers to itself
constexpr Work kMostWork = workOf(2);           // of one program
constexpr std::string_view kItself = "itself";  // in the form of a recursive value

}  // namespace

// The forms of the values of a program's kernels.
class FormOfSpecs {
 public:
  using Id = Forms::Id;
  using Exprs = Forms::Exprs;

  struct Kernel {
    const Spec* spec;
    Exprs params;  // of the variables of its program
  };
  FormOfSpecs(Definitions& all, const std::vector<Kernel>& kernels)
      : all_(all), forms_(all.forms_), kernels_(kernels) {}

  // At the variables of an output.
  Id output(std::size_t kernel, std::size_t output) {
    known_.clear();
    const Tensor& t = kernels_[kernel].spec->outputs[output];
    if (t.extents.size() > kMostRank) forms_.fail(fmt::format("%{} has more than {} dimensions", t.name, kMostRank));
    Exprs at;
    for (std::size_t d = 0; d < t.extents.size(); ++d) {
      forms_.ranges().bound(static_cast<int>(d), ofProgram(kernel, t.extents[d]));
      at.push_back(Expr::digit(static_cast<int>(d)));
    }
    return forms_.fault().empty() ? outputAt(kernel, output, at) : 0;
  }
  // "[128*p0,128]"
  [[nodiscard]] std::string extentsOf(std::size_t kernel, const Tensor& t) const {
    std::vector<std::string> out;
    for (const Expr& e : t.extents) out.push_back(tessera::print(forms_.ranges().simple(ofProgram(kernel, e))));
    return fmt::format("[{}]", fmt::join(out, ","));
  }

 private:
  using Kind = MeaningNode::Kind;

  [[nodiscard]] Expr ofProgram(std::size_t kernel, const Expr& e) const {
    return substitute(e, {}, kernels_[kernel].params);
  }
  Id fail(std::string why) {
    forms_.fail(std::move(why));
    return 0;
  }

  Id outputAt(std::size_t kernel, std::size_t output, const Exprs& at) {
    const Spec& spec = *kernels_[kernel].spec;
    if (!spec.meaning) return plain(kernel, output, at);
    const int equation = spec.meaning->of(static_cast<int>(output));
    return equation < 0 ? fail("an output has no equation") : equationAt(kernel, equation, at);
  }

  // A specification without equations.
  Id plain(std::size_t kernel, std::size_t output, const Exprs& at) {
    const Spec& spec = *kernels_[kernel].spec;
    const auto input = [&](std::size_t k, const Exprs& where) { return operand(kernel, k, where); };
    const auto alike = [&](std::size_t inputs) {
      if (output != 0 || spec.inputs.size() != inputs) return false;
      const std::string own = extentsOf(kernel, spec.outputs[0]);
      return std::ranges::all_of(spec.inputs, [&](const Tensor& t) { return extentsOf(kernel, t) == own; });
    };
    const bool plainly = spec.attribute.empty();
    if (spec.kind == SpecKind::Move && plainly && alike(1)) return input(1, at);
    if (spec.kind == SpecKind::UnaryPointwise && alike(1)) return forms_.unary(spec.attribute, input(1, at));
    if (spec.kind == SpecKind::BinaryPointwise && alike(2)) {
      const Id x = input(1, at), y = input(2, at);
      return forms_.binary(spec.attribute, x, y);
    }
    const bool matrices = std::ranges::all_of(spec.inputs, [](const Tensor& t) { return t.extents.size() == 2; });
    if (spec.kind == SpecKind::MatMul && plainly && spec.inputs.size() == 2 && matrices && at.size() == 2) {
      const int k = forms_.ranges().fresh(ofProgram(kernel, spec.inputs[0].extents[1]));
      const Id x = input(1, {at[0], Expr::digit(k)}), y = input(2, {Expr::digit(k), at[1]});
      const Id sum = forms_.reduce("+", {k}, forms_.binary("*", x, y));
      return forms_.binary("+", input(0, at), sum);
    }
    // A function of whole tensors.
    std::vector<std::string> operands;
    for (std::size_t o = 0; o < spec.outputs.size() + spec.inputs.size(); ++o)
      if (o >= spec.outputs.size() || spec.kind == SpecKind::MatMul) operands.push_back(wholeOperand(kernel, o));
    return forms_.element(fmt::format("{}<{}>.{}({}){}", name(spec.kind), spec.attribute, output,
                                      fmt::join(operands, ","), extentsOf(kernel, spec.outputs[output])),
                          at);
  }
  std::string wholeOperand(std::size_t kernel, std::size_t k) {
    const Tensor& t = operandOf(*kernels_[kernel].spec, k);
    Exprs at;
    for (std::size_t d = 0; d < t.extents.size(); ++d) at.push_back(Expr::digit(Forms::kOutputs + static_cast<int>(d)));
    if (at.size() > kMostRank) (void)fail(fmt::format("%{} has more than {} dimensions", t.name, kMostRank));
    return fmt::format("{}{}", operand(kernel, k, at), extentsOf(kernel, t));
  }

  // The value that the operand had before the kernel: that of the last kernel that wrote it, or the caller's.
  Id operand(std::size_t kernel, std::size_t k, const Exprs& at) {
    const Tensor& t = operandOf(*kernels_[kernel].spec, k);
    for (std::size_t before = kernel; before-- > 0;)
      for (std::size_t o = 0; o < kernels_[before].spec->outputs.size(); ++o)
        if (kernels_[before].spec->outputs[o].name == t.name) {
          const Depth deeper(depth_);
          return depth_ > kMostDepth ? fail("its equations are nested too deeply") : outputAt(before, o, at);
        }
    return forms_.element(fmt::format("%{}{}", t.name, extentsOf(kernel, t)), at);
  }

  struct Depth {
    explicit Depth(int& of) : depth(of) { ++depth; }
    ~Depth() { --depth; }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;
    int& depth;
  };

  Id equationAt(std::size_t kernel, int equation, const Exprs& at) {
    const Equation& e = kernels_[kernel].spec->meaning->equations[static_cast<std::size_t>(equation)];
    if (static_cast<std::size_t>(e.rank) != at.size()) return fail("a value has another number of indices");
    std::vector<std::string> texts;
    Exprs digits;
    for (const Expr& x : at) {
      digits.push_back(forms_.ranges().simple(x));
      texts.push_back(tessera::print(digits.back()));
    }
    std::string key = fmt::format("{} {} [{}]", kernel, equation, fmt::join(texts, ","));
    if (const auto found = known_.find(key); found != known_.end()) return found->second;
    const bool recursive = refersTo(kernel, e.node, equation);
    if (recursive) {
      const int function = recursion(kernel, equation);
      return known_[std::move(key)] = forms_.element(fmt::format("#{}", function), digits);
    }
    digits.resize(e.variables.size());
    return known_[std::move(key)] = term(kernel, e.node, digits, -1);
  }

  // The number of a value that refers to itself.
  int recursion(std::size_t kernel, int equation) {
    const auto [at, made] = functions_.try_emplace({kernel, equation}, -1);
    if (!made) return at->second;
    const Equation& e = kernels_[kernel].spec->meaning->equations[static_cast<std::size_t>(equation)];
    if (e.rank > kMostRank) (void)fail(fmt::format("a value has more than {} indices", kMostRank));
    Exprs digits;
    for (int d = 0; d < e.rank; ++d) digits.push_back(Expr::digit(Forms::kOutputs + d));
    digits.resize(e.variables.size());
    const Id form = term(kernel, e.node, digits, equation);
    const int count = static_cast<int>(all_.recursions_.size());
    const int number = all_.recursions_.try_emplace({e.rank, form}, count).first->second;
    return functions_[{kernel, equation}] = number;
  }
  [[nodiscard]] bool refersTo(std::size_t kernel, int node, int equation) const {
    std::vector<int> open{node};
    while (!open.empty()) {
      spend();
      const MeaningNode& n = kernels_[kernel].spec->meaning->nodes[static_cast<std::size_t>(open.back())];
      open.pop_back();
      if (n.kind == Kind::Named && n.what == equation) return true;
      open.insert(open.end(), n.parts.begin(), n.parts.end());
    }
    return false;
  }

  // `itself`: the equation whose value is an unknown; -1: none.
  Id term(std::size_t kernel, int node, Exprs& digits, int itself) {
    spend(4);
    const Depth deeper(depth_);
    if (depth_ > kMostDepth) return fail("its equations are nested too deeply");
    if (!forms_.fault().empty()) return 0;
    const MeaningNode& n = kernels_[kernel].spec->meaning->nodes[static_cast<std::size_t>(node)];
    const auto of = [&](const Expr& e) { return substitute(e, digits, kernels_[kernel].params); };
    const auto part = [&](std::size_t p) { return term(kernel, n.parts[p], digits, itself); };
    const auto places = [&] {
      Exprs out;
      for (const Expr& e : n.at) out.push_back(of(e));
      return out;
    };
    switch (n.kind) {
      case Kind::Number:
        return forms_.number(constantMeant(n.number));
      case Kind::Index:
        return forms_.index(of(n.lo));
      case Kind::Operand:
        return operand(kernel, static_cast<std::size_t>(n.what), places());
      case Kind::Named:
        return n.what == itself ? forms_.element(std::string(kItself), places()) : equationAt(kernel, n.what, places());
      case Kind::Unary:
        return forms_.unary(n.operation, part(0));
      case Kind::Binary: {
        const Id x = part(0), y = part(1);
        return forms_.binary(n.operation, x, y);
      }
      case Kind::Reduce: {
        const auto variable = static_cast<std::size_t>(n.variable);
        if (variable >= digits.size()) return fail("an index is unknown");
        const Expr lo = of(n.lo);
        const int k = forms_.ranges().fresh(of(n.hi) - lo);
        const Expr outer = std::exchange(digits[variable], Expr::digit(k) + lo);
        const Id body = part(0);
        digits[variable] = outer;
        return forms_.reduce(n.operation, {k}, body);
      }
      case Kind::Where: {
        std::vector<Comparison> condition = n.condition;
        for (Comparison& c : condition) c = {of(c.left), of(c.right), c.op};
        const Id x = part(0), y = part(1);
        return forms_.where(condition, x, y);
      }
    }
    return 0;
  }

  Definitions& all_;
  Forms& forms_;
  const std::vector<Kernel>& kernels_;
  std::map<std::string, Id> known_;                       // values at indices, of one output
  std::map<std::pair<std::size_t, int>, int> functions_;  // recursive values, by kernel and equation
  int depth_ = 0;
};

Expr Definitions::size(const std::string& name) {
  return Expr::param(sizes_.try_emplace(name, static_cast<int>(sizes_.size())).first->second);
}

Result<Definitions::Outputs> Definitions::of(const Program& program, const Program* before) {
  Outputs out;
  std::vector<FormOfSpecs::Kernel> kernels;
  const auto add = [&](const Program& in, const Spec* spec) {
    kernels.push_back({spec, {}});
    for (const Variable& v : in.variables) kernels.back().params.push_back(size(v.name));
  };
  if (before != nullptr)
    for (const Statement& s : before->specs)
      if (const auto* spec = std::get_if<Spec>(&s.what)) add(*before, spec);
  for (const Tensor& t : program.operands) {
    if (t.threads) continue;
    TESSERA_TRY(const NumberFormat type, numberFormat(t.element));
    if (type.precision == 0) return Diag{fmt::format("%{} is {}, and integers wrap", t.name, t.element)};
  }
  std::map<std::string, std::pair<std::size_t, std::size_t>> written;  // the last kernel that writes it, and its output
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
    for (std::size_t k = 0; k < spec->outputs.size(); ++k) {
      out[spec->outputs[k].name] = {};
      written[spec->outputs[k].name] = {kernels.size(), k};
    }
    add(program, spec);
  }
  if (out.empty()) return Diag{"it has no kernel"};
  try {
    const WorkBudget limit({.steps = kMostWork});
    FormOfSpecs forms(*this, kernels);
    for (const auto& [name, place] : written) {
      const Forms::Id opaques = forms_.opaques();
      out[name].form = forms.output(place.first, place.second);
      out[name].extents = forms.extentsOf(place.first, kernels[place.first].spec->outputs[place.second]);
      if (forms_.opaques() != opaques) forms_.fail(fmt::format("%{} has a number too large or undefined", name));
      if (!forms_.fault().empty()) return Diag{forms_.fault()};
    }
  } catch (const OutOfBudget& end) {
    if (!end.counted()) throw;
    return Diag{"its equations are too long"};
  }
  return out;
}

}  // namespace tessera::graphene
