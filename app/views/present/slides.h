// Slides: a sheet as steps of a presentation. Pure.
//
//     // # 3  The swizzle                    slide 1: heading, the prose
//     // Shared memory has 32 banks ...
//     A = (8,64):(64,1)                      and the statements after it
//     show A as grid                         with the first picture
//     show S as grid                         slide 2: the same text, the second layout's pictures,
//     show S as memory                           side by side, because a path leads through both
//     // A swizzle is a permutation.         slide 3: the next prose
//
// Law (tests/gui/present_test.cpp): every statement of the sheet is on a slide, in the order of the sheet, and every
// picture is on exactly one.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "app/engine/evaluation.h"
#include "app/session/task_help.h"

namespace tessera::panes {

struct Slide {
  std::string heading;
  std::vector<std::string> paragraphs;  // without marks
  std::vector<std::string> code;        // lines
  int firstLine = 0, lastLine = 0;      // of the sheet
  std::vector<std::size_t> pictures;    // the outcomes whose pictures are shown: of one layout (areLinked)
};

[[nodiscard]] std::vector<Slide> slidesOf(const Snapshot& snapshot, const TaskHelp& help);

}  // namespace tessera::panes
