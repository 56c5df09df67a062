#include "app/engine/source/source_statements.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/chars.h"
#include "core/base/work.h"
#include "core/worksheet/language/comments.h"

namespace tessera {
namespace {

using code::Comment;

constexpr std::string_view kMark = "tessera:";

constexpr auto kEndingsOfCpp = std::to_array<std::string_view>(
    {".cu", ".cuh", ".h", ".hh", ".hpp", ".hxx", ".c", ".cc", ".cpp", ".cxx", ".inl", ".ipp", ".hip", ".cl", ".metal"});
constexpr auto kEndingsOfPython = std::to_array<std::string_view>({".py", ".pyi"});

// Where the statements of the comment begin; npos: it has none.
std::size_t markedIn(std::string_view text, const Comment& comment) {
  std::size_t at = comment.inside.begin;
  const std::size_t end = comment.inside.end;
  while (at < end && (text[at] == '/' || text[at] == '*' || text[at] == '!' || text[at] == '#')) ++at;  // doc comments
  while (at < end && isBlank(text[at])) ++at;
  if (text.substr(at, std::min(kMark.size(), end - at)) != kMark) return std::string_view::npos;
  return at + kMark.size();
}

// How many brackets the text leaves open; its own comments and quoted texts do not count.
int openIn(std::string_view text) {
  int open = 0;
  bool quoted = false;
  for (std::size_t k = 0; k < text.size(); ++k) {
    if (text[k] == '"') quoted = !quoted;
    if (quoted) continue;
    if (text[k] == '/' && text.substr(k, 2) == "//") {
      k = std::min(text.find('\n', k), text.size());
      continue;
    }
    open += text[k] == '(' || text[k] == '[' || text[k] == '{' ? 1 : 0;
    open -= text[k] == ')' || text[k] == ']' || text[k] == '}' ? 1 : 0;
  }
  return open;
}

// One text with places of the file: blank but for the statements of one or more comments.
struct Unit {
  std::size_t begin = 0;
  std::string text;
  void copy(std::string_view file, std::size_t from, std::size_t to) {
    while (begin + text.size() < from) text += file[begin + text.size()] == '\n' ? '\n' : ' ';
    text += file.substr(from, to - from);
  }
};

// Blanks the ` *` before the lines of a block comment, if each line has one.
void withoutStars(std::string& text) {
  std::vector<std::size_t> stars;
  for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1)) {
    const std::size_t first = text.find_first_not_of(" \t\r", at + 1);
    if (first == std::string::npos || text[first] == '\n') continue;
    if (text[first] != '*') return;
    stars.push_back(first);
  }
  for (const std::size_t at : stars) text[at] = ' ';
}

// The end of the bracket that opens at `at`; npos: never closed.
std::size_t bracketEnd(std::string_view text, std::size_t at) {
  int open = 0;
  for (; at < text.size(); ++at) {
    open += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
    if (open == 0) return at + 1;
  }
  return std::string_view::npos;
}

// The end of `with N = 8, T = half` after a domain; `at` if there is none.
std::size_t withEnd(std::string_view text, std::size_t at) {
  const std::size_t word = text.find_first_not_of(" \t\r\n", at);
  if (word == std::string_view::npos || text.substr(word, 4) != "with" || word + 4 >= text.size() ||
      !isBlank(text[word + 4]))
    return at;
  std::size_t end = at, item = word + 4;
  while (true) {  // NAME = VALUE
    const std::size_t equals = text.find_first_of("=,;\n", item);
    if (equals == std::string_view::npos || text[equals] != '=') return end;
    int open = 0;
    std::size_t k = equals + 1;
    for (; k < text.size() && !(open == 0 && std::string_view(",;)\n").find(text[k]) != std::string_view::npos); ++k)
      open += text[k] == '(' ? 1 : text[k] == ')' ? -1 : 0;
    end = k;
    if (k >= text.size() || text[k] != ',') return end;
    item = k + 1;
  }
}

// Takes the domains, NAME over (row = 64, ...) [with ...], out of the text. `over (64)` ends a formula, and `} over`
// a block of code: these are not.
std::vector<SourceStatement::Domain> takeDomains(Unit& unit) {
  std::vector<SourceStatement::Domain> out;
  std::string& text = unit.text;
  bool quoted = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '"') quoted = !quoted;
    if (text[at] == '\n') quoted = false;
    if (quoted || text.compare(at, 4, "over") != 0 || at == 0 || !isBlank(text[at - 1])) continue;
    const std::size_t open = text.find_first_not_of(" \t\r\n", at + 4);
    if (open == std::string::npos || text[open] != '(') continue;
    const std::size_t close = bracketEnd(text, open);
    if (close == std::string_view::npos || text.find('=', open) >= close) continue;
    std::size_t end = at;
    while (end > 0 && isBlank(text[end - 1])) --end;
    std::size_t begin = end;
    while (begin > 0 && isNamePart(text[begin - 1])) --begin;
    if (begin == end || !isNameStart(text[begin]) || (begin > 0 && (text[begin - 1] == '.' || text[begin - 1] == ':')))
      continue;
    const std::size_t last = withEnd(text, close);
    out.push_back({{unit.begin + begin, unit.begin + end}, text.substr(at, last - at)});
    for (std::size_t k = at; k < last; ++k)
      if (text[k] != '\n') text[k] = ' ';
    at = last - 1;
  }
  return out;
}

class SourceReader {
 public:
  SourceReader(std::string_view text, code::Language language)
      : text_(text), comments_(code::commentsIn(text, language)) {}

  std::vector<SourceStatement> run() {
    for (std::size_t k = 0; k < comments_.size() && !full_;) {
      spend();
      const std::size_t from = markedIn(text_, comments_[k]);
      k = from == std::string_view::npos ? k + 1 : take(k, from);
    }
    return std::move(out_);
  }

 private:
  // The statements of comment k and of those that continue it; returns the next comment.
  std::size_t take(std::size_t k, std::size_t from) {
    const std::size_t first = k;
    Unit unit{from, {}};
    unit.copy(text_, from, comments_[k].inside.end);
    int open = comments_[k].isBlock ? 0 : openIn(unit.text);
    for (++k; open > 0 && k < comments_.size() && continues(k); ++k) {
      const std::size_t size = unit.text.size();
      unit.copy(text_, comments_[k].inside.begin, comments_[k].inside.end);
      open += openIn(std::string_view(unit.text).substr(size));
    }
    if (comments_[first].isBlock) withoutStars(unit.text);
    add(unit, first, k);
    return k;
  }
  // Whether comment k is alone on the line after comment k - 1, and begins nothing new.
  [[nodiscard]] bool continues(std::size_t k) const {
    const Comment& c = comments_[k];
    if (c.isBlock || !c.isAlone || markedIn(text_, c) != std::string_view::npos) return false;
    const std::string_view between = text_.substr(comments_[k - 1].span.end, c.span.begin - comments_[k - 1].span.end);
    return std::ranges::count(between, '\n') == 1;
  }

  void add(Unit& unit, std::size_t first, std::size_t next) {
    const code::Place place = placeOf(first, next);
    const std::vector<SourceStatement::Domain> domains = takeDomains(unit);
    while (counted_ < unit.begin) line_ += text_[counted_++] == '\n' ? 1 : 0;
    std::vector<Statement> statements = splitStatements(unit.text);
    if (statements.empty()) {
      Statement none;
      none.span = {comments_[first].span.begin, comments_[first].span.end};
      none.text = text_.substr(none.span.begin, none.span.end - none.span.begin);
      none.line = line_;
      none.diag = Diag{"there is no statement after `tessera:`", "a statement: prove injective(A)", "", none.span};
      return push({std::move(none), place, {}});
    }
    for (Statement& s : statements) {
      s.span = s.span.shifted(unit.begin);
      s.line += line_ - 1;
      if (s.diag) s.diag->span = s.diag->span.shifted(unit.begin);
      SourceStatement made{std::move(s), place, {}};
      for (const SourceStatement::Domain& d : domains)
        if (d.name.begin >= made.statement.span.begin && d.name.end <= made.statement.span.end)
          made.domains.push_back(d);
      push(std::move(made));
    }
  }

  void push(SourceStatement made) {
    if (full_) return;
    if (out_.size() + 1 == kMostSourceStatements) {
      full_ = true;
      made.statement.kind = StatementKind::Invalid;
      made.statement.diag =
          Diag{fmt::format("the comments of the file have more than {} statements", kMostSourceStatements - 1),
               "fewer statements", "split the file", made.statement.span};
    }
    out_.push_back(std::move(made));
  }

  // The place of a comment; the code after it if only comments are between.
  code::Place placeOf(std::size_t first, std::size_t next) {
    code::Place place{comments_[first].span.begin, comments_[first].isAlone, {}};
    if (!place.isAlone) return place;
    if (known_ > first && known_ != 0) {
      place.next = code_;
      return place;
    }
    std::size_t at = comments_[next - 1].span.end;
    for (known_ = next;; ++known_) {
      while (at < text_.size() && isBlank(text_[at])) ++at;
      if (known_ >= comments_.size() || comments_[known_].span.begin != at) break;
      at = comments_[known_].span.end;
    }
    code_ = at < text_.size() ? std::optional(at) : std::nullopt;
    place.next = code_;
    return place;
  }

  std::string_view text_;
  std::vector<Comment> comments_;
  std::vector<SourceStatement> out_;
  std::size_t counted_ = 0;  // bytes before line_
  int line_ = 1;
  std::size_t known_ = 0;            // comments before this one are before code_
  std::optional<std::size_t> code_;  // the code after them
  bool full_ = false;
};

}  // namespace

std::string SourceStatement::bindsDomain() const {
  if (domains.size() != 1 || statement.kind != StatementKind::Expression) return "";
  const std::string_view name = stripped(statement.text);
  const Span span = domains.front().name;
  return span.begin == statement.span.begin && span.end - span.begin == name.size() ? std::string(name) : "";
}

std::vector<SourceStatement> sourceStatements(std::string_view text, code::Language language) {
  return SourceReader(text, language).run();
}

std::optional<code::Language> sourceLanguageOf(std::string_view path) {
  const auto ends = [&](std::string_view ending) { return path.ends_with(ending); };
  if (std::ranges::any_of(kEndingsOfCpp, ends)) return code::Language::Cpp;
  if (std::ranges::any_of(kEndingsOfPython, ends)) return code::Language::Python;
  return std::nullopt;
}

}  // namespace tessera
