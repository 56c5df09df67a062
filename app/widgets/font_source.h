// FontSource: where the fonts of the window come from: fontconfig on a desktop (app/desktop/system_fonts.h), files
// beside the program on a web page (app/web).
#pragma once

#include <imgui.h>

#include <functional>
#include <string>
#include <vector>

struct ImFontBuilderIO;

namespace tessera::ui {

struct FontSource {
  // Paths of Inter (regular, medium) and JetBrains Mono (regular, bold); "": missing.
  std::string sans, medium, mono, bold;
  // Files that together have as many of these characters as possible.
  std::function<std::vector<std::string>(const std::vector<ImWchar>& characters)> filesWith = {};
  const ImFontBuilderIO* builder = nullptr;  // null: ImGui's own
  unsigned builderFlags = 0;
};

}  // namespace tessera::ui
