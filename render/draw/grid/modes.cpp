#include "render/draw/grid/modes.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/chars.h"
#include "core/base/words.h"

namespace tessera {
namespace {

Result<void> checkMode(int mode, std::size_t rank, const ModeNames& names, std::string_view part) {
  if (mode >= 0 && mode < static_cast<int>(rank)) return {};
  return Diag{fmt::format("{} {} {} does not exist: there {} {}", part, names.noun, mode, rank == 1 ? "is" : "are",
                          counted(rank, names.noun)),
              fmt::format("a {} from 0 to {}", names.noun, rank - 1)};
}

bool isFacet(const std::vector<int>& facets, int mode) { return std::ranges::find(facets, mode) != facets.end(); }

bool isFixed(const DrawOptions& options, int mode) {
  return std::ranges::any_of(options.fixed, [mode](auto f) { return f.first == mode; });
}

Result<void> checkFixed(const DrawOptions& options, std::span<const i64> extents, const ModeNames& names) {
  for (const auto& [mode, value] : options.fixed) {
    TESSERA_CHECKED(checkMode(mode, extents.size(), names, "fixed"));
    const auto k = static_cast<std::size_t>(mode);
    if (value < 0 || value >= extents[k]) {
      return Diag{fmt::format("{} cannot be fixed at {}: its extent is {}", names.shown[k], value, extents[k]),
                  fmt::format("0 to {}", extents[k] - 1)};
    }
    if (mode == options.rowMode || mode == options.colMode) {
      return Diag{fmt::format("{} runs over rows or columns and cannot be fixed", names.shown[k]),
                  fmt::format("another {}", names.noun)};
    }
  }
  return {};
}

}  // namespace

Result<void> expectNoWords(const std::vector<std::string>& words, std::string_view view, std::string hint) {
  if (words.empty()) return {};
  return Diag{fmt::format("the {} view knows no \"{}\"", view, words.front()), "no further word", std::move(hint)};
}

std::string ModeChoice::choose(i64 n, std::span<const i64> extents, const ModeNames& names) {
  std::vector<std::size_t> order;
  for (const int m : facets) {
    const auto k = static_cast<std::size_t>(m);
    fixed[k] = n % extents[k];
    n /= extents[k];
    order.push_back(k);
  }
  std::ranges::sort(order);
  std::string label;
  for (const std::size_t k : order)
    label += fmt::format("{}{} = {}", label.empty() ? "" : "   ", names.shown[k], fixed[k]);
  return label;
}

DrawOptions withModeWords(DrawOptions options, const ModeNames& names) {
  std::vector<std::string> rest;
  const auto modeOf = [&](const std::string& word) -> std::optional<int> {
    const auto found = std::ranges::find(names.words, word);
    if (found == names.words.end()) return std::nullopt;
    return static_cast<int>(found - names.words.begin());
  };
  const auto taken = [&](int mode) {
    return isFixed(options, mode) || options.rowMode == mode || options.colMode == mode ||
           isFacet(options.facetModes, mode);
  };
  for (std::size_t k = 0; k < options.arguments.size(); ++k) {
    const std::string& word = options.arguments[k];
    const std::string next = k + 1 < options.arguments.size() ? options.arguments[k + 1] : "";
    const bool rows = word == "rows", cols = word == "cols";
    if ((rows || cols) && modeOf(next)) {
      std::optional<int>& part = rows ? options.rowMode : options.colMode;
      if (!part && !taken(*modeOf(next))) part = modeOf(next);
    } else if (modeOf(word) && wholeNumber(next)) {
      if (!taken(*modeOf(word))) options.fixed.emplace_back(*modeOf(word), *wholeNumber(next));
    } else {
      rest.push_back(word);
      continue;
    }
    ++k;
  }
  options.arguments = std::move(rest);
  return options;
}

Result<ModeChoice> chooseModes(std::span<const i64> extents, const DrawOptions& options, const ModeNames& names,
                               int row, int col) {
  const int rank = static_cast<int>(extents.size());
  if (options.rowMode) TESSERA_CHECKED(checkMode(*options.rowMode, extents.size(), names, "row"));
  if (options.colMode) TESSERA_CHECKED(checkMode(*options.colMode, extents.size(), names, "column"));
  for (const int m : options.facetModes) TESSERA_CHECKED(checkMode(m, extents.size(), names, "facet"));
  TESSERA_CHECKED(checkFixed(options, extents, names));
  ModeChoice choice;
  choice.fixed.assign(extents.size(), 0);
  choice.rowMode = options.rowMode.value_or(-1);
  choice.colMode = options.colMode.value_or(-1);
  const auto free = [&](int m) {
    return m != choice.rowMode && m != choice.colMode && !isFixed(options, m) && !isFacet(options.facetModes, m);
  };
  const auto settle = [&](int& part, int wanted, int other) {
    if (part < 0 && wanted >= 0 && free(wanted)) part = wanted;
    for (int m = 0; m < rank && part < 0; ++m)
      if (free(m) && m != other) part = m;
  };
  settle(choice.rowMode, row, choice.colMode < 0 ? col : choice.colMode);
  settle(choice.colMode, col, choice.rowMode);
  if (choice.rowMode >= 0 && choice.rowMode == choice.colMode) {
    return Diag{
        fmt::format("{} cannot be both rows and columns", names.shown[static_cast<std::size_t>(choice.rowMode)]),
        fmt::format("two different {}s", names.noun)};
  }
  for (const auto& [mode, value] : options.fixed) choice.fixed[static_cast<std::size_t>(mode)] = value;
  choice.facets = options.facetModes;
  std::erase_if(choice.facets,
                [&](int m) { return m == choice.rowMode || m == choice.colMode || isFixed(options, m); });
  for (int m = 0; m < rank; ++m)
    if (free(m)) choice.facets.push_back(m);
  for (const int m : choice.facets) choice.total *= static_cast<double>(extents[static_cast<std::size_t>(m)]);
  return choice;
}

std::vector<FigureMode> figureModes(const ModeChoice& choice, std::span<const i64> extents, const ModeNames& names,
                                    i64 facetsShown) {
  std::vector<FigureMode> modes;
  if (extents.size() < 3) return modes;
  for (std::size_t k = 0; k < extents.size(); ++k) {
    const int m = static_cast<int>(k);
    FigureMode mode{names.shown[k], extents[k], FigureMode::Part::Fixed, choice.fixed[k]};
    if (m == choice.rowMode) mode.part = FigureMode::Part::Rows;
    if (m == choice.colMode) mode.part = FigureMode::Part::Columns;
    if (isFacet(choice.facets, m) && (facetsShown > 1 || choice.total <= 1)) mode.part = FigureMode::Part::Facets;
    modes.push_back(std::move(mode));
  }
  return modes;
}

void ModePage::coordAt(i64 row, i64 col, std::vector<i64>& coord) const {
  coord = fixed;
  if (wrap > 0) {
    coord[0] = row * wrap + col;
    return;
  }
  if (rowMode >= 0) coord[static_cast<std::size_t>(rowMode)] = row;
  if (colMode >= 0) coord[static_cast<std::size_t>(colMode)] = col;
}

std::vector<std::pair<i64, i64>> ModePage::find(const std::vector<i64>& coord) const {
  if (wrap > 0) return {{coord[0] / wrap, coord[0] % wrap}};
  for (std::size_t k = 0; k < coord.size(); ++k)
    if (static_cast<int>(k) != rowMode && static_cast<int>(k) != colMode && coord[k] != fixed[k]) return {};
  const auto part = [&](int mode) { return mode < 0 ? i64{0} : coord[static_cast<std::size_t>(mode)]; };
  return {{part(rowMode), part(colMode)}};
}

std::string ModePage::rowHeader(i64 row) const {
  if (wrap > 0) return rows == 1 ? "" : fmt::format("{}", row * wrap);
  return rowMode < 0 ? "" : fmt::format("{}", row);
}
std::string ModePage::colHeader(i64 col) const { return fmt::format("{}{}", wrap > 0 && rows > 1 ? "+" : "", col); }

}  // namespace tessera
