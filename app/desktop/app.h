// The desktop app: a window on a Session, started by one call.
#pragma once

#include <atomic>
#include <functional>
#include <string>

namespace tessera {

struct AppOptions {
  std::string file;           // worksheet to open; empty: the last session, else the gallery's first sheet
  std::string screenshot;     // PNG path: render without a display (EGL), write the picture, exit
  int width = 0, height = 0;  // 0: 1600x1000, or for a screenshot 1920x1080
  double scale = 0;           // 0: the display's
  std::string theme;          // "dark", "light"; empty: the last one
  const std::atomic<bool>* stop = nullptr;       // when set, the window closes as on quit
  std::function<int(int status)> exitCode = {};  // called if the process must exit without returning
};

// Exit code: 0 success; 2 no display, no OpenGL 3.3, or the file could not be read (reported on standard error).
int runApp(const AppOptions& options);

}  // namespace tessera
