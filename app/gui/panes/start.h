// start: the start page: three ways to begin, the recent sheets, and the gallery by sections with the learner's
// progress.
//
//     Paste what you have     a new sheet with what the clipboard means
//     Lesson 1                what a layout is
//     Run a kernel            the lesson that compiles and runs one
//     all  first steps  kernels  compilers  open      the lessons of a level; open: with tasks that are not solved
#pragma once

#include "app/gui/commands.h"

namespace tessera::panes {

void start(Session& session, WindowState& state);

}  // namespace tessera::panes
