// A whole text of Triton: aliases, an attribute or a type, and the shape given by `over (..)`, by the prefix reader.
//
//     triton::parse("#ttg.blocked<{...}> over (64,64)")->shape      {64, 64}
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/cursor.h"
#include "core/notation/triton/attr.h"

namespace tessera::triton {

inline Result<Text> parse(std::string_view source) {
  Cursor in(source, {.lineComments = true});
  const auto unknown = [](const std::string&) { return std::optional<Encoding>(); };
  TESSERA_TRY(std::optional<Text> text, parsePrefix(in, unknown));
  if (!text) return in.fail("no layout attribute here");
  if (in.acceptWord("over")) {
    if (!text->types.empty()) return in.fail("a type has its shape in it");
    TESSERA_CHECKED(in.expect("(", "before the shape"));
    do {
      TESSERA_TRY(const i64 extent, in.integer());
      text->shape.push_back(extent);
    } while (in.accept(","));
    TESSERA_CHECKED(in.expect(")", "after the shape"));
  }
  if (!in.atEnd()) return in.fail("text after the end of the layout");
  return *std::move(text);
}

inline Result<Encoding> parseEncoding(std::string_view source) {
  TESSERA_TRY(Text text, parse(source));
  if (!text.encoding) return Diag{"the type has no layout attribute", {}, {}, Span{0, source.size()}};
  return *std::move(text.encoding);
}

}  // namespace tessera::triton
