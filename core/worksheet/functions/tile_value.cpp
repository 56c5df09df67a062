#include "core/worksheet/functions/tile_value.h"

#include <fmt/format.h>

namespace tessera {

Result<Layout> memoryLayoutOf(const Value& value) {
  if (const auto* layout = std::get_if<Layout>(&value)) return *layout;
  return Diag{fmt::format("{} is not a layout in memory", nounOf(value)), "a layout, shape:stride"};
}

Result<Arrow> memoryArrowOf(const Value& value) {
  TESSERA_TRY(const Layout layout, memoryLayoutOf(value));
  return memoryArrowOf(layout);
}

Result<TileMap> tileMapOf(const Value& value, int elementBits) {
  TESSERA_TRY(const Layout layout, memoryLayoutOf(value));
  return tileMapOf(layout, elementBits);
}

Result<Tile> tileOf(const Value& value, int elementBits) {
  TESSERA_TRY(const Layout layout, memoryLayoutOf(value));
  return tileOf(layout, elementBits);
}

std::optional<std::string> missingElementType(const Value& value) {
  const auto* layout = std::get_if<Layout>(&value);
  return layout == nullptr ? std::nullopt : layout->missingElements();
}

std::string baseAddressNote(const Value& value) {
  const auto* layout = std::get_if<Layout>(&value);
  const std::string address = layout == nullptr ? "" : layout->baseAddress();
  return address.empty() ? "" : fmt::format("the base address {} is omitted", address);
}

std::optional<int> elementBitsOf(const Value& value) {
  const auto* layout = std::get_if<Layout>(&value);
  return layout == nullptr ? std::nullopt : elementBitsOf(*layout);
}

}  // namespace tessera
