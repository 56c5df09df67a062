// Statements: what each kind does with its expression. A statement is parsed with its comments blanked out, so places
// are relative to its first byte; evaluate() finally moves them into the document.
#include "core/worksheet/worksheet.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/atlas/guess.h"
#include "core/base/chars.h"
#include "core/code/index_code.h"
#include "core/notation/indexing/map.h"
#include "core/worksheet/extension.h"
#include "core/worksheet/functions/functions.h"
#include "core/worksheet/functions/thread_value.h"
#include "core/worksheet/functions/tile_value.h"
#include "core/worksheet/language/comments.h"
#include "core/worksheet/language/place.h"
#include "core/worksheet/language/syntax.h"
#include "core/worksheet/language/words.h"
#include "core/worksheet/statements/evaluator.h"
#include "core/worksheet/statements/find_statement.h"
#include "core/worksheet/statements/mend.h"
#include "core/worksheet/statements/task.h"

namespace tessera {
namespace {

struct Piece {
  std::string text;
  Span span;
};
std::vector<Piece> wordsOf(std::string_view text, std::size_t from, std::size_t to) {
  std::vector<Piece> out;
  for (std::size_t i = skipBlanks(text.substr(0, to), from); i < to; i = skipBlanks(text.substr(0, to), i)) {
    const std::size_t begin = i;
    while (i < to && !isBlank(text[i])) ++i;
    out.push_back({std::string(text.substr(begin, i - begin)), {begin, i}});
  }
  return out;
}

constexpr std::array<Method, 6> kMethods = {Method::Auto, Method::Simplify,   Method::Strided,
                                            Method::F2,   Method::Exhaustive, Method::Z3};

constexpr std::size_t kMostQuoted = 4096;  // bytes of a statement that a claim may quote

class StatementEvaluator {
 public:
  StatementEvaluator(const Statement& statement, Scope& scope)
      : statement_(statement),
        text_(withoutComments(statement.text, statement.slashesDivide)),
        scope_(scope),
        evaluator_(text_, scope) {}

  Evaluated run() {
    if (statement_.kind == StatementKind::Invalid) {
      out_.diag = statement_.diag ? *statement_.diag : Diag{"this statement cannot be read", "", "", statement_.span};
      return std::move(out_);
    }
    if (const Result<void> done = evaluated(); !done) {
      out_.diag = done.error();
      if (out_.diag->hint.empty() && statement_.slashesDivide && text_.find("//") != std::string::npos)
        out_.diag->hint = "in a one-line argument // divides; write a comment as /* ... */";
      out_.value = {};
      out_.request = {};
      out_.diag->span = out_.diag->span.shifted(statement_.span.begin);
    }
    if (statement_.kind != StatementKind::Block) warnOfDivisor();
    out_.notes = std::move(evaluator_.notes());
    for (Diag& note : out_.notes) note.span = note.span.shifted(statement_.span.begin);
    return std::move(out_);
  }

 private:
  Result<void> evaluated() {
    switch (statement_.kind) {
      case StatementKind::Bind:
        return bind();
      case StatementKind::Expression:
        TESSERA_CHECKED(expression(0, text_.size()));
        return instruction();
      case StatementKind::Show:
        return show();
      case StatementKind::Prove:
        return prove();
      case StatementKind::Assert:
        return assertion();
      case StatementKind::Find:
        return find();
      case StatementKind::Run:
        return runProgram();
      case StatementKind::Task:
        return task();
      case StatementKind::Block:
        return block();
      case StatementKind::Invalid:
        break;
    }
    return {};
  }

  // 20 // 3: warns if the comment looks like a divisor: it closes a bracket of the statement, is a number, or is an
  // expression in brackets; (scratch) is prose unless scratch is a number.
  void warnOfDivisor() {
    const std::string_view text = statement_.text;
    const std::size_t end = trimEnd(text_, 0, text_.size());
    if (end == text.size()) return;
    const std::size_t slashes = text.find("//", end);
    if (slashes == std::string_view::npos || text.find('\n', slashes) != std::string_view::npos) return;
    const std::string_view divisor = divisorIn(text.substr(slashes + 2));
    const auto closes = std::ranges::count(divisor, ')') > std::ranges::count(divisor, '(');
    if (divisor.empty() || (!closes && !isDivisor(text.size() - divisor.size(), text.size()))) return;
    evaluator_.notes().push_back(Diag{"comment; write floordiv",
                                      "in a worksheet // begins a comment",
                                      fmt::format("{} floordiv {}", shownEnd(text_.substr(0, end)), cleaned(divisor)),
                                      {slashes, text.size()}});
  }
  // The last word, number or bracket of the preceding text.
  static std::string shownEnd(std::string_view text) {
    std::size_t from = text.size();
    while (from > 0 && isNamePart(text[from - 1])) --from;
    return from == text.size() ? "..." : cleaned(text.substr(from));
  }
  [[nodiscard]] bool isDivisor(std::size_t from, std::size_t to) {
    const Result<NodePtr> node = parseExpression(statement_.text, from, to, [](const std::string&) { return nullptr; });
    if (!node) return false;
    switch ((*node)->kind) {
      case Node::Kind::Name: {
        const Value* value = scope_.find((*node)->text);
        return value != nullptr && std::holds_alternative<i64>(*value);
      }
      case Node::Kind::Literal:
        return (*node)->value && std::holds_alternative<i64>(*(*node)->value);
      case Node::Kind::Negate:
      case Node::Kind::Sum:
      case Node::Kind::Product:
      case Node::Kind::Call:
        return true;
      default:
        return false;
    }
  }

  [[nodiscard]] Diag later(std::string_view word, std::string_view what) const {
    const std::size_t end = skipWord(text_, 0);
    return Diag{fmt::format("'{}': {} is not supported yet", word, what),
                "an expression, NAME = expression, show, prove or assert",
                "",
                {0, end}};
  }

  [[nodiscard]] bool isClaim() { return claim() != nullptr || std::holds_alternative<EqualRequest>(out_.request); }
  [[nodiscard]] ProveRequest* claim() { return std::get_if<ProveRequest>(&out_.request); }

  // The value or claim of text_[from, to).
  Result<void> expression(std::size_t from, std::size_t to) {
    TESSERA_TRY(const bool programs, equalPrograms(from, to));
    if (programs) return {};
    TESSERA_TRY(NodePtr node, evaluator_.parse(from, to));
    if (auto claim = claimOf(*node, text_, evaluator_)) {
      TESSERA_TRY(out_.request, *std::move(claim));
      return {};
    }
    Result<Value> value = evaluator_.evaluate(*node);
    out_.operation = evaluator_.takeOperation();
    TESSERA_TRY(out_.value, std::move(value));
    root_ = std::move(node);
    if (auto missing = missingElementType(*out_.value))
      evaluator_.notes().push_back(Diag{*std::move(missing), "", "", root_->span});
    return {};
  }

  // show E as steps: the derivation of E, as in explain(E). The view rejects values without a derivation.
  Result<void> derivation(std::size_t from, std::size_t to) {
    Result<NodePtr> node = evaluator_.parse(from, to);
    if (!node) return expression(from, to);
    const bool explained = (*node)->kind == Node::Kind::Call && (*node)->text == "explain";
    Result<Value> steps = explained ? evaluator_.evaluate(**node) : explainNode(**node, evaluator_);
    TESSERA_TRY(out_.value, std::move(steps));
    root_ = *std::move(node);
    return {};
  }

  // A bare hardware word, ldmatrix.x4, denotes the instruction; after `=` it stays a word, which functions read. False:
  // no such instruction.
  Result<void> instruction() {
    const Text* word = !out_.value || root_->text.starts_with('"') ? nullptr : std::get_if<Text>(&*out_.value);
    if (word == nullptr || (root_->kind != Node::Kind::Literal && root_->kind != Node::Kind::Name)) return {};
    Result<InstructionGuess> guess = guessInstruction(word->text);
    if (!guess) {
      if (root_->kind == Node::Kind::Name && word->text != root_->text) return {};  // a name bound to a text
      Diag diag = std::move(guess.error());
      diag.span = root_->span;
      return diag;
    }
    if (!guess->note.empty()) evaluator_.notes().push_back(Diag{guess->note, "", guess->hint, root_->span});
    out_.value = Value(std::move(guess->row));
    return {};
  }

  Result<void> bind() {
    const std::size_t nameEnd = skipWord(text_, text_.front() == '#' ? 1 : 0);
    for (const std::string_view reserved : {"o", "_", "and", "or", "not", "true", "false"}) {
      if (statement_.name == reserved) {
        return Diag{fmt::format("'{}' is a word of the language and cannot be a name", reserved),
                    "another name",
                    "",
                    {0, nameEnd}};
      }
    }
    if (!code::codeBlockName(text_).empty()) return codeBlock();
    const std::size_t equals = skipBlanks(text_, nameEnd);
    if (isBlankAfter(equals)) return blank();
    const Result<void> bound = text_[equals] == '(' ? formula() : boundExpression(equals);
    if (!bound && hasBlankArgument(equals)) return blank();
    TESSERA_CHECKED(bound);
    if (findFunction(statement_.name) != nullptr || isClaimName(statement_.name)) {
      Diag note{fmt::format("'{}' now hides the function of that name", statement_.name), "", "", {0, nameEnd}};
      evaluator_.notes().push_back(std::move(note));
    }
    if (out_.value && text_.size() <= kMostQuoted)
      scope_.bindQuoted(statement_.name, out_.value, out_.operation, text_);
    else if (out_.value)
      scope_.bind(statement_.name, out_.value, out_.operation);
    return {};
  }

  // S = ?, S(row, col) = ? or S(row, col) = ? over (64, 64)
  [[nodiscard]] bool isBlankAfter(std::size_t equals) const {
    if (text_[equals] == '(') equals = text_.find('=', equals);
    if (equals == std::string::npos) return false;
    const std::size_t mark = skipBlanks(text_, equals + 1);
    if (mark >= text_.size() || text_[mark] != '?') return false;
    const std::string_view rest = std::string_view(text_).substr(mark + 1);
    return stripped(rest).empty() || (isBlank(rest.front()) && stripped(rest).starts_with("over"));
  }
  // Sw<?,3,3> o A, (8,8):(?,1): a '?' where a number or a layout is expected. Text that can be read has no blank.
  [[nodiscard]] bool hasBlankArgument(std::size_t from) const {
    for (std::size_t at = text_.find('?', from); at != std::string::npos; at = text_.find('?', at + 1)) {
      const std::size_t before = trimEnd(text_, 0, at), after = skipBlanks(text_, at + 1);
      const char left = before > 0 ? text_[before - 1] : '\0', right = after < text_.size() ? text_[after] : '\0';
      const bool composed = left == 'o' && before < at && before > 1 && isBlank(text_[before - 2]);
      const bool opens = std::string_view("<(,[:=*+-").find(left) != std::string_view::npos || composed;
      const bool closes = std::string_view(">),]:*+-").find(right) != std::string_view::npos || right == 'o';
      if (opens && (closes || right == '\0')) return true;
    }
    return false;
  }
  Result<void> blank() {
    out_.blank = statement_.name;
    out_.value = {};
    scope_.bindBlank(statement_.name);
    return {};
  }

  // cuda NAME { ... } over (64, 64)
  Result<void> codeBlock() {
    TESSERA_CHECKED(expression(0, text_.size()));
    if (out_.value) scope_.bind(statement_.name, out_.value, out_.operation);
    return {};
  }

  // S(row, col) = row * 64 + col over (64, 64)
  Result<void> formula() {
    TESSERA_TRY(indexing::IndexFormula formula, indexing::parseFormula(text_));
    out_.value = Value(std::move(formula.map));
    return {};
  }

  Result<void> boundExpression(std::size_t equals) {
    const std::size_t begin = skipBlanks(text_, equals + 1);
    if (text_.compare(begin, 5, "find ") == 0) return boundSearch(begin);
    if (begin < text_.size()) return expression(equals + 1, text_.size());
    return Diag{fmt::format("the expression after '{} =' is missing", cleaned(statement_.name.substr(0, 60))),
                "an expression",
                "",
                {equals, equals + 1}};
  }

  // L = find layout where ...: blanks keep the places in the text.
  Result<void> boundSearch(std::size_t begin) {
    std::fill_n(text_.begin(), begin, ' ');
    const std::string_view searched = std::string_view(text_).substr(begin);
    if (isInverse(searched)) {
      TESSERA_TRY(out_.request, parseInverse(text_, evaluator_));
      return {};
    }
    return swizzleSearch();
  }

  Result<void> swizzleSearch() {
    TESSERA_TRY(std::optional<Layout> found, swizzleForAccesses(text_, evaluator_));
    if (found) {
      out_.value = Value(*std::move(found));
    } else {
      TESSERA_TRY(out_.request, parseFind(text_, evaluator_));
    }
    return {};
  }

  // hlo NAME { ... }, graphene NAME { ... }: binds the module or the program to NAME.
  Result<void> block() {
    const std::string word = text_.substr(0, skipWord(text_, 0));
    if (extension().block != nullptr) {
      TESSERA_TRY(std::optional<Value> value, extension().block(word, statement_.text, evaluator_.notes()));
      if (value) out_.value = *std::move(value);
    }
    if (!out_.value) return later(word, "this kind of block");
    scope_.bind(statement_.name, out_.value);
    return {};
  }

  // %d:[2,4].fp16.RF holds [16,16] as LAYOUT: this `as` does not begin a view.
  static bool endsInHolds(std::string_view text, std::size_t from, std::size_t to) {
    to = trimEnd(text, from, to);
    if (to == from || text[to - 1] != ']') return false;
    const std::size_t open = text.rfind('[', to - 1);
    if (open == std::string_view::npos || open < from) return false;
    to = trimEnd(text, from, open);
    constexpr std::string_view kWord = "holds";
    return to - from > kWord.size() && text.substr(to - kWord.size(), kWord.size()) == kWord &&
           isBlank(text[to - kWord.size() - 1]);
  }

  Result<void> show() {
    const std::size_t from = skipWord(text_, 0);
    const std::size_t last = findClause(text_, from, text_.size(), "as");
    const std::size_t as = last != std::string::npos && endsInHolds(text_, from, last) ? std::string::npos : last;
    const std::size_t to = trimEnd(text_, from, as == std::string::npos ? text_.size() : as);
    const std::size_t begin = skipBlanks(text_, from);
    if (begin >= to) return Diag{"show what?", "show EXPRESSION as VIEW", "show A as grid", {0, from}};
    std::vector<Piece> words = as == std::string::npos ? std::vector<Piece>() : wordsOf(text_, as + 2, text_.size());
    const bool steps = !words.empty() && words.front().text == "steps";
    TESSERA_CHECKED(steps ? derivation(begin, to) : expression(begin, to));
    if (isClaim()) return {};  // show its verdict
    TESSERA_CHECKED(instruction());
    ShowRequest request;
    request.name = text_.substr(begin, to - begin);
    if (const std::string note = baseAddressNote(*out_.value); !note.empty() && evaluator_.notes().empty())
      evaluator_.notes().push_back(Diag{note, "", "", root_->span});
    if (as != std::string::npos) {
      if (words.empty())
        return Diag{"the view is missing after 'as'", "grid, memory, flow, algebra, f2 ...", "", {as, as + 2}};
      TESSERA_CHECKED(viewWords(words, request));
    }
    request.value = std::move(out_.value);
    out_.value = {};
    out_.request = std::move(request);
    return {};
  }

  // The view and the words after it; commas between them are ignored. An access here applies to the shown value.
  Result<void> viewWords(std::vector<Piece>& words, ShowRequest& request) {
    for (Piece& word : words)
      if (word.text.size() > 1 && word.text.back() == ',') word.text.pop_back();
    request.view = words.front().text;
    for (std::size_t k = 1; k < words.size(); ++k) request.arguments.push_back(words[k].text);
    if (request.view.find('.') != std::string::npos && parseAccess(request.view)) {
      return Diag{fmt::format("{} is an access, not a view", request.view), "an access is written over the layout",
                  fmt::format("show {} over {}", request.view, request.name), words.front().span};
    }
    if (request.view == "banks" && words.size() == 1) {
      TESSERA_TRY(auto shown, worstAccessOf(*out_.value));
      if (shown) {
        out_.value = Value(std::move(shown->access));
        evaluator_.notes().push_back(Diag{std::move(shown->note), "", "", words.front().span});
        return {};
      }
    }
    if (request.view == "banks" && std::holds_alternative<Layout>(*out_.value) && !elementBitsOf(*out_.value) &&
        std::none_of(words.begin() + 1, words.end(), [](const Piece& word) { return elementBits(word.text).ok(); })) {
      request.arguments.insert(request.arguments.begin(), "f16");
      evaluator_.notes().push_back(
          Diag{"the elements are assumed to be f16", "", "for another type: as banks f32", words.front().span});
    }
    return {};
  }

  Result<void> prove() {
    const std::size_t from = skipWord(text_, 0);
    return claimAt(from, text_.size(), text_.substr(0, from));
  }

  // CLAIM by METHOD, or PROGRAM on ARCHITECTURE by METHOD, in text_[from, last).
  Result<void> claimAt(std::size_t from, std::size_t last, const std::string& word) {
    const std::size_t by = findClause(text_, from, last, "by");
    const std::size_t to = trimEnd(text_, from, by == std::string::npos ? last : by);
    const std::size_t begin = skipBlanks(text_, from);
    if (begin >= to) return Diag{word + " what?", "prove CLAIM", "prove injective(A)", {0, from}};
    TESSERA_TRY(const bool programs, equalPrograms(begin, last));
    if (programs) return {};
    const std::size_t on = findClause(text_, from, to, "on");
    const std::size_t end = trimEnd(text_, begin, on == std::string::npos ? to : on);
    TESSERA_CHECKED(expression(isRefutation(begin, end) ? skipBlanks(text_, begin + 3) : begin, end));
    if (claim() == nullptr && std::holds_alternative<graphene::Listing>(*out_.value))
      return checkProgram(begin, to, on, by, last);
    if (claim() == nullptr) {
      return Diag{"this is not a claim",
                  "injective, surjective, bijective, equal, roundtrip, in_bounds, conflict_free, coalesced ...; "
                  "or the name of a graphene block",
                  std::holds_alternative<bool>(*out_.value) ? "assert CONDITION checks a condition" : "",
                  {begin, to}};
    }
    if (on != std::string::npos)
      return Diag{"only programs are checked on an architecture", "prove CLAIM by METHOD", "", {on, to}};
    if (by == std::string::npos) return {};
    const std::vector<Piece> words = wordsOf(text_, by + 2, last);
    if (words.size() != 1)
      return Diag{"'by' needs one method", "z3, exhaustive, f2, strided or simplify", "", {by, by + 2}};
    const auto* method =
        std::ranges::find_if(kMethods, [&](Method m) { return words.front().text == tessera::name(m); });
    if (method == kMethods.end()) {
      return Diag{fmt::format("there is no method '{}'", words.front().text), "z3, exhaustive, f2, strided or simplify",
                  "", words.front().span};
    }
    claim()->claim.method = *method;
    return {};
  }

  // equal(NAME, OTHER) ... of programs. False: it is about other values.
  Result<bool> equalPrograms(std::size_t begin, std::size_t end) {
    if (extension().equal == nullptr) return false;
    TESSERA_TRY(std::optional<EqualRequest> request, extension().equal(text_, begin, end, evaluator_));
    if (!request) return false;
    out_.request = *std::move(request);
    return true;
  }

  // `not NAME` of a program asks for the finding; the request's text keeps it.
  [[nodiscard]] bool isRefutation(std::size_t begin, std::size_t end) {
    if (text_.substr(begin, 4) != "not ") return false;
    const std::size_t name = skipBlanks(text_, begin + 4);
    const Value* bound = name < end ? scope_.find(text_.substr(name, end - name)) : nullptr;
    return bound != nullptr && std::holds_alternative<graphene::Listing>(*bound);
  }

  // prove NAME on sm_90 by z3: of a program
  Result<void> checkProgram(std::size_t begin, std::size_t to, std::size_t on, std::size_t by, std::size_t last) {
    CheckRequest request;
    request.text = text_.substr(begin, to - begin);
    if (on != std::string::npos) {
      const std::vector<Piece> words = wordsOf(text_, on + 2, to);
      if (words.size() != 1 || !words[0].text.starts_with("sm_"))
        return Diag{"'on' needs one architecture", "sm_80, sm_90 ...", "", {on, to}};
      request.architecture = words[0].text;
    }
    if (by != std::string::npos) {
      const std::vector<Piece> words = wordsOf(text_, by + 2, last);
      if (words.size() != 1 || (words[0].text != "z3" && words[0].text != "running"))
        return Diag{"a program is checked by running it or by z3", "by running, by z3", "", {by, last}};
      request.method = words[0].text;
    }
    request.listing = std::get<graphene::Listing>(*std::move(out_.value));
    out_.value = {};
    out_.request = std::move(request);
    return {};
  }

  // task "TITLE": CLAIM and CONDITION { ... }. What a learner has not finished yet is no error of the task.
  Result<void> task() {
    TESSERA_TRY(Task read, readTask(statement_.text));
    std::vector<Span> parts;
    const std::size_t begin = read.claimAt.begin;
    std::size_t end = read.claimAt.end;
    out_.task = std::move(read);
    for (std::size_t at = 0; findClause(text_, begin - 1, end, "or") == std::string::npos; end = at) {
      at = findClause(text_, begin - 1, end, "and");
      if (at == std::string::npos) break;
      parts.push_back({at + 3, end});
    }
    parts.push_back({begin, end});
    TaskRequest request;
    for (auto part = parts.rbegin(); part != parts.rend() && request.failed.empty(); ++part) {
      const Result<void> done = taskPart(*part, request);
      if (!done) request.failed = done.error().message;
      out_.value = {};
      out_.operation = {};
      out_.request = {};
    }
    out_.request = std::move(request);
    return {};
  }

  Result<void> taskPart(Span part, TaskRequest& request) {
    const Result<void> done = claimAt(part.begin, part.end, "task");
    if (ProveRequest* asked = claim()) request.claims.emplace_back(std::move(*asked));
    if (auto* check = std::get_if<CheckRequest>(&out_.request)) request.claims.emplace_back(std::move(*check));
    if (auto* equal = std::get_if<EqualRequest>(&out_.request)) request.claims.emplace_back(std::move(*equal));
    const auto* holds = out_.value ? std::get_if<bool>(&*out_.value) : nullptr;
    if (holds == nullptr) return done;
    request.refuted = !*holds;
    return *holds ? Result<void>() : failedAssertion(part);
  }

  Result<void> runProgram() {
    if (extension().run == nullptr) return later("run", "running a program");
    TESSERA_TRY(out_.request, extension().run(text_, evaluator_));
    return {};
  }

  Result<void> find() {
    if (isInverse(text_)) {
      TESSERA_TRY(out_.request, parseInverse(text_, evaluator_));
      return {};
    }
    return swizzleSearch();
  }

  Result<void> assertion() {
    const std::size_t from = skipWord(text_, 0);
    const std::size_t begin = skipBlanks(text_, from);
    if (begin >= text_.size()) return Diag{"assert what?", "assert CONDITION", "assert size(A) == 64", {0, from}};
    TESSERA_CHECKED(expression(begin, text_.size()));
    if (isClaim()) return {};
    const auto* holds = std::get_if<bool>(&*out_.value);
    if (holds == nullptr) {
      return Diag{fmt::format("assert needs a condition; this is {}", nounOf(*out_.value)),
                  "a comparison such as size(A) == 64, or a claim",
                  "",
                  {begin, text_.size()}};
    }
    if (!*holds) return failedAssertion({begin, text_.size()});
    return {};
  }

  // "it does not hold: 63 == 64"
  [[nodiscard]] Diag failedAssertion(Span span) {
    Diag diag{"this does not hold", "", "", span};
    if (root_->kind != Node::Kind::Compare) return diag;
    const Result<Value> left = evaluator_.evaluate(*root_->children[0]);
    const Result<Value> right = evaluator_.evaluate(*root_->children[1]);
    if (left && right) {
      diag.message = fmt::format("this does not hold: {} {} {}", shortened(print(*left)), root_->operators.front(),
                                 shortened(print(*right)));
    }
    return diag;
  }
  static std::string shortened(std::string text) {
    if (text.size() > 120) text = text.substr(0, 117) + "...";
    return text;
  }

  const Statement& statement_;
  std::string text_;
  Scope& scope_;
  Evaluator evaluator_;
  Evaluated out_;
  NodePtr root_;
};

}  // namespace

Evaluated evaluateAsWritten(const Statement& statement, Scope& scope) {
  return StatementEvaluator(statement, scope).run();
}

namespace {

// With the edit that would make it valid, if there is one.
Evaluated evaluateOrMend(const Statement& statement, Scope& scope) {
  Evaluated out = evaluateAsWritten(statement, scope);
  if (!out.diag || statement.kind == StatementKind::Invalid) return out;
  const std::size_t from = statement.span.begin;
  const Span at = out.diag->span.begin >= from ? Span{out.diag->span.begin - from, out.diag->span.end - from} : Span{};
  auto fixed = mended(statement, scope, at);
  if (!fixed) return out;
  out.diag->hint = "did you mean " + fixed->text;
  const auto says = [&](std::string_view what) { return out.diag->message.find(what) != std::string::npos; };
  if (says("never close") || says("closes nothing")) return out;  // the message already names the bracket
  out.diag->message = std::move(fixed->message);
  out.diag->expected.clear();
  out.diag->span = fixed->place.shifted(from);
  return out;
}

// The first blank that an evaluation has read; "": none.
std::string blankRead(const Scope::Trace& trace) {
  const auto blank = std::ranges::find_if(trace.reads, [](const auto& r) { return r.second && r.second->blank; });
  return blank == trace.reads.end() ? std::string() : blank->first;
}

}  // namespace

Evaluated evaluate(const Statement& statement, Scope& scope) {
  if (!scope.hasBlanks()) return evaluateOrMend(statement, scope);
  // In a copy, because the scope may keep another trace, or be read by other threads.
  Scope own = scope;
  Scope::Trace trace;
  own.keepTrace(&trace);
  Evaluated out = evaluateAsWritten(statement, own);
  if (std::string blank = blankRead(trace); !blank.empty()) {
    Shared<Task> task = std::move(out.task);
    out = Evaluated();
    out.task = std::move(task);
    out.blank = std::move(blank);
    if (!statement.name.empty()) own.bindBlank(statement.name);
  } else if (out.diag) {
    out = evaluateOrMend(statement, own);
  }
  scope.adopt(trace);
  return out;
}

}  // namespace tessera
