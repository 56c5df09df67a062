// The document as a whole: outline, tokens, folds.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/engine/help/code_tokens.h"
#include "app/engine/names/sheet_names.h"
#include "app/engine/prose.h"
#include "app/lsp/features.h"
#include "core/base/chars.h"
#include "core/graphene/program.h"
#include "core/worksheet/language/comments.h"
#include "core/worksheet/statements/task.h"
#include "core/worksheet/value.h"

namespace tessera::lsp {
namespace {

// --- symbols ---------------------------------------------------------------------------------------------------------

enum class SymbolKind : int { Module = 2, Field = 8, Function = 12, Variable = 13, String = 15, Event = 24 };

struct Symbol {
  std::string name, detail;
  SymbolKind kind = SymbolKind::Variable;
  Span span, selected;
  std::vector<Symbol> children = {};
};

Json jsonOfSymbol(const Symbol& s, const Text& text) {
  Json out = {{"name", s.name.empty() ? " " : s.name},
              {"kind", static_cast<int>(s.kind)},
              {"range", rangeOf(s.span, text)},
              {"selectionRange", rangeOf(s.selected, text)}};
  if (!s.detail.empty()) out["detail"] = s.detail;
  for (const Symbol& c : s.children) out["children"].push_back(jsonOfSymbol(c, text));
  return out;
}

constexpr std::size_t kMostDetail = 200;

// What a program declares: tensors and specifications, nested as they are.
std::vector<Symbol> partsOf(const graphene::Body& body, const Known& known, std::size_t block) {
  std::vector<Symbol> out;
  const auto tensor = [&](const graphene::Tensor& t, Span span) {
    out.push_back({nameOf(t), print(t), SymbolKind::Field, span, span});
  };
  for (const graphene::Statement& s : body) {
    const auto span = known.inText(s.span.shifted(block));
    if (!span) continue;
    if (const auto* spec = std::get_if<graphene::Spec>(&s.what)) {
      // The body of a call is where its definition is.
      std::vector<Symbol> inner = spec->called.empty() ? partsOf(spec->body, known, block) : std::vector<Symbol>();
      out.push_back({headOf(*spec), "", SymbolKind::Function, *span, {span->begin, span->begin}, std::move(inner)});
    } else if (const auto* define = std::get_if<graphene::Define>(&s.what)) {
      tensor(define->tensor, *span);
    } else if (const auto* temporary = std::get_if<graphene::Temporary>(&s.what)) {
      tensor(temporary->tensor, *span);
    } else if (const auto* loop = std::get_if<graphene::Loop>(&s.what)) {
      for (Symbol& inner : partsOf(loop->body, known, block)) out.push_back(std::move(inner));
    }
  }
  return out;
}

void addSymbols(std::vector<Symbol>& out, const Outcome& o, const Known& known) {
  const Statement& s = o.statement;
  const bool block = s.kind == StatementKind::Block;
  const auto* listing = block && o.value ? std::get_if<graphene::Listing>(&*o.value) : nullptr;
  std::vector<Symbol> parts;
  if (listing != nullptr) parts = partsOf(listing->program->specs, known, s.span.begin);
  const auto span = known.inText(s.span);
  if (!span) {  // the block that is the document
    for (Symbol& part : parts) out.push_back(std::move(part));
    return;
  }
  if (s.kind == StatementKind::Task && o.learner.task) {
    out.push_back({o.learner.task->title, "", SymbolKind::Event, *span, {span->begin, span->begin + 4}});
  } else if ((s.kind == StatementKind::Bind || block) && !s.name.empty()) {
    const std::size_t at = placeOfName(s) - known.shift;
    const std::string detail = o.value && !block ? cutLine(print(*o.value), kMostDetail) : "";
    out.push_back({s.name,
                   detail,
                   block ? SymbolKind::Module : SymbolKind::Variable,
                   *span,
                   {at, std::min(at + s.name.size(), span->end)},
                   std::move(parts)});
  }
}

struct Heading {
  int level;
  Span line;
  std::string title;
};

std::vector<Heading> headingsOf(const Text& text) {
  std::vector<Heading> out;
  for (std::size_t k = 0; k < text.lines(); ++k) {
    const Span line = text.line(k);
    const auto comment = readComment(text.bytes(), line.begin, line.end);
    if (comment && comment->kind == CommentKind::Heading)
      out.push_back({comment->level, line, text.bytes().substr(comment->content, line.end - comment->content)});
  }
  return out;
}

// Symbols inside the sections of the headings above them.
std::vector<Symbol> inSections(std::vector<Symbol> symbols, const Text& text) {
  std::vector<Symbol> out;
  std::vector<std::pair<int, Symbol>> open;
  const auto close = [&](std::size_t end) {
    Symbol done = std::move(open.back().second);
    open.pop_back();
    done.span.end = end;
    (open.empty() ? out : open.back().second.children).push_back(std::move(done));
  };
  std::size_t next = 0;
  const auto take = [&](std::size_t until) {
    for (; next < symbols.size() && symbols[next].span.begin < until; ++next)
      (open.empty() ? out : open.back().second.children).push_back(std::move(symbols[next]));
  };
  for (Heading& h : headingsOf(text)) {
    take(h.line.begin);
    while (!open.empty() && open.back().first >= h.level) close(h.line.begin);
    open.emplace_back(h.level, Symbol{std::move(h.title), "", SymbolKind::String, h.line, h.line});
  }
  take(text.bytes().size() + 1);
  while (!open.empty()) close(text.bytes().size());
  return out;
}

// --- tokens ----------------------------------------------------------------------------------------------------------

// Whether each byte of the sheet, unless it is a blank, is in a comment: the text between statements, and what
// withoutComments blanks.
std::vector<bool> commentsOf(std::string_view sheet) {
  std::vector<bool> comment(sheet.size(), false);
  std::size_t done = 0;
  const auto between = [&](std::size_t end) {
    for (bool slashes = false; done < end; ++done) {
      slashes = sheet[done] != '\n' && (slashes || sheet.substr(done, 2) == "//");
      comment[done] = slashes || sheet[done] != ';';
    }
  };
  for (const Statement& s : splitStatements(sheet)) {
    between(std::min(s.span.begin, sheet.size()));
    const std::string clean = withoutComments(s.text, s.slashesDivide);
    for (std::size_t k = 0; k < clean.size() && s.span.begin + k < sheet.size(); ++k)
      comment[s.span.begin + k] = clean[k] != s.text[k];
    done = std::max(done, std::min(s.span.end, sheet.size()));
  }
  between(sheet.size());
  return comment;
}

// The tokens of the protocol: five numbers each, relative to the token before.
class TokenWriter {
 public:
  explicit TokenWriter(const Text& text) : text_(text) {}
  void add(Span span, CodeInk ink) {
    while (span.begin < span.end && isBlank(text_.bytes()[span.begin])) ++span.begin;
    while (span.begin < span.end && isBlank(text_.bytes()[span.end - 1])) --span.end;
    if (ink == CodeInk::Plain || span.empty()) return;
    const Place from = text_.at(span.begin), to = text_.at(span.end);
    const std::size_t line = from.line - last_.line;
    for (const std::size_t n : {line, line > 0 ? from.character : from.character - last_.character,
                                to.character - from.character, static_cast<std::size_t>(ink) - 1, std::size_t{0}})
      data_.push_back(n);
    last_ = from;
  }
  Json take() { return std::move(data_); }

 private:
  const Text& text_;
  Place last_;
  Json data_ = Json::array();
};

}  // namespace

Json symbolsOf(const Known& known, const Json&) {
  std::vector<Symbol> symbols;
  for (const auto& o : known.outcomes()) addSymbols(symbols, *o, known);
  Json out = Json::array();
  for (const Symbol& s : inSections(std::move(symbols), *known.text)) out.push_back(jsonOfSymbol(s, *known.text));
  return out;
}

Json tokensOf(const Known& known, const Json&) {
  const Text& text = *known.text;
  const std::string& bytes = text.bytes();
  const std::vector<bool> comment = commentsOf(*known.sheet);
  TokenWriter out(text);
  for (std::size_t k = 0; k < text.lines(); ++k) {
    const Span line = text.line(k);
    for (std::size_t at = line.begin; at < line.end;) {
      std::size_t stop = at;
      const bool inside = comment[at + known.shift];
      const auto same = [&](std::size_t byte) {
        return comment[byte + known.shift] == inside || (inside && isBlank(bytes[byte]));
      };
      while (stop < line.end && same(stop)) ++stop;
      if (inside) {
        out.add({at, stop}, CodeInk::Comment);
      } else {
        for (const CodeToken& t : highlighted(bytes, at, stop, std::string::npos)) out.add({t.begin, t.end}, t.ink);
      }
      at = stop;
    }
  }
  return {{"data", out.take()}};
}

Json tokenTypes() { return {"keyword", "number", "function", "comment"}; }

Json foldsOf(const Known& known, const Json&) {
  const Text& text = *known.text;
  Json out = Json::array();
  const auto fold = [&](std::size_t from, std::size_t to, const char* kind) {
    if (to <= from) return;
    Json one = {{"startLine", from}, {"endLine", to}};
    if (kind != nullptr) one["kind"] = kind;
    out.push_back(std::move(one));
  };
  for (const Statement& s : splitStatements(*known.sheet))
    if (const auto span = known.inText(s.span)) fold(text.at(span->begin).line, text.at(span->end).line, nullptr);
  std::size_t first = 0;  // of a run of comments
  for (std::size_t k = 0; k <= text.lines(); ++k) {
    const Span line = text.line(k);
    if (k < text.lines() && readComment(text.bytes(), line.begin, line.end)) continue;
    if (k > 0) fold(first, k - 1, "comment");
    first = k + 1;
  }
  return out;
}

}  // namespace tessera::lsp
