#include "app/gui/opening.h"

#include <array>
#include <utility>

#include "app/session/gallery.h"

namespace tessera {
namespace {

std::array<std::pair<const char*, float*>, 3> namedSizes(PaneSizes& sizes) {
  return {{{"left", &sizes.left}, {"right", &sizes.right}, {"bottom", &sizes.bottom}}};
}

void restorePanes(const Session& session, WindowState& state) {
  for (const auto& [name, points] : namedSizes(state.shown.sizes))
    if (const auto size = session.preferences.sizes.find(name); size != session.preferences.sizes.end())
      *points = static_cast<float>(size->second);
}

}  // namespace

bool begin(Session& session, WindowState& state, const Opening& opening) {
  bool restored = false;
  if (opening.restore) {
    session.restorePreferences();
    session.keepSheets();
    restorePanes(session, state);
    restored = opening.file.empty() && session.restoreState();
  }
  if (opening.theme == "light") session.preferences.theme = Theme::Light;
  if (opening.theme == "dark") session.preferences.theme = Theme::Dark;
  const bool opened = opening.file.empty() || session.open(opening.file);
  // Clear the selection after restoring a caret: otherwise the next key would replace the text.
  state.editor.anchor = session.document().caret();
  state.editor.caret.reveal = true;
  if (!opening.file.empty()) return opened;
  if (!restored || session.document().text().empty()) {
    const auto items = gallery();
    if (!items.empty()) session.openGallery(items.front().path);
  }
  return true;
}

void store(Session& session, WindowState& state) {
  for (const auto& [name, points] : namedSizes(state.shown.sizes))
    session.preferences.sizes[name] = static_cast<double>(*points);
  session.storeState();
}

}  // namespace tessera
