#include "core/worksheet/axe_values.h"

#include <fmt/format.h>

#include "core/notation/axe/text.h"
#include "core/notation/triton/lower.h"

namespace tessera {

std::string print(const AxePlaces& places) {
  std::string out;
  for (const AxePlace& place : places.places) out += (out.empty() ? "" : ", ") + print(place);
  return "[" + out + "]";
}

std::string print(const AxeCoords& coords) {
  std::string out;
  for (const std::vector<i64>& coord : coords.coords) out += (out.empty() ? "" : ", ") + printShape(coord);
  return "[" + out + "]";
}

std::string print(const TritonLayout& layout) {
  if (layout.type) return print(*layout.type);
  const std::string text = print(layout.encoding);
  return layout.shape.empty() ? text : text + " over " + printShape(layout.shape);
}

namespace {
Result<void> needsShape(const TritonLayout& layout) {
  if (!layout.shape.empty() || std::holds_alternative<TritonPaddedShared>(layout.encoding.value)) return {};
  return Diag{fmt::format("#ttg.{} lays out tensors of any shape; which one?", mnemonic(layout.encoding)),
              "ATTRIBUTE over (128,64), or a whole tensor<128x64xf16, ATTRIBUTE>",
              "",
              {}};
}
}  // namespace

Result<LinearLayout> toLinear(const TritonLayout& layout) {
  TESSERA_CHECKED(needsShape(layout));
  return toLinear(layout.encoding, layout.shape);
}

Result<Map> toMap(const TritonLayout& layout) {
  TESSERA_CHECKED(needsShape(layout));
  return toMap(layout.encoding, layout.shape);
}

Result<Map> toMap(const AxeComposed& layout) { return toMap(layout, layout.tile.domain()); }

Result<Map> toMap(const Mesh& mesh) {
  std::vector<Digit> digits;
  Expr device;
  for (std::size_t k = 0; k < mesh.shape.size(); ++k) {
    digits.push_back({fmt::format("d{}", k), mesh.shape[k], DigitKind::Index});
    device = device + Expr::digit(static_cast<int>(k)) * mesh.strides[k];
  }
  return Map::create(std::move(digits), {{"device", device, {}}});
}

Result<AxePlace> parsePlace(std::string_view text) {
  axe_text::Scanner in(text);
  AxePlace place;
  TESSERA_CHECKED(in.expect("{", "at the start of a place"));
  while (in.peek() != '}') {
    const std::size_t begin = in.position();
    TESSERA_TRY(const std::string axis, in.identifier("an axis name"));
    if (!in.accept(":")) TESSERA_CHECKED(in.expect("=", "after the axis name"));
    TESSERA_TRY(const i64 value, in.integer());
    if (!place.emplace(axis, value).second) return in.failFrom(begin, fmt::format("the axis {} stands twice", axis));
    if (!in.accept(",")) break;
  }
  TESSERA_CHECKED(in.expect("}", "at the end of a place"));
  if (!in.atEnd()) return in.fail("text after the end of the place", "the end");
  return place;
}

}  // namespace tessera
