#include "solver/kernel/reference/evaluate.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

#include "core/base/cursor.h"
#include "core/base/nearest.h"
#include "solver/kernel/reference/equations.h"
#include "solver/kernel/reference/formulas.h"
#include "solver/kernel/reference/functions.h"

namespace tessera::kernel::reference {

namespace {

using Kind = Array::Kind;

double floorDivided(double x, double y) { return std::floor(x / y); }
double modulo(double x, double y) {
  const double r = std::fmod(x, y);
  return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}
i64 bitsOf(double x) { return std::abs(x) < 9e18 ? static_cast<i64>(x) : 0; }

struct Operator {
  std::string_view text;
  int level;                    // binds tighter if larger
  double (*f)(double, double);  // null: @
  enum class Result : unsigned char { Same, Float, Bool } result;
};
using R = Operator::Result;
// Python's precedence; longer texts first.
constexpr std::array kOperators = {
    Operator{"==", 1, [](double x, double y) { return x == y ? 1.0 : 0.0; }, R::Bool},
    Operator{"!=", 1, [](double x, double y) { return x != y ? 1.0 : 0.0; }, R::Bool},
    Operator{"<=", 1, [](double x, double y) { return x <= y ? 1.0 : 0.0; }, R::Bool},
    Operator{">=", 1, [](double x, double y) { return x >= y ? 1.0 : 0.0; }, R::Bool},
    Operator{"<<", 5, [](double x, double y) { return std::ldexp(x, static_cast<int>(std::clamp(y, 0.0, 63.0))); },
             R::Same},
    Operator{">>", 5,
             [](double x, double y) { return std::floor(std::ldexp(x, -static_cast<int>(std::clamp(y, 0.0, 63.0)))); },
             R::Same},
    Operator{"//", 7, floorDivided, R::Same},
    Operator{"<", 1, [](double x, double y) { return x < y ? 1.0 : 0.0; }, R::Bool},
    Operator{">", 1, [](double x, double y) { return x > y ? 1.0 : 0.0; }, R::Bool},
    Operator{"|", 2, [](double x, double y) { return static_cast<double>(bitsOf(x) | bitsOf(y)); }, R::Same},
    Operator{"^", 3, [](double x, double y) { return static_cast<double>(bitsOf(x) ^ bitsOf(y)); }, R::Same},
    Operator{"&", 4, [](double x, double y) { return static_cast<double>(bitsOf(x) & bitsOf(y)); }, R::Same},
    Operator{"+", 6, [](double x, double y) { return x + y; }, R::Same},
    Operator{"-", 6, [](double x, double y) { return x - y; }, R::Same},
    Operator{"*", 7, [](double x, double y) { return x * y; }, R::Same},
    Operator{"/", 7, [](double x, double y) { return x / y; }, R::Float},
    Operator{"%", 7, modulo, R::Same},
    Operator{"@", 7, nullptr, R::Same},
};

Value nameValue(std::string name) {
  Value out;
  out.kind = Value::Kind::Name;
  out.name = std::move(name);
  return out;
}

class Evaluator {
 public:
  Evaluator(std::string_view text, const std::map<std::string, Array, std::less<>>& names)
      : in_(text, {.plus = false}), names_(names) {}

  Result<std::vector<Assigned>> statements() {
    std::vector<Assigned> out;
    while (!in_.atEnd()) {
      if (in_.accept(';')) continue;
      TESSERA_TRY(std::string name, in_.identifier("the name of a result"));
      if (!in_.accept('=') || in_.raw() == '=')
        return in_.fail("`=` is missing after the name of a result", "C = A @ B + bias");
      TESSERA_TRY(const Value value, expression());
      TESSERA_TRY(Array array, placed(arrayOf(value), in_.position()));
      variables_[name] = valueOf(array);
      // The last value of a name counts.
      std::erase_if(out, [&](const Assigned& one) { return one.name == name; });
      out.push_back({std::move(name), std::move(array)});
      const bool line = newline(in_.start());
      if (!in_.atEnd() && !line && !in_.accept(';'))
        return in_.fail(fmt::format("{} does not belong to an expression", in_.found()),
                        "an operator, `;` or a new line");
    }
    if (out.empty()) return in_.fail("the reference is empty", "C = A @ B + bias");
    return out;
  }

 private:
  // Whether a line ends among the blanks before this position.
  [[nodiscard]] bool newline(std::size_t at) const {
    while (at > 0 && isBlank(in_.text()[at - 1]))
      if (in_.text()[--at] == '\n') return true;
    return false;
  }
  // A Diag of an operation, at the text from `begin` to the cursor.
  template <typename T>
  Result<T> placed(Result<T> result, std::size_t begin) const {
    if (!result && result.error().span.empty())
      return in_.failFrom(begin, result.error().message, result.error().expected, result.error().hint);
    return result;
  }

  // x if c else y
  Result<Value> expression() {
    const Nesting nesting;
    if (nesting.tooDeep()) return nesting.refusal(in_);
    TESSERA_TRY(Value value, logical());
    if (newlineAhead() || !in_.acceptWord("if")) return value;
    TESSERA_TRY(const Value condition, logical());
    if (!in_.acceptWord("else")) return in_.fail("`else` is missing after a condition");
    TESSERA_TRY(Value other, expression());
    TESSERA_TRY(const i64 yes, placed(integerOf(condition, "a condition"), in_.position()));
    return yes != 0 ? value : other;
  }
  // A statement of the text ends at a line end outside brackets.
  bool newlineAhead() {
    const std::size_t begin = in_.position();
    const bool line =
        brackets_ == 0 && in_.text().substr(begin, in_.start() - begin).find('\n') != std::string_view::npos;
    if (line) in_.seek(begin);
    return line;
  }

  Result<Value> logical() {
    if (in_.acceptWord("not")) {
      const Nesting nesting;
      if (nesting.tooDeep()) return nesting.refusal(in_);
      TESSERA_TRY(const Value of, logical());
      TESSERA_TRY(Array a, placed(arrayOf(of), in_.position()));
      return wrapped(elementwise(std::move(a), {"", [](double x) { return x == 0 ? 1.0 : 0.0; }}, Kind::Bool),
                     in_.position());
    }
    return binary(0);
  }

  const Operator* operatorAt() {
    if (newlineAhead()) return nullptr;
    in_.skipBlanks();
    for (const Operator& op : kOperators) {
      if (in_.text().substr(in_.position(), op.text.size()) != op.text) continue;
      if (op.text == "*" && in_.raw(1) == '*') return nullptr;
      return &op;
    }
    return nullptr;
  }

  Result<Value> binary(int level) {
    const std::size_t begin = in_.start();
    TESSERA_TRY(Value left, unary());
    while (const Operator* op = operatorAt()) {
      if (op->level <= level) break;
      in_.advance(op->text.size());
      TESSERA_TRY(const Value right, binary(op->level));
      TESSERA_TRY(left, placed(applied(*op, left, right), begin));
    }
    return left;
  }

  static Result<Value> applied(const Operator& op, const Value& left, const Value& right) {
    // Lists are joined by +, as in Python.
    if (op.text == "+" && left.kind == Value::Kind::Tuple && right.kind == Value::Kind::Tuple) {
      Value out = left;
      out.items.insert(out.items.end(), right.items.begin(), right.items.end());
      return out;
    }
    TESSERA_TRY(const Array a, arrayOf(left));
    TESSERA_TRY(const Array b, arrayOf(right));
    if (op.f == nullptr) {
      TESSERA_TRY(Array out, product(a, b));
      return valueOf(std::move(out));
    }
    const bool bits = op.text == "&" || op.text == "|" || op.text == "^";
    Kind kind = std::max(a.kind, b.kind);
    if (kind == Kind::Bool && !bits) kind = Kind::Integer;
    if (op.result == R::Float) kind = Kind::Float;
    if (op.result == R::Bool) kind = Kind::Bool;
    TESSERA_TRY(Array out, elementwise(a, b, {op.text, op.f}, kind));
    return valueOf(std::move(out));
  }

  Result<Value> unary() {
    const Nesting nesting;
    if (nesting.tooDeep()) return nesting.refusal(in_);
    const char op = in_.peek();
    if (op != '-' && op != '+' && op != '~') return power();
    in_.advance();
    const std::size_t begin = in_.start();
    TESSERA_TRY(const Value of, unary());
    TESSERA_TRY(Array a, placed(arrayOf(of), begin));
    const Kind kind = a.kind == Kind::Bool && op != '~' ? Kind::Integer : a.kind;
    if (op == '-' && kind == Kind::Integer)  // which has no -0
      return wrapped(elementwise(std::move(a), {"neg", [](double x) { return 0 - x; }}, kind), begin);
    if (op == '-') return wrapped(elementwise(std::move(a), {"neg", [](double x) { return -x; }}, kind), begin);
    if (op == '~' && kind == Kind::Bool)
      return wrapped(elementwise(std::move(a), {"", [](double x) { return x == 0 ? 1.0 : 0.0; }}, kind), begin);
    if (op == '~') return wrapped(elementwise(std::move(a), {"", [](double x) { return -x - 1; }}, kind), begin);
    return valueOf(std::move(a));
  }

  Result<Value> power() {
    const std::size_t begin = in_.start();
    TESSERA_TRY(Value base, postfix());
    if (newlineAhead() || !in_.accept("**")) return base;
    TESSERA_TRY(const Value exponent, unary());
    TESSERA_TRY(const Array a, placed(arrayOf(base), begin));
    TESSERA_TRY(const Array b, placed(arrayOf(exponent), begin));
    TESSERA_TRY(Array out, placed(elementwise(a, b, {"**", [](double x, double y) { return std::pow(x, y); }},
                                              std::max(a.kind, b.kind)),
                                  begin));
    return valueOf(std::move(out));
  }

  Result<Value> postfix() {
    const std::size_t begin = in_.start();
    TESSERA_TRY(Value value, primary());
    while (!newlineAhead()) {
      if (in_.peek() == '.' && !isDigit(in_.raw(1))) {
        in_.advance();
        TESSERA_TRY(const std::string name, in_.identifier("the name of a method"));
        TESSERA_TRY(value, member(std::move(value), name, begin));
      } else if (in_.accept('[')) {
        TESSERA_TRY(value, subscript(value, begin));
      } else {
        break;
      }
    }
    return value;
  }

  Result<Value> member(Value of, const std::string& name, std::size_t begin) {
    if (in_.accept('(')) {
      CallArguments arguments;
      arguments.given.push_back(std::move(of));
      TESSERA_CHECKED(argumentList(arguments));
      return called(name, arguments, begin);
    }
    TESSERA_TRY(const Array a, placed(arrayOf(of), begin));
    if (name == "T") return wrapped(transposed(a), begin);
    if (name == "mT") {
      CallArguments arguments;
      arguments.given = {std::move(of), valueOf(scalarOf(-1)), valueOf(scalarOf(-2))};
      return called("swapaxes", arguments, begin);
    }
    if (Formulas::is(a) && name == "shape") return Formulas::current()->shapeOf(a);
    if (Formulas::is(a) && name == "size")
      return in_.failFrom(begin, "the number of elements depends on sizes", "a product of sizes, M*N");
    if (name == "size") return valueOf(scalarOf(static_cast<double>(a.count()), Kind::Integer));
    if (name == "ndim") return valueOf(scalarOf(static_cast<double>(a.rank()), Kind::Integer));
    if (name == "shape") {
      Value out;
      out.kind = Value::Kind::Tuple;
      for (const i64 extent : a.shape)
        out.items.push_back(valueOf(scalarOf(static_cast<double>(extent), Kind::Integer)));
      return out;
    }
    return in_.failFrom(begin, fmt::format("an array has no {}", name), "T, shape, size or a method");
  }

  Result<Value> wrapped(Result<Array> array, std::size_t begin) const {
    TESSERA_TRY(Array out, placed(std::move(array), begin));
    return valueOf(std::move(out));
  }

  Result<Value> called(std::string_view name, const CallArguments& arguments, std::size_t begin) {
    if (!isFunction(name))
      return in_.failFrom(begin, fmt::format("there is no function {} in a reference", name), "a function of NumPy",
                          didYouMean(name, functionNames()));
    return placed(call(name, arguments), begin);
  }

  // The rest of a call, after its parenthesis.
  Result<void> argumentList(CallArguments& out) {
    ++brackets_;
    while (!in_.accept(')')) {
      const std::size_t begin = in_.start();
      const std::string_view word = in_.peekWord();
      in_.advance(word.size());
      if (!word.empty() && in_.peek() == '=' && in_.raw(1) != '=') {
        in_.advance();
        TESSERA_TRY(Value value, expression());
        out.named[std::string(word)] = std::move(value);
      } else {
        in_.seek(begin);
        TESSERA_TRY(Value value, expression());
        out.given.push_back(std::move(value));
      }
      if (in_.accept(',')) continue;
      TESSERA_CHECKED(in_.expect(")", "after the arguments"));
      break;
    }
    --brackets_;
    return {};
  }

  // `size`: a bound that is a formula.
  Result<std::optional<i64>> bound(Array* size) {
    const char c = in_.peek();
    if (c == ':' || c == ',' || c == ']') return std::optional<i64>{};
    const std::size_t begin = in_.position();
    TESSERA_TRY(const Value value, expression());
    if (size != nullptr && value.kind == Value::Kind::Array && Formulas::is(value.array)) {
      *size = value.array;
      return std::optional<i64>{};
    }
    TESSERA_TRY(const i64 at, placed(integerOf(value, "a bound"), begin));
    return std::optional<i64>{std::clamp(at, -kMostElements, kMostElements)};
  }

  Result<Subscript> item() {
    Subscript out;
    if (in_.accept("...")) {
      out.kind = Subscript::Kind::Ellipsis;
      return out;
    }
    if (in_.peek() != ':') {
      const std::size_t begin = in_.position();
      TESSERA_TRY(const Value value, expression());
      if (value.kind == Value::Kind::Name && value.name == "None") {
        out.kind = Subscript::Kind::NewAxis;
        return out;
      }
      TESSERA_TRY(const Array index, placed(arrayOf(value), begin));
      if (index.rank() > 0 || index.kind == Kind::Bool) {
        out.kind = Subscript::Kind::Gather;
        out.gather = index;
        return out;
      }
      if (Formulas::is(index)) {
        out.startSize = index;
        if (in_.peek() != ':') return out;
      } else {
        TESSERA_TRY(out.index, placed(integerOf(value, "a subscript"), begin));
      }
      if (!Formulas::is(index)) out.start = std::clamp(out.index, -kMostElements, kMostElements);
      if (in_.peek() != ':') return out;
    }
    out.kind = Subscript::Kind::Slice;
    TESSERA_CHECKED(in_.expect(":", "in a slice"));
    TESSERA_TRY(out.stop, bound(&out.stopSize));
    if (in_.accept(':')) {
      TESSERA_TRY(const std::optional<i64> step, bound(nullptr));
      out.step = step.value_or(1);
    }
    return out;
  }

  Result<Value> subscript(const Value& of, std::size_t begin) {
    ++brackets_;
    std::vector<Subscript> items;
    do {
      if (in_.peek() == ']') break;
      TESSERA_TRY(Subscript one, item());
      items.push_back(std::move(one));
    } while (in_.accept(','));
    TESSERA_CHECKED(in_.expect("]", "after a subscript"));
    --brackets_;
    if (of.kind == Value::Kind::Tuple && items.size() == 1 && items[0].kind == Subscript::Kind::Index) {
      const i64 size = static_cast<i64>(of.items.size()), at = items[0].index + (items[0].index < 0 ? size : 0);
      if (at < 0 || at >= size) return in_.failFrom(begin, fmt::format("there is no item {}", items[0].index));
      return of.items[static_cast<std::size_t>(at)];
    }
    TESSERA_TRY(const Array a, placed(arrayOf(of), begin));
    return wrapped(subscripted(a, items), begin);
  }

  Result<Value> number() {
    const std::size_t begin = in_.position();
    const std::string_view rest = in_.text().substr(begin);
    if (rest.starts_with("0x") || rest.starts_with("0X")) {
      u64 value = 0;
      const auto [end, error] = std::from_chars(rest.data() + 2, rest.data() + rest.size(), value, 16);
      if (error != std::errc{}) return in_.fail("this is not a number");
      in_.advance(static_cast<std::size_t>(end - rest.data()));
      return valueOf(scalarOf(static_cast<double>(value), Kind::Integer));
    }
    double value = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (error != std::errc{}) return in_.fail("this is not a number");
    const std::string_view read = rest.substr(0, static_cast<std::size_t>(end - rest.data()));
    in_.advance(read.size());
    if (in_.atNamePart()) return in_.failFrom(begin, "this is not a number");
    const bool whole = read.find_first_of(".eE") == std::string_view::npos;
    return valueOf(scalarOf(value, whole ? Kind::Integer : Kind::Float));
  }

  Result<Value> primary() {
    const std::size_t begin = in_.start();
    const char c = in_.peek();
    if (isDigit(c) || (c == '.' && isDigit(in_.raw(1)))) return number();
    if (in_.accept('(')) return sequence(')');
    if (in_.accept('[')) return list(begin);
    if (c == '\'' || c == '"') {  // the name of a type
      const std::size_t end = in_.text().find(c, begin + 1);
      if (end == std::string_view::npos) return in_.fail("this text is never closed");
      in_.seek(end + 1);
      return nameValue(std::string(in_.text().substr(begin + 1, end - begin - 1)));
    }
    const std::string_view word = in_.peekWord();
    if (word.empty())
      return in_.fail(fmt::format("an operand is missing before {}", in_.found()), "a name or a number");
    in_.advance(word.size());
    return named(word, begin);
  }

  Result<Value> named(std::string_view word, std::size_t begin) {
    for (const std::string_view prefix : {"np", "numpy", "torch", "math", "F", "tl", "jnp"}) {
      if (word != prefix || in_.raw() != '.' || known(word)) continue;
      in_.advance();
      word = in_.peekWord();
      in_.advance(word.size());
      break;
    }
    if (in_.peek() == '(' && !known(word)) {
      in_.advance();
      CallArguments arguments;
      TESSERA_CHECKED(argumentList(arguments));
      if (!isFunction(word) && arguments.given.size() == 1) {  // np.float16(x), int(x)
        arguments.given.push_back(nameValue(std::string(word)));
        if (auto converted = call("astype", arguments)) return converted;
      }
      return called(word, arguments, begin);
    }
    if (const auto at = variables_.find(word); at != variables_.end()) return at->second;
    if (const auto at = names_.find(word); at != names_.end()) return valueOf(at->second);
    if (word == "True" || word == "False") return valueOf(scalarOf(word == "True" ? 1 : 0, Kind::Bool));
    if (word == "pi") return valueOf(scalarOf(3.14159265358979323846));
    if (word == "e") return valueOf(scalarOf(2.71828182845904523536));
    if (word == "inf") return valueOf(scalarOf(HUGE_VAL));
    if (word == "nan") return valueOf(scalarOf(std::nan("")));
    for (const std::string_view type : {"None", "newaxis", "bool", "int", "float"})
      if (word == type) return nameValue(word == "newaxis" ? "None" : std::string(word));
    CallArguments probe;
    probe.given = {valueOf(scalarOf(0)), nameValue(std::string(word))};
    if (call("astype", probe)) return nameValue(std::string(word));
    std::vector<std::string> all = functionNames();
    for (const auto& [name, value] : names_) all.push_back(name);
    for (const auto& [name, value] : variables_) all.push_back(name);
    std::string known;
    for (const auto& [name, value] : names_) known += (known.empty() ? "one of: " : ", ") + name;
    if (known.empty()) known = "the name of an argument: --arg NAME=VALUE gives it one";
    return in_.failFrom(begin, fmt::format("{} is neither an argument nor a result", word), known,
                        didYouMean(word, all));
  }
  [[nodiscard]] bool known(std::string_view word) const {
    return names_.find(word) != names_.end() || variables_.find(word) != variables_.end();
  }

  // The rest of a parenthesis: an expression, or a tuple.
  Result<Value> sequence(char close) {
    ++brackets_;
    Value out;
    out.kind = Value::Kind::Tuple;
    bool comma = close == ']';
    while (!in_.accept(close)) {
      TESSERA_TRY(Value one, expression());
      out.items.push_back(std::move(one));
      if (in_.accept(',')) {
        comma = true;
        continue;
      }
      TESSERA_CHECKED(in_.expect(std::string_view(&close, 1), "here"));
      break;
    }
    --brackets_;
    if (!comma && out.items.size() == 1) return std::move(out.items[0]);
    return out;
  }

  // [a, b], or [f(k) for k in range(4) if c]: the element is evaluated once for each value of its variable.
  Result<Value> list(std::size_t begin) {
    const std::size_t first = in_.position();
    const std::size_t loop = comprehension(begin);
    if (loop == std::string_view::npos) return sequence(']');
    ++brackets_;
    in_.seek(loop);
    if (!in_.acceptWord("for")) return in_.fail("`for` is missing");
    TESSERA_TRY(const std::string name, in_.identifier("the variable of a list"));
    if (!in_.acceptWord("in")) return in_.fail("`in` is missing after the variable of a list");
    TESSERA_TRY(const Value over, logical());  // an `if` after it is a condition
    const bool filtered = in_.acceptWord("if");
    const std::size_t condition = in_.position();
    TESSERA_TRY(const Array values, placed(arrayOf(over), loop));
    if (values.rank() == 0) return in_.failFrom(loop, "a list runs over values", "range(4)");
    if (Formulas::is(values)) return in_.failFrom(loop, "a list has no equation for all sizes", "range(4)");
    const auto before = variables_.find(name);
    const std::optional<Value> old = before == variables_.end() ? std::optional<Value>() : before->second;
    Value out;
    out.kind = Value::Kind::Tuple;
    std::size_t end = condition;
    for (i64 k = 0; k < values.shape[0]; ++k) {
      spend(8);
      Subscript at;
      at.index = k;
      TESSERA_TRY(Array one, placed(subscripted(values, {at}), loop));
      variables_[name] = valueOf(std::move(one));
      if (filtered) {
        in_.seek(condition);
        TESSERA_TRY(const Value keep, logical());
        end = in_.position();
        TESSERA_TRY(const i64 yes, placed(integerOf(keep, "a condition"), condition));
        if (yes == 0) continue;
      }
      in_.seek(first);
      TESSERA_TRY(Value element, expression());
      if (in_.start() != loop) return in_.fail("an operator is missing", "[f(k) for k in range(4)]");
      out.items.push_back(std::move(element));
    }
    if (old)
      variables_[name] = *old;
    else
      variables_.erase(name);
    in_.seek(end);
    TESSERA_CHECKED(in_.expect("]", "after a list"));
    --brackets_;
    return out;
  }

  // Where the `for` of the list that opens at `open` is; npos: it has none.
  std::size_t comprehension(std::size_t open) {
    Cursor ahead(in_.text(), {}, open);
    if (!ahead.acceptBracketed(false)) return std::string_view::npos;
    const std::string_view text = in_.text().substr(0, ahead.position());
    int depth = 0;
    for (std::size_t at = open + 1; at + 4 < text.size(); ++at) {
      if (at % 16 == 0) spend();
      const char c = text[at];
      if (c == '(' || c == '[' || c == '{') ++depth;
      if (c == ')' || c == ']' || c == '}') --depth;
      if (depth == 0 && text.substr(at, 3) == "for" && !isNamePart(text[at - 1]) && !isNamePart(text[at + 3]))
        return at;
    }
    return std::string_view::npos;
  }

  Cursor in_;
  const std::map<std::string, Array, std::less<>>& names_;
  std::map<std::string, Value, std::less<>> variables_;
  int brackets_ = 0;
};

}  // namespace

Result<std::vector<Assigned>> evaluate(std::string_view text, const std::map<std::string, Array, std::less<>>& names) {
  return isEquations(text) ? evaluateEquations(text, names) : Evaluator(text, names).statements();
}

}  // namespace tessera::kernel::reference
