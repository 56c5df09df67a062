#include "core/notation/triton/mlir.h"

#include <fmt/format.h>

#include "core/base/arith.h"
#include "core/base/chars.h"

namespace tessera::mlir_text {

namespace {
constexpr int kDeepest = 32;
bool wordPart(char c) { return isNamePart(c) || c == '.' || c == '$'; }
}  // namespace

void Reader::skipBlanks() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      ++at_;
    } else if (text_.substr(at_, 2) == "//") {
      while (at_ < text_.size() && text_[at_] != '\n') ++at_;
    } else {
      return;
    }
  }
}
bool Reader::atEnd() {
  skipBlanks();
  return at_ >= text_.size();
}
bool Reader::accept(std::string_view token) {
  skipBlanks();
  if (text_.substr(at_, token.size()) != token) return false;
  at_ += token.size();
  return true;
}
Result<void> Reader::expect(std::string_view token, std::string_view where) {
  if (accept(token)) return {};
  return fail(fmt::format("`{}` is missing {}", token, where), fmt::format("`{}`", token));
}
Diag Reader::fail(std::string message, std::string expected) {
  skipBlanks();
  std::size_t end = at_ < text_.size() ? at_ + 1 : at_;
  while (end < text_.size() && wordPart(text_[end]) && wordPart(text_[at_])) ++end;
  return Diag{std::move(message), std::move(expected), {}, Span{at_, end}};
}

Result<std::string> Reader::word() {
  skipBlanks();
  if (at_ >= text_.size() || !isNameStart(text_[at_])) return fail("a name is missing here");
  const std::size_t begin = at_;
  while (at_ < text_.size() && wordPart(text_[at_])) ++at_;
  return std::string(text_.substr(begin, at_ - begin));
}

Result<Node> Reader::number() {
  Node n;
  n.span.begin = at_;
  const auto integer = [&]() -> std::optional<i64> {
    const bool negative = text_[at_] == '-';
    if (negative) ++at_;
    std::optional<i64> value = 0;
    if (at_ >= text_.size() || !isDigit(text_[at_])) return std::nullopt;
    while (at_ < text_.size() && isDigit(text_[at_])) {
      if (value) value = checkedMul(*value, 10);
      if (value) value = checkedAdd(*value, text_[at_] - '0');
      ++at_;
    }
    return value && negative ? checkedSub(0, *value) : value;
  };
  const std::optional<i64> value = integer();
  if (!value) return Diag{"an integer that fits in 64 bits is missing here", {}, {}, Span{n.span.begin, at_}};
  n.integer = *value;
  if (accept(":+")) {
    skipBlanks();
    n.kind = Node::Kind::Padding;
    if (at_ >= text_.size()) return fail("the padding is missing here");
    const std::optional<i64> second = integer();
    if (!second) return fail("the padding is missing here", "interval:+padding");
    n.second = *second;
  } else if (at_ < text_.size() && (wordPart(text_[at_]))) {
    return fail("an integer cannot be followed by a letter");
  }
  n.span.end = at_;
  return n;
}

Result<void> Reader::entriesInto(Node& n, std::string_view close, int depth) {
  while (!accept(close)) {
    skipBlanks();
    const std::size_t begin = at_;
    TESSERA_TRY(const std::string key, word());
    for (const auto& [other, value] : n.entries)
      if (other == key) return Diag{fmt::format("{} is given twice", key), {}, {}, Span{begin, at_}};
    TESSERA_CHECKED(expect("=", fmt::format("after {}", key)));
    TESSERA_TRY(Node value, node(depth + 1));
    n.entries.emplace_back(key, std::move(value));
    if (accept(",")) continue;
    TESSERA_CHECKED(expect(close, "after the last value"));
    break;
  }
  return {};
}

Result<Node> Reader::node(int depth) {
  if (depth > kDeepest) return fail("nested too deep");
  skipBlanks();
  if (at_ >= text_.size()) return fail("a value is missing here");
  const char c = text_[at_];
  if (c == '#') return attribute(depth);
  Node n;
  n.span.begin = at_;
  if (c == '[') {
    n.kind = Node::Kind::List;
    ++at_;
    while (!accept("]")) {
      TESSERA_TRY(Node item, node(depth + 1));
      n.items.push_back(std::move(item));
      if (accept(",")) continue;
      TESSERA_CHECKED(expect("]", "at the end of the list"));
      break;
    }
  } else if (c == '{') {
    n.kind = Node::Kind::Dictionary;
    ++at_;
    TESSERA_CHECKED(entriesInto(n, "}", depth));
  } else if (isDigit(c) || c == '-') {
    return number();
  } else {
    TESSERA_TRY(const std::string text, word());
    if (text != "true" && text != "false")
      return Diag{fmt::format("`{}` is not a value", text),
                  "an integer, true, false, a list or an attribute",
                  {},
                  Span{n.span.begin, at_}};
    n.kind = Node::Kind::Boolean;
    n.integer = text == "true" ? 1 : 0;
  }
  n.span.end = at_;
  return n;
}

// #name, #name<{k = v}>, #name<k = v, ..>, #name<[..] {..}>, #name<{..}, k = v>
Result<Node> Reader::attribute(int depth) {
  if (depth > kDeepest) return fail("nested too deep");
  skipBlanks();
  Node n;
  n.kind = Node::Kind::Attribute;
  n.span.begin = at_;
  TESSERA_CHECKED(expect("#", "before the name of an attribute"));
  while (at_ < text_.size() && (wordPart(text_[at_]) || text_[at_] == '-')) n.name += text_[at_++];
  if (n.name.empty()) return fail("the name of the attribute is missing after `#`");
  n.name.insert(n.name.begin(), '#');
  if (at_ < text_.size() && text_[at_] == '<') {
    ++at_;
    while (!accept(">")) {
      skipBlanks();
      if (at_ < text_.size() && isNameStart(text_[at_])) {
        TESSERA_CHECKED(entriesInto(n, ">", depth));
        break;
      }
      TESSERA_TRY(Node item, node(depth + 1));
      n.items.push_back(std::move(item));
      (void)accept(",");
      if (atEnd()) return fail("`>` is missing at the end of the attribute", "`>`");
    }
  }
  n.span.end = at_;
  return n;
}

}  // namespace tessera::mlir_text
