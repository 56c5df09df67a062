// ldmatrix.x4 over S, fp16: determines the left side (an access, an instruction's operand, a thread-value layout) and,
// if omitted, the type.
#include "core/analysis/access/access_over.h"

#include <fmt/format.h>

#include "core/analysis/access/engine_over.h"
#include "core/atlas/atlas.h"
#include "core/atlas/guess.h"
#include "core/worksheet/functions/calls.h"
#include "core/worksheet/functions/tile_value.h"

namespace tessera {
namespace {

// An access by an engine, not by lanes: wgmma...A over S, tma.load over S, tcgen05.ld over T.
struct EngineAsk {
  AtlasRow row;
  std::optional<AtlasOperand> operand;  // of wgmma, tcgen05.mma: the one in shared memory
  std::string element;                  // element type, if the row determines it
};

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

// A Diag: elements of this type (empty: any) are not as wide as those of the tile, argument 1.
Result<void> checkBits(const Call& c, const std::string& element, const std::string& what, int bits) {
  if (element.empty()) return {};
  TESSERA_TRY(const int own, elementBits(element));
  if (own == bits) return {};
  return c.at(c.count() > 2 ? 2 : 1,
              Diag{fmt::format("{} has {}-bit elements, the tile has {}-bit ones", what, own, bits),
                   fmt::format("elements of {} bits", own)});
}

// The engine access of this row; nullopt if its lanes address memory or hold the tile, or nothing addresses it.
std::optional<EngineAsk> engineOf(const AtlasRow& row, const AtlasOperand* operand) {
  if (row.family == AtlasFamily::Tma || row.family == AtlasFamily::Tcgen05Copy) return EngineAsk{row, {}, ""};
  if (operand == nullptr || !isMma(row) || operand->space != OperandSpace::Shared) return std::nullopt;
  return EngineAsk{row, *operand, operand->element};
}

// The table row of "tma.load", "tma.store.3d".
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

constexpr const char* kUsualType = "f16";

// The left side, before the tile is known.
struct Left {
  std::string what;
  std::optional<AccessSpec> spec;
  std::optional<TileFragment> fragment;  // rows 0: the whole tile
  std::string element;                   // element type, if the left side determines it
  std::optional<EngineAsk> engine = {};  // set if no lane addresses the tile
};

// "mma.m16n8k16.A" -> the row and A; nullopt: no operand given.
struct Named {
  AtlasRow row;
  std::optional<AtlasOperand> operand;
};
Result<Named> namedBy(const Call& c, const std::string& text) {
  const std::size_t dot = text.rfind('.');
  if (dot != std::string::npos && !findInstruction(text)) {
    const Result<InstructionGuess> guess = guessInstruction(std::string_view(text).substr(0, dot));
    const Result<AtlasOperand> operand =
        guess ? findOperand(guess->row, std::string_view(text).substr(dot + 1)) : Result<AtlasOperand>(guess.error());
    if (operand) {
      if (!guess->note.empty()) c.note(0, guess->note, guess->hint);
      return Named{guess->row, *operand};
    }
  }
  Result<InstructionGuess> guess = guessInstruction(text);
  if (!guess) return c.at(0, guess.error());
  if (!guess->note.empty()) c.note(0, guess->note, guess->hint);
  return Named{std::move(guess->row), std::nullopt};
}

Diag noLanes(const AtlasRow& row) {
  return Diag{fmt::format("the lanes of {} neither address memory nor hold a tile", row.name),
              "ldmatrix.x4, ld.shared.v4, cp.async16, mma.m16n8k16.A ..."};
}

// A, or the first operand whose elements are held by lanes.
Result<AtlasOperand> usualOperand(const Call& c, const AtlasRow& row) {
  std::string others;
  const AtlasOperand* found = nullptr;
  const auto also = [&](const AtlasOperand& o) {
    others += fmt::format("{}{}.{}", others.empty() ? "" : ", ", row.name, o.name);
  };
  for (const AtlasOperand& o : row.operands) {
    const bool held = o.space == OperandSpace::Register && o.element != "b1";
    if (found == nullptr && held) {
      found = &o;
    } else if (held || o.space == OperandSpace::Shared) {
      also(o);
    }
  }
  if (found == nullptr) return noLanes(row);
  c.note(0, fmt::format("operand {} of {} is shown", found->name, row.name),
         others.empty() ? "" : fmt::format("name another: {}", others));
  return *found;
}

Result<Left> operandLeft(const AtlasRow& row, const AtlasOperand& operand) {
  if (const auto engine = engineOf(row, &operand))
    return Left{fmt::format("{}.{}", row.name, operand.name), std::nullopt, std::nullopt, engine->element, engine};
  if (operand.space == OperandSpace::Tensor)
    return Diag{
        fmt::format("operand {} of {} is in tensor memory", operand.name, row.name),
        "an operand in registers or in shared memory",
        "tmem_layout(TYPE, M, N) gives its layout; draw tcgen05.ld.32x32b.x32 over it to see which lane reads what"};
  if (operand.element == "b1" && row.name.find(".b1.") == std::string::npos) return noLanes(row);
  TileFragment f;
  TESSERA_TRY(f.threadValue, threadValue(operand));
  TESSERA_TRY(f.threadId, cute::parseLayout(row.threadId));
  f.rows = rowsOf(operand);
  f.columns = columnsOf(operand);
  return Left{fmt::format("{}.{}", row.name, operand.name), std::nullopt, f, operand.element};
}

Result<Left> instructionLeft(const Call& c, const AtlasRow& row, const std::optional<AtlasOperand>& operand) {
  if (operand) return operandLeft(row, *operand);
  if (const auto engine = engineOf(row, nullptr)) {
    const bool columns = row.family == AtlasFamily::Tcgen05Copy;  // in units of 32 bits
    return Left{row.name, std::nullopt, std::nullopt, columns ? "f32" : "", engine};
  }
  if (const AtlasAccess* access = accessOf(row); access != nullptr) {
    TESSERA_TRY(AccessSpec spec, parseAccess(row.name));
    return Left{row.name, std::move(spec), std::nullopt, access->elementBits == 8 ? "b8" : ""};
  }
  TESSERA_TRY(const AtlasOperand usual, usualOperand(c, row));
  return operandLeft(row, usual);
}

Result<Left> wordLeft(const Call& c, const std::string& text) {
  if (const auto row = tmaRow(text)) return instructionLeft(c, *row, std::nullopt);
  if (const Result<AccessSpec> spec = parseAccess(text))
    return Left{spec->text, *spec, std::nullopt, spec->elementBits == 8 ? "b8" : ""};
  TESSERA_TRY(const Named named, namedBy(c, text));
  return instructionLeft(c, named.row, named.operand);
}

// (thread, value) -> index in the whole tile, as composition(S, TV) uses it.
Result<Left> layoutLeft(const cute::Layout& layout) {
  TESSERA_CHECKED(requirePlain(layout, "an access through a thread-value layout"));
  if (layout.rank() != 2)
    return Diag{fmt::format("a thread-value layout has two modes, {} has {}", print(layout), layout.rank()),
                "(thread, value)"};
  TileFragment f;
  f.threadValue = layout;
  TESSERA_TRY(f.threadId, cute::Layout::compact(cute::IntTuple(layout.mode(0).size())));
  f.rows = 0;
  return Left{print(layout), std::nullopt, f, ""};
}

Result<Left> leftOf(const Call& c) {
  if (const auto* text = std::get_if<Text>(&c[0])) return wordLeft(c, text->text);
  if (const auto* row = std::get_if<AtlasRow>(&c[0])) return instructionLeft(c, *row, std::nullopt);
  if (const auto* copy = std::get_if<TiledCopy>(&c[0])) {
    TESSERA_TRY(Left left, layoutLeft(copy->destination));
    left.what = fmt::format("tiled copy of {}", copy->atom.name);
    left.fragment->rows = copy->tile[0];
    left.fragment->columns = copy->tile[1];
    left.element = fmt::format("b{}", copy->elementBits);
    return left;
  }
  TESSERA_TRY(const cute::Layout layout, c.layout(0));
  return layoutLeft(layout);
}

// The type: given, the tile's, the instruction's, or fp16 with a note.
Result<std::string> typeOf(const Call& c, const Left& left) {
  if (c.count() > 2) return c.word(2);
  if (const auto own = elementBitsOf(c[1])) return fmt::format("b{}", *own);
  if (!left.element.empty()) return left.element;
  c.note(1, fmt::format("the elements are assumed to be {}", kUsualType),
         "write another type after the tile: over TILE, f32");
  return std::string(kUsualType);
}

// The block of a fragment on this tile: whole, or transposed if only that divides.
Result<void> fitFragment(TileFragment& f, const Tile& tile) {
  if (f.rows == 0) {
    f.rows = tile.rows();
    f.columns = tile.columns();
    if (f.threadValue.minOffset() < 0 || f.threadValue.maxOffset() >= f.rows * f.columns)
      return Diag{fmt::format("{} reaches index {}, but the tile has {} elements", print(f.threadValue),
                              f.threadValue.maxOffset(), f.rows * f.columns),
                  "a thread-value layout inside the tile"};
    return {};
  }
  const auto divides = [&](i64 rows, i64 columns) { return tile.rows() % rows == 0 && tile.columns() % columns == 0; };
  f.transposed = !divides(f.rows, f.columns) && divides(f.columns, f.rows);
  return {};
}

}  // namespace

bool isAccessLike(const Call& c) {
  if (std::holds_alternative<Text>(c[0]) || std::holds_alternative<AtlasRow>(c[0]) ||
      std::holds_alternative<TiledCopy>(c[0]))
    return true;
  return is<cute::Layout>(c[0]) && c.count() > 1 && std::holds_alternative<Layout>(c[1]);
}

Result<Value> accessOverCall(const Call& c) {
  TESSERA_TRY(const Left left, c.at(0, leftOf(c)));
  TESSERA_TRY(const std::string type, typeOf(c, left));
  TESSERA_TRY(const int bits, c.at(c.count() > 2 ? 2 : 1, elementBits(type)));
  TESSERA_TRY(const Layout layout, c.at(1, memoryLayoutOf(c[1])));
  TESSERA_TRY(const Layout typed, c.at(1, withElements(layout, bits)));
  TESSERA_TRY(Arrow memory, c.at(1, memoryArrowOf(typed)));
  TESSERA_TRY(const TileMap map, tileMapOf(typed));
  if (left.engine) return engineOverCall(c, *left.engine, left.what, type, bits);
  if (left.fragment) TESSERA_CHECKED(checkBits(c, left.element, left.what, bits));
  TESSERA_TRY(Tile tile, c.at(1, tileOf(layout, bits)));
  std::vector<i64> extents = extentsOf(memory.from);
  AccessOver over{left.what,         type,          std::move(tile), std::move(extents),
                  std::move(memory), map.rowDigits, left.spec,       left.fragment};
  if (over.fragment) TESSERA_CHECKED(c.at(0, fitFragment(*over.fragment, over.tile)));
  TESSERA_CHECKED(c.at(1, AccessSteps::of(over)));
  return Value(Layout(std::move(over)));
}

}  // namespace tessera
