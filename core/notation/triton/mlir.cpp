#include "core/notation/triton/mlir.h"

#include <fmt/format.h>

#include <set>

namespace tessera::triton::mlir {

Result<Node> Reader::number() {
  Node n;
  n.span.begin = position();
  TESSERA_TRY(n.integer, integer());
  if (accept(":+")) {
    n.kind = Node::Kind::Padding;
    if (!atInteger()) return fail("the padding is missing here", "interval:+padding");
    TESSERA_TRY(n.second, integer());
  } else if (atNamePart()) {
    return fail("an integer cannot be followed by a letter");
  }
  n.span.end = position();
  return n;
}

Result<Node> Reader::word() {
  Node n;
  n.kind = Node::Kind::Boolean;
  n.span.begin = position();
  TESSERA_TRY(const std::string text, identifier("a name"));
  if (text != "true" && text != "false")
    return failFrom(n.span.begin, fmt::format("`{}` is not a value", text),
                    "an integer, true, false, a list or an attribute");
  n.integer = text == "true" ? 1 : 0;
  n.span.end = position();
  return n;
}

Result<void> Reader::entriesInto(Node& n, std::string_view close) {
  std::set<std::string> given;
  for (const auto& [key, value] : n.entries) given.insert(key);
  while (!accept(close)) {
    if (atEnd())
      return fail("the text ends inside an attribute", fmt::format("NAME = VALUE or {}", close),
                  "copy the attribute up to its }>");
    const std::size_t begin = position();
    TESSERA_TRY(const std::string key, identifier("a name"));
    if (!given.insert(key).second) return failFrom(begin, fmt::format("{} is given twice", key));
    TESSERA_CHECKED(expect("=", fmt::format("after {}", key)));
    TESSERA_TRY(Node value, node());
    n.entries.push_back({key, std::move(value)});
    if (accept(",")) continue;
    TESSERA_CHECKED(expect(close, "after the last value"));
    break;
  }
  return {};
}

Result<Node> Reader::node() {
  const Nesting level;
  if (level.tooDeep()) return level.refusal(*this);
  if (atEnd())
    return fail("a value is missing here", "an integer, true, false, a list or an attribute",
                "if the text is cut off: copy the attribute up to its }>");
  if (peek() == '#') return attribute();
  if (isDigit(peek()) || peek() == '-') return number();
  Node n;
  n.span.begin = position();
  if (accept("[")) {
    n.kind = Node::Kind::List;
    while (!accept("]")) {
      TESSERA_TRY(Node item, node());
      n.items.push_back(std::move(item));
      if (accept(",")) continue;
      TESSERA_CHECKED(expect("]", "at the end of the list"));
      break;
    }
  } else if (accept("{")) {
    n.kind = Node::Kind::Dictionary;
    TESSERA_CHECKED(entriesInto(n, "}"));
  } else {
    return word();
  }
  n.span.end = position();
  return n;
}

// #name, #name<{k = v}>, #name<k = v, ..>, #name<[..] {..}>, #name<{..}, k = v>
Result<Node> Reader::attribute() {
  const Nesting level;
  if (level.tooDeep()) return level.refusal(*this);
  skipBlanks();
  Node n;
  n.kind = Node::Kind::Attribute;
  n.span.begin = position();
  TESSERA_CHECKED(expect("#", "before the name of an attribute"));
  // The name may begin with a digit and contain a `-`; no blank may precede it or its `<`.
  for (; atNamePart() || raw() == '-'; advance()) n.name += raw();
  if (n.name.empty()) return fail("the name of the attribute is missing after `#`");
  n.name.insert(n.name.begin(), '#');
  if (raw() == '<') {
    advance();
    while (!accept(">")) {
      if (isNameStart(peek())) {
        TESSERA_CHECKED(entriesInto(n, ">"));
        break;
      }
      TESSERA_TRY(Node item, node());
      n.items.push_back(std::move(item));
      (void)accept(",");
      if (atEnd()) return fail("`>` is missing at the end of the attribute", "`>`");
    }
  }
  n.span.end = position();
  return n;
}

}  // namespace tessera::triton::mlir
