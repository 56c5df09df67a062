// The command line: sub-commands over the same engine as the window. docs/cli.md lists them.
//
//     tessera eval [--json] EXPR... | -      expressions or lines -> canonical text
//     tessera check [--json] FILE... | -     every prove, assert and find; exit 0 all hold, 1 some do not, 2 unreadable
//     tessera draw EXPR_OR_FILE -o OUT       pictures
//
// With --json: one object per line, flushed as soon as it is known. The window is passed in as two functions, because
// this layer must build without it.
#pragma once

#include <functional>
#include <string>

namespace tessera {

// tessera --screenshot OUT.png [--size 3840x2160] [--scale 2] [--theme dark] FILE
struct Screenshot {
  std::string png;
  int width = 0, height = 0;  // 0: 1920 x 1080
  double scale = 0;           // 0: 1
  std::string theme;          // "": dark
};

struct Window {
  std::function<int(const std::string& file)> open;  // "": the last session, or the gallery; null: there is no window
  std::function<int(const std::string& file, const Screenshot& shot)> screenshot;
};

// Never throws; returns the exit code of the process.
[[nodiscard]] int runCommandLine(int argc, char** argv, const Window& window);

}  // namespace tessera
