#include "app/views/pictures/pane_view.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/worksheet/functions/tile_value.h"
#include "core/worksheet/value.h"

namespace tessera::panes {

const Value* valueOf(const Outcome& outcome) {
  if (outcome.diag || outcome.verdict) return nullptr;
  if (outcome.show) return outcome.show->value.get();
  return outcome.value ? &*outcome.value : nullptr;
}

std::string viewOf(const PaneView& pane, const Outcome& outcome) {
  if (!pane.view.empty()) return pane.view;
  if (outcome.show && !outcome.show->view.empty()) return outcome.show->view;
  const Value* value = valueOf(outcome);
  if (value == nullptr) return "";
  const auto views = viewsFor(*value);
  return views.empty() ? "" : std::string(views.front());
}

bool isOfThreads(std::string_view view) { return view == "instruction" || view == "tiled" || view == "chain"; }

bool isStepByStep(std::string_view view) {
  return view == "flow" || view == "forward" || view == "backward" || view == "address";
}

bool reflows(std::string_view view) {
  return std::ranges::any_of(views(), [&](const ViewInfo& v) { return v.name == view && v.reflows; });
}

int phasesOf(const Figure& figure) {
  for (const Grid& g : figure.grids)
    if (g.name == "phases") return static_cast<int>(g.rows);
  return 0;
}

void givePart(std::vector<FigureMode>& modes, std::size_t k, FigureMode::Part part) {
  using Part = FigureMode::Part;
  const Part had = modes[k].part;
  for (FigureMode& other : modes)
    if (other.part == part && (part == Part::Rows || part == Part::Columns)) other.part = had;
  modes[k].part = part;
}

void choose(PaneView& pane, const std::vector<FigureChoice>& choices, const std::string& word) {
  const auto has = [](const FigureChoice& choice, const std::string& w) {
    return std::ranges::find(choice.words, w) != choice.words.end();
  };
  std::erase_if(pane.words, [&](const std::string& w) {
    return std::ranges::none_of(choices, [&](const FigureChoice& c) { return has(c, w) && !has(c, word); });
  });
  pane.words.push_back(word);
}

namespace {

void applyModes(const std::vector<FigureMode>& modes, DrawOptions& options) {
  using Part = FigureMode::Part;
  for (std::size_t k = 0; k < modes.size(); ++k) {
    const int mode = static_cast<int>(k);
    if (modes[k].part == Part::Rows) options.rowMode = mode;
    if (modes[k].part == Part::Columns) options.colMode = mode;
    if (modes[k].part == Part::Facets) options.facetModes.push_back(mode);
    if (modes[k].part == Part::Fixed) options.fixed.emplace_back(mode, modes[k].value);
  }
}

// A grid is the same in a narrow pane unless it has facets.
bool narrowDiffers(std::string_view view, const Figure& figure) {
  return (view != "grid" && view != "tensor") || figure.grids.size() > 1;
}

std::string keyOf(const std::vector<FigureMode>& modes) {
  std::string key;
  for (const FigureMode& m : modes) key += fmt::format(" {}:{}", static_cast<int>(m.part), m.value);
  return key;
}

}  // namespace

std::string statementOf(const PaneView& pane, const Figure& figure) {
  const auto* part = pane.opened ? as<hlo::Part>(*pane.opened->value) : nullptr;
  if (part == nullptr) return "";
  std::string out = fmt::format("show {}.{} as {}", part->of.name, pane.opened->key, pane.view);
  for (const std::string& word : pane.words) out += " " + word;
  if (!pane.tile.empty() && pane.tile != "whole") out += " tile " + pane.tile;
  std::string sizes;
  for (const FigureMode& m : pane.modes.empty() ? std::vector<FigureMode>() : figure.modes)
    if (!m.values.empty())
      sizes += fmt::format("{}{}", sizes.empty() ? " tile " : "x", m.values[static_cast<std::size_t>(m.value)]);
  return out + sizes;
}

std::shared_ptr<const Outcome> seenThrough(const PaneView& pane, const std::shared_ptr<const Outcome>& outcome,
                                           std::shared_ptr<const Outcome>& shown, std::string& key) {
  const Value* value = valueOf(*outcome);
  const std::string view = viewOf(pane, *outcome);
  const bool phase = pane.phase >= 0 && view == "banks", isolated = !pane.isolate.empty() && isOfThreads(view);
  const bool asked = pane.asked && isStepByStep(view);
  const bool narrow = pane.width > 0 && reflows(view) && narrowDiffers(view, *outcome->figure);
  if ((value == nullptr && !outcome->ran) ||
      (pane.view.empty() && !phase && !isolated && !asked && pane.modes.empty() && pane.words.empty() && !pane.array &&
       !pane.opened && pane.tile.empty() && !narrow))
    return outcome;
  std::string opened = " ";
  if (pane.opened) opened = fmt::format(" {} ", pane.opened->key);
  std::string wanted = fmt::format(
      "{} {} {} {} {} {} {}{} {}", static_cast<const void*>(outcome.get()), view, pane.phase, pane.isolate, pane.number,
      asked ? pane.asked->domain : 0, asked ? pane.asked->index : -1,
      keyOf(pane.modes) + (pane.array ? print(*pane.array) : "") + opened + pane.tile, fmt::join(pane.words, " "));
  if (narrow) wanted += fmt::format(" within {}", pane.width);
  if (shown && key == wanted) return shown;
  key = wanted;
  DrawOptions options;
  options.name = titleOf(*outcome);
  if (pane.array && options.name == print(*value)) options.name.clear();  // it names the array before its edits
  if (asked) options.hover = pane.asked;
  if (narrow) options.width = pane.width;
  const bool lineView = outcome->show && (outcome->show->view == view || pane.view.empty());
  if (lineView) options.arguments = outcome->show->arguments;
  options.arguments.insert(options.arguments.end(), pane.words.begin(), pane.words.end());
  if (pane.opened) {
    options.arguments = pane.words;
    options.name = pane.opened->name;
  }
  if (view == "reads" && !pane.tile.empty()) {
    if (pane.tile != "whole") options.arguments.emplace_back("tile");
    options.arguments.push_back(pane.tile);
  }
  applyModes(pane.modes, options);
  if (phase) {
    std::erase_if(options.arguments, [](const std::string& w) { return w == "phase"; });
    options.arguments.insert(options.arguments.end(), {"phase", std::to_string(pane.phase)});
  }
  if (view == "banks" && options.arguments.size() == (phase ? 2U : 0U) && !elementBitsOf(*value))
    options.arguments.insert(options.arguments.begin(), "f16");  // a plain layout has no type: use halves
  if (isolated) options.arguments = {pane.isolate, std::to_string(pane.number)};
  auto figure = pane.opened  ? draw(*pane.opened->value, view, options)
                : pane.array ? draw(Value(*pane.array), view, options)
                             : drawOutcome(*outcome, view, options);
  if (!figure) {
    shown = outcome;
    return shown;
  }
  auto copy = std::make_shared<Outcome>(*outcome);
  copy->figure = *std::move(figure);
  if (pane.array && copy->show) copy->show->value = Value(Layout(*pane.array));
  if (pane.opened && copy->show) copy->show->value = pane.opened->value;
  shown = std::move(copy);
  return shown;
}

}  // namespace tessera::panes
