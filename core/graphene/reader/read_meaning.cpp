// Reads what a generic specification computes (meaning.h), equation by equation.
#include <fmt/format.h>

#include <charconv>
#include <limits>

#include "core/atlas/scalar_operation.h"
#include "core/base/cursor.h"
#include "core/base/nearest.h"
#include "core/graphene/atoms/atom.h"
#include "core/graphene/meaning.h"
#include "core/graphene/reader/constructs.h"

namespace tessera::graphene {

namespace {

constexpr std::size_t kMaxNodes = 2'000;

bool isReduction(std::string_view name) {
  const ScalarOperation* row = scalarOperation(name);
  return row != nullptr && row->reduces;
}

// Holds the equations read so far, and the one being read.
class EquationReader {
 public:
  EquationReader(ProgramText& text, const Spec& spec) : text_(text), in_(text.in), spec_(spec) {}
  // The lines between { and }; `begin`: of the `means`.
  Result<Meaning> run(std::size_t begin) {
    while (!in_.accept('}')) {
      if (in_.atEnd()) return in_.failFrom(begin, "the `means` block is never closed", "`}`");
      TESSERA_CHECKED(text_.count());
      const Scopes::Inside inside(text_.names);
      TESSERA_CHECKED(equation());
      (void)in_.accept(';');
    }
    for (std::size_t k = 0; k < spec_.outputs.size(); ++k)
      if (out_.of(static_cast<int>(k)) < 0)
        return in_.failFrom(begin, fmt::format("no equation defines {}", nameOf(spec_.outputs[k])),
                            "an equation for every output");
    return std::move(out_);
  }

 private:
  using Kind = MeaningNode::Kind;
  int add(MeaningNode node) {
    out_.nodes.push_back(std::move(node));
    return static_cast<int>(out_.nodes.size()) - 1;
  }
  int add(std::string operation, int a, int b) {
    if (b < 0) return add({.kind = Kind::Unary, .operation = std::move(operation), .parts = {a}});
    return add({.kind = Kind::Binary, .operation = std::move(operation), .parts = {a, b}});
  }
  // An input in preference to an output; -1: neither.
  [[nodiscard]] int operand(const Tensor& t) const {
    for (std::size_t k = 0; k < spec_.inputs.size(); ++k)
      if (!t.threads && spec_.inputs[k].name == t.name) return static_cast<int>(spec_.outputs.size() + k);
    return output(t);
  }
  [[nodiscard]] int output(const Tensor& t) const {
    for (std::size_t k = 0; k < spec_.outputs.size(); ++k)
      if (!t.threads && spec_.outputs[k].name == t.name) return static_cast<int>(k);
    return -1;
  }
  [[nodiscard]] int named(std::string_view name) const {
    if (now_.output < 0 && now_.name == name) return static_cast<int>(out_.equations.size());
    for (std::size_t k = 0; k < out_.equations.size(); ++k)
      if (out_.equations[k].output < 0 && out_.equations[k].name == name) return static_cast<int>(k);
    return -1;
  }

  // %y[i,j] = ..., m[i] = ...
  Result<void> equation() {
    now_ = {};
    const std::size_t begin = in_.start();
    std::string written;
    if (in_.peek() == '%') {
      TESSERA_TRY(const Tensor t, text_.known());
      now_.output = output(t);
      written = nameOf(t);
      if (now_.output < 0)
        return in_.failFrom(begin, fmt::format("{} is not an output of this specification", written),
                            "an output, or a name without %");
      if (out_.of(now_.output) >= 0)
        return in_.failFrom(begin, fmt::format("{} has two equations", written), "one for each output");
    } else {
      TESSERA_TRY(now_.name, in_.identifier("an equation"));
      written = now_.name;
      if (scalarOperation(written, 1) != nullptr || isReduction(written) || written == "sum" || written == "where" ||
          written == "inf")
        return in_.failFrom(begin, fmt::format("{} is an operation", written), "another name");
      now_.output = 0;  // not yet
      if (named(written) >= 0) return in_.failFrom(begin, fmt::format("{} has two equations", written), "another name");
      now_.output = -1;
    }
    if (in_.accept('[') && !in_.accept(']')) {
      do {
        const std::size_t at = in_.start();
        TESSERA_TRY(const std::string variable, in_.identifier("an index"));
        TESSERA_CHECKED(newIndex(variable, at));
      } while (in_.accept(','));
      TESSERA_CHECKED(in_.expect("]", "after the indices"));
    }
    now_.rank = static_cast<int>(now_.variables.size());
    if (now_.output >= 0) {
      std::size_t most = 0;
      const Tensor& t = spec_.outputs[static_cast<std::size_t>(now_.output)];
      if (!meaningShape(spec_, t, now_.variables.size(), &most))
        return in_.failFrom(begin, fmt::format("{} has {} coordinates, not {}", written, most, now_.rank),
                            fmt::format("{} indices", most));
    }
    TESSERA_CHECKED(in_.expect("=", fmt::format("after {}", written)));
    TESSERA_TRY(now_.node, sum());
    out_.equations.push_back(std::move(now_));
    return {};
  }

  // The digit of a new index.
  Result<int> newIndex(const std::string& name, std::size_t begin) {
    if (text_.names.isDigit(name))
      return in_.failFrom(begin, fmt::format("{} is already an index", name), "another name");
    if (text_.names.isSize(name)) return in_.failFrom(begin, fmt::format("{} is a size", name), "another name");
    const auto digit = static_cast<int>(now_.variables.size());
    now_.variables.push_back(text_.names.fresh(name));
    text_.names.inner().values[name] = Expr::digit(digit);
    return digit;
  }

  // a + b - c
  Result<int> sum() {
    const Nesting level;
    if (level.tooDeep()) return level.refusal(in_);
    return chain('+', '-', &EquationReader::product, "fewer terms");
  }

  // a * b / c
  Result<int> product() { return chain('*', '/', &EquationReader::factor, "fewer factors"); }

  Result<int> chain(char one, char other, Result<int> (EquationReader::*part)(), const char* fewer) {
    TESSERA_TRY(int left, (this->*part)());
    for (char c = in_.peek(); c == one || c == other; c = in_.peek()) {
      in_.advance();
      TESSERA_TRY(const int right, (this->*part)());
      left = add(std::string(1, c), left, right);
      if (out_.nodes.size() > kMaxNodes) return in_.fail("this is too long", fewer);
    }
    return left;
  }

  Result<int> factor() {
    const char c = in_.peek();
    if (c == '-') {
      in_.advance();
      const Nesting level;
      if (level.tooDeep()) return level.refusal(in_);
      TESSERA_TRY(const int inner, factor());
      MeaningNode& n = out_.nodes[static_cast<std::size_t>(inner)];
      if (n.kind != Kind::Number) return add("neg", inner, -1);
      n.number = -n.number;
      return inner;
    }
    if (c == '(') {
      in_.advance();
      TESSERA_TRY(const int inner, sum());
      TESSERA_CHECKED(in_.expect(")", "after the expression"));
      return inner;
    }
    if (c == '[') {  // an index as a number
      in_.advance();
      TESSERA_TRY(const Expr index, text_.reader.number());
      TESSERA_CHECKED(in_.expect("]", "after the index"));
      return add({.kind = Kind::Index, .lo = index});
    }
    if (c == '%') return operandAt();
    if ((c >= '0' && c <= '9') || c == '.') return literal();
    return word();
  }

  // 512, 0.125, 1e-5
  Result<int> literal() {
    double number = 0;
    const char* const from = in_.text().data() + in_.position();
    const auto [end, error] = std::from_chars(from, in_.text().data() + in_.text().size(), number);
    if (error != std::errc()) return in_.fail("this is not a number", "512, 0.125 or 1e-5");
    in_.advance(static_cast<std::size_t>(end - from));
    if (in_.atNamePart()) return in_.fail("a number cannot end here", "an operation after it");
    return add({.number = number});
  }

  Result<std::vector<Expr>> coordinates() {
    std::vector<Expr> out;
    if (in_.raw() != '[') return out;
    in_.advance();
    if (in_.accept(']')) return out;  // as messages write an element of rank 0
    do {
      TESSERA_TRY(const Expr e, text_.reader.number());
      out.push_back(e);
    } while (in_.accept(','));
    TESSERA_CHECKED(in_.expect("]", "after the coordinates"));
    return out;
  }

  // %x[i, 2*j + 1]
  Result<int> operandAt() {
    const std::size_t begin = in_.start();
    TESSERA_TRY(const Tensor t, text_.known());
    MeaningNode n{.kind = Kind::Operand, .what = operand(t)};
    if (n.what < 0)
      return in_.failFrom(begin, fmt::format("{} is not an operand of this specification", nameOf(t)),
                          "one of its outputs and inputs");
    TESSERA_TRY(n.at, coordinates());
    std::size_t most = 0;
    if (!meaningShape(spec_, t, n.at.size(), &most))
      return in_.failFrom(begin, fmt::format("{} has {} coordinates, not {}", nameOf(t), most, n.at.size()),
                          fmt::format("{} of them", most));
    return add(std::move(n));
  }

  Result<int> word() {
    const std::size_t begin = in_.start();
    const std::string word(in_.peekWord());
    if (word.empty()) return in_.fail(fmt::format("unexpected {}", in_.found()), "a number, a tensor, or a name");
    if (const int equation = named(word); equation >= 0) {
      in_.advance(word.size());
      return namedAt(equation, begin);
    }
    if (word == "inf") {
      in_.advance(word.size());
      return add({.number = std::numeric_limits<double>::infinity()});
    }
    // The operation that is the value of a definition's parameter, or the word itself.
    const std::string operation = text_.names.wordOf(word).value_or(word == "sum" ? "+" : word);
    if (word == "where" || scalarOperation(operation) != nullptr) {
      in_.advance(word.size());
      if (in_.peek() != '(') return in_.failFrom(begin, fmt::format("{} of what?", word), word + "(...)");
      if (word == "where") return where();
      Cursor ahead = in_;
      (void)ahead.accept('(');
      const std::string first(ahead.peekWord());
      ahead.advance(first.size());
      const bool bound = !first.empty() && (ahead.peek() == '<' || ahead.peek() == '=');
      if (isReduction(operation) && bound) return reduction(operation);
      return call(operation, begin);
    }
    const Result<Expr> value = text_.names.meaning(word);
    in_.advance(word.size());
    if (value) return add({.kind = Kind::Index, .lo = *value});
    std::vector<std::string> words{"sum", "where"};
    for (const ScalarOperation& o : scalarOperations()) words.emplace_back(o.name);
    for (const Equation& e : out_.equations) words.push_back(e.name);
    return in_.failFrom(begin, fmt::format("nothing is named {} here", word),
                        "an equation above, an operation, an index or %NAME", didYouMean(word, words));
  }

  // m[i]: an equation above, or this one
  Result<int> namedAt(int equation, std::size_t begin) {
    MeaningNode n{.kind = Kind::Named, .what = equation};
    TESSERA_TRY(n.at, coordinates());
    const bool own = equation == static_cast<int>(out_.equations.size());
    const Equation& e = own ? now_ : out_.equations[static_cast<std::size_t>(equation)];
    if (static_cast<int>(n.at.size()) != e.rank)
      return in_.failFrom(begin, fmt::format("{} has {} indices, not {}", e.name, e.rank, n.at.size()),
                          fmt::format("{} of them", e.rank));
    return add(std::move(n));
  }

  // sum(k < 512, l = 1 < 4) TERM
  Result<int> reduction(const std::string& operation) {
    TESSERA_CHECKED(in_.expect("(", "after the reduction"));
    const Nesting level;
    if (level.tooDeep()) return level.refusal(in_);
    const Scopes::Inside inside(text_.names);
    std::vector<MeaningNode> loops;
    do {
      MeaningNode n{.kind = Kind::Reduce, .operation = operation};
      const std::size_t begin = in_.start();
      TESSERA_TRY(const std::string variable, in_.identifier("an index"));
      if (in_.accept('=')) {
        TESSERA_TRY(n.lo, text_.reader.number());
      }
      TESSERA_CHECKED(in_.expect("<", fmt::format("between {} and its bound", variable)));
      TESSERA_TRY(n.hi, text_.reader.number());
      TESSERA_TRY(n.variable, newIndex(variable, begin));
      loops.push_back(std::move(n));
    } while (in_.accept(','));
    TESSERA_CHECKED(in_.expect(")", "after the bounds"));
    TESSERA_TRY(int out, product());
    for (auto n = loops.rbegin(); n != loops.rend(); ++n) {
      n->parts = {out};
      out = add(std::move(*n));
    }
    return out;
  }

  // exp(x), max(x, y), op(x, y)
  Result<int> call(const std::string& operation, std::size_t begin) {
    TESSERA_CHECKED(in_.expect("(", "after the operation"));
    TESSERA_TRY(const int a, sum());
    int b = -1;
    if (in_.accept(',')) {
      TESSERA_TRY(b, sum());
    }
    TESSERA_CHECKED(in_.expect(")", "after the operation's values"));
    if (scalarOperation(operation, b < 0 ? 1 : 2) == nullptr)
      return in_.failFrom(begin,
                          fmt::format("{} is not an operation on {}", operation, b < 0 ? "one value" : "two values"),
                          scalarNames(b < 0 ? 1 : 2, /*words=*/true));
    return add(operation, a, b);
  }

  // where(i <= j, x, y)
  Result<int> where() {
    TESSERA_CHECKED(in_.expect("(", "after where"));
    MeaningNode n{.kind = Kind::Where};
    do {
      TESSERA_TRY(Comparison c, readComparison(text_.reader));
      n.condition.push_back(std::move(c));
    } while (in_.accept("&&"));
    TESSERA_CHECKED(in_.expect(",", "after the condition"));
    TESSERA_TRY(const int yes, sum());
    TESSERA_CHECKED(in_.expect(",", "between the two values"));
    TESSERA_TRY(const int no, sum());
    TESSERA_CHECKED(in_.expect(")", "after where"));
    n.parts = {yes, no};
    return add(std::move(n));
  }

  ProgramText& text_;
  Cursor& in_;
  const Spec& spec_;
  Meaning out_;
  Equation now_;
};

}  // namespace

Result<void> readMeaning(ProgramText& text, Spec& out) {
  const std::size_t begin = text.in.start();
  if (!text.in.acceptWord("means")) return {};
  if (out.kind != SpecKind::Generic)
    return text.in.failFrom(begin, fmt::format("{} already defines what it computes", name(out.kind)),
                            "equations only for a generic Spec");
  TESSERA_CHECKED(text.in.expect("{", "before what the specification computes"));
  TESSERA_TRY(Meaning meaning, EquationReader(text, out).run(begin));
  out.meaning = std::make_shared<const Meaning>(std::move(meaning));
  return {};
}

}  // namespace tessera::graphene
