#include "app/gui/dialogs/discard_dialog.h"

#include <fmt/format.h>

#include "app/gui/dialogs/path_dialog.h"

namespace tessera {

Dialog discardDialog(Session& session, WindowState& state, std::function<void()> action) {
  const std::string path = session.document().path();
  const auto save = [&session, &state, action](const std::string&) -> std::string {
    if (session.document().path().empty()) {
      askSaveAs(state, "worksheet.tess", action);
      return "";
    }
    if (!session.save()) return session.message;
    action();
    return "";
  };
  const auto discard = [action](const std::string&) -> std::string {
    action();
    return "";
  };
  Dialog d;
  d.name = "discard";
  d.title =
      path.empty() ? "Save this worksheet first?" : fmt::format("Save the changes to {} first?", fileNameOf(path, ""));
  d.text = "It has changes that are not saved. Going on replaces its text.";
  d.choices = {{"save", path.empty() ? "Save as ..." : "Save", save},
               {"discard", "Discard the changes", discard},
               {"cancel", "Cancel", {}}};
  return d;
}

}  // namespace tessera
