#include "app/gui/parts.h"

#include <fmt/format.h>

#include <functional>

namespace tessera {
namespace {

std::string picturesPart(const panes::CanvasState& c) {
  std::string seen =
      fmt::format("{} {} {} {} {}", c.scroll.at, c.focused, c.compare.blink, c.compare.second, c.compare.camera.scale);
  for (const auto& [key, pane] : c.panes) {
    seen += fmt::format(" {:.3f} {:.3f} {:.3f} {}", pane.scale, pane.x, pane.y, pane.look.playing);
    for (const FigureMode& mode : pane.look.modes) seen += fmt::format(" {}", mode.value);
    seen += fmt::format(" {} {}", pane.sight.rows.selected, pane.look.opened ? pane.look.opened->key : "");
  }
  return seen;
}

}  // namespace

const char* name(ui::Owner owner) {
  constexpr const char* kNames[] = {"none",         "worksheet", "pictures", "find", "menu",  "manual",
                                    "presentation", "sheets",    "palette",  "path", "dialog"};
  return kNames[static_cast<std::size_t>(owner)];
}

std::map<ui::Owner, std::string> partsOf(const Session& session, const WindowState& state) {
  using ui::Owner;
  const Document& d = session.document();
  const panes::EditorState& e = state.editor;
  const SheetCompare& s = state.sheets;
  return {{Owner::Worksheet, fmt::format("{} {:x} {} {} {} {}", d.text().size(), std::hash<std::string>{}(d.text()),
                                         d.caret(), e.anchor, e.offers.list.items.size(), e.offers.marked)},
          {Owner::Pictures, picturesPart(state.canvas)},
          {Owner::Find, fmt::format("{} {}", e.find.text, e.find.with)},
          {Owner::Manual, fmt::format("{} {} {}", state.manual.scroll, state.manual.find, state.manual.hit)},
          {Owner::Present, fmt::format("{} {} {} {} {} {}", state.present.open, state.present.slide, state.present.time,
                                       state.present.playing, state.present.written, state.present.claim)},
          {Owner::Sheets, fmt::format("{} {} {} {}", s.at, s.scroll, s.blink, s.second)},
          {Owner::Palette, fmt::format("{} {}", state.palette.text, state.palette.row)},
          {Owner::Path, state.question.path},
          {Owner::Dialog, state.dialogs.empty() ? "" : fmt::format("{}", state.dialogs.back().marked)}};
}

}  // namespace tessera
