// Parses a whole text with a notation's prefix parser: returns its value, or a Diag if none begins there or text
// follows it.
//
//     wholeText("mesh (2,2)", axe::parseMeshPrefix)      the mesh
#pragma once

#include <optional>
#include <string>

#include "core/base/cursor.h"
#include "core/base/result.h"

template <class T>
tessera::Result<T> wholeText(const std::string& text, tessera::Result<std::optional<T>> (*read)(tessera::Cursor&)) {
  tessera::Cursor in(text);
  TESSERA_TRY(std::optional<T> value, read(in));
  if (!value) return tessera::Diag{"nothing to read here"};
  if (!in.atEnd()) return in.fail("text after the end");
  return *std::move(value);
}
