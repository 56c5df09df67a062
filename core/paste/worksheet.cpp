// Text that the worksheet reads by itself. Its statements are the reading, unchanged.
//
//     A = (64,64):(64,1)                    both statements; A is the last value
//     prove injective(A)
//     composition((M,N):(N,1), (2,4))       a question for each of M and N, unless --let gives them
#include "core/worksheet/worksheet.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/atlas/guess.h"
#include "core/base/chars.h"
#include "core/base/words.h"
#include "core/base/work_budget.h"
#include "core/paste/dialects.h"
#include "core/worksheet/functions/functions.h"
#include "core/worksheet/language/comments.h"
#include "core/worksheet/language/syntax.h"
#include "core/worksheet/value.h"

namespace tessera::paste {
namespace {

constexpr double kSheetSeconds = 2;
constexpr std::size_t kMostEvaluated = std::size_t{64} << 10;  // bytes that recognition evaluates
constexpr std::size_t kMostUnknown = 16;                       // names that one text may leave unbound

bool isWordOf(std::string_view text, std::string_view word) {
  const std::vector<std::string_view> names = namePartsIn(text);
  return std::ranges::find(names, word) != names.end();
}

bool isIdentifier(std::string_view name) {
  return !name.empty() && isNameStart(name.front()) && std::ranges::all_of(name, isNamePart);
}

// threadIdx.x, after `=`, is a text for the worksheet; only an instruction's word is one that was meant.
bool isStrayWord(const tessera::Statement& statement, const Value& value) {
  const Text* text = as<Text>(value);
  return text != nullptr && statement.text.find('"') == std::string::npos &&
         statement.text.find('(') == std::string::npos && !isInstructionWord(text->text) &&
         !guessInstruction(text->text);
}

// A bare value of several lines is one statement, unless its lines bind names.
std::vector<tessera::Statement> joined(std::vector<tessera::Statement> statements, std::string_view text) {
  const bool all =
      std::ranges::all_of(statements, [](const tessera::Statement& s) { return s.kind == StatementKind::Expression; });
  if (statements.size() < 2 || !all || text.find(';') != std::string_view::npos) return statements;
  tessera::Statement whole = statements.front();
  whole.span.end = statements.back().span.end;
  whole.text = withoutComments(text.substr(whole.span.begin, whole.span.end - whole.span.begin), false);
  std::ranges::replace_if(
      whole.text, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return {whole};
}

// Whether every name of the expression is bound or a function of the language. The text is then an expression of the
// worksheet, also if its value is refused.
bool isOwnExpression(const Node& node, const Scope& scope) {
  const bool names = node.kind == Node::Kind::Name || node.kind == Node::Kind::Call;
  if (names && scope.find(node.text) == nullptr && findFunction(node.text) == nullptr) return false;
  const bool isMethod = !node.children.empty() && node.children.front()->span.begin < node.name.begin;
  if (node.kind == Node::Kind::Call && (!node.templateArgs.empty() || isMethod)) return false;
  if (node.kind == Node::Kind::Literal && node.literal == LiteralKind::Word) return false;  // GMMA::Layout_K_SW128_Atom
  return std::ranges::all_of(node.children, [&](const NodePtr& child) { return isOwnExpression(*child, scope); });
}
// No other dialect has these statements.
bool isOwnKind(StatementKind kind) {
  return kind == StatementKind::Show || kind == StatementKind::Prove || kind == StatementKind::Find ||
         kind == StatementKind::Run || kind == StatementKind::Task;
}
bool isOwnStatement(const tessera::Statement& statement, const Scope& scope) {
  if (statement.kind != StatementKind::Expression && statement.kind != StatementKind::Bind) return false;
  std::size_t from = 0;
  if (statement.kind == StatementKind::Bind) {
    from = statement.text.find('=');
    if (from == std::string::npos || statement.text.find('(') < from) return false;
    ++from;
  }
  const auto value = [&](const std::string& name) { return scope.find(name); };
  const Result<NodePtr> node = parseExpression(statement.text, from, statement.text.size(), value);
  const bool isCall = node && ((*node)->kind == Node::Kind::Call || (*node)->kind == Node::Kind::Compare);
  return isCall && isOwnExpression(**node, scope);
}

// The text, evaluated statement by statement. A name that nothing binds becomes a question and stands for 1 from then
// on.
class Sheet {
 public:
  Sheet(std::string_view text, const Given& given) : text_(text) {
    for (const auto& [name, value] : given.lets)
      if (isIdentifier(name) && isWordOf(text, name)) bindGiven(name, value);
  }

  // Whether every statement is read, but for its unbound names.
  [[nodiscard]] bool read() {
    std::vector<tessera::Statement> lines = splitStatements(text_);
    if (tryAll(lines)) return true;
    std::vector<tessera::Statement> one = joined(lines, text_);
    return one.size() < lines.size() && tryAll(std::move(one));
  }
  [[nodiscard]] const Diag& wrong() const { return wrong_; }
  // It is a text of the worksheet: what it refuses is refused, and no other dialect is asked.
  [[nodiscard]] bool isOwn() const { return isOwn_; }
  // The last value is more than a number or a word.
  [[nodiscard]] bool hasLayout() const { return hasLayout_; }

  [[nodiscard]] Reading reading() const {
    Reading out;
    out.dialect = kWorksheet.name;
    out.statements = given_;
    for (const tessera::Statement& s : statements_)
      out.statements.push_back(
          {s.kind == StatementKind::Bind || s.kind == StatementKind::Block ? s.name : "", s.text, s.span});
    out.questions = questions_;
    return out;
  }

 private:
  void bindGiven(const std::string& name, const std::string& value) {
    Statement statement{name, fmt::format("{} = {}", name, value), {}};
    for (const tessera::Statement& s : splitStatements(statement.text))
      if (evaluate(s, scope_).diag) return;
    given_.push_back(std::move(statement));
  }

  bool tryAll(std::vector<tessera::Statement> statements) {
    Scope scope = scope_;
    questions_.clear();
    statements_ = std::move(statements);
    if (statements_.empty()) wrong_ = Diag{"there is no statement", "a layout or a statement"};
    for (const tessera::Statement& s : statements_) {
      if (s.span.begin > kMostEvaluated) break;
      if (!tryOne(s, scope)) {
        isOwn_ = isOwn_ || isOwnKind(s.kind) || (questions_.empty() && isOwnStatement(s, scope));
        return false;
      }
      isOwn_ = isOwn_ || isOwnKind(s.kind);
    }
    return !statements_.empty();
  }

  bool tryOne(const tessera::Statement& statement, Scope& scope) {
    while (true) {
      const Evaluated done = evaluate(statement, scope);
      if (!done.diag) {
        if (done.value && isStrayWord(statement, *done.value)) {
          wrong_ = Diag{"a word that is no instruction", "a layout", "", statement.span};
          return false;
        }
        if (done.value) hasLayout_ = heldLayout(*done.value) != nullptr;
        // An open claim has a value once it is answered.
        if (!done.value && statement.kind == StatementKind::Bind) scope.bind(statement.name, Value(true));
        return true;
      }
      wrong_ = *done.diag;
      const std::string name(text_.substr(wrong_.span.begin, wrong_.span.end - wrong_.span.begin));
      const bool unbound = isIdentifier(name) && wrong_.message == fmt::format("'{}' is not defined", name);
      if (!unbound || questions_.size() == kMostUnknown) return false;
      questions_.push_back({name, "a name that no statement binds", fmt::format("--let {}=64", name), wrong_.span});
      scope.bind(name, Value(i64{1}));
    }
  }

  std::string_view text_;
  Scope scope_;
  std::vector<Statement> given_;
  std::vector<tessera::Statement> statements_;
  std::vector<Question> questions_;
  Diag wrong_;
  bool hasLayout_ = false;
  bool isOwn_ = false;
};

Result<Reading> readSheet(std::string_view text, const Given& given, bool& own) {
  const WorkBudget limit({.seconds = kSheetSeconds});
  try {
    Sheet sheet(text, given);
    const bool read = sheet.read();
    own = sheet.isOwn();
    if (!read) return sheet.wrong();
    return sheet.reading();
  } catch (const OutOfBudget& end) {
    if (!end.counted()) throw;
    return Diag{end.what(), "a worksheet whose statements take less work"};
  }
}

Result<Reading> readWorksheet(std::string_view text, const Given& given) {
  bool own = false;
  return readSheet(text, given, own);
}

int recognizesSheet(std::string_view text) {
  const Result<Reading> reading = readWorksheet(text, {});
  if (!reading) return 0;
  return reading->questions.empty() ? 2 : 0;
}

}  // namespace

const Dialect kWorksheet{"Tessera", recognizesSheet, readWorksheet};

bool isWorksheet(std::string_view text, const Given& given) {
  bool own = false;
  const Result<Reading> reading = readSheet(text, given, own);
  return own || (reading && reading->questions.empty());
}

}  // namespace tessera::paste
