// PythonToken: the words of Python source, with its lines and indentation.
//
//     if a:\n  f(b,\n    c)\n     Name if, Name a, Operator :, Line 2, Name f, ( b , c ), Line 0, End
//
// A Line token ends a logical line; `indent` is the indentation of the line that follows (a tab goes to the next
// multiple of 8). Lines end only outside brackets; blank lines, comments, `\` at the end of a line, and the prompts
// `>>> `, `... ` and `In [3]: ` give no token.
// Law: the tokens' spans are disjoint and in order.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace tessera::code {

struct PythonToken {
  enum class Kind : unsigned char { Name, Number, String, Operator, Line, End };

  Kind kind = Kind::End;
  Span span;
  std::string_view text;  // as written; of a String: without prefix and quotes
  int indent = 0;         // of a Line
};

// Never fails: a byte that begins no token is an Operator. The first token is a Line with the first line's indentation,
// the last is End.
[[nodiscard]] std::vector<PythonToken> pythonTokens(std::string_view text);

}  // namespace tessera::code
