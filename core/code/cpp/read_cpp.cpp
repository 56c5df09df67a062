#include "core/code/cpp/read_cpp.h"

namespace tessera::code {

Result<std::vector<Tree>> readCpp(std::string_view text) {
  cpp::In in(text, cpp::tokensOf(text, {0, text.size()}));
  in.fragment = true;
  std::vector<Tree> out;
  while (!in.atEnd()) {
    TESSERA_CHECKED(cpp::statements(in, out));
    if (in.atEnd()) break;
    // A `}` that closes nothing in this fragment.
    out.push_back(cpp::node(Tree::Kind::Opaque, in.token(in.at).span, std::string(in.text(in.at))));
    in.next();
  }
  return out;
}

Result<Tree> readCppExpression(std::string_view text) {
  cpp::In in(text, cpp::tokensOf(text, {0, text.size()}));
  TESSERA_TRY(Tree out, cpp::expression(in));
  if (!in.atEnd())
    return in.fail("this does not continue the expression: `" + std::string(in.text(in.at)) + "`", "an operator");
  return out;
}

}  // namespace tessera::code
