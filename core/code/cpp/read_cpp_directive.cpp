// Preprocessor lines.
#include "core/base/chars.h"
#include "core/code/cpp/read_cpp.h"

namespace tessera::code::cpp {

namespace {

using Kind = Tree::Kind;

Result<Tree> macro(std::string_view source, Span span) {
  std::vector<Token> tokens = tokensOf(source, {span.begin + 1, span.end});
  In in(source, std::move(tokens));
  in.next();  // define
  Tree out = node(Kind::Macro, span, std::string(in.text(in.at)));
  const bool parameters = in.touches(in.at) && in.is("(", 1);
  in.next();
  if (parameters) {
    out.isTemplate = true;
    for (in.next(); !in.atEnd() && !in.is(")"); in.next())
      if (!in.is(",")) out.parameters.push_back({std::string(in.text(in.at)), "", {}, in.token(in.at).span});
    in.next();
  }
  const int first = in.at;
  if (in.atEnd()) {
    out.children.push_back(emptyAt(in));
    return finished(std::move(out));
  }
  auto value = expression(in);
  if (value && in.atEnd()) {
    out.children.push_back(*std::move(value));
    return finished(std::move(out));
  }
  in.at = first;
  std::vector<Tree> body;
  in.fragment = true;
  TESSERA_CHECKED(statements(in, body));
  out.children.push_back(node(Kind::Block, in.spanFrom(first), {}, std::move(body)));
  return finished(std::move(out));
}

}  // namespace

Result<Tree> directive(In& in) {
  const Token token = in.token(in.at);
  const int first = in.at;
  in.next();
  std::string text(stripped(in.source().substr(token.span.begin, token.span.end - token.span.begin)));
  const std::string_view rest = stripped(std::string_view(text).substr(1));
  if (rest.starts_with("define") && rest.size() > 6 && isBlank(rest[6])) {
    auto made = macro(in.source(), in.spanFrom(first));
    if (made && !made->text.empty()) return made;
  }
  return node(Kind::Directive, token.span, std::move(text));
}

}  // namespace tessera::code::cpp
