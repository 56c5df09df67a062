// Thumbnail: the upper left corner of a picture's cells as a few colours, for the start page. It stores roles, not
// colours, so it fits both themes.
//
//     4x4 ABCDEFGHIJKLMNOP      rows x columns, then a letter per cell
//
// A letter from 'A' on is a hue and a lightness (groupPaint), one from 'a' on a heat, '.' a cell without colour.
// assets/gallery/thumbnails.txt has a line per lesson. Law (tests/gui/course_test.cpp): parse(print(t)) == t, and each
// line is what the lesson's picture shows; TESSERA_WRITE=1 rewrites the file.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "render/figure/figure.h"

namespace tessera {

struct Thumbnail {
  int rows = 0, cols = 0;
  std::string cells;  // by rows
  [[nodiscard]] Paint paint(int row, int col) const;
  bool operator==(const Thumbnail&) const = default;
};
[[nodiscard]] std::string print(const Thumbnail& thumbnail);
[[nodiscard]] std::optional<Thumbnail> parseThumbnail(std::string_view text);
// Of the first grid of a picture with enough colour; nullopt: none has.
[[nodiscard]] std::optional<Thumbnail> thumbnailOf(const Figure& figure);

}  // namespace tessera
