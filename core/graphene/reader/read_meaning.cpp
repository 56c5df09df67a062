// The reader of programs: what a generic specification computes (meaning.h), equation by equation.
#include <fmt/format.h>

#include <charconv>
#include <limits>

#include "core/atlas/scalar_operation.h"
#include "core/base/nearest.h"
#include "core/base/nesting.h"
#include "core/graphene/atoms/atom.h"
#include "core/graphene/meaning.h"
#include "core/graphene/reader/program_reader.h"
#include "core/graphene/reader/read_parts.h"

namespace tessera::graphene {

namespace {

constexpr std::size_t kMaxNodes = 2'000;

bool isReduction(std::string_view name) {
  const ScalarOperation* row = scalarOperation(name);
  return row != nullptr && row->reduces;
}

}  // namespace

// The equations that were read, and the one that is.
struct ProgramReader::EquationText {
  const Spec& spec;
  Meaning out{};
  Equation now{};

  int add(MeaningNode node) {
    out.nodes.push_back(std::move(node));
    return static_cast<int>(out.nodes.size()) - 1;
  }
  int add(std::string operation, int a, int b) {
    MeaningNode n;
    n.kind = b < 0 ? MeaningNode::Kind::Unary : MeaningNode::Kind::Binary;
    n.operation = std::move(operation);
    n.parts = b < 0 ? std::vector<int>{a} : std::vector<int>{a, b};
    return add(std::move(n));
  }
  // Of an input before an output; -1: it is none.
  [[nodiscard]] int operand(const Tensor& t) const {
    for (std::size_t k = 0; k < spec.inputs.size(); ++k)
      if (!t.threads && spec.inputs[k].name == t.name) return static_cast<int>(spec.outputs.size() + k);
    return output(t);
  }
  [[nodiscard]] int output(const Tensor& t) const {
    for (std::size_t k = 0; k < spec.outputs.size(); ++k)
      if (!t.threads && spec.outputs[k].name == t.name) return static_cast<int>(k);
    return -1;
  }
  [[nodiscard]] int named(std::string_view name) const {
    if (now.output < 0 && now.name == name) return static_cast<int>(out.equations.size());
    for (std::size_t k = 0; k < out.equations.size(); ++k)
      if (out.equations[k].output < 0 && out.equations[k].name == name) return static_cast<int>(k);
    return -1;
  }
};

// means { %y[i] = ... }, if it is there
Result<void> ProgramReader::means(Spec& out) {
  in_.skipBlanks();
  const std::size_t begin = in_.position();
  if (!in_.acceptWord("means")) return {};
  if (out.kind != SpecKind::Generic)
    return in_.failFrom(begin, fmt::format("{} says what it computes by itself", name(out.kind)),
                        "equations for a generic Spec alone");
  TESSERA_CHECKED(in_.expect("{", "before what the specification computes"));
  EquationText m{out};
  while (!in_.accept('}')) {
    if (in_.atEnd()) return in_.failFrom(begin, "what it means is never closed", "`}`");
    TESSERA_CHECKED(count());
    scopes_.emplace_back();
    const Result<void> one = equation(m);
    scopes_.pop_back();
    TESSERA_CHECKED(one);
    (void)in_.accept(';');
  }
  for (std::size_t k = 0; k < out.outputs.size(); ++k)
    if (m.out.of(static_cast<int>(k)) < 0)
      return in_.failFrom(begin, fmt::format("nothing says what {} becomes", nameOf(out.outputs[k])),
                          "an equation for every output");
  out.meaning = std::make_shared<const Meaning>(std::move(m.out));
  return {};
}

// %y[i,j] = ..., m[i] = ...
Result<void> ProgramReader::equation(EquationText& m) {
  m.now = {};
  in_.skipBlanks();
  const std::size_t begin = in_.position();
  std::string written;
  if (in_.peek() == '%') {
    TESSERA_TRY(const Tensor t, known());
    m.now.output = m.output(t);
    written = nameOf(t);
    if (m.now.output < 0)
      return in_.failFrom(begin, fmt::format("{} is no output of this specification", written),
                          "an output, or a name without %");
    if (m.out.of(m.now.output) >= 0)
      return in_.failFrom(begin, fmt::format("{} has two equations", written), "one for each output");
  } else {
    TESSERA_TRY(m.now.name, in_.identifier("an equation"));
    written = m.now.name;
    if (scalarOperation(written, 1) != nullptr || isReduction(written) || written == "sum" || written == "where" ||
        written == "inf")
      return in_.failFrom(begin, fmt::format("{} is an operation", written), "another name");
    m.now.output = 0;  // not yet
    if (m.named(written) >= 0) return in_.failFrom(begin, fmt::format("{} has two equations", written), "another name");
    m.now.output = -1;
  }
  if (in_.accept('[') && !in_.accept(']')) {
    do {
      in_.skipBlanks();
      const std::size_t at = in_.position();
      TESSERA_TRY(const std::string variable, in_.identifier("an index"));
      TESSERA_CHECKED(meantVariable(m, variable, at));
    } while (in_.accept(','));
    TESSERA_CHECKED(in_.expect("]", "after the indices"));
  }
  m.now.rank = static_cast<int>(m.now.variables.size());
  if (m.now.output >= 0) {
    std::size_t most = 0;
    const Tensor& t = m.spec.outputs[static_cast<std::size_t>(m.now.output)];
    if (!meaningShape(m.spec, t, m.now.variables.size(), &most))
      return in_.failFrom(begin, fmt::format("{} has {} coordinates, not {}", written, most, m.now.rank),
                          fmt::format("{} indices", most));
  }
  TESSERA_CHECKED(in_.expect("=", fmt::format("after {}", written)));
  TESSERA_TRY(m.now.node, equationSum(m));
  m.out.equations.push_back(std::move(m.now));
  return {};
}

// A new index: its digit.
Result<int> ProgramReader::meantVariable(EquationText& m, const std::string& name, std::size_t begin) {
  for (const Scope& scope : scopes_)
    if (scope.values.count(name) != 0 && &scope != scopes_.data() && scope.values.at(name).op() == Op::Digit)
      return in_.failFrom(begin, fmt::format("{} is an index already", name), "another name");
  const auto size = scopes_.front().indices.find(name);
  if (size != scopes_.front().indices.end() &&
      program_.variables[static_cast<std::size_t>(size->second)].kind == Variable::Kind::Size)
    return in_.failFrom(begin, fmt::format("{} is a size", name), "another name");
  const auto digit = static_cast<int>(m.now.variables.size());
  m.now.variables.push_back(fresh(name));
  scopes_.back().values[name] = Expr::digit(digit);
  return digit;
}

// a + b - c
Result<int> ProgramReader::equationSum(EquationText& m) {
  const Nesting level(in_);
  if (level.tooDeep()) return level.refusal(in_);
  TESSERA_TRY(int left, equationProduct(m));
  for (char c = in_.peek(); c == '+' || c == '-'; c = in_.peek()) {
    in_.advance();
    TESSERA_TRY(const int right, equationProduct(m));
    left = m.add(std::string(1, c), left, right);
    if (m.out.nodes.size() > kMaxNodes) return in_.fail("this is too long", "fewer terms");
  }
  return left;
}

// a * b / c
Result<int> ProgramReader::equationProduct(EquationText& m) {
  TESSERA_TRY(int left, equationFactor(m));
  for (char c = in_.peek(); c == '*' || c == '/'; c = in_.peek()) {
    in_.advance();
    TESSERA_TRY(const int right, equationFactor(m));
    left = m.add(std::string(1, c), left, right);
    if (m.out.nodes.size() > kMaxNodes) return in_.fail("this is too long", "fewer factors");
  }
  return left;
}

Result<int> ProgramReader::equationFactor(EquationText& m) {
  const char c = in_.peek();
  if (c == '-') {
    in_.advance();
    const Nesting level(in_);
    if (level.tooDeep()) return level.refusal(in_);
    TESSERA_TRY(const int inner, equationFactor(m));
    MeaningNode& n = m.out.nodes[static_cast<std::size_t>(inner)];
    if (n.kind != MeaningNode::Kind::Number) return m.add("neg", inner, -1);
    n.number = -n.number;
    return inner;
  }
  if (c == '(') {
    in_.advance();
    TESSERA_TRY(const int inner, equationSum(m));
    TESSERA_CHECKED(in_.expect(")", "after the expression"));
    return inner;
  }
  if (c == '[') {  // an index as a number
    in_.advance();
    MeaningNode n;
    n.kind = MeaningNode::Kind::Index;
    TESSERA_TRY(n.lo, reader_.number());
    TESSERA_CHECKED(in_.expect("]", "after the index"));
    return m.add(std::move(n));
  }
  if (c == '%') return equationOperand(m);
  if ((c >= '0' && c <= '9') || c == '.') return meantNumber(m);
  return equationWord(m);
}

// 512, 0.125, 1e-5
Result<int> ProgramReader::meantNumber(EquationText& m) {
  MeaningNode n;
  const char* const from = in_.text().data() + in_.position();
  const auto [end, error] = std::from_chars(from, in_.text().data() + in_.text().size(), n.number);
  if (error != std::errc()) return in_.fail("this is no number", "512, 0.125 or 1e-5");
  in_.advance(static_cast<std::size_t>(end - from));
  if (in_.atNamePart()) return in_.fail("a number cannot end here", "an operation after it");
  return m.add(std::move(n));
}

Result<std::vector<Expr>> ProgramReader::meantCoordinates() {
  std::vector<Expr> out;
  if (in_.raw() != '[') return out;
  in_.advance();
  if (in_.accept(']')) return out;  // as messages write an element of rank 0
  do {
    TESSERA_TRY(const Expr e, reader_.number());
    out.push_back(e);
  } while (in_.accept(','));
  TESSERA_CHECKED(in_.expect("]", "after the coordinates"));
  return out;
}

// %x[i, 2*j + 1]
Result<int> ProgramReader::equationOperand(EquationText& m) {
  in_.skipBlanks();
  const std::size_t begin = in_.position();
  TESSERA_TRY(const Tensor t, known());
  MeaningNode n;
  n.kind = MeaningNode::Kind::Operand;
  n.what = m.operand(t);
  if (n.what < 0)
    return in_.failFrom(begin, fmt::format("{} is no operand of this specification", nameOf(t)),
                        "one of its outputs and inputs");
  TESSERA_TRY(n.at, meantCoordinates());
  std::size_t most = 0;
  if (!meaningShape(m.spec, t, n.at.size(), &most))
    return in_.failFrom(begin, fmt::format("{} has {} coordinates, not {}", nameOf(t), most, n.at.size()),
                        fmt::format("{} of them", most));
  return m.add(std::move(n));
}

// The operation that a parameter of a definition stands for, or the word itself.
std::string ProgramReader::meantOperation(const std::string& word) const {
  return wordOf(word).value_or(word == "sum" ? "+" : word);
}

Result<int> ProgramReader::equationWord(EquationText& m) {
  in_.skipBlanks();
  const std::size_t begin = in_.position();
  const std::string word(in_.peekWord());
  if (word.empty()) return in_.fail(fmt::format("unexpected {}", in_.found()), "a number, a tensor, or a name");
  if (const int equation = m.named(word); equation >= 0) {
    in_.advance(word.size());
    return meantNamed(m, equation, begin);
  }
  if (word == "inf") {
    in_.advance(word.size());
    MeaningNode n;
    n.number = std::numeric_limits<double>::infinity();
    return m.add(std::move(n));
  }
  const std::string operation = meantOperation(word);
  if (word == "where" || scalarOperation(operation) != nullptr) {
    in_.advance(word.size());
    if (in_.peek() != '(') return in_.failFrom(begin, fmt::format("{} of what?", word), word + "(...)");
    if (word == "where") return meantWhere(m);
    Cursor ahead = in_;
    (void)ahead.accept('(');
    const std::string first(ahead.peekWord());
    ahead.advance(first.size());
    const bool bound = !first.empty() && (ahead.peek() == '<' || ahead.peek() == '=');
    if (isReduction(operation) && bound) return meantReduction(m, operation);
    return meantCall(m, operation, begin);
  }
  MeaningNode n;
  n.kind = MeaningNode::Kind::Index;
  n.lo = Expr::constant(0);
  const Result<Expr> value = meaning(word);
  in_.advance(word.size());
  if (value) {
    n.lo = *value;
    return m.add(std::move(n));
  }
  std::vector<std::string> words{"sum", "where"};
  for (const ScalarOperation& o : scalarOperations()) words.emplace_back(o.name);
  for (const Equation& e : m.out.equations) words.push_back(e.name);
  const auto near = nearest(word, words);
  return in_.failFrom(begin, fmt::format("nothing is named {} here", word),
                      "an equation above, an operation, an index or %NAME",
                      near ? fmt::format("did you mean {}?", *near) : "");
}

// m[i]: an equation above, or this one
Result<int> ProgramReader::meantNamed(EquationText& m, int equation, std::size_t begin) {
  MeaningNode n;
  n.kind = MeaningNode::Kind::Named;
  n.what = equation;
  TESSERA_TRY(n.at, meantCoordinates());
  const bool own = equation == static_cast<int>(m.out.equations.size());
  const Equation& e = own ? m.now : m.out.equations[static_cast<std::size_t>(equation)];
  if (static_cast<int>(n.at.size()) != e.rank)
    return in_.failFrom(begin, fmt::format("{} has {} indices, not {}", e.name, e.rank, n.at.size()),
                        fmt::format("{} of them", e.rank));
  return m.add(std::move(n));
}

// sum(k < 512, l = 1 < 4) TERM
Result<int> ProgramReader::meantReduction(EquationText& m, const std::string& operation) {
  TESSERA_CHECKED(in_.expect("(", "after the reduction"));
  std::vector<MeaningNode> loops;
  scopes_.emplace_back();
  const auto read = [&]() -> Result<int> {
    do {
      MeaningNode n;
      n.kind = MeaningNode::Kind::Reduce;
      n.operation = operation;
      in_.skipBlanks();
      const std::size_t begin = in_.position();
      TESSERA_TRY(const std::string variable, in_.identifier("an index"));
      n.lo = Expr::constant(0);
      if (in_.accept('=')) {
        TESSERA_TRY(n.lo, reader_.number());
      }
      TESSERA_CHECKED(in_.expect("<", fmt::format("between {} and its bound", variable)));
      TESSERA_TRY(n.hi, reader_.number());
      TESSERA_TRY(n.variable, meantVariable(m, variable, begin));
      loops.push_back(std::move(n));
    } while (in_.accept(','));
    TESSERA_CHECKED(in_.expect(")", "after the bounds"));
    return equationProduct(m);
  };
  const Nesting level(in_);
  if (level.tooDeep()) return level.refusal(in_);
  Result<int> inner = read();
  scopes_.pop_back();
  TESSERA_CHECKED(inner);
  int out = *inner;
  for (auto n = loops.rbegin(); n != loops.rend(); ++n) {
    n->parts = {out};
    out = m.add(std::move(*n));
  }
  return out;
}

// exp(x), max(x, y), op(x, y)
Result<int> ProgramReader::meantCall(EquationText& m, const std::string& operation, std::size_t begin) {
  TESSERA_CHECKED(in_.expect("(", "after the operation"));
  TESSERA_TRY(const int a, equationSum(m));
  int b = -1;
  if (in_.accept(',')) {
    TESSERA_TRY(b, equationSum(m));
  }
  TESSERA_CHECKED(in_.expect(")", "after the operation's values"));
  if (scalarOperation(operation, b < 0 ? 1 : 2) == nullptr)
    return in_.failFrom(begin, fmt::format("{} is no operation on {}", operation, b < 0 ? "one value" : "two values"),
                        scalarNames(b < 0 ? 1 : 2, /*words=*/true));
  return m.add(operation, a, b);
}

// where(i <= j, x, y)
Result<int> ProgramReader::meantWhere(EquationText& m) {
  TESSERA_CHECKED(in_.expect("(", "after where"));
  MeaningNode n;
  n.kind = MeaningNode::Kind::Where;
  TESSERA_TRY(n.condition, comparisons());
  TESSERA_CHECKED(in_.expect(",", "after the condition"));
  TESSERA_TRY(const int yes, equationSum(m));
  TESSERA_CHECKED(in_.expect(",", "between the two values"));
  TESSERA_TRY(const int no, equationSum(m));
  TESSERA_CHECKED(in_.expect(")", "after where"));
  n.parts = {yes, no};
  return m.add(std::move(n));
}

}  // namespace tessera::graphene
