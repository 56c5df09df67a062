#include "core/worksheet/functions/engine_over.h"

#include <fmt/format.h>

#include "core/analysis/access/engine_over.h"
#include "core/worksheet/functions/tile_value.h"

namespace tessera {
namespace {

bool isMma(const AtlasRow& row) { return row.family == AtlasFamily::Wgmma || row.family == AtlasFamily::Tcgen05Mma; }

// The rows of an operand that one CTA holds.
i64 ownRows(const AtlasRow& row, const AtlasOperand& operand) {
  const bool pair = row.name.find("cta_group::2") != std::string::npos;
  return rowsOf(operand) / (pair ? 2 : 1);
}

// tmem_layout's ((M,N),1,1): the tile is its first mode.
Value tensorTile(const Value& value) {
  const auto* layout = as<cute::Layout>(value);
  if (layout == nullptr || layout->rank() < 2 || layout->mode(0).rank() != 2) return value;
  for (int m = 1; m < layout->rank(); ++m)
    if (layout->mode(m).size() != 1) return value;
  return Value(Layout(layout->mode(0)));
}

Result<EngineOver> fitted(EngineOver over, const EngineAsk& ask) {
  if (ask.row.family == AtlasFamily::Tma) return withBoxes(std::move(over));
  if (ask.row.family == AtlasFamily::Tcgen05Copy) {
    const auto* registers = &ask.row.operands.front();
    for (const AtlasOperand& o : ask.row.operands)
      if (o.space == OperandSpace::Register) registers = &o;
    TESSERA_TRY(cute::Layout layout, threadValue(*registers));
    return withTensorRows(std::move(over), {columnsOf(*registers), rowsOf(*registers), std::move(layout)});
  }
  const bool wgmma = ask.row.family == AtlasFamily::Wgmma;
  const int bits = over.tile.elementBits();
  const std::string what = over.what;
  return withDescriptors(std::move(over),
                         {what, ownRows(ask.row, *ask.operand), columnsOf(*ask.operand), !wgmma, !wgmma || bits == 16});
}

}  // namespace

Result<void> checkBits(const Call& c, const std::string& element, const std::string& what, int bits) {
  if (element.empty()) return {};
  TESSERA_TRY(const int own, elementBits(element));
  if (own == bits) return {};
  return c.at(c.count() > 2 ? 2 : 1,
              Diag{fmt::format("{} has {}-bit elements, the tile has {}-bit ones", what, own, bits),
                   fmt::format("elements of {} bits", own)});
}

std::optional<EngineAsk> engineOf(const AtlasRow& row, const AtlasOperand* operand) {
  if (row.family == AtlasFamily::Tma || row.family == AtlasFamily::Tcgen05Copy) return EngineAsk{row, {}, ""};
  if (operand == nullptr || !isMma(row) || operand->space != OperandSpace::Shared) return std::nullopt;
  return EngineAsk{row, *operand, operand->element};
}

std::optional<AtlasRow> tmaRow(std::string_view text) {
  if (!text.starts_with("tma.")) return std::nullopt;
  const std::string_view rest = text.substr(4);
  const std::size_t dot = rest.find('.');
  const std::string verb(rest.substr(0, dot)), rank(dot == std::string_view::npos ? "2d" : rest.substr(dot + 1));
  const auto row = findInstruction(fmt::format("cp.async.bulk.tensor.{}.{}", rank, verb));
  return row ? std::optional(*row) : std::nullopt;
}

Result<Value> engineOverCall(const Call& c, const EngineAsk& ask, const std::string& what, const std::string& type,
                             int bits) {
  TESSERA_CHECKED(checkBits(c, ask.element, what, bits));
  const Value shown = ask.row.family == AtlasFamily::Tcgen05Copy ? tensorTile(c[1]) : c[1];
  TESSERA_TRY(Arrow memory, memoryArrowOf(shown));
  TESSERA_TRY(Tile tile, c.at(1, tileOf(shown, bits)));
  EngineOver over;
  over.engine = ask.row.family == AtlasFamily::Tma           ? Engine::Box
                : ask.row.family == AtlasFamily::Tcgen05Copy ? Engine::TensorMemory
                                                             : Engine::Descriptor;
  over.what = what;
  over.type = type;
  over.tile = std::move(tile);
  over.extents = extentsOf(memory.from);
  over.memory = std::move(memory);
  return valueOf(c, 1, fitted(std::move(over), ask));
}

}  // namespace tessera
