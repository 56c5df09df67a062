// An N-d array on a page: which mode (dimension) runs down, which across, which is a facet each, which stands still.
//
//     (4,4,3,100)    rows 0, columns 1, facets 2 and 3: 300 pictures, of which a page shows the first few
//                    with "m3 7" after the view: mode 3 stands at 7, facets 2
//
// Law: every mode has exactly one part to play;
// Figure::modes says which, so that the window's menus and sliders start from what is drawn.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "render/draw/draw.h"

namespace tessera {

struct ModeNames {
  std::string_view noun;           // "mode", "dimension"
  std::vector<std::string> words;  // how each is called after the view: m0 m1 ..; z y x
  std::vector<std::string> shown;  // and in the picture: "mode 0"; "z"
};

struct ModeChoice {
  int rowMode = -1, colMode = -1;  // -1: none
  std::vector<int> facets;         // the first varies fastest
  std::vector<i64> fixed;          // a value for each mode; those of rows and columns are overwritten
  double total = 1;                // facets in all

  // The n-th facet's values into `fixed`; its label, "mode 2 = 1   mode 3 = 0".
  std::string choose(i64 n, std::span<const i64> extents, const ModeNames& names);
};

// "rows z", "cols x", "p 3" among the words after the view become rowMode, colMode and fixed.
// What the options fix already stays.
[[nodiscard]] DrawOptions withModeWords(DrawOptions options, const ModeNames& names);

// The options' choice; rows and columns that they leave open are `row` and `col` unless those are taken, then the first
// modes that are free. The rest are facets. A mode that does not exist, has two parts, or stands outside is a Diag.
[[nodiscard]] Result<ModeChoice> chooseModes(std::span<const i64> extents, const DrawOptions& options,
                                             const ModeNames& names, int row, int col);

// For Figure::modes; empty below three modes. With one facet shown of many the facets stand still at their values.
[[nodiscard]] std::vector<FigureMode> figureModes(const ModeChoice& choice, std::span<const i64> extents,
                                                  const ModeNames& names, i64 facetsShown);

}  // namespace tessera
