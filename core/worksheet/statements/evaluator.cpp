#include "core/worksheet/statements/evaluator.h"

#include <fmt/format.h>

#include <concepts>

#include "core/atlas/atlas.h"
#include "core/atlas/guess.h"
#include "core/base/arith.h"
#include "core/base/nearest.h"
#include "core/worksheet/functions/calls.h"
#include "core/worksheet/language/literals.h"
#include "core/worksheet/language/place.h"
#include "core/worksheet/language/words.h"

namespace tessera {
namespace {

Diag overflow(std::string_view what, Span span) {
  return Diag{fmt::format("{} does not fit in 64 bits", what), "a result below 2^63", "", span};
}

bool isLayout(const Value& v) { return std::get_if<Layout>(&v) != nullptr; }

}  // namespace

Result<Value> Evaluator::evaluate(const Node& node) {
  operation_.reset();
  switch (node.kind) {
    case Node::Kind::Literal:
      return placed(literal(node), node.span);
    case Node::Kind::Name:
      return name(node);
    case Node::Kind::Tuple:
      return placed(tuple(node), node.span);
    case Node::Kind::Brackets:
      return placed(brackets(node), node.span);
    case Node::Kind::Layout:
      return placed(layout(node), node.span);
    case Node::Kind::Call:
      return placed(call(node), node.span);
    case Node::Kind::Apply: {
      TESSERA_TRY(Value function, evaluate(*node.children.front()));
      return placed(apply(node, function, 1), node.span);
    }
    case Node::Kind::Not: {
      TESSERA_TRY(const bool operand, boolean(*node.children.front()));
      return Value(!operand);
    }
    case Node::Kind::Or:
    case Node::Kind::And:
      return logic(node);
    case Node::Kind::Compare:
      return placed(compare(node), node.span);
    case Node::Kind::Compose:
      return placed(compose(node), node.span);
    case Node::Kind::Negate:
    case Node::Kind::Sum:
    case Node::Kind::Product:
      return arithmetic(node);
  }
  return Diag{"this expression has no meaning", "", "", node.span};
}

// NAME.f with a bound name, as Python writes f(NAME): thr.thr_idx. nullopt: a hardware name, ldmatrix.x4.
std::optional<Result<Value>> Evaluator::member(const Node& node) {
  const std::size_t dot = node.literal == LiteralKind::Word ? node.text.find('.') : std::string::npos;
  if (dot == std::string::npos) return std::nullopt;
  const Value* object = scope_.find(node.text.substr(0, dot));
  const Function* function = object == nullptr ? nullptr : findFunction(std::string_view(node.text).substr(dot + 1));
  if (function == nullptr || function->minArgs > 1) return std::nullopt;
  function = findOverload(*function, *object);
  Call made;
  made.function = function->name;
  made.span = node.span;
  made.notes = &notes_;
  made.args.push_back({*object, {node.span.begin, node.span.begin + dot}});
  return placed(function->run(made), node.span);
}

Result<Value> Evaluator::literal(const Node& node) {
  if (auto part = member(node)) return *std::move(part);
  if (!node.value) return Diag{"this literal has no value", "", "", node.span};
  for (Diag& note : literalNotes(*node.value)) {
    note.span = node.span;
    notes_.push_back(std::move(note));
  }
  return *node.value;
}

Result<Value> Evaluator::name(const Node& node) {
  if (node.text == "true") return Value(true);
  if (node.text == "false") return Value(false);
  if (const Value* value = scope_.find(node.text)) {
    if (const Operation* operation = scope_.operationOf(node.text)) operation_ = *operation;
    return *value;
  }
  if (findFunction(node.text) != nullptr || isClaimName(node.text)) {
    return Diag{fmt::format("'{}' is a function; it needs its arguments", node.text), fmt::format("{}(...)", node.text),
                "", node.span};
  }
  if (isInstructionWord(node.text)) return Value(Text{node.text});  // ldmatrix is a word, like ldmatrix.x4
  const auto near = nearest(node.text, scope_.names());
  return Diag{fmt::format("'{}' is not defined", cleaned(node.text.substr(0, 60))), "a name that an earlier line binds",
              near ? fmt::format("did you mean {}?", *near) : "bind it first: NAME = expression", node.span};
}

Result<std::vector<Argument>> Evaluator::children(const Node& node) {
  std::vector<Argument> out;
  for (const NodePtr& child : node.children) {
    TESSERA_TRY(Value value, evaluate(*child));
    out.push_back({std::move(value), child->span});
  }
  return out;
}

Result<Value> Evaluator::tuple(const Node& node) {
  TESSERA_TRY(const std::vector<Argument> elements, children(node));
  operation_.reset();
  std::vector<cute::IntTuple> ints;
  for (const Argument& element : elements)
    if (auto tuple = tupleIn(element.value)) ints.push_back(*std::move(tuple));
  if (ints.size() < elements.size()) return tilerOf(elements);
  cute::IntTuple whole = cute::IntTuple::tuple(std::move(ints));
  if (whole.depth() > cute::IntTuple::kMaxDepth || whole.leafCount() > cute::IntTuple::kMaxLeaves) {
    return Diag{fmt::format("this tuple has {} leaves in {} levels; the limits are {} and {}", whole.leafCount(),
                            whole.depth(), cute::IntTuple::kMaxLeaves, cute::IntTuple::kMaxDepth),
                "a smaller tuple", "", node.span};
  }
  return Value(std::move(whole));
}

Result<Value> Evaluator::brackets(const Node& node) {
  TESSERA_TRY(const std::vector<Argument> elements, children(node));
  operation_.reset();
  return tilerOf(elements);
}

// shape : stride with names in it.
Result<Value> Evaluator::layout(const Node& node) {
  auto part = [&](const Node& child, std::string_view what) -> Result<cute::IntTuple> {
    TESSERA_TRY(Value value, evaluate(child));
    if (auto tuple = tupleIn(value)) return *std::move(tuple);
    return Diag{fmt::format("the {} of a layout is an integer or a tuple, not {}", what, nounOf(value)),
                "shape:stride, both integers or tuples", "", child.span};
  };
  TESSERA_TRY(cute::IntTuple shape, part(*node.children[0], "shape"));
  TESSERA_TRY(cute::IntTuple stride, part(*node.children[1], "stride"));
  operation_.reset();
  if (auto fault = findFault(shape, stride)) {
    Diag diag = std::move(fault->diag);
    diag.span = node.children[fault->part == cute::LayoutFault::Part::Shape ? 0 : 1]->span;
    return diag;
  }
  return wrapped(cute::Layout::make(std::move(shape), std::move(stride)));
}

Result<Value> Evaluator::call(const Node& node) {
  const bool method = !node.operators.empty();  // X.f(y): a name that an earlier line binds to f is not meant
  if (const Value* bound = method ? nullptr : scope_.find(node.text)) {
    if (!node.templateArgs.empty()) {
      return Diag{fmt::format("'{}' is a name, not a function with template arguments", node.text), "", "", node.name};
    }
    return apply(node, *bound, 0);
  }
  if (node.text == "explain" || node.text == "refuses") {
    if (node.children.size() != 1) {
      return Diag{fmt::format("{} takes one expression, not {}", node.text, node.children.size()),
                  node.text + "(EXPRESSION)", "", node.span};
    }
    if (node.text == "refuses") {
      const bool refused = !evaluate(*node.children.front()).ok();
      operation_.reset();
      return Value(refused);
    }
    return explainNode(*node.children.front(), *this);
  }
  if (isClaimName(node.text)) {
    return Diag{fmt::format("{} is a claim: write it as a separate statement, or after prove or assert", node.text),
                fmt::format("prove {}(...)", node.text), "", node.name};
  }
  // compose(F, G) of maps is "first F"; the method is CuTe's, L.compose(B) = composition(L, B).
  const Function* function = findFunction(method && node.text == "compose" ? "composition" : node.text);
  if (function == nullptr) {
    std::vector<std::string> names = callableNames();
    for (std::string& n : scope_.names()) names.push_back(std::move(n));
    const auto near = nearest(node.text, names);
    return Diag{fmt::format("there is no function '{}'", cleaned(node.text.substr(0, 60))), "the name of a function",
                near ? fmt::format("did you mean {}?", *near) : "", node.name};
  }
  Call made;
  made.function = function->name;
  made.span = node.span;
  made.templateArgs = node.templateArgs;
  made.notes = &notes_;
  made.args.reserve(node.children.size());
  for (std::size_t k = 0; k < node.children.size(); ++k) {
    const bool word = k < 32 && (function->words >> k & 1U) != 0 && !(k == 0 && isInstruction(*node.children[k])),
               list = k < 32 && (function->lists >> k & 1U) != 0;
    const bool type = k < 32 && (function->types >> k & 1U) != 0 && isElementType(*node.children[k]);
    TESSERA_TRY(Value value, argument(*node.children[k], word || type, list));
    if (k == 0) function = findOverload(*function, value);
    made.args.push_back({std::move(value), node.children[k]->span});
  }
  operation_.reset();
  const int count = static_cast<int>(made.args.size());
  if (count < function->minArgs || count > function->maxArgs) {
    const std::string wanted = function->minArgs == function->maxArgs ? std::to_string(function->minArgs)
                               : function->maxArgs > 100
                                   ? fmt::format("at least {}", function->minArgs)
                                   : fmt::format("{} to {}", function->minArgs, function->maxArgs);
    return Diag{fmt::format("{} takes {} argument{}, not {}", function->name, wanted, wanted == "1" ? "" : "s", count),
                std::string(function->signature), "", node.span};
  }
  Result<Value> result = placed(function->run(made), node.span);
  if (function->algebra) {  // keep a rejected call's inputs too: they are drawn at the place where the law fails
    operation_ = Operation{std::string(function->name), {}};
    for (Argument& argument : made.args) operation_->inputs.push_back(std::move(argument.value));
  }
  return result;
}

bool Evaluator::isInstruction(const Node& node) const {
  const Value* bound = node.kind == Node::Kind::Name ? scope_.find(node.text) : nullptr;
  return bound != nullptr && std::holds_alternative<AtlasRow>(*bound);
}

bool Evaluator::isElementType(const Node& node) const {
  return node.kind == Node::Kind::Name && scope_.find(node.text) == nullptr && elementBits(node.text).ok();
}

// An argument that may be a word (fp16; the A of an operand, even if A is a layout of the worksheet; but a name bound
// to an integer, a text or an instruction is replaced by it) or a list ([0, 4, null]).
Result<Value> Evaluator::argument(const Node& node, bool word, bool list) {
  if (word && node.kind == Node::Kind::Name) {
    const Value* bound = scope_.find(node.text);
    const bool means =
        bound != nullptr && (std::holds_alternative<i64>(*bound) || std::holds_alternative<Text>(*bound) ||
                             std::holds_alternative<AtlasRow>(*bound));
    return means ? *bound : Value(Text{node.text});
  }
  if (word && node.kind == Node::Kind::Call && findFunction(node.text) == nullptr &&
      scope_.find(node.text) == nullptr) {
    return Value(Text{std::string(text_.substr(node.span.begin, node.span.end - node.span.begin))});  // S(0)
  }
  if (!list || node.kind != Node::Kind::Brackets || node.text != "[") return evaluate(node);
  std::vector<cute::IntTuple> elements;
  for (const NodePtr& child : node.children) {
    if (child->kind == Node::Kind::Name && (child->text == "null" || child->text == "None")) {
      elements.push_back(cute::IntTuple::wildcard());
      continue;
    }
    TESSERA_TRY(Value value, evaluate(*child));
    if (const auto* n = std::get_if<i64>(&value)) {
      elements.emplace_back(*n);
    } else if (const auto* t = std::get_if<cute::IntTuple>(&value); t != nullptr && t->isWildcard()) {
      elements.push_back(*t);
    } else {
      return Diag{fmt::format("a list holds integers and null, not {}", nounOf(value)), "[0, 4, null, 12]", "",
                  child->span};
    }
  }
  return Value(cute::IntTuple::tuple(std::move(elements)));
}

Result<Value> Evaluator::apply(const Node& node, const Value& function, std::size_t firstArgument) {
  std::vector<cute::IntTuple> coords;
  for (std::size_t k = firstArgument; k < node.children.size(); ++k) {
    TESSERA_TRY(Value value, evaluate(*node.children[k]));
    auto coord = tupleIn(value);
    if (!coord) {
      return Diag{fmt::format("a coordinate is an integer or a tuple, not {}", nounOf(value)), "L(i), L(i,j) or L(_,3)",
                  "", node.children[k]->span};
    }
    coords.push_back(*std::move(coord));
  }
  operation_.reset();
  if (coords.empty()) return Diag{"a coordinate is missing", "L(i), L(i,j) or L(_,3)", "", node.span};
  const cute::IntTuple coord = coords.size() == 1 ? coords.front() : cute::IntTuple::tuple(std::move(coords));
  if (coord.hasWildcard()) {
    if (const auto offset = sliceOffset(function, coord); offset && *offset != 0) {
      notes_.push_back(Diag{fmt::format("the slice begins at offset {}, which is not part of the layout", *offset), "",
                            "slice_and_offset(coord, L) gives both", node.span});
    }
  }
  return applyValue(function, coord);
}

Result<Value> Evaluator::logic(const Node& node) {
  const bool isOr = node.kind == Node::Kind::Or;
  bool result = !isOr;
  for (const NodePtr& child : node.children) {  // evaluate every operand, so that all errors are reported
    TESSERA_TRY(const bool operand, boolean(*child));
    result = isOr ? (result || operand) : (result && operand);
  }
  operation_.reset();
  return Value(result);
}

namespace {

Result<bool> compareIntegers(const std::string& op, i64 a, i64 b) {
  if (op == "==") return a == b;
  if (op == "!=") return a != b;
  if (op == "<") return a < b;
  if (op == "<=") return a <= b;
  if (op == ">") return a > b;
  return a >= b;
}

}  // namespace

Result<Value> Evaluator::compare(const Node& node) {
  TESSERA_TRY(Value left, evaluate(*node.children[0]));
  TESSERA_TRY(Value right, evaluate(*node.children[1]));
  operation_.reset();
  const std::string& op = node.operators.front();
  if (std::holds_alternative<i64>(left) && std::holds_alternative<i64>(right)) {
    return wrapped(compareIntegers(op, std::get<i64>(left), std::get<i64>(right)));
  }
  if (op != "==" && op != "!=") {
    return Diag{fmt::format("'{}' compares integers, not {} and {}", op, nounOf(left), nounOf(right)), "two integers",
                "", node.span};
  }
  left = comparable(left);
  right = comparable(right);
  const auto *first = std::get_if<Layout>(&left), *second = std::get_if<Layout>(&right);
  const bool notationsDiffer = first != nullptr && second != nullptr && !first->isLike(*second);
  if (left.index() != right.index() || notationsDiffer) {
    const std::string hint = isLayout(left) && isLayout(right) ? "equal(A, B) compares two layouts as functions" : "";
    return Diag{fmt::format("{} and {} cannot be compared with '{}'", nounOf(left), nounOf(right), op),
                "two values of one kind", hint, node.span};
  }
  const auto same = std::visit(
      [&](const auto& a) -> std::optional<bool> {
        using T = std::decay_t<decltype(a)>;
        if constexpr (std::equality_comparable<T> && !std::is_same_v<T, cute::Explanation> &&
                      !std::is_same_v<T, Verdict>) {
          return a == std::get<T>(right);
        } else {
          return std::nullopt;
        }
      },
      left);
  if (!same) {
    return Diag{fmt::format("{} cannot be compared", nounOf(left)), "layouts, tuples or numbers", "", node.span};
  }
  return Value(*same == (op == "=="));
}

// Right fold: L is applied first. An integer or a tuple between two functions is an offset.
Result<Value> Evaluator::compose(const Node& node) {
  TESSERA_TRY(const std::vector<Argument> operands, children(node));
  operation_.reset();
  Value result = operands.back().value;
  std::size_t k = operands.size() - 1;
  if (isTupleLike(result)) {
    return Diag{"a composition must end in a layout", "S o offset o L", "", operands.back().span};
  }
  if (operands.size() == 2) operation_ = Operation{"composition", {operands[0].value, operands[1].value}};
  while (k > 0) {
    --k;
    const Span span{operands[k].span.begin, node.span.end};
    if (isTupleLike(operands[k].value)) {
      if (k == 0) return Diag{"an offset must be between two functions", "S o offset o L", "", operands[0].span};
      TESSERA_TRY(result, placed(composeWithOffset(operands[k - 1].value, operands[k].value, result), span));
      --k;
    } else {
      TESSERA_TRY(result, placed(composeValues(operands[k].value, result), span));
    }
  }
  return result;
}

Result<i64> Evaluator::integer(const Node& node) {
  TESSERA_TRY(Value value, evaluate(node));
  if (const auto n = integerIn(value)) return *n;
  return Diag{fmt::format("arithmetic needs integers; this is {}", nounOf(value)), "an integer", "", node.span};
}

Result<bool> Evaluator::boolean(const Node& node) {
  TESSERA_TRY(Value value, evaluate(node));
  if (const auto* b = std::get_if<bool>(&value)) return *b;
  return Diag{fmt::format("'and', 'or' and 'not' need conditions; this is {}", nounOf(value)),
              "a comparison such as size(A) == 64", "", node.span};
}

// + - * ^ and, rounding down, / and %: -7 / 2 == -4, -7 % 2 == 1 and 7 % -2 == -1.
Result<Value> Evaluator::arithmetic(const Node& node) {
  TESSERA_TRY(i64 result, integer(*node.children.front()));
  if (node.kind == Node::Kind::Negate) {
    const auto negated = checkedSub(0, result);
    if (!negated) return overflow("this number", node.span);
    return Value(*negated);
  }
  for (std::size_t k = 0; k + 1 < node.children.size(); ++k) {
    const char op = node.operators[k].front();
    const Node& child = *node.children[k + 1];
    TESSERA_TRY(const i64 right, integer(child));
    if ((op == '/' || op == '%') && right == 0) {
      return Diag{fmt::format("{} {} 0 has no value", result, op), "a divisor other than 0", "", child.span};
    }
    std::optional<i64> next;
    switch (op) {
      case '+':
        next = checkedAdd(result, right);
        break;
      case '-':
        next = checkedSub(result, right);
        break;
      case '*':
        next = checkedMul(result, right);
        break;
      case '^':
        next = result ^ right;
        break;
      default:
        if (op == '%') {
          next = floorMod(result, right);  // the remainder has the divisor's sign
          if (right < 0 && *next != 0) *next += right;
        } else {
          next = right == -1 ? checkedSub(0, result) : floorDiv(result, right);
        }
    }
    if (!next) return overflow(fmt::format("{} {} {}", result, op, right), {node.span.begin, child.span.end});
    result = *next;
  }
  operation_.reset();
  return Value(result);
}

}  // namespace tessera
