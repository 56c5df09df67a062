// The reader of programs: specifications, bodies and control.
#include <fmt/format.h>

#include "core/base/arith.h"
#include "core/base/nearest.h"
#include "core/base/nesting.h"
#include "core/graphene/reader/condition.h"
#include "core/graphene/reader/program_reader.h"
#include "core/graphene/reader/read_parts.h"

namespace tessera::graphene {

namespace {}  // namespace

// %2, %3 <- Move<attribute><<<#b, #t>>>(%1) { ... }
Result<Statement> ProgramReader::spec() {
  Spec out;
  do {
    in_.skipBlanks();
    const std::size_t first = in_.position();
    TESSERA_TRY(Tensor t, known());
    if (t.threads) return in_.fail("a specification writes data", "%NAME <- ...");
    TESSERA_CHECKED(noBarrier(t, first));
    out.outputs.push_back(std::move(t));
  } while (in_.accept(','));
  TESSERA_CHECKED(in_.expect("<-", "between the outputs and the specification"));
  in_.skipBlanks();
  const std::size_t begin = in_.position();
  const std::string written(in_.peekWord());
  const std::string word = wordOf(written).value_or(written);
  const std::optional<SpecKind> kind = kindOf(word);
  if (!kind) {
    if (word.empty() && atTensor())
      return in_.fail("a specification is missing between `<-` and the tensor",
                      "%OUT <- Move<<<#BLOCKS, #THREADS>>>(%IN)", "Move copies; %NAME = ... binds a view");
    if (word.empty())
      return in_.fail("a specification is missing after `<-`",
                      "Move MatMul UnaryPointwise BinaryPointwise Reduction Shfl Init Allocate, Spec or a `def`");
    if (const Definition* named = definitionOf(word)) return call(*named, std::move(out), begin, written.size());
    std::vector<std::string> words = kindWords();
    for (const auto& [key, definition] : definitions_) words.push_back(key);
    const auto near = nearest(word, words);
    return in_.fail(fmt::format("there is no specification '{}'", word),
                    "Move MatMul UnaryPointwise BinaryPointwise Reduction Shfl Init Allocate, Spec or a `def`",
                    near ? fmt::format("did you mean {}?", *near) : "");
  }
  in_.advance(written.size());
  out.kind = *kind;
  TESSERA_CHECKED(attribute(out, begin));
  TESSERA_CHECKED(operands(out));
  if (const auto fault = arityFault(out)) return in_.failFrom(begin, fault->message, fault->expected);
  TESSERA_CHECKED(means(out));
  if (in_.peek() == '{') {
    out.decomposed = true;
    TESSERA_TRY(out.body, block());
  }
  return Statement{{}, std::move(out)};
}

// Move(%x[@t]): a view has a line of its own.
Result<void> ProgramReader::inlineView(const std::string& name, std::size_t begin) {
  const std::size_t end = std::min(in_.text().find_first_of("\n{", begin), in_.text().size());
  std::string_view view = in_.text().substr(begin, end - begin);
  int open = 0;
  for (std::size_t k = 0; k < view.size(); ++k) {
    open += view[k] == '(' || view[k] == '[' ? 1 : view[k] == ')' || view[k] == ']' ? -1 : 0;
    if (open < 0 || (open == 0 && view[k] == ',')) view = view.substr(0, k);
  }
  in_.seek(begin + view.size());
  return in_.failFrom(begin, fmt::format("{} is a view: an operand is a name", view), "%NAME",
                      fmt::format("{0}_view = {1} on a line above, then {0}_view here", name, view));
}

// <<<#b, #t>>>(%1, %2)
Result<void> ProgramReader::operands(Spec& out) {
  if (in_.accept("<<<")) TESSERA_CHECKED(configuration(out));
  if (in_.accept('(') && !in_.accept(')')) {
    do {
      in_.skipBlanks();
      const std::size_t first = in_.position();
      TESSERA_TRY(Tensor t, known());
      if (t.threads) return in_.fail("a specification reads data", "%NAME");
      TESSERA_CHECKED(noBarrier(t, first));
      if (in_.peek() == '[' || in_.peek() == '.') return inlineView(nameOf(t), first);
      out.inputs.push_back(std::move(t));
    } while (in_.accept(','));
    TESSERA_CHECKED(in_.expect(")", "after the inputs"));
  }
  return {};
}

// <+>, <exp>, <max, 1>, <bfly 16>, and Init(0)
Result<void> ProgramReader::attribute(Spec& out, std::size_t begin) {
  const bool round = out.kind == SpecKind::Init && in_.peek() == '(';
  if (round || (in_.peek() == '<' && in_.text().substr(in_.position(), 3) != "<<<")) {
    in_.advance();
    if (!round && out.kind == SpecKind::Move && in_.peekWord() == "bulk") return bulk(out);
    const std::size_t close = in_.text().find(round ? ')' : '>', in_.position());
    const std::size_t line = in_.text().find('\n', in_.position());
    if (close == std::string_view::npos || close > line)
      return in_.failFrom(begin, "this attribute is never closed", ">");
    for (const char c : withWords(in_.text().substr(in_.position(), close - in_.position())))
      if (!isBlank(c)) out.attribute += c;
    if (out.kind == SpecKind::Move && out.attribute.starts_with("bulk"))
      return in_.failFrom(begin, fmt::format("there is no Move<{}>", out.attribute), "Move<bulk %f> with a barrier");
    in_.seek(close + 1);
  }
  const bool needed = out.kind == SpecKind::UnaryPointwise || out.kind == SpecKind::BinaryPointwise ||
                      out.kind == SpecKind::Reduction || out.kind == SpecKind::Shfl || out.kind == SpecKind::Init;
  if (needed && out.attribute.empty())
    return in_.failFrom(begin, fmt::format("{} of what?", name(out.kind)),
                        fmt::format("{}<...>: an operation, an axis, an offset or a value", name(out.kind)));
  return {};
}

Result<void> ProgramReader::configuration(Spec& out) {
  TESSERA_TRY(Tensor first, known());
  TESSERA_CHECKED(in_.expect(",", "between the blocks and the threads"));
  TESSERA_TRY(Tensor second, known());
  TESSERA_CHECKED(in_.expect(">>>", "after the threads"));
  if (first.element != "block" || second.element != "thread")
    return in_.fail("a configuration is blocks, then threads", "<<<#BLOCKS, #THREADS>>>");
  out.blocks.push_back(std::move(first));
  out.threads.push_back(std::move(second));
  return {};
}

Result<Body> ProgramReader::block() {
  in_.skipBlanks();
  const Span open = in_.here();
  TESSERA_CHECKED(in_.expect("{", "before the body"));
  const Nesting level(in_);
  if (level.tooDeep()) return level.refusal(in_);
  scopes_.emplace_back();
  Body out;
  while (!in_.accept('}')) {
    if (in_.atEnd()) return Diag{"this body is never closed", "`}`", "", open};
    TESSERA_CHECKED(next(out));
  }
  scopes_.pop_back();
  return out;
}

Result<Statement> ProgramReader::control() {
  const std::size_t begin = in_.position();
  const std::string word(in_.peekWord());
  if (word == "for") return loop();
  if (word == "param" || word == "require")
    return in_.fail(fmt::format("`{}` comes after the head of the program", word),
                    "parameters and requirements before everything else");
  const bool block = word == "sync" || word == "__syncthreads";
  if (block || word == "syncwarp" || word == "__syncwarp") {
    in_.advance(word.size());
    if (in_.accept('(')) TESSERA_CHECKED(in_.expect(")", "after " + word));
    return Statement{{}, Sync{!block}};
  }
  if (word == "commit") {
    in_.advance(word.size());
    return Statement{{}, Commit{}};
  }
  if (word == "wait") {
    in_.advance(word.size());
    TESSERA_TRY(const int pending, pendingGroups());
    return Statement{{}, Wait{pending}};
  }
  if (word == "wgmma" || word == "fence") return ordering(begin, word);
  if (word == "mbarrier") return barrierStatement(begin);
  const auto near = nearest(word, {"for", "if", "sync", "syncwarp", "commit", "wait", "wgmma", "fence", "mbarrier"});
  return in_.failFrom(
      begin, word.empty() ? fmt::format("unexpected {}", in_.found()) : fmt::format("there is no statement '{}'", word),
      "a tensor, a specification, indices, for, if, sync, commit, wait, wgmma.fence, fence.async or mbarrier.wait",
      near && !word.empty() ? fmt::format("did you mean {}?", *near) : "");
}

// wgmma.fence, wgmma.commit, wgmma.wait 0, fence.async
Result<Statement> ProgramReader::ordering(std::size_t begin, const std::string& first) {
  in_.advance(first.size());
  const bool product = first == "wgmma";
  const std::string second(in_.accept('.') ? in_.peekWord() : "");
  in_.advance(second.size());
  if (!product && second == "async") return Statement{{}, Fence{true}};
  if (product && second == "fence") return Statement{{}, Fence{false}};
  if (product && second == "commit") return Statement{{}, Commit{true}};
  if (product && second == "wait") {
    TESSERA_TRY(const int pending, pendingGroups());
    return Statement{{}, Wait{pending, true}};
  }
  return in_.failFrom(begin, fmt::format("there is no statement '{}{}{}'", first, second.empty() ? "" : ".", second),
                      product ? "wgmma.fence, wgmma.commit or wgmma.wait 0" : "fence.async");
}

Result<int> ProgramReader::pendingGroups() {
  const std::size_t begin = in_.position();
  TESSERA_TRY(const i64 pending, constant("how many groups may be on their way", false));
  if (pending < 0 || pending > 64) return in_.failFrom(begin, "not a number of groups", "0 to 64");
  return static_cast<int>(pending);
}

// for (k = 0; k < 1024; k += 16) { }
Result<Statement> ProgramReader::loop() {
  in_.advance(3);
  const std::size_t begin = in_.position();
  TESSERA_CHECKED(in_.expect("(", "after for"));
  TESSERA_TRY(const std::string name, loopName());
  TESSERA_CHECKED(in_.expect("=", "after the loop's variable"));
  Variable v{fresh(name), Variable::Kind::Loop, {}, {}, 1, {}};
  TESSERA_TRY(v.lo, reader_.number());
  TESSERA_CHECKED(in_.expect(";", "after the first value"));
  TESSERA_CHECKED(again(name));
  TESSERA_CHECKED(in_.expect("<", "after the loop's variable"));
  TESSERA_TRY(v.hi, reader_.number());
  TESSERA_CHECKED(in_.expect(";", "after the bound"));
  TESSERA_CHECKED(again(name));
  if (!in_.accept("++")) {
    TESSERA_CHECKED(in_.expect("+=", "before the step"));
    TESSERA_TRY(v.step, constant("the step", true));
    if (v.step < 1) return in_.failFrom(begin, "a step below 1", "a positive step");
  }
  if (v.lo.isConstant() && v.hi.isConstant() &&
      !(checkedAdd(v.hi.value(), v.step - 1) && checkedSub(v.hi.value(), v.lo.value())))
    return in_.failFrom(begin, "the counter of this loop leaves 64 bits", "bounds and a step that are smaller");
  TESSERA_CHECKED(in_.expect(")", "after the loop's head"));
  Loop out;
  out.variable = variable(std::move(v));
  scopes_.emplace_back();
  scopes_.back().indices[name] = out.variable;
  TESSERA_TRY(out.body, block());
  scopes_.pop_back();
  return Statement{{}, std::move(out)};
}

// An integer, a parameter that is one, or an expression in (); with `sum` any expression: `wait 1 %7 = ...` ends with
// the 1.
Result<i64> ProgramReader::constant(std::string_view what, bool sum) {
  in_.skipBlanks();
  const std::size_t begin = in_.position();
  const std::string word(in_.peekWord());
  const bool name = !word.empty() && isNameStart(word[0]);
  if (!name && in_.raw() != '(' && !(sum && in_.atInteger())) return in_.integer(what);
  Expr value;
  if (sum) {
    TESSERA_TRY(value, reader_.number());
  } else if (name) {
    in_.advance(word.size());
    auto meant = meaning(word);
    if (!meant) {
      meant.error().span = in_.spanFrom(begin);
      return meant.error();
    }
    value = *meant;
  } else {
    in_.advance();
    TESSERA_TRY(value, reader_.number());
    TESSERA_CHECKED(in_.expect(")", "after the expression"));
  }
  if (!value.isConstant())
    return in_.failFrom(
        begin, fmt::format("{} is not known before the program runs", in_.text().substr(begin, in_.position() - begin)),
        "an integer");
  return value.value();
}

// The operation, specification or other word that a parameter stands for.
std::optional<std::string> ProgramReader::wordOf(const std::string& name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    if (const auto at = scope->words.find(name); at != scope->words.end()) return at->second;
    if (scope->indices.count(name) + scope->values.count(name) > 0) break;
  }
  return std::nullopt;
}

Result<std::string> ProgramReader::loopName() {
  const bool at = in_.accept('@');
  TESSERA_TRY(const std::string word, in_.identifier("the loop's variable"));
  return (at ? "@" : "") + word;
}

Result<void> ProgramReader::again(const std::string& name) {
  in_.skipBlanks();
  const std::size_t begin = in_.position();
  TESSERA_TRY(const std::string word, loopName());
  if (word != name) return in_.failFrom(begin, fmt::format("{} is not the loop's variable", word), name);
  return {};
}

// i < 4 && j <= i
Result<std::vector<Comparison>> ProgramReader::comparisons() {
  std::vector<Comparison> out;
  do {
    Comparison c;
    TESSERA_TRY(c.left, reader_.number());
    in_.skipBlanks();
    for (const std::string_view op : {"<=", ">=", "==", "!=", "<", ">"}) {
      if (!in_.accept(op)) continue;
      c.op = op;
      break;
    }
    if (c.op.empty()) return in_.fail("a comparison is missing here", "< <= > >= == or !=");
    TESSERA_TRY(c.right, reader_.number());
    out.push_back(std::move(c));
  } while (in_.accept("&&"));
  return out;
}

// if (a < b && ...) { } else { }, else if (...) { }; where the condition is known, the side that holds.
Result<void> ProgramReader::branch(Body& out) {
  TESSERA_CHECKED(count());
  const std::size_t begin = in_.position();
  in_.advance(2);
  TESSERA_CHECKED(in_.expect("(", "after if"));
  TESSERA_TRY(Condition condition, readCondition(reader_, [this](const std::string& name) { return wordOf(name); }));
  TESSERA_CHECKED(in_.expect(")", "after the condition"));
  const Nesting level(in_);
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
      scopes_.emplace_back();
      TESSERA_CHECKED(branch(made.otherwise));
      scopes_.pop_back();
    } else {
      TESSERA_TRY(made.otherwise, block());
    }
  }
  Statement statement{{}, std::move(made)};
  place(statement, begin);
  out.push_back(std::move(statement));
  return {};
}

Result<void> ProgramReader::chosen(bool then, Body& out) {
  TESSERA_CHECKED(then ? inPlace(out) : passBlock());
  if (!in_.acceptWord("else")) return {};
  if (in_.peekWord() != "if") return then ? passBlock() : inPlace(out);
  return then ? passBranch() : branch(out);
}

// { ... } as if the braces were not there.
Result<void> ProgramReader::inPlace(Body& out) {
  in_.skipBlanks();
  const Span open = in_.here();
  TESSERA_CHECKED(in_.expect("{", "before the body"));
  while (!in_.accept('}')) {
    if (in_.atEnd()) return Diag{"this body is never closed", "`}`", "", open};
    TESSERA_CHECKED(scopes_.size() == 1 ? topLevel() : next(out));
  }
  return {};
}

// Past { ... }, which is not looked at beyond its brackets.
Result<void> ProgramReader::passBlock() {
  if (in_.peek() != '{') return in_.expect("{", "before the body");
  const Span open = in_.here();
  if (!in_.acceptBracketed(false)) return Diag{"this body is never closed", "`}`", "", open};
  return {};
}

// Past if (...) { } else if ... { }
Result<void> ProgramReader::passBranch() {
  for (;;) {
    if (in_.acceptWord("if")) {
      if (in_.peek() != '(') return in_.expect("(", "after if");
      const Span open = in_.here();
      if (!in_.acceptBracketed(false)) return Diag{"this condition is never closed", "`)`", "", open};
    }
    TESSERA_CHECKED(passBlock());
    if (!in_.acceptWord("else")) return {};
  }
}

}  // namespace tessera::graphene
