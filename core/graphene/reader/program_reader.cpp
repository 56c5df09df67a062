// Reads programs: statements and bodies.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/atlas/graphene_names.h"
#include "core/base/arith.h"
#include "core/base/chars.h"
#include "core/base/cursor.h"
#include "core/base/nearest.h"
#include "core/graphene/assumptions.h"
#include "core/graphene/reader/call_reader.h"
#include "core/graphene/reader/constructs.h"
#include "core/graphene/reader/parameters.h"
#include "core/graphene/reader/sized.h"

namespace tessera::graphene {

namespace {

// A Diag for a loop, condition or barrier outside every specification, where no thread runs.
Result<void> runsNowhere(const Statement& s) {
  if (std::holds_alternative<Define>(s.what) || std::holds_alternative<Indices>(s.what) ||
      std::holds_alternative<Spec>(s.what))
    return {};
  const std::string words = std::holds_alternative<Loop>(s.what)     ? "a loop"
                            : std::holds_alternative<Branch>(s.what) ? "a condition on threads or blocks"
                                                                     : fmt::format("`{}`", wordsOf(s));
  return Diag{fmt::format("{} outside of a specification, where no thread runs", words),
              "%out <- Spec<<<#blocks, #threads>>>(%in) { ... }", "move it into the body of the kernel", s.span};
}

Result<std::string> loopName(Cursor& in) {
  const bool at = in.accept('@');
  TESSERA_TRY(const std::string word, in.identifier("the loop's variable"));
  return (at ? "@" : "") + word;
}

Result<void> sameLoop(Cursor& in, const std::string& name) {
  const std::size_t begin = in.start();
  TESSERA_TRY(const std::string word, loopName(in));
  if (word != name) return in.failFrom(begin, fmt::format("{} is not the loop's variable", word), name);
  return {};
}

Result<Span> openBody(Cursor& in) {
  const Span open = in.here();
  TESSERA_CHECKED(in.expect("{", "before the body"));
  return open;
}

// Skips { ... }, checking only its brackets.
Result<void> passBlock(Cursor& in) {
  if (in.peek() != '{') return in.expect("{", "before the body");
  const Span open = in.here();
  if (!in.acceptBracketed(false)) return Diag{"this body is never closed", "`}`", "", open};
  return {};
}

// Skips if (...) { } else if ... { }.
Result<void> passBranch(Cursor& in) {
  for (;;) {
    if (in.acceptWord("if")) {
      if (in.peek() != '(') return in.expect("(", "after if");
      const Span open = in.here();
      if (!in.acceptBracketed(false)) return Diag{"this condition is never closed", "`)`", "", open};
    }
    TESSERA_CHECKED(passBlock(in));
    if (!in.acceptWord("else")) return {};
  }
}

// Reads statements and bodies by recursive descent. The functions of constructs.h read the parts of statements,
// CallReader the calls of named specifications, and the notation's Reader tensors, shapes and operations.
class ProgramReader {
 public:
  explicit ProgramReader(std::string_view text)
      : text_(text), in_(text_.in), calls_(text_, [this] { return block(); }) {}
  // Gives numbers to sizes (sized.h). notAsked, after run: one of these sizes that the text does not use.
  void give(std::map<std::string, i64> sizes) { text_.names.give(std::move(sizes)); }
  [[nodiscard]] std::optional<std::string> notAsked() const { return text_.names.notAsked(); }

  Result<Program> run() {
    TESSERA_TRY(const Parameters head, parametersOf(in_.text()));
    if (!head.broken.empty()) return head.broken.front();
    Scope parameters;
    for (const Parameter& p : head.all) {
      if (p.number)
        parameters.values[p.name] = Expr::constant(std::stoll(p.value));
      else
        parameters.words[p.name] = p.value;
    }
    text_.names.parameters(std::move(parameters));
    in_.seek(head.end);
    while (!in_.atEnd()) TESSERA_CHECKED(topLevel());
    program_.variables = std::move(text_.names).variables();
    const Names names = namesOf(program_.variables);
    nameSymbols(program_.specs, names);  // at the end every tensor knows the names of all variables
    for (Tensor& t : program_.operands) t.symbols = names;
    TESSERA_CHECKED(reduced(program_));
    return std::move(program_);
  }

 private:
  Result<void> topLevel() {
    TESSERA_CHECKED(text_.count());
    const std::size_t begin = in_.start();
    Cursor ahead = in_;
    if (text_.atTensor() && text_.tensorName().ok() && in_.peek() == ':') {
      in_ = ahead;
      TESSERA_TRY(const Tensor declared, text_.reader.declaration());
      if (auto fault = elementFault(declared, in_.text(), in_.spanFrom(begin))) return *std::move(fault);
      if (in_.peek() != '=') {  // else a view with its type
        TESSERA_CHECKED(barrierStorage(in_, declared, /*operand=*/true, begin));
        TESSERA_CHECKED(text_.define(nameOf(declared), declared, begin));
        program_.operands.push_back(declared);
        return {};
      }
    }
    in_ = ahead;
    if (in_.acceptWord("def")) return calls_.definition();
    if (in_.acceptWord("assume")) return assumption(begin);
    const std::size_t had = program_.specs.size();
    TESSERA_CHECKED(next(program_.specs));
    for (std::size_t k = had; k < program_.specs.size(); ++k) TESSERA_CHECKED(runsNowhere(program_.specs[k]));
    return {};
  }

  // assume M % 128 == 0 && N <= 512, after its word.
  Result<void> assumption(std::size_t begin) {
    if (program_.assumptions.size() >= kMostAssumptions) return in_.failFrom(begin, "too many assumptions", "fewer");
    // It ends with its line, because the next one may begin with %.
    const std::size_t at = in_.start();
    Reader line(in_.text().substr(0, std::min(in_.text().find('\n', at), in_.text().size())), Order::Row, at);
    line.resolve([this](const std::string& name) { return text_.names.meaning(name); });
    TESSERA_TRY(Condition condition,
                readCondition(line, [this](const std::string& name) { return text_.names.wordOf(name); }));
    in_.seek(line.cursor().position());
    const Span span = in_.spanFrom(begin);
    if (condition.known == false) {
      std::vector<std::string> given;
      for (const auto& [name, value] : text_.names.given()) given.push_back(fmt::format("{} is {}", name, value));
      const std::string all = given.empty() ? "" : fmt::format(", and {}", fmt::join(given, ", "));
      return Diag{fmt::format("the program assumes {}{}", stripped(in_.text().substr(at, in_.position() - at)), all),
                  given.empty() ? "a condition that some sizes meet" : "other sizes", "", span};
    }
    for (const Comparison& c : condition.open)
      for (const Expr& side : {c.left, c.right})
        if (!text_.names.ofSizes(side))
          return Diag{"an assumption is about symbolic sizes", "assume M % 128 == 0, for %x:[M,64]", "", span};
    (void)in_.accept(';');
    if (!condition.open.empty()) program_.assumptions.push_back({std::move(condition.open), span});
    return {};
  }

  // A statement, or the statements of the side that is chosen, if a condition is decided while reading.
  Result<void> next(Body& out) {
    if (in_.peekWord() == "if") return branch(out);
    TESSERA_TRY(Statement s, statement());
    out.push_back(std::move(s));
    return {};
  }

  Result<Statement> statement() {
    TESSERA_CHECKED(text_.count());
    Statement out;
    const std::size_t begin = in_.start();
    if (text_.atTensor()) {
      TESSERA_TRY(out, tensorStatement());
    } else if (in_.peek() == '(' || in_.peek() == '@') {
      TESSERA_TRY(out, readIndices(text_));
    } else if (in_.peekWord() == "for") {
      TESSERA_TRY(out, loop());
    } else {
      TESSERA_TRY(out, readKeyword(text_));
    }
    place(out, begin);
    return out;
  }

  // Sets the span to the text read since `begin`.
  void place(Statement& out, std::size_t begin) {
    out.span = in_.spanFrom(begin);
    while (out.span.end > begin + 1 && isBlank(in_.text()[out.span.end - 1])) --out.span.end;
    out.span = calls_.shown(out.span);
    (void)in_.accept(';');
  }

  // %7 : TYPE = ..., %7 = ..., %s : TYPE, or a specification
  Result<Statement> tensorStatement() {
    const Cursor start = in_;
    const std::size_t begin = in_.position();
    TESSERA_TRY(const std::string name, text_.tensorName());
    if (in_.peek() == '<' || in_.peek() == ',') {
      in_ = start;
      return spec();
    }
    std::optional<Tensor> type;
    if (in_.peek() == ':') {
      in_ = start;
      TESSERA_TRY(type, text_.reader.declaration());
      if (auto fault = elementFault(*type, in_.text(), in_.spanFrom(begin))) return *std::move(fault);
    }
    if (!in_.accept('=')) {
      if (!type) return in_.fail("a statement cannot end here", "`=`, `:` or `<-` after the name of a tensor");
      if (in_.peek() == '<') return in_.fail("a specification writes tensors that are defined before it", "%7 <- ...");
      if (type->threads) return in_.failFrom(begin, "threads cannot be allocated", "#NAME = #OTHER.tile(...)");
      TESSERA_CHECKED(barrierStorage(in_, *type, /*operand=*/false, begin));
      type->name = text_.names.fresh(name).substr(1);
      TESSERA_CHECKED(text_.define(name, *type, begin));
      return Statement{{}, Temporary{*std::move(type)}};
    }
    const std::vector<bool> plain = text_.reader.plainLevels();
    const std::size_t sourceBegin = in_.start();
    TESSERA_TRY(const Tensor source, text_.known());
    Define out;
    out.source = nameOf(source);
    TESSERA_TRY(out.tensor, text_.reader.operations(source));
    out.operations = text_.reader.trail();
    if ((name[0] == '#') != source.threads)
      return in_.failFrom(begin, fmt::format("{} cannot be made from {}", name, out.source),
                          "% for data, # for threads");
    out.tensor.name = text_.names.fresh(name).substr(1);
    if (type) {
      Tensor made = out.tensor;
      made.symbols = text_.reader.symbols();
      if (const auto what = typeDifference(*type, plain, made))
        return in_.failFrom(sourceBegin, fmt::format("the type says {}, the operations give {}", *what, print(made)),
                            print(made));
    }
    TESSERA_CHECKED(text_.define(name, out.tensor, begin));
    return Statement{{}, std::move(out)};
  }

  // %2, %3 <- Move<attribute><<<#b, #t>>>(%1) { ... }
  Result<Statement> spec() {
    Spec out;
    do {
      const std::size_t first = in_.start();
      TESSERA_TRY(Tensor t, text_.known());
      if (t.threads) return in_.fail("a specification writes data", "%NAME <- ...");
      TESSERA_CHECKED(noBarrier(in_, t, first));
      out.outputs.push_back(std::move(t));
    } while (in_.accept(','));
    TESSERA_CHECKED(in_.expect("<-", "between the outputs and the specification"));
    const std::size_t begin = in_.start();
    const std::string written(in_.peekWord());
    const std::string word = text_.names.wordOf(written).value_or(written);
    const std::optional<SpecKind> kind = kindOf(word);
    if (!kind) {
      if (word.empty() && text_.atTensor())
        return in_.fail("a specification is missing between `<-` and the tensor",
                        "%OUT <- Move<<<#BLOCKS, #THREADS>>>(%IN)", "Move copies; %NAME = ... binds a view");
      if (word.empty())
        return in_.fail("a specification is missing after `<-`",
                        "Move MatMul UnaryPointwise BinaryPointwise Reduction Shfl Init Allocate, Spec or a `def`");
      if (const Definition* named = calls_.definitionOf(word))
        return calls_.call(*named, std::move(out), begin, written.size());
      std::vector<std::string> words = kindWords();
      for (std::string& name : calls_.names()) words.push_back(std::move(name));
      return in_.fail(fmt::format("there is no specification '{}'", word),
                      "Move MatMul UnaryPointwise BinaryPointwise Reduction Shfl Init Allocate, Spec or a `def`",
                      didYouMean(word, words));
    }
    in_.advance(written.size());
    out.kind = *kind;
    TESSERA_CHECKED(readAttribute(text_, out, begin));
    TESSERA_CHECKED(readOperands(text_, out));
    if (const auto fault = arityFault(out)) return in_.failFrom(begin, fault->message, fault->expected);
    TESSERA_CHECKED(readMeaning(text_, out));
    if (in_.peek() == '{') {
      out.decomposed = true;
      TESSERA_TRY(out.body, block());
    }
    return Statement{{}, std::move(out)};
  }

  Result<Body> block() {
    TESSERA_TRY(const Span open, openBody(in_));
    const Nesting level;
    if (level.tooDeep()) return level.refusal(in_);
    const Scopes::Inside inside(text_.names);
    Body out;
    TESSERA_CHECKED(rest(out, open));
    return out;
  }

  // Statements up to the }
  Result<void> rest(Body& out, Span open) {
    while (!in_.accept('}')) {
      if (in_.atEnd()) return Diag{"this body is never closed", "`}`", "", open};
      TESSERA_CHECKED(text_.names.outermost() ? topLevel() : next(out));
    }
    return {};
  }

  // { ... } as if it had no braces.
  Result<void> inPlace(Body& out) {
    TESSERA_TRY(const Span open, openBody(in_));
    return rest(out, open);
  }

  // for (k = 0; k < 1024; k += 16) { }
  Result<Statement> loop() {
    in_.advance(3);
    const std::size_t begin = in_.position();
    TESSERA_CHECKED(in_.expect("(", "after for"));
    TESSERA_TRY(const std::string name, loopName(in_));
    TESSERA_CHECKED(in_.expect("=", "after the loop's variable"));
    Variable v{text_.names.fresh(name), Variable::Kind::Loop, {}, {}, 1, {}};
    TESSERA_TRY(v.lo, text_.reader.number());
    TESSERA_CHECKED(in_.expect(";", "after the first value"));
    TESSERA_CHECKED(sameLoop(in_, name));
    TESSERA_CHECKED(in_.expect("<", "after the loop's variable"));
    TESSERA_TRY(v.hi, text_.reader.number());
    TESSERA_CHECKED(in_.expect(";", "after the bound"));
    TESSERA_CHECKED(sameLoop(in_, name));
    if (!in_.accept("++")) {
      TESSERA_CHECKED(in_.expect("+=", "before the step"));
      TESSERA_TRY(v.step, text_.constant("the step", true));
      if (v.step < 1) return in_.failFrom(begin, "a step below 1", "a positive step");
    }
    if (v.lo.isConstant() && v.hi.isConstant() &&
        !(checkedAdd(v.hi.value(), v.step - 1) && checkedSub(v.hi.value(), v.lo.value())))
      return in_.failFrom(begin, "the counter of this loop exceeds 64 bits", "smaller bounds, or a smaller step");
    TESSERA_CHECKED(in_.expect(")", "after the loop's head"));
    Loop out;
    out.variable = text_.names.variable(std::move(v));
    const Scopes::Inside inside(text_.names);
    text_.names.inner().indices[name] = out.variable;
    TESSERA_TRY(out.body, block());
    return Statement{{}, std::move(out)};
  }

  // if (a < b && ...) { } else { }, else if (...) { }; if the condition is known, only the chosen side.
  Result<void> branch(Body& out) {
    TESSERA_CHECKED(text_.count());
    const std::size_t begin = in_.position();
    in_.advance(2);
    TESSERA_CHECKED(in_.expect("(", "after if"));
    TESSERA_TRY(Condition condition,
                readCondition(text_.reader, [this](const std::string& name) { return text_.names.wordOf(name); }));
    TESSERA_CHECKED(in_.expect(")", "after the condition"));
    const Nesting level;
    if (level.tooDeep()) return level.refusal(in_);
    if (condition.known) {
      TESSERA_CHECKED(chosen(*condition.known, out));
      (void)in_.accept(';');
      return {};
    }
    Branch made;
    made.condition = std::move(condition.open);
    TESSERA_TRY(made.then, block());
    if (in_.acceptWord("else")) {
      if (in_.peekWord() == "if") {
        const Scopes::Inside inside(text_.names);
        TESSERA_CHECKED(branch(made.otherwise));
      } else {
        TESSERA_TRY(made.otherwise, block());
      }
    }
    Statement statement{{}, std::move(made)};
    place(statement, begin);
    out.push_back(std::move(statement));
    return {};
  }

  Result<void> chosen(bool then, Body& out) {
    TESSERA_CHECKED(then ? inPlace(out) : passBlock(in_));
    if (!in_.acceptWord("else")) return {};
    if (in_.peekWord() != "if") return then ? passBlock(in_) : inPlace(out);
    return then ? passBranch(in_) : branch(out);
  }

  ProgramText text_;
  Cursor& in_;
  Program program_;
  CallReader calls_;
};

}  // namespace

Result<Program> readProgram(std::string_view text) { return ProgramReader(text).run(); }

Result<Program> readSized(std::string_view text, const Sizes& sizes) {
  ProgramReader reader(text);
  reader.give(sizes);
  TESSERA_TRY(Program program, reader.run());
  if (const auto unused = reader.notAsked()) {
    std::vector<std::string> names;
    for (const Variable& v : program.variables)
      if (v.kind == Variable::Kind::Size) names.push_back(v.name);
    for (const auto& [name, value] : sizes)
      if (name != *unused) names.push_back(name);
    return Diag{fmt::format("the program has no size {}", *unused),
                names.empty() ? "none: all of its sizes are numbers" : fmt::format("{}", fmt::join(names, ", "))};
  }
  return program;
}

}  // namespace tessera::graphene
