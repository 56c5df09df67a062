// commentsIn: the comments of a C++ or Python source file, in order.
//
//     s = "// no";  // a        a comment: inside " a"
//     /* b */ x                 a comment: inside " b "
//     R"(// no)"                none
//     x = '# no'  # c           Python: inside " c"
//
// Strings, character literals, raw strings and Python's triple-quoted strings are skipped. A backslash at the end of
// a `//` line continues it (C++), and a string that is not closed on its line ends there.
//
// Laws: the spans are in order and disjoint; `inside` lies in `span`; the text outside of comments and strings has no
// comment mark. One pass over the bytes; any bytes are accepted. tests/cli/check_source.py compares it with a slow
// state machine; tests/code/declarations_test.cpp has a row per rule.
#pragma once

#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/code/tree.h"

namespace tessera::code {

struct Comment {
  Span span;             // with its marks; a line comment ends before the end of its line
  Span inside;           // without them
  bool isBlock = false;  // /* */
  bool isAlone = false;  // only blanks before it on its line
};

[[nodiscard]] std::vector<Comment> commentsIn(std::string_view text, Language language);

}  // namespace tessera::code
