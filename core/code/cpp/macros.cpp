#include "core/code/cpp/macros.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include "core/base/chars.h"
#include "core/base/work.h"

namespace tessera::code {
namespace {

constexpr std::size_t kMostText = std::size_t{4} << 20;  // of the expanded text
constexpr int kMostNested = 64;

struct MacroText {
  std::vector<std::string> parameters;
  bool takesArguments = false;
  std::string body;
};
using Macros = std::map<std::string, MacroText, std::less<>>;

std::size_t nameEnd(std::string_view text, std::size_t i) {
  while (i < text.size() && isNamePart(text[i])) ++i;
  return i;
}

// Past a string, a character or a comment that begins at i; i if none does.
std::size_t pastLiteral(std::string_view text, std::size_t i) {
  if (text.substr(i, 2) == "//") return std::min(text.find('\n', i), text.size());
  if (text.substr(i, 2) == "/*") {
    const std::size_t close = text.find("*/", i + 2);
    return close == std::string_view::npos ? text.size() : close + 2;
  }
  if (text[i] != '"' && (text[i] != '\'' || (i > 0 && isNamePart(text[i - 1])))) return i;
  for (std::size_t k = i + 1; k < text.size() && text[k] != '\n'; ++k) {
    if (text[k] == '\\') {
      ++k;
    } else if (text[k] == text[i]) {
      return k + 1;
    }
  }
  return i + 1;
}

// The arguments of the call whose `(` is text[open], and the position past its `)`.
std::optional<std::pair<std::vector<std::string>, std::size_t>> argumentsAt(std::string_view text, std::size_t open) {
  std::vector<std::string> arguments(1);
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '(' || c == '[' || c == '{') ++depth;
    if ((c == ')' || c == ']' || c == '}') && --depth == 0) {
      for (std::string& a : arguments) a = std::string(stripped(a));
      return std::pair(std::move(arguments), i + 1);
    }
    if (depth == 1 && c == ',') {
      arguments.emplace_back();
    } else if (depth > 1 || i > open) {
      arguments.back() += c == '\n' ? ' ' : c;
    }
  }
  return std::nullopt;
}

// Words of OpenCL and Metal, as those of CUDA.
using Word = std::pair<const char*, const char*>;
constexpr std::array<Word, 5> kOpenCl = {
    {{"__kernel", "__global__"}, {"__local", "__shared__"}, {"__global", ""}, {"__constant", ""}, {"__private", ""}}};
constexpr std::array<Word, 4> kMetal = {
    {{"kernel", "__global__"}, {"threadgroup", "__shared__"}, {"device", ""}, {"constant", ""}}};

class Expander {
 public:
  Expander(std::string_view text, const std::function<bool(std::string_view)>& keep) : text_(text), keep_(keep) {}

  void define(const char* name, const char* body) { macros_[name] = {{}, false, body}; }

  Expanded run() {
    std::size_t copied = 0;
    bool lineBegins = true;
    for (std::size_t i = 0; i < text_.size();) {
      if (lineBegins && atDirective(i)) {
        i = directive(i);
        continue;
      }
      if (const std::size_t past = pastLiteral(text_, i); past > i) {
        i = past;
        lineBegins = false;
        continue;
      }
      if (isNameStart(text_[i]) && (i == 0 || !isNamePart(text_[i - 1]))) {
        const std::size_t end = nameEnd(text_, i);
        std::set<std::string, std::less<>> busy;
        std::string result;
        const std::size_t past = used(text_, i, end, busy, result);
        if (past > i) {
          copy(copied, i);
          out_.pieces.push_back({out_.text.size(), i, false, past - i});
          out_.text += result;
          // Lines stay: the use may have had line ends between its arguments.
          out_.text.append(
              static_cast<std::size_t>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(i),
                                                  text_.begin() + static_cast<std::ptrdiff_t>(past), '\n')),
              '\n');
          copied = past;
          i = past;
          if (out_.text.size() > kMostText) break;
        } else {
          i = end;
        }
        lineBegins = false;
        continue;
      }
      lineBegins = text_[i] == '\n' || (lineBegins && isBlank(text_[i]));
      ++i;
    }
    copy(copied, text_.size());
    return std::move(out_);
  }

 private:
  void copy(std::size_t from, std::size_t to) {
    if (to <= from) return;
    out_.pieces.push_back({out_.text.size(), from, true, to - from});
    out_.text += text_.substr(from, to - from);
  }

  [[nodiscard]] bool atDirective(std::size_t i) const { return text_[i] == '#'; }

  // Reads #define and #undef; the position past the directive, which stays in the text.
  std::size_t directive(std::size_t i) {
    std::size_t end = i;
    while (end < text_.size() && text_[end] != '\n') end += text_[end] == '\\' && end + 1 < text_.size() ? 2 : 1;
    end = std::min(end, text_.size());
    std::size_t at = i + 1;
    while (at < end && (text_[at] == ' ' || text_[at] == '\t')) ++at;
    const std::string_view word = text_.substr(at, nameEnd(text_, at) - at);
    at += word.size();
    while (at < end && (text_[at] == ' ' || text_[at] == '\t')) ++at;
    const std::size_t last = nameEnd(text_, at);
    const std::string name(text_.substr(at, last - at));
    if (word == "undef") macros_.erase(name);
    if (word == "define" && !name.empty()) define(name, last, end);
    return end;
  }

  void define(const std::string& name, std::size_t at, std::size_t end) {
    MacroText macro;
    if (at < end && text_[at] == '(') {
      macro.takesArguments = true;
      const auto parameters = argumentsAt(text_.substr(0, end), at);
      if (!parameters) return;
      macro.parameters = parameters->first;
      if (macro.parameters.size() == 1 && macro.parameters[0].empty()) macro.parameters.clear();
      at = parameters->second;
    }
    std::string body;
    for (std::size_t i = at; i < end; ++i) {
      if (const std::size_t past = text_[i] == '/' ? pastLiteral(text_, i) : i; past > i) {
        body += ' ';
        i = std::min(past, end) - 1;
        continue;
      }
      if (text_[i] == '\\' && i + 1 < end && (text_[i + 1] == '\n' || text_[i + 1] == '\r')) continue;
      body += text_[i] == '\n' || text_[i] == '\r' ? ' ' : text_[i];
    }
    macro.body = std::string(stripped(body));
    macros_.erase(name);
    if (macro.body.find('#') == std::string::npos && !keep_(name)) macros_[name] = std::move(macro);
  }

  // If a macro is used at text[begin, end), its expansion; the position past the use, or `begin`.
  std::size_t used(std::string_view text, std::size_t begin, std::size_t end, std::set<std::string, std::less<>>& busy,
                   std::string& result) {
    const auto it = macros_.find(text.substr(begin, end - begin));
    if (it == macros_.end() || busy.contains(it->first) || busy.size() >= kMostNested) return begin;
    const MacroText& macro = it->second;
    std::vector<std::string> arguments;
    std::size_t past = end;
    if (macro.takesArguments) {
      std::size_t open = end;
      while (open < text.size() && isBlank(text[open])) ++open;
      if (open >= text.size() || text[open] != '(') return begin;
      auto read = argumentsAt(text, open);
      if (!read) return begin;
      arguments = std::move(read->first);
      past = read->second;
      if (macro.parameters.empty() && arguments.size() == 1 && arguments[0].empty()) arguments.clear();
      if (arguments.size() != macro.parameters.size()) return begin;
      for (std::string& a : arguments) a = expanded(a, busy);
    }
    spend(static_cast<std::int64_t>(1 + macro.body.size() / 8));
    std::string body;
    for (std::size_t i = 0; i < macro.body.size();) {
      if (!isNameStart(macro.body[i]) || (i > 0 && isNamePart(macro.body[i - 1]))) {
        body += macro.body[i++];
        continue;
      }
      const std::size_t word = nameEnd(macro.body, i);
      const std::string name = macro.body.substr(i, word - i);
      const auto parameter = std::ranges::find(macro.parameters, name);
      body += parameter == macro.parameters.end()
                  ? name
                  : arguments[static_cast<std::size_t>(parameter - macro.parameters.begin())];
      i = word;
      if (body.size() > kMostText) break;
    }
    busy.insert(it->first);
    result = expanded(body, busy);
    busy.erase(it->first);
    return past;
  }

  std::string expanded(std::string_view text, std::set<std::string, std::less<>>& busy) {
    std::string out;
    for (std::size_t i = 0; i < text.size() && out.size() <= kMostText;) {
      const std::size_t literal = pastLiteral(text, i);
      const bool name = isNameStart(text[i]) && (i == 0 || !isNamePart(text[i - 1]));
      if (literal > i || !name) {
        const std::size_t end = std::max(literal, i + 1);
        out += text.substr(i, end - i);
        i = end;
        continue;
      }
      const std::size_t end = nameEnd(text, i);
      std::string result;
      const std::size_t past = used(text, i, end, busy, result);
      out += past > i ? result : std::string(text.substr(i, end - i));
      i = past > i ? past : end;
    }
    return out;
  }

  std::string_view text_;
  const std::function<bool(std::string_view)>& keep_;
  Macros macros_;
  Expanded out_;
};

}  // namespace

Span Expanded::original(Span span) const {
  const auto at = [&](std::size_t position, bool end) {
    const auto after = std::ranges::upper_bound(pieces, position, {}, &Piece::at);
    if (after == pieces.begin()) return position;
    const Piece& piece = *(after - 1);
    if (piece.copied) return piece.from + (position - piece.at) + (end ? 1 : 0);
    return end ? piece.from + piece.size : piece.from;
  };
  if (pieces.empty()) return span;
  const std::size_t begin = at(span.begin, false);
  if (span.empty()) return {begin, begin};
  return {begin, std::max(begin, at(span.end - 1, true))};
}

Expanded withMacros(std::string_view text, const std::function<bool(std::string_view)>& keep) {
  const auto has = [&](std::string_view word) { return text.find(word) != std::string_view::npos; };
  const bool openCl = has("__kernel") || has("__global ") || has("__local ");
  const bool metal = has("[[thread") || has("[[buffer");
  if (!has("#define") && !has("# define") && !openCl && !metal) return {std::string(text), {}};
  Expander expander(text, keep);
  if (openCl)
    for (const auto& [word, body] : kOpenCl) expander.define(word, body);
  if (metal)
    for (const auto& [word, body] : kMetal) expander.define(word, body);
  return expander.run();
}

}  // namespace tessera::code
