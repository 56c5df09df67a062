#include "app/gui/links.h"

#include <filesystem>

#include "app/gui/panes/manual.h"
#include "app/session/gallery.h"

namespace tessera {
namespace fs = std::filesystem;

void openSheet(Session& session, WindowState& state, const std::string& path, bool lesson) {
  guarded(session, state, [&session, &state, path, lesson] {
    if (lesson ? session.openGallery(path) : session.open(path)) showSheet(session, state);
  });
}

void followLink(Session& session, WindowState& state, const std::string& target) {
  constexpr std::string_view kManual = "manual";
  if (target == kManual || target.rfind("manual#", 0) == 0)
    return openManual(state, target.size() > kManual.size() ? target.substr(kManual.size() + 1) : "");
  std::error_code failed;
  if (fs::path(target).extension() == ".tess") {
    const fs::path own = session.document().path();
    const fs::path beside = own.empty() ? fs::path() : own.parent_path() / target;
    if (!own.empty() && fs::is_regular_file(beside, failed)) return openSheet(session, state, beside.string(), false);
    const fs::path lesson = fs::path(assetsFolder()) / "gallery" / fs::path(target).filename();
    if (fs::is_regular_file(lesson, failed)) return openSheet(session, state, lesson.string(), true);
  }
  session.tell("The link leads to " + target + ", which is neither beside this sheet nor in the gallery", true);
}

}  // namespace tessera
