// Composition root of the executable: the command line, and the window if this build has one.
#include "app/cli/command_line.h"
#include "app/cli/io/signals.h"
#include "app/engine/kernel/kernel_value.h"
#include "core/worksheet/programs/programs.h"

#if defined(TESSERA_HAVE_GUI) && __has_include("app/desktop/app.h")
#include "app/desktop/app.h"
#define TESSERA_WINDOW 1
#endif

int main(int argc, char** argv) {
  tessera::addPrograms();
  tessera::addKernels();
  tessera::Window window;
#ifdef TESSERA_WINDOW
  window.open = [](const std::string& file) {
    tessera::AppOptions options;
    options.file = file;
    options.stop = &tessera::interrupted();
    options.exitCode = [](int status) { return tessera::interrupted() ? tessera::interruptedExit() : status; };
    tessera::setSecondsToEnd(5);  // Ctrl-C closes the window, which stores its session
    return tessera::runApp(options);
  };
  window.screenshot = [](const std::string& file, const tessera::Screenshot& shot) {
    return tessera::runApp({.file = file,
                            .screenshot = shot.png,
                            .width = shot.width,
                            .height = shot.height,
                            .scale = shot.scale,
                            .theme = shot.theme});
  };
#endif
  return tessera::runCommandLine(argc, argv, window);
}
