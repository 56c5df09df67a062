#include "core/code/python/python_tokens.h"

#include <algorithm>
#include <array>

#include "core/base/chars.h"
#include "core/base/work.h"

namespace tessera::code {
namespace {

// Longest first.
constexpr std::array<std::string_view, 24> kPythonOperators = {"...", "**=", "//=", ">>=", "<<=", "->", ":=", "**",
                                                               "//",  "<<",  ">>",  "<=",  ">=",  "==", "!=", "+=",
                                                               "-=",  "*=",  "/=",  "%=",  "@=",  "&=", "|=", "^="};

class PythonLexer {
 public:
  explicit PythonLexer(std::string_view text)
      : text_(text), prompts_(text.find(">>> ") != text.npos || text.find("In [") != text.npos) {}

  std::vector<PythonToken> read() {
    beginLine(0);
    while (at_ < text_.size()) step();
    if (tokens_.back().kind != PythonToken::Kind::Line) addLine(at_, 0);
    tokens_.push_back({PythonToken::Kind::End, {at_, at_}, {}, 0});
    return std::move(tokens_);
  }

 private:
  [[nodiscard]] char at(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  void add(PythonToken::Kind kind, std::size_t begin) {
    tokens_.push_back({kind, {begin, at_}, text_.substr(begin, at_ - begin), 0});
  }

  void addLine(std::size_t begin, int indent) {
    tokens_.push_back({PythonToken::Kind::Line, {begin, begin}, {}, indent});
  }

  // Moves to the first token of the next line that has one, and adds its Line.
  void beginLine(std::size_t end) {
    int indent = 0;
    for (; at_ < text_.size(); ++at_) {
      if (at() == '\n' || at() == '\r') {
        indent = 0;
      } else if (at() == '\t') {
        indent = indent / 8 * 8 + 8;
      } else if (isBlank(at())) {
        ++indent;
      } else if (at() == '#') {
        skipComment();
        --at_;
      } else if (!skipPrompt()) {
        break;
      }
      spend();
    }
    if (at_ >= text_.size()) indent = 0;
    addLine(end, indent);
  }

  // A prompt is left at its last byte, a blank.
  bool skipPrompt() {
    if (!prompts_) return false;
    const std::string_view rest = text_.substr(at_);
    if (rest.starts_with(">>> ") || rest.starts_with("... ")) {
      at_ += 3;
      return true;
    }
    if (!rest.starts_with("In [")) return false;
    std::size_t k = 4;
    while (k < rest.size() && isDigit(rest[k])) ++k;
    if (!rest.substr(k).starts_with("]: ")) return false;
    at_ += k + 2;
    return true;
  }

  void skipComment() {
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    spend(static_cast<Work>(end - at_) / 16);
    at_ = end;
  }

  void step() {
    spend();
    const char c = at();
    if (c == '\n') return endOfLine();
    if (isBlank(c)) return void(++at_);
    if (c == '#') return skipComment();
    if (c == '\\' && atLineEnd(1)) return void(at_ += at(1) == '\r' ? 3 : 2);
    if (isDigit(c) || (c == '.' && isDigit(at(1)))) return number();
    if (c == '"' || c == '\'') return string(at_);
    if (isNameStart(c) || static_cast<unsigned char>(c) >= 0x80U) return name();
    symbol();
  }

  [[nodiscard]] bool atLineEnd(std::size_t ahead) const {
    return at(ahead) == '\n' || (at(ahead) == '\r' && at(ahead + 1) == '\n');
  }

  void endOfLine() {
    const std::size_t end = at_++;
    if (open_ == 0) beginLine(end);
  }

  void number() {
    const std::size_t begin = at_;
    const bool hex = at() == '0' && lowerCase(at(1)) == 'x';
    while (isNamePart(at()) || at() == '.' ||
           (!hex && (at() == '+' || at() == '-') && lowerCase(text_[at_ - 1]) == 'e' && isDigit(at(1))))
      ++at_;
    add(PythonToken::Kind::Number, begin);
  }

  void name() {
    const std::size_t begin = at_;
    while (isNamePart(at()) || static_cast<unsigned char>(at()) >= 0x80U) ++at_;
    if ((at() == '"' || at() == '\'') && isPrefix(text_.substr(begin, at_ - begin))) return string(begin);
    spend(static_cast<Work>(at_ - begin) / 16);
    add(PythonToken::Kind::Name, begin);
  }

  static bool isPrefix(std::string_view name) {
    return name.size() <= 2 && std::all_of(name.begin(), name.end(), [](char c) {
             return std::string_view("rbufRBUF").find(c) != std::string_view::npos;
           });
  }

  // The quote is at the cursor. An unclosed string ends with its line, one with three quotes with the text.
  void string(std::size_t begin) {
    const char quote = at();
    const bool three = at(1) == quote && at(2) == quote;
    at_ += three ? 3 : 1;
    const std::size_t inside = at_;
    while (at_ < text_.size() &&
           !(three ? text_.substr(at_, 3) == std::string(3, quote) : at() == quote || at() == '\n'))
      at_ += at() == '\\' && at_ + 1 < text_.size() ? 2 : 1;
    const std::size_t end = at_;
    spend(static_cast<Work>(end - begin) / 16);
    if (at() == quote) at_ += three ? 3 : 1;
    tokens_.push_back({PythonToken::Kind::String, {begin, at_}, text_.substr(inside, end - inside), 0});
  }

  void symbol() {
    const std::size_t begin = at_;
    const std::string_view rest = text_.substr(at_, 3);
    const auto* const found = std::find_if(kPythonOperators.begin(), kPythonOperators.end(),
                                           [&](std::string_view o) { return rest.starts_with(o); });
    at_ += found != kPythonOperators.end() ? found->size() : 1;
    const char c = text_[begin];
    if (c == '(' || c == '[' || c == '{') ++open_;
    if ((c == ')' || c == ']' || c == '}') && open_ > 0) --open_;
    add(PythonToken::Kind::Operator, begin);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int open_ = 0;  // brackets
  bool prompts_;
  std::vector<PythonToken> tokens_;
};

}  // namespace

std::vector<PythonToken> pythonTokens(std::string_view text) { return PythonLexer(text).read(); }

}  // namespace tessera::code
