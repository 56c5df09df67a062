// The desktop app: a window on a Session. One call; everything else is behind it.
#pragma once

#include <atomic>
#include <functional>
#include <string>

namespace tessera {

struct AppOptions {
  std::string file;           // worksheet to open; empty: the last session, else the gallery's first sheet
  std::string screenshot;     // PNG path: render without a display (EGL), write the picture, exit
  int width = 0, height = 0;  // 0: 1600x1000, or the screenshot's 1920x1080
  double scale = 0;           // 0: the display's
  std::string theme;          // "dark", "light"; empty: as last time
  const std::atomic<bool>* stop = nullptr;  // once it is set the window closes, as if asked to quit
  std::function<int(int status)> exitCode;  // of the process, when it must end without returning
};

// Exit code: 0 fine; 2 no display, no OpenGL 3.3, or the file could not be read (said on standard error).
int runApp(const AppOptions& options);

}  // namespace tessera
