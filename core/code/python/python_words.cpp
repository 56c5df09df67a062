#include <algorithm>

#include "core/base/cursor.h"
#include "core/code/python/python_reader.h"

namespace tessera::code {

bool PythonWords::at(std::string_view text) const {
  return here().text == text && (here().kind == PythonToken::Kind::Operator || here().kind == PythonToken::Kind::Name);
}

bool PythonWords::atLineEnd() const {
  return here().kind == PythonToken::Kind::Line || here().kind == PythonToken::Kind::End;
}

bool PythonWords::accept(std::string_view text) {
  spend();
  if (!at(text)) return false;
  ++at_;
  return true;
}

Result<void> PythonWords::expect(std::string_view text, std::string_view where) {
  if (accept(text)) return {};
  return missing("`" + std::string(text) + "` " + std::string(where));
}

Result<std::string> PythonWords::name(std::string_view what) {
  if (here().kind != PythonToken::Kind::Name) return missing(what);
  return std::string(tokens_[at_++].text);
}

Diag PythonWords::missing(std::string_view expected) const {
  const std::string found = atLineEnd() ? "the line ends" : "`" + std::string(here().text.substr(0, 40)) + "` is";
  return Diag{found + " where " + std::string(expected) + " was expected", std::string(expected), {}, here().span};
}

Diag PythonWords::tooDeep() {
  failedWhole_ = true;
  Cursor cursor(text_, {}, here().span.begin);
  const Nesting level;
  return level.refusal(cursor);
}

Tree PythonWords::node(Kind kind, std::size_t begin, std::vector<Tree> children, std::string text) const {
  Tree out;
  out.kind = kind;
  out.span = {begin, kind == Kind::Empty ? begin : std::max(begin, endBefore())};
  out.text = std::move(text);
  out.children = std::move(children);
  for (const Tree& child : out.children) out.height = std::max(out.height, child.height + 1);
  return out;
}

Tree PythonWords::restOfLine(Kind kind) {
  const std::size_t from = begin();
  while (!atLineEnd()) ++at_;
  Tree out = node(kind, from);
  out.text = textOf(out.span);
  return out;
}

}  // namespace tessera::code
