#include <algorithm>
#include <array>

#include "core/base/chars.h"
#include "core/code/cpp/read_cpp.h"

namespace tessera::code::cpp {

namespace {

// Longest first. `>` stays alone; see the header.
constexpr std::array<std::string_view, 25> kMarks = {"...", "<<=", "<=>", "<<<", "->*", "::", "->", "++", "--",
                                                     "<<",  "<=",  "==",  "!=",  "&&",  "||", "+=", "-=", "*=",
                                                     "/=",  "%=",  "&=",  "|=",  "^=",  "##", ".*"};

class Lexer {
 public:
  Lexer(std::string_view text, Span part) : text_(text.substr(0, part.end)), at_(part.begin) {}

  std::vector<Token> run() {
    for (skip(); at_ < text_.size(); skip()) {
      spend();
      const std::size_t begin = at_;
      const Token::Kind kind = read();
      if (kind == Token::Kind::Directive && !open_.empty() && text_[tokens_[open_.back()].span.begin] != '{') continue;
      tokens_.push_back({kind, {begin, at_}});
      if (kind == Token::Kind::Mark && at_ == begin + 1) bracket(text_[begin]);
    }
    tokens_.push_back({Token::Kind::End, {text_.size(), text_.size()}});
    return std::move(tokens_);
  }

 private:
  [[nodiscard]] char raw(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  [[nodiscard]] bool starts(std::string_view what) const { return text_.substr(at_, what.size()) == what; }
  void jump(std::size_t to) { at_ = std::min(to, text_.size()); }

  void skip() {
    for (;;) {
      if (raw() == '\n') lineStart_ = true;
      if (at_ < text_.size() && isBlank(raw())) {
        ++at_;
      } else if (starts("//")) {
        const std::size_t end = text_.find('\n', at_);
        jump(end);
      } else if (starts("/*")) {
        const std::size_t end = text_.find("*/", at_ + 2);
        jump(end == std::string_view::npos ? end : end + 2);
      } else if (raw() == '\\' && (raw(1) == '\n' || raw(1) == '\r')) {
        at_ += 2;
      } else {
        return;
      }
    }
  }

  Token::Kind read() {
    const bool first = std::exchange(lineStart_, false);
    if (raw() == '#' && first && raw(1) != '#') return directive();
    if (isDigit(raw()) || (raw() == '.' && isDigit(raw(1)))) return number();
    if (const std::size_t prefix = quotePrefix(); prefix < kNoQuote) return quoted(prefix);
    if (isNameStart(raw()) || raw() == '$') {
      while (isNamePart(raw()) || raw() == '$') ++at_;
      return Token::Kind::Name;
    }
    for (const std::string_view mark : kMarks)
      if (starts(mark)) return jump(at_ + mark.size()), Token::Kind::Mark;
    at_ = nextCodePoint(text_, at_);
    return Token::Kind::Mark;
  }

  // A logical line, without a comment at its end.
  Token::Kind directive() {
    while (at_ < text_.size() && raw() != '\n' && !starts("//")) {
      if (starts("/*")) {
        const std::size_t end = text_.find("*/", at_ + 2);
        jump(end == std::string_view::npos ? end : end + 2);
      } else {
        at_ += raw() == '\\' && raw(1) == '\r' && raw(2) == '\n' ? 3 : raw() == '\\' && raw(1) == '\n' ? 2 : 1;
      }
    }
    jump(at_);
    return Token::Kind::Directive;
  }

  Token::Kind number() {
    const bool hex = raw() == '0' && lowerCase(raw(1)) == 'x';
    for (;; ++at_) {
      const char c = raw();
      const bool sign = (c == '+' || c == '-') && lowerCase(text_[at_ - 1]) == (hex ? 'p' : 'e');
      const bool separator = c == '\'' && isNamePart(raw(1));
      if (!isNamePart(c) && c != '.' && !sign && !separator) return Token::Kind::Number;
    }
  }

  static constexpr std::size_t kNoQuote = 9;
  // The length of u8, L, R ... before a quote.
  [[nodiscard]] std::size_t quotePrefix() const {
    for (const std::string_view prefix : {"", "u8R", "LR", "uR", "UR", "u8", "R", "L", "u", "U"})
      if (starts(prefix) && (raw(prefix.size()) == '"' || raw(prefix.size()) == '\'')) return prefix.size();
    return kNoQuote;
  }

  Token::Kind quoted(std::size_t prefix) {
    const char quote = raw(prefix);
    const bool unchanged = prefix > 0 && raw(prefix - 1) == 'R' && quote == '"';
    at_ += prefix + 1;
    if (unchanged) {
      const std::size_t open = std::min(text_.find('(', at_), text_.size());
      std::string close = ")";
      close += text_.substr(at_, open - at_);
      close += '"';
      const std::size_t end = text_.find(close, open);
      jump(end == std::string_view::npos ? end : end + close.size());
      return Token::Kind::String;
    }
    while (at_ < text_.size() && raw() != quote && raw() != '\n') at_ += raw() == '\\' ? 2 : 1;
    jump(raw() == quote ? at_ + 1 : at_);
    return quote == '"' ? Token::Kind::String : Token::Kind::Character;
  }

  void bracket(char c) {
    const int i = static_cast<int>(tokens_.size()) - 1;
    if (const std::size_t kind = std::string_view("([{").find(c); kind < 3) {
      open_.push_back(i);
      ++count_[kind];
    } else if (const std::size_t closes = std::string_view(")]}").find(c); closes < 3 && count_[closes] > 0) {
      while (text_[tokens_[open_.back()].span.begin] != "([{"[closes]) drop();
      tokens_[i].match = open_.back();
      tokens_[open_.back()].match = i;
      drop();
    }
  }
  void drop() {
    --count_[std::string_view("([{").find(text_[tokens_[open_.back()].span.begin])];
    open_.pop_back();
  }

  std::string_view text_;
  std::size_t at_;
  bool lineStart_ = true;
  std::vector<Token> tokens_;
  std::vector<int> open_;
  std::array<int, 3> count_{};
};

}  // namespace

std::vector<Token> tokensOf(std::string_view text, Span part) { return Lexer(text, part).run(); }

In::In(std::string_view text, std::vector<Token> tokens)
    : text_(text), tokens_(std::move(tokens)), angles_(tokens_.size(), -2), compares_(tokens_.size(), 0) {}

std::string_view In::text(int i) const {
  const Span& span = token(i).span;
  return text_.substr(span.begin, span.end - span.begin);
}

void In::next() {
  spend();
  if (!atEnd()) ++at;
}

bool In::accept(std::string_view what) {
  if (!is(what)) return false;
  next();
  return true;
}

Result<void> In::expect(std::string_view what, std::string_view where) {
  if (accept(what) || (fragment && atEnd())) return {};
  return fail("`" + std::string(what) + "` is missing " + std::string(where), std::string(what));
}

Span In::spanFrom(int first) const {
  const std::size_t begin = token(first).span.begin;
  return {begin, at > first ? token(at - 1).span.end : begin};
}

Diag In::fail(std::string message, std::string expected) const {
  return {std::move(message), std::move(expected), {}, token(at).span};
}

Result<void> In::enough(const Nesting& level) const {
  if (!level.tooDeep()) return {};
  Cursor here(text_, {}, token(at).span.begin);
  return level.refusal(here);
}

}  // namespace tessera::code::cpp
