#include "app/files/image_clipboard.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <utility>

#include "app/files/tool.h"
#include "app/files/write_file.h"

namespace tessera {
namespace fs = std::filesystem;
namespace {

Result<void> copyByTool(const std::string& png) {
  const bool wayland = std::getenv("WAYLAND_DISPLAY") != nullptr && !toolPath("wl-copy").empty();
  const std::string tool = toolPath(wayland ? "wl-copy" : "xclip");
  if (tool.empty())
    return Diag{"an image is copied by xclip or wl-copy, and this machine has neither", "one of them in PATH",
                "sudo apt install xclip; or export the picture as PNG"};
  std::error_code failed;
  const fs::path file = fs::temp_directory_path(failed) / fmt::format("tessera-copy-{}.png", ::getpid());
  TESSERA_CHECKED(writeWhole(file.string(), png));
  // The tool stays in the background to serve the clipboard: it must not keep our pipe.
  const char* const script = wayland ? "\"$0\" --type image/png <\"$1\" >/dev/null 2>&1"
                                     : "\"$0\" -selection clipboard -t image/png -i \"$1\" >/dev/null 2>&1";
  const auto ran = runTool({"/bin/sh", "-c", script, tool, file.string()});
  fs::remove(file, failed);
  if (!ran.ok()) return ran.error();
  if (ran->exit != 0)
    return Diag{fmt::format("{} could not copy the image (exit {})", tool, ran->exit), "a display", ""};
  return {};
}

std::function<Result<void>(const std::string&)>& imageClipboard() {
  static std::function<Result<void>(const std::string&)> copy = copyByTool;
  return copy;
}

}  // namespace

Result<void> copyImage(const std::string& png) { return imageClipboard()(png); }

void setImageClipboard(std::function<Result<void>(const std::string&)> copy) { imageClipboard() = std::move(copy); }

}  // namespace tessera
