// Index functions as programs: the code of many layouts in one file of C, C++ or Python, run at many coordinates in one
// process. The other opinion is the layouts' maps there (Map::at, Map::isReal).
#pragma once

#include <string>
#include <vector>

#include "core/codegen/index/index_code.h"
#include "core/codegen/index/index_function.h"

namespace tessera::codegen {

// A layout, its functions called f<number> (and f<number>_inverse ...).
struct IndexCase {
  std::string text;  // for messages
  Arrow arrow;
  IndexFunctions functions;
};

// A question is a line "ROW a b ...", row 2k asks f<k>, row 2k+1 its inverse; the answer a line of numbers.
//     f<k>(c)          the values, then 1 or 0: whether c is real
//     f<k>_inverse(p)  1 and the coordinates, or 0: nothing is there
struct Questions {
  std::vector<std::string> asked, expected;
  std::vector<std::size_t> of;  // which case
};
// Every coordinate of a small layout, corners and `most` random ones of a larger one; places that are hit, and, where
// the layout is small enough to know them, some that are not.
[[nodiscard]] Questions questionsFor(const std::vector<IndexCase>& cases, unsigned seed, int most);

// The whole program's text.
[[nodiscard]] std::string programText(const std::vector<IndexCase>& cases, Language language);

// Its answers, line by line; a message instead when it did not compile or did not end well.
struct Ran {
  bool available = true;  // false: there is no compiler, no Python here
  std::string message;
  std::vector<std::string> answers;
};
[[nodiscard]] Ran runProgram(const std::string& text, Language language, const std::vector<std::string>& asked);

}  // namespace tessera::codegen
