// Index code in Python: a lambda, a function, statements; also the index functions of TVM and TileLang.
#include <algorithm>
#include <array>

#include "core/base/chars.h"
#include "core/paste/code/index_reading.h"
#include "core/paste/dialects.h"

namespace tessera::paste {
namespace {

// `a // b` between operands, and not a comment of C: the line ends in no `;`, and what follows is no sentence.
bool dividesByTwoSlashes(std::string_view text) {
  for (std::size_t at = text.find("//"); at != std::string_view::npos; at = text.find("//", at + 2)) {
    std::size_t before = at;
    while (before > 0 && text[before - 1] == ' ') --before;
    const bool operand =
        before > 0 && (isNamePart(text[before - 1]) || text[before - 1] == ')' || text[before - 1] == ']');
    std::size_t after = at + 2;
    while (after < text.size() && text[after] == ' ') ++after;
    const bool divisor = after < text.size() && (isNamePart(text[after]) || text[after] == '(');
    std::size_t end = after;
    while (end < text.size() && isNamePart(text[end])) ++end;
    while (end < text.size() && text[end] == ' ') ++end;
    const bool word = end < text.size() && isLetter(text[end]);  // two words: a comment
    if (operand && divisor && !word) return true;
  }
  return false;
}

// rows[:, None], cols[None, :]: only Python has these.
bool hasNewAxis(std::string_view text) {
  return text.find("[:, None") != std::string_view::npos || text.find("[None, :") != std::string_view::npos ||
         text.find("[:,None") != std::string_view::npos || text.find("[None,:") != std::string_view::npos;
}

int recognizesPython(std::string_view text) {
  text = text.substr(0, std::size_t{64} << 10);
  const bool statements = text.find(';') != std::string_view::npos || text.find("{\n") != std::string_view::npos;
  if (statements) return 0;
  if (text.find("make_layout") != std::string_view::npos || text.find("tensor<") != std::string_view::npos) return 0;
  const bool defines = text.find("def ") != std::string_view::npos && text.find("):") != std::string_view::npos;
  const bool lambda = text.find("lambda ") != std::string_view::npos && text.find(':') != std::string_view::npos;
  const bool triton =
      text.find("tl.program_id") != std::string_view::npos || text.find("tl.arange") != std::string_view::npos;
  if (defines || lambda || triton || hasNewAxis(text)) return 2;
  if (text.find("floordiv") != std::string_view::npos || text.find("->") != std::string_view::npos) return 0;
  if (dividesByTwoSlashes(text)) return 2;
  const bool words = text.find(" and ") != std::string_view::npos || text.find(" if ") != std::string_view::npos ||
                     text.find("range(") != std::string_view::npos || text.find("tl.") != std::string_view::npos;
  return words ? 1 : 0;
}

Result<Reading> readPythonCode(std::string_view text, const Given& given) {
  return readIndexCode("python", text, given);
}

}  // namespace

const Dialect kPythonCode{"index code in Python", recognizesPython, readPythonCode};

}  // namespace tessera::paste
