#include "core/paste/printed/mangled.h"

#include <algorithm>
#include <array>
#include <optional>

#include "core/base/chars.h"
#include "core/base/cursor.h"
#include "core/base/work.h"

namespace tessera::paste {
namespace {

constexpr std::size_t kMostWritten = std::size_t{4} << 20;
constexpr std::size_t kMostSymbols = 256;
constexpr std::string_view kAuto = "auto";

struct Builtin {
  char code;
  std::string_view name;
};
constexpr std::array<Builtin, 21> kBuiltins = {{{'v', "void"},
                                                {'b', "bool"},
                                                {'c', "char"},
                                                {'a', "signed char"},
                                                {'h', "unsigned char"},
                                                {'s', "short"},
                                                {'t', "unsigned short"},
                                                {'i', "int"},
                                                {'j', "unsigned int"},
                                                {'l', "long"},
                                                {'m', "unsigned long"},
                                                {'x', "long long"},
                                                {'y', "unsigned long long"},
                                                {'n', "__int128"},
                                                {'o', "unsigned __int128"},
                                                {'f', "float"},
                                                {'d', "double"},
                                                {'e', "long double"},
                                                {'g', "__float128"},
                                                {'w', "wchar_t"},
                                                {'z', "..."}}};

// A recursive descent over one symbol. Each function returns nullopt at what it does not know.
class Demangler {
 public:
  explicit Demangler(std::string_view text) : text_(text) {}

  // After `_Z`: a name, then the types of a function's parameters.
  MangledSymbol symbol() {
    MangledSymbol out;
    auto name = encodingName();
    if (!name) return partial(out);
    out.text = *name;
    std::string parameters;
    bool first = true;
    // The first type of a template function is its result.
    const bool result = isTemplate_;
    while (at_ < text_.size() && (isNamePart(text_[at_])) && !atClone()) {
      auto one = type();
      if (!one) break;
      if (first && result) {
        out.text = *one + " " + out.text;
      } else if (!one->empty() && *one != "void") {  // an empty pack; no parameters
        parameters += (parameters.empty() ? "" : ", ") + *one;
      }
      first = false;
    }
    out.whole = at_ >= text_.size() || atClone();
    out.text += "(" + parameters + ")";
    if (!out.whole) out.text += " " + best_;
    return out;
  }
  // A type alone.
  MangledSymbol piece() {
    MangledSymbol out;
    if (auto one = type()) {
      out.text = *one;
      out.whole = true;
      return out;
    }
    return partial(out);
  }
  [[nodiscard]] std::size_t position() const { return at_; }

 private:
  using Text = std::optional<std::string>;

  MangledSymbol partial(MangledSymbol out) const {
    out.text = best_;
    return out;
  }
  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  bool accept(std::string_view token) {
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }
  [[nodiscard]] bool atClone() const { return peek() == '.' || peek() == '$' || peek() == '@'; }

  // Counts what is written; nullopt beyond the limit.
  Text made(std::string text) {
    written_ += text.size();
    spend(1 + static_cast<Work>(text.size() / 16));
    if (written_ > kMostWritten) return std::nullopt;
    if (text.size() > best_.size() && text.find("Layout<") != std::string::npos) best_ = text;
    return text;
  }
  Text added(Text text) {
    if (text) known_.push_back(*text);
    return text;
  }

  Text encodingName() {
    if (peek() == 'N') return nested(false);
    if (peek() == 'Z') return std::nullopt;
    Text name = unqualified();
    if (!name || peek() != 'I') return name;
    known_.push_back(*name);
    isTemplate_ = true;
    Text arguments = templateArguments(true);
    return arguments ? made(*name + *arguments) : std::nullopt;
  }

  std::optional<std::size_t> number() {
    std::size_t value = 0, digits = 0;
    for (; isDigit(peek()); ++at_, ++digits) {
      value = value * 10 + static_cast<std::size_t>(peek() - '0');
      if (value > text_.size()) return std::nullopt;
    }
    return digits == 0 ? std::nullopt : std::optional(value);
  }

  // 6Layout, an operator, a lambda; St before it is std::.
  Text unqualified() {
    const std::string prefix = accept("St") ? "std::" : "";
    (void)accept("L");  // a static function
    if (isDigit(peek())) {
      const auto length = number();
      if (!length || at_ + *length > text_.size()) return std::nullopt;
      std::string name(text_.substr(at_, *length));
      at_ += *length;
      while (accept("B")) {  // an ABI tag
        const auto tag = number();
        if (!tag || at_ + *tag > text_.size()) return std::nullopt;
        at_ += *tag;
      }
      if (name.starts_with("_GLOBAL__N_")) name = "(anonymous namespace)";
      return made(prefix + name);
    }
    if (accept("Ul") || accept("Ut")) return lambda();
    if ((peek() == 'C' || peek() == 'D') && isDigit(peek(1))) {
      at_ += 2;
      return made("{constructor}");
    }
    if (accept("cl")) return made("operator()");
    if (peek() >= 'a' && peek() <= 'z' && peek(1) >= 'a' && peek(1) <= 'z') {
      at_ += 2;
      return made("operator");
    }
    return std::nullopt;
  }

  Text lambda() {
    while (peek() != 'E' && peek() != '_' && at_ < text_.size())
      if (!type()) return std::nullopt;
    (void)accept("E");
    while (isDigit(peek())) ++at_;
    return accept("_") ? made("{lambda}") : std::nullopt;
  }

  Text nested(bool isType) {
    const Nesting level;
    if (level.tooDeep() || !accept("N")) return std::nullopt;
    while (peek() == 'r' || peek() == 'V' || peek() == 'K' || (!isType && (peek() == 'R' || peek() == 'O'))) ++at_;
    std::string name;
    bool substituted = false;
    while (!accept("E")) {
      if (at_ >= text_.size()) return std::nullopt;
      if (!name.empty() && !substituted) known_.push_back(name);
      substituted = false;
      if (peek() == 'S' && peek(1) != 't') {
        Text earlier = substitution();
        if (!earlier) return std::nullopt;
        name = *earlier;
        substituted = true;
        continue;
      }
      if (peek() == 'T' && (peek(1) == '_' || isDigit(peek(1)))) {
        Text parameter = templateParameter();
        if (!parameter) return std::nullopt;
        name = *parameter;
        continue;
      }
      if (peek() == 'I') {
        Text arguments = templateArguments(!isType);
        if (!arguments) return std::nullopt;
        isTemplate_ = isTemplate_ || !isType;
        name += *arguments;
      } else {
        Text part = unqualified();
        if (!part) return std::nullopt;
        if (!isType) isTemplate_ = false;
        name += (name.empty() ? "" : "::") + *part;
      }
      if (!made(name)) return std::nullopt;
    }
    if (isType && !substituted) known_.push_back(name);
    return made(std::move(name));
  }

  // S_, S0_, SA_, Sa ..
  Text substitution() {
    if (!accept("S")) return std::nullopt;
    constexpr std::array<std::pair<char, std::string_view>, 6> kShort = {{{'a', "std::allocator"},
                                                                          {'b', "std::basic_string"},
                                                                          {'s', "std::string"},
                                                                          {'i', "std::istream"},
                                                                          {'o', "std::ostream"},
                                                                          {'d', "std::iostream"}}};
    for (const auto& [code, name] : kShort)
      if (peek() == code) {
        ++at_;
        return made(std::string(name));
      }
    const auto index = sequence();
    if (!index || *index >= known_.size()) return std::nullopt;
    return made(known_[*index]);
  }
  // _ is 0, 0_ is 1, A_ is 11.
  std::optional<std::size_t> sequence() {
    if (accept("_")) return 0;
    std::size_t value = 0;
    while (isDigit(peek()) || (peek() >= 'A' && peek() <= 'Z')) {
      value = value * 36 + static_cast<std::size_t>(isDigit(peek()) ? peek() - '0' : peek() - 'A' + 10);
      if (value > text_.size()) return std::nullopt;
      ++at_;
    }
    return accept("_") ? std::optional(value + 1) : std::nullopt;
  }

  Text templateParameter() {
    if (!accept("T")) return std::nullopt;
    const auto index = sequence();
    if (!index) return std::nullopt;
    return made(*index < parameters_.size() ? parameters_[*index] : std::string(kAuto));
  }

  Text templateArguments(bool ofFunction) {
    const Nesting level;
    if (level.tooDeep() || !accept("I")) return std::nullopt;
    std::vector<std::string> arguments;
    std::string text;
    while (!accept("E")) {
      Text one = argument();
      if (!one) return std::nullopt;
      arguments.push_back(*one);
      if (!one->empty()) text += (text.empty() ? "" : ", ") + *one;
    }
    if (ofFunction) parameters_ = std::move(arguments);
    return made("<" + text + ">");
  }

  Text argument() {
    const Nesting level;
    if (level.tooDeep() || at_ >= text_.size()) return std::nullopt;
    if (peek() == 'L') return literal();
    if (peek() == 'X') return std::nullopt;
    if (!accept("J")) return type();
    std::string text;
    while (!accept("E")) {
      Text one = argument();
      if (!one) return std::nullopt;
      if (!one->empty()) text += (text.empty() ? "" : ", ") + *one;
    }
    return made(std::move(text));
  }

  // Li8E, Lin8E, Lb1E, LN2ns1EE3E
  Text literal() {
    if (!accept("L")) return std::nullopt;
    if (accept("_Z")) {
      Text name = encodingName();
      while (name && peek() != 'E')
        if (!type()) return std::nullopt;
      return accept("E") ? name : std::nullopt;
    }
    const char code = peek();
    Text kind = type();
    if (!kind) return std::nullopt;
    std::string value = accept("n") ? "-" : "";
    while (isDigit(peek())) value += text_[at_++];
    if (!accept("E")) return std::nullopt;
    if (code == 'b') return made(value == "0" ? "false" : "true");
    const bool plain = code != 'N' && code != 'S' && !isDigit(code);
    return made(plain ? value : "(" + *kind + ")" + value);
  }

  Text type() {
    const Nesting level;
    if (level.tooDeep() || at_ >= text_.size()) return std::nullopt;
    const char code = peek();
    constexpr std::array<std::pair<char, std::string_view>, 6> kAround = {
        {{'P', "*"}, {'R', "&"}, {'O', "&&"}, {'K', " const"}, {'V', " volatile"}, {'r', " restrict"}}};
    for (const auto& [letter, suffix] : kAround)
      if (code == letter) {
        ++at_;
        Text inner = type();
        return inner ? added(made(*inner + std::string(suffix))) : std::nullopt;
      }
    if (code == 'N') return nested(true);
    if (code == 'T') {
      Text parameter = added(templateParameter());
      if (parameter && peek() == 'I') return templated(*parameter);
      return parameter;
    }
    if (code == 'S' && peek(1) != 't') {
      Text earlier = substitution();
      return earlier && peek() == 'I' ? templated(*earlier) : earlier;
    }
    if (code == 'D') return special();
    if (code == 'F') return function();
    if (code == 'A') return array();
    if (code == 'U' || code == 'M' || code == 'X') return std::nullopt;
    if (isDigit(code) || code == 'S') {
      Text name = added(unqualified());
      return name && peek() == 'I' ? templated(*name) : name;
    }
    for (const Builtin& builtin : kBuiltins)
      if (builtin.code == code) {
        ++at_;
        return made(std::string(builtin.name));
      }
    return std::nullopt;
  }

  Text templated(const std::string& name) {
    Text arguments = templateArguments(false);
    return arguments ? added(made(name + *arguments)) : std::nullopt;
  }

  // Dp pack, Dh half, DF16b bf16 ..
  Text special() {
    if (accept("Dp")) return added(type());
    if (accept("Dh")) return made("half");
    if (accept("Dn")) return made("nullptr_t");
    if (accept("Ds")) return made("char16_t");
    if (accept("Di")) return made("char32_t");
    if (accept("DF")) {
      while (isDigit(peek())) ++at_;
      (void)(accept("_") || accept("b"));
      return made("_Float16");
    }
    return std::nullopt;
  }
  Text function() {
    ++at_;
    (void)accept("Y");
    while (!accept("E"))
      if (!type()) return std::nullopt;
    return added(made("function"));
  }
  Text array() {
    ++at_;
    const auto extent = number();
    if (!extent || !accept("_")) return std::nullopt;
    Text inner = type();
    return inner ? added(made(*inner + "[" + std::to_string(*extent) + "]")) : std::nullopt;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t written_ = 0;
  std::vector<std::string> known_, parameters_;
  bool isTemplate_ = false;
  std::string best_;  // the longest layout that was read whole
};

std::size_t symbolEnd(std::string_view text, std::size_t at) {
  while (at < text.size() && (isNamePart(text[at]) || text[at] == '$' || text[at] == '.')) ++at;
  return at;
}

}  // namespace

std::vector<MangledSymbol> demangled(std::string_view text) {
  std::vector<MangledSymbol> symbols;
  for (std::size_t at = 0; at < text.size() && symbols.size() < kMostSymbols;) {
    const std::size_t whole = text.find("_Z", at), piece = text.find("N4cute", at);
    const std::size_t begin = std::min(whole, piece);
    if (begin == std::string_view::npos) break;
    const std::size_t end = symbolEnd(text, begin);
    const bool isSymbol = begin == whole;
    Demangler one(text.substr(begin + (isSymbol ? 2 : 0), end - begin - (isSymbol ? 2 : 0)));
    MangledSymbol symbol = isSymbol ? one.symbol() : one.piece();
    symbol.span = {begin, end};
    if (!symbol.text.empty()) symbols.push_back(std::move(symbol));
    at = std::max(end, begin + 1);
  }
  return symbols;
}

}  // namespace tessera::paste
