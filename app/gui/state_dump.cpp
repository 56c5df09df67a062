#include "app/gui/state_dump.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "app/gui/parts.h"

namespace tessera {
namespace {

// What a pane shows, so that a script can compare it with the command line.
nlohmann::json pictureOf(const panes::Pane& pane) {
  constexpr std::size_t kMostLines = 40;
  const Figure& figure = *pane.drawn->figure;
  const panes::RowsState& rows = pane.sight.rows;
  nlohmann::json out = {{"title", figure.title}, {"caption", figure.caption}, {"scale", pane.scale}};
  out["table"] = nlohmann::json::array();
  for (std::size_t k = 0; k < std::min(figure.table.size(), kMostLines); ++k) out["table"].push_back(figure.table[k]);
  for (const FigureMode& mode : figure.modes)
    out["modes"].push_back(mode.values.empty() ? std::to_string(mode.value)
                                               : mode.values[static_cast<std::size_t>(mode.value)]);
  if (!figure.rows) return out;
  out["selected"] = rows.selected;
  out["sorted"] = figure.rows->columns()[std::min(rows.column, figure.rows->columns().size() - 1)].name;
  for (std::size_t k = 0; k < std::min(rows.order.size(), kMostLines); ++k) {
    nlohmann::json line = nlohmann::json::array();
    for (std::size_t c = 0; c < figure.rows->columns().size(); ++c) line.push_back(figure.rows->text(rows.order[k], c));
    out["rows"].push_back(std::move(line));
  }
  return out;
}

}  // namespace

void StateDump::write(const Session& session, const WindowState& window, long keys, long frames) {
  if (path_ == nullptr) return;
  nlohmann::json state = {{"session", nlohmann::json::parse(dump(session))}, {"places", nlohmann::json::object()}};
  state["owner"] = name(ui::keyboard().owner());
  for (const auto& [owner, seen] : partsOf(session, window)) state["parts"][name(owner)] = seen;
  state["keys"] = keys;
  for (const auto& [name, p] : ui::places())
    state["places"][name] = {std::lround(p.x), std::lround(p.y), std::lround(p.w), std::lround(p.h)};
  for (const auto& [key, pane] : window.canvas.panes)
    if (pane.drawn && pane.drawn->figure) state["pictures"].push_back(pictureOf(pane));
  constexpr auto kReplace = nlohmann::json::error_handler_t::replace;
  if (std::string text = state.dump(-1, ' ', false, kReplace); text != last_) {
    last_ = std::move(text);
    state["frames"] = frames;
    (void)writeFileAtomically(path_, state.dump(1, ' ', false, kReplace) + "\n");
  }
}

}  // namespace tessera
