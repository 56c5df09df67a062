// An N-d array on a page: which mode (dimension) runs down, which across, which are facets, and which are fixed.
//
//     (4,4,3,100)    rows 0, columns 1, facets 2 and 3: 300 pictures, of which a page shows the first few
//                    with "m3 7" after the view: mode 3 is fixed at 7, facets 2
//
// Law: every mode has exactly one role. Figure::modes lists the roles, so that the window's menus and sliders start
// from the drawing.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "render/draw/draw.h"
#include "render/figure/figure.h"

namespace tessera {

struct ModeNames {
  std::string_view noun;           // "mode", "dimension"
  std::vector<std::string> words;  // names after the view: m0 m1 ..; z y x
  std::vector<std::string> shown;  // names in the picture: "mode 0"; "z"
};

struct ModeChoice {
  int rowMode = -1, colMode = -1;  // -1: none
  std::vector<int> facets;         // the first varies fastest
  std::vector<i64> fixed;          // a value per mode; those of rows and columns are overwritten
  double total = 1;                // number of facets

  // Sets the n-th facet's values in `fixed`; returns its label, "mode 2 = 1   mode 3 = 0".
  std::string choose(i64 n, std::span<const i64> extents, const ModeNames& names);
};

// The cells of one picture: two modes, or a single one wrapped into rows.
struct ModePage {
  int rowMode = -1, colMode = -1;  // rowMode -1: a single row
  i64 wrap = 0;                    // > 0: rank 1, `wrap` columns per row
  i64 rows = 1, cols = 1;
  std::vector<i64> fixed;  // one per mode; those of rows and columns are overwritten

  void coordAt(i64 row, i64 col, std::vector<i64>& coord) const;
  // The cell of a coordinate; none if a fixed mode has another value.
  [[nodiscard]] std::vector<std::pair<i64, i64>> find(const std::vector<i64>& coord) const;
  [[nodiscard]] std::string rowHeader(i64 row) const;
  [[nodiscard]] std::string colHeader(i64 col) const;
};

// Parses "rows z", "cols x", "p 3" among the words after the view into rowMode, colMode and fixed. Options already set
// take precedence.
[[nodiscard]] DrawOptions withModeWords(DrawOptions options, const ModeNames& names);

// The options' choice. Open rows and columns become `row` and `col`, or the first free modes if these are taken; the
// rest are facets. Returns a Diag for a mode that does not exist, has two roles, or whose fixed value is out of range.
[[nodiscard]] Result<ModeChoice> chooseModes(std::span<const i64> extents, const DrawOptions& options,
                                             const ModeNames& names, int row, int col);

// For Figure::modes; empty below three modes. With one facet shown of many, the facets are fixed at their values.
[[nodiscard]] std::vector<FigureMode> figureModes(const ModeChoice& choice, std::span<const i64> extents,
                                                  const ModeNames& names, i64 facetsShown);

// The words after a view's name, each a value of one of the view's choices.
//
//     show A as grid tile hex       colour Tile, label Hex
//
// One table per choice: it parses the word and lists the alternatives for the window's menu.

// A Diag that names the first word, for a view that knows none.
[[nodiscard]] Result<void> expectNoWords(const std::vector<std::string>& words, std::string_view view,
                                         std::string hint = "");

template <class E, std::size_t N>
using Words = std::array<std::pair<std::string_view, E>, N>;

// Sets `into` and returns true if `given` is one of the words.
template <class E, std::size_t N>
bool takeWord(const Words<E, N>& words, std::string_view given, E& into) {
  for (const auto& [word, value] : words) {
    if (word != given) continue;
    into = value;
    return true;
  }
  return false;
}

template <class E, std::size_t N>
[[nodiscard]] FigureChoice choiceOf(std::string name, const Words<E, N>& words, E now) {
  FigureChoice choice{std::move(name), {}, ""};
  for (const auto& [word, value] : words) {
    choice.words.emplace_back(word);
    if (value == now) choice.now = word;
  }
  return choice;
}

}  // namespace tessera
