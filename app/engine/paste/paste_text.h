// paste_text: what Ctrl+V inserts into a worksheet for a text in a format of another tool.
//
//     using A = Layout<Shape<_8, Int<kN>>>;      // read as CuTe C++
//                                          ->    kN = 64   // assumed: edit
//                                                A = (_8,kN):(_1,_8)
//                                                show A
//
// Laws: a text that the worksheet reads by itself is inserted unchanged. The inserted text evaluates without errors.
// Each constant that the text does not define is a line of its own if the statements can name it, so that an edit of
// the line is an edit of the layout; else the statements have its value, and the remark says so.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/engine/paste/pasted.h"

namespace tessera {

struct PasteText {
  std::string text;    // statements, one or more lines; empty: insert the text as it is
  std::string remark;  // "read as CuTe C++; kN = 64 is assumed"
  bool wrong = false;  // the text is of another tool but cannot be read: the remark says why
};

// `taken`: names that the worksheet binds; a name that the text itself does not declare avoids them.
[[nodiscard]] PasteText pasteText(std::string_view text, const std::vector<std::string>& taken = {});

}  // namespace tessera
