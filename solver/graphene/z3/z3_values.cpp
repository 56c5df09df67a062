// Obligation O8 by Z3: every output has the value that the specification states. The specification is a tree of
// operations on input elements (its kind, or its equation if that is a function of single elements). A value of the
// same form is compared element by element, for all instances at once; a value of another form by the laws of
// same_value.h.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <functional>

#include "core/base/mapped.h"
#include "core/graphene/meaning.h"
#include "solver/emulate/equality/same_value.h"
#include "solver/graphene/z3/provenance.h"

namespace tessera::graphene {

using prover::Answer;
using prover::Goal;

namespace {

using Value = Provenance::Value;

ObligationVerdict open(std::string reason) { return verdict(Obligation::Value, Standing::Unknown, std::move(reason)); }

// At one point of the box.
struct Element {
  int storage = -1;
  std::vector<i64> coordinate;
};

std::vector<i64> valuesOf(const std::vector<Expr>& all, const std::vector<i64>& point) {
  return mapped<i64>(all, [&](const Expr& e) { return evaluate(e, point); });
}

// The specified value at `out`, an element of the output `output`, compared with the actual one.
class Expected {
 public:
  Expected(const Z3Kernel& kernel, const Box& box, const Place& out, std::size_t output)
      : kernel_(kernel), box_(box), out_(out), spec_(*kernel.kernel().spec) {
    if (spec_.meaning) {
      const Meaning& meaning = *spec_.meaning;
      const Equation& own = meaning.equations[meaning.of(static_cast<int>(output))];
      if (static_cast<std::size_t>(own.rank) == out.coordinate.size()) wanted_ = ofNode(own.node, out.coordinate, 0);
    } else {
      wanted_ = ofKind();
    }
  }

  // nullopt: not a function of single elements (a sum, a case distinction).
  [[nodiscard]] const std::optional<Value>& wanted() const { return wanted_; }

  // The goals under which `value` equals the wanted one; nullopt: it has another form.
  [[nodiscard]] std::optional<std::vector<Goal>> goals(const Value& value) const {
    std::vector<Goal> out;
    if (!wanted_ || !match(value, *wanted_, out)) return std::nullopt;
    return out;
  }

  // Whether `element` is that element of an input at every point.
  [[nodiscard]] bool same(const Value& element, const Value& leaf) const {
    std::vector<Goal> goals;
    return match(element, leaf, goals) && kernel_.ask(box_, goals).truth == Truth::Proved;
  }

  [[nodiscard]] Element elementAt(const Value& leaf, const std::vector<i64>& point) const {
    Element out{leaf.storage, {}};
    if (out.storage < 0) return out;
    const auto positive = [&](const std::vector<Expr>& extents) {
      std::vector<i64> values = valuesOf(extents, point);
      for (i64& v : values) v = std::max<i64>(1, v);
      return values;
    };
    out.coordinate = valuesOf(leaf.at, point);
    if (const std::vector<Expr> own = extents(out.storage); own != leaf.extents)
      out.coordinate = delinearize(linearize(out.coordinate, positive(leaf.extents), LinearOrder::Lex), positive(own),
                                   LinearOrder::Lex);
    return out;
  }

 private:
  static constexpr int kMostDepth = 12;  // of equations that name each other

  static Value constant(double number) { return {Value::Kind::Constant, fmt::format("{:.6g}", number), number}; }
  static Value operation(std::string name, std::vector<Value> arguments) {
    return {.kind = Value::Kind::Operation, .name = std::move(name), .arguments = std::move(arguments)};
  }
  [[nodiscard]] Value element(std::size_t input, std::vector<Expr> at, std::vector<Expr> extents) const {
    return {Value::Kind::Input, {}, 0, storageOf(input), std::move(at), std::move(extents), {}, input};
  }

  // In a predefined kind, inputs are read at the logical index of the output.
  std::optional<Value> ofKind() const {
    const auto input = [&](std::size_t k) { return element(k, out_.coordinate, extents(out_.access->storage)); };
    switch (functionOf(spec_)) {
      case SpecKind::Move:
        return input(0);
      case SpecKind::Init:
        return constant(initialNumber(spec_.attribute).value_or(0));
      case SpecKind::UnaryPointwise:
        return operation(spec_.attribute, {input(0)});
      case SpecKind::BinaryPointwise:
        return operation(spec_.attribute, {input(0), input(1)});
      default:
        return std::nullopt;
    }
  }

  // The value of a node of an equation at these digits.
  std::optional<Value> ofNode(int index, const std::vector<Expr>& digits, int depth) const {
    const MeaningNode& node = spec_.meaning->nodes[index];
    std::vector<Expr> at =
        mapped<Expr>(node.at, [&](const Expr& e) { return substitute(e, digits, out_.copy.values); });
    switch (node.kind) {
      case MeaningNode::Kind::Number:
        return constant(node.number);
      case MeaningNode::Kind::Operand: {
        const std::size_t outputs = spec_.outputs.size();
        if (static_cast<std::size_t>(node.what) < outputs) return std::nullopt;  // what it held before
        const std::size_t k = static_cast<std::size_t>(node.what) - outputs;
        const auto shape = meaningShape(spec_, spec_.inputs[k], at.size());
        if (storageOf(k) < 0 || !shape || shape->byThread || shape->held) return std::nullopt;
        std::vector<Expr> own = extents(storageOf(k));
        if (own.size() != at.size()) return std::nullopt;
        return element(k, std::move(at), std::move(own));
      }
      case MeaningNode::Kind::Named: {
        if (depth > kMostDepth) return std::nullopt;
        const Equation& named = spec_.meaning->equations[node.what];
        return ofNode(named.node, at, depth + 1);
      }
      case MeaningNode::Kind::Unary:
      case MeaningNode::Kind::Binary: {
        std::vector<Value> arguments;
        for (const int part : node.parts) {
          auto argument = ofNode(part, digits, depth);
          if (!argument) return std::nullopt;
          arguments.push_back(*std::move(argument));
        }
        return operation(node.operation, std::move(arguments));
      }
      default:
        return std::nullopt;
    }
  }

  bool match(const Value& v, const Value& w, std::vector<Goal>& goals) const {
    if (v.kind != w.kind) return false;
    if (v.kind == Value::Kind::Constant) return v.number == w.number;
    if (v.kind == Value::Kind::Operation)
      return v.name == w.name && std::ranges::equal(v.arguments, w.arguments,
                                                    [&](const Value& x, const Value& y) { return match(x, y, goals); });
    if (w.storage < 0 || w.storage != v.storage) return false;
    if (v.extents == w.extents) {
      for (std::size_t d = 0; d < v.at.size(); ++d) goals.push_back(equals(v.at[d], w.at[d]));
    } else {
      goals.push_back(equals(flat(v.at, v.extents), flat(w.at, w.extents)));
    }
    return true;
  }

  [[nodiscard]] int storageOf(std::size_t input) const {
    const std::vector<int>& inputs = kernel_.kernel().inputs;
    return input < inputs.size() ? kernel_.sites().storageOf(inputs[input]) : -1;
  }
  [[nodiscard]] std::vector<Expr> extents(int storage) const { return kernel_.extentsOf(storage, box_, out_.copy); }
  static Expr flat(const std::vector<Expr>& coordinate, const std::vector<Expr>& extents) {
    Expr out = Expr::constant(0);
    for (std::size_t d = 0; d < coordinate.size(); ++d) out = out * extents[d] + coordinate[d];
    return out;
  }

  const Z3Kernel& kernel_;
  const Box& box_;
  const Place& out_;
  const Spec& spec_;
  std::optional<Value> wanted_;
};

std::string textOf(const Z3Kernel& kernel, const Expected& expected, const Value& value,
                   const std::vector<i64>& point) {
  if (value.kind == Value::Kind::Constant) return value.name;
  if (value.kind == Value::Kind::Input) {
    const Element e = expected.elementAt(value, point);
    return e.storage < 0 ? "..." : kernel.element(e.storage, e.coordinate);
  }
  const auto arguments =
      mapped<std::string>(value.arguments, [&](const Value& a) { return textOf(kernel, expected, a, point); });
  if (arguments.size() == 2 && std::isalpha(static_cast<unsigned char>(value.name[0])) == 0)
    return fmt::format("({} {} {})", arguments[0], value.name, arguments[1]);
  return fmt::format("{}({})", value.name, fmt::join(arguments, ", "));
}

ObligationVerdict wrongValue(const Z3Kernel& kernel, const Box& box, const Place& out, const Expected& expected,
                             const Value& value, const std::vector<i64>& point) {
  Finding f = kernel.finding(Obligation::Value, box, out, point);
  f.expected = textOf(kernel, expected, *expected.wanted(), point);
  f.actual = textOf(kernel, expected, value, point);
  f.message =
      fmt::format("{} gets {} instead of {}", kernel.element(out.access->storage, f.coordinate), f.actual, f.expected);
  return refuted("z3", std::move(f));
}

Terms::Value termOf(Terms& terms, const Value& value, const std::function<Terms::Value(const Value&)>& element) {
  if (value.kind == Value::Kind::Constant) return terms.constant(value.number);
  if (value.kind == Value::Kind::Input) return element(value);
  const Terms::Value a = termOf(terms, value.arguments[0], element);
  if (value.arguments.size() == 1) return terms.unary(terms.operation(value.name), a);
  return terms.binary(terms.operation(value.name), a, termOf(terms, value.arguments[1], element));
}

void leavesOf(const Value& value, std::vector<const Value*>& out) {
  if (value.kind == Value::Kind::Input) out.push_back(&value);
  for (const Value& a : value.arguments) leavesOf(a, out);
}

// Decides a value that differs in form from the specification's: max(x, 0) for relu(x), y + x for x + y. nullopt:
// equal, by the laws in `how`.
std::optional<ObligationVerdict> ofOtherForm(const Z3Kernel& kernel, const Box& box, const Place& out,
                                             const Expected& expected, const Value& value, std::string& how) {
  const Value& wanted = *expected.wanted();
  std::vector<const Value*> leaves;
  leavesOf(wanted, leaves);
  Terms terms;
  SameValue same(terms);
  bool all = true;
  // Leaves with the same text are one input.
  const auto numberOfLeaf = [&](const Value& leaf) {
    for (std::size_t k = 0; k < leaves.size(); ++k)
      if (leaves[k]->input == leaf.input && leaves[k]->at == leaf.at) return static_cast<int>(k);
    return static_cast<int>(leaves.size());
  };
  const Terms::Value got = termOf(terms, value, [&](const Value& element) {
    const auto leaf = std::ranges::find_if(leaves, [&](const Value* w) { return expected.same(element, *w); });
    all = all && leaf != leaves.end();
    return terms.input(leaf == leaves.end() ? static_cast<int>(leaves.size()) : numberOfLeaf(**leaf), 0, 0);
  });
  const Terms::Value is =
      termOf(terms, wanted, [&](const Value& leaf) { return terms.input(numberOfLeaf(leaf), 0, 0); });
  if (all && same.equal(is, got)) {
    how = same.usedAlgebra() ? fmt::format(", over the real numbers ({}; rounding ignored)", same.laws()) : how;
    return std::nullopt;
  }
  const Answer reached = kernel.ask(box, {never()});
  if (reached.truth == Truth::Proved) return std::nullopt;
  if (reached.truth == Truth::Unknown) return unknownBy(Obligation::Value, reached, "%" + out.access->view.name);
  // At one place, with random numbers for its elements.
  const std::vector<i64>& point = reached.points.front();
  std::map<std::pair<int, std::vector<i64>>, i64> numbers;
  const auto numbered = [&](const Value& element) {
    const Element e = expected.elementAt(element, point);
    const auto number = numbers.try_emplace({e.storage, e.coordinate}, static_cast<i64>(numbers.size())).first->second;
    return terms.input(0, 1, number);
  };
  const Terms::Value here = termOf(terms, value, numbered), there = termOf(terms, wanted, numbered);
  if (same.differ(there, here)) return wrongValue(kernel, box, out, expected, value, point);
  return open(fmt::format("the value is {} instead of {}, and no known law makes them equal at every place",
                          textOf(kernel, expected, value, point), textOf(kernel, expected, wanted, point)));
}

// One statement that writes the output `output`.
std::optional<ObligationVerdict> valueOf(const Z3Kernel& kernel, const Site& site, const Access& access,
                                         std::size_t output, std::string& how) {
  Provenance provenance(kernel);
  std::optional<ObligationVerdict> wrong;
  Box start(kernel.sites(), kernel.kernel());
  const Place out = kernel.place(start, site, access);
  if (!Expected(kernel, start, out, output).wanted()) return open("sums and case distinctions are decided by running");
  const bool finished = provenance.written(start, out, [&](const Box& box, const Value& value) {
    const Expected expected(kernel, box, out, output);
    if (how.empty() && expected.wanted()->kind == Value::Kind::Operation)
      how = ", over the real numbers (rounding ignored)";
    const auto goals = expected.goals(value);
    if (!goals) {
      wrong = ofOtherForm(kernel, box, out, expected, value, how);
      return !wrong;
    }
    const Answer answer = kernel.ask(box, *goals);
    if (answer.truth == Truth::Proved) return true;
    wrong = answer.truth == Truth::Refuted ? wrongValue(kernel, box, out, expected, value, answer.points.front())
                                           : unknownBy(Obligation::Value, answer, "%" + access.view.name);
    return false;
  });
  if (wrong && wrong->standing == Standing::Refuted && !provenance.exact())
    return open("several statements write a temporary, and the last writer is not known");
  if (wrong) return wrong;
  return finished ? std::nullopt : std::optional(open(provenance.reason()));
}

// The output's m and n must be those of the factors, and both factors must have the same k.
std::optional<ObligationVerdict> productOf(const Z3Kernel& kernel, const Site& site) {
  Box box(kernel.sites(), kernel.kernel());
  const auto c = contribution(kernel, box, site);
  if (!c) return open("the product is not accumulated in place by scalar instructions");
  const auto &m = c->out.coordinate, &a = c->a.coordinate, &b = c->b.coordinate;
  const std::vector<int>& inputs = kernel.kernel().inputs;
  const bool right = inputs.size() == 2 && kernel.sites().storageOf(inputs[0]) == c->a.access->storage &&
                     kernel.sites().storageOf(inputs[1]) == c->b.access->storage;
  std::vector<Goal> goals = {equals(a[0], m[0]), equals(a[1], b[0]), equals(b[1], m[1])};
  if (!right) goals = {never()};
  const Answer answer = kernel.ask(box, goals);
  if (answer.truth == Truth::Proved) return std::nullopt;
  if (answer.truth == Truth::Unknown) return unknownBy(Obligation::Value, answer, "contributions");
  const auto& point = answer.points.front();
  Finding f = kernel.finding(Obligation::Value, box, c->out, point);
  const auto mn = valuesOf(m, point), mk = valuesOf(a, point);
  f.expected = fmt::format("A[{},k] * B[k,{}]", mn[0], mn[1]);
  f.actual = fmt::format("{} * {}", kernel.element(c->a.access->storage, mk),
                         kernel.element(c->b.access->storage, valuesOf(b, point)));
  f.message = fmt::format("{} gets the product {}", kernel.element(c->out.access->storage, mn), f.actual);
  return refuted("z3", std::move(f));
}

// Tracing values treats conversions as the identity. Returns one that is not, or "".
std::string lossyConversion(const Sites& sites) {
  for (const Site& site : sites.sites) {
    if (site.spec->outputs.empty()) continue;
    const auto to = numberFormat(site.spec->outputs.front().element);
    for (const Tensor& in : site.spec->inputs) {
      const auto from = numberFormat(in.element);
      if (to && from && losesIntegers(*from, *to))
        return fmt::format("a conversion from {} to {} is decided by running", in.element,
                           site.spec->outputs.front().element);
    }
  }
  return "";
}

}  // namespace

ObligationVerdict z3Value(const Z3Kernel& kernel) {
  const SpecKind function = functionOf(*kernel.kernel().spec);
  const bool equations = kernel.kernel().spec->meaning != nullptr;
  if (!equations && (function == SpecKind::Generic || function == SpecKind::Allocate))
    return verdict(Obligation::Value, Standing::NotStated, "the specification states no function");
  if (kernel.sites().hasAsync) return open("asynchronous copies are decided by running");
  if (function == SpecKind::Reduction || function == SpecKind::Shfl)
    return open(fmt::format("{} is decided by running", name(function)));
  if (const std::string view = kernel.partial(/*outputsOnly=*/false); !view.empty())
    return open(view + " is a view: decided by running");
  if (const std::string lossy = lossyConversion(kernel.sites()); !lossy.empty()) return open(lossy);
  i64 statements = 0;
  std::string how;
  for (std::size_t k = 0; k < kernel.kernel().outputs.size(); ++k) {
    const int node = kernel.kernel().outputs[k];
    if (node < 0) continue;
    const int storage = kernel.sites().storageOf(node);
    const Storage& out = kernel.sites().of(storage);
    if (out.declared.memory == Memory::Register) {
      if (equations) return open("equations about registers are decided by running");
      if (out.declared.holds) return open("a declared distribution is decided by running");
      return verdict(
          Obligation::Value, Standing::NotStated,
          fmt::format("%{} does not declare what its registers hold (with `holds` after its type)", out.declared.name));
    }
    for (const Site* site : kernel.writers(storage)) {
      ++statements;
      if (auto v = function == SpecKind::MatMul && !equations
                       ? productOf(kernel, *site)
                       : valueOf(kernel, *site, *kernel.accessOf(*site, storage, true), k, how))
        return *std::move(v);
    }
  }
  return verdict(
      Obligation::Value, Standing::Proved,
      fmt::format("{} output statement{} traced back to the inputs{}", statements, statements == 1 ? "" : "s", how));
}

}  // namespace tessera::graphene
