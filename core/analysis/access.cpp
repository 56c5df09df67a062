#include "core/analysis/access.h"

#include <fmt/format.h>

#include <algorithm>

namespace tessera {
namespace {

struct Word {
  std::string_view name;
  int bytes;
};
// What may follow ld.shared. and st.shared.: vector marks count 32-bit words, types give their own width.
constexpr Word kWidths[] = {
    {"v1", 4},      {"v2", 8},      {"v4", 16},    {"u8", 1},      {"s8", 1},      {"b8", 1},
    {"u16", 2},     {"s16", 2},     {"b16", 2},    {"f16", 2},     {"u32", 4},     {"s32", 4},
    {"b32", 4},     {"f32", 4},     {"u64", 8},    {"b64", 8},     {"f64", 8},     {"b128", 16},
    {"v2.b32", 8},  {"v2.f32", 8},  {"v2.u32", 8}, {"v4.b32", 16}, {"v4.f32", 16}, {"v4.u32", 16},
    {"v2.b64", 16}, {"v2.f64", 16}, {"v2.b16", 4}, {"v4.b16", 8},  {"v2.f16", 4},  {"v4.f16", 8},
    {"v2.u16", 4},  {"v4.u16", 8},  {"v4.u8", 4},  {"v2.u8", 2},   {"v2.b8", 2},   {"v4.b8", 4}};

std::optional<int> widthOf(std::string_view name) {
  for (const Word& w : kWidths)
    if (w.name == name) return w.bytes;
  return std::nullopt;
}

bool dropSuffix(std::string& text, std::string_view suffix) {
  if (!text.ends_with(suffix)) return false;
  text.resize(text.size() - suffix.size());
  return true;
}

Diag unknownAccess(std::string_view text) {
  return Diag{
      fmt::format("'{}' is no access that the bank model knows", text),
      "ldmatrix.x1 .x2 .x4 (.trans), stmatrix, ld.shared.v4, st.shared.v4, ld.shared, cp.async16, ld.global.v4 ...",
      "",
      {}};
}

std::optional<AccessSpec> parseMatrix(const std::string& body, AccessSpec spec) {
  for (auto [prefix, kind] : {std::pair<std::string_view, AccessKind>{"ldmatrix", AccessKind::Ldmatrix},
                              {"stmatrix", AccessKind::Stmatrix}}) {
    if (!body.starts_with(prefix)) continue;
    std::string rest = body.substr(prefix.size());
    for (std::string_view noise : {".sync", ".aligned", ".m8n8", ".shared", ".b16"})
      if (std::size_t at = rest.find(noise); at != std::string::npos) rest.erase(at, noise.size());
    if (std::size_t at = rest.find(".trans"); at != std::string::npos) {
      rest.erase(at, 6);
      spec.trans = true;
    }
    if (rest != ".x1" && rest != ".x2" && rest != ".x4") return std::nullopt;
    spec.kind = kind;
    spec.matrices = rest[2] - '0';
    spec.width = 16;
    return spec;
  }
  return std::nullopt;
}

std::optional<AccessSpec> parseVector(const std::string& body, AccessSpec spec) {
  std::string rest;
  for (auto [prefix, kind] :
       {std::pair<std::string_view, AccessKind>{"ld.", AccessKind::Load}, {"st.", AccessKind::Store}})
    if (body.starts_with(prefix)) {
      spec.kind = kind;
      rest = body.substr(prefix.size());
    }
  for (auto [prefix, space] :
       {std::pair<std::string_view, MemorySpace>{"shared", MemorySpace::Shared}, {"global", MemorySpace::Global}})
    if (rest.starts_with(prefix)) {
      spec.space = space;
      rest.erase(0, prefix.size());
      if (rest.empty()) return spec;  // one element a lane
      auto width = widthOf(std::string_view(rest).substr(1));
      if (rest[0] != '.' || !width) return std::nullopt;
      spec.width = *width;
      return spec;
    }
  return std::nullopt;
}

std::optional<AccessSpec> parseCpAsync(std::string body, AccessSpec spec) {
  if (!body.starts_with("cp.async")) return std::nullopt;
  body.erase(0, 8);
  for (std::string_view noise : {".cg", ".ca", ".shared", ".global", "."})
    if (body.starts_with(noise)) body.erase(0, noise.size());
  if (body.empty()) body = "16";
  if (body != "4" && body != "8" && body != "16") return std::nullopt;
  spec.kind = AccessKind::Store;
  spec.width = std::stoi(body);
  return spec;
}

bool isMatrix(const AccessSpec& spec) { return spec.matrices > 0; }

// The element run of one lane must be contiguous and aligned; returns its byte address.
Result<i64> vectorAddress(const Tile& tile, const AccessSpec& spec, TileCoord at, i64 elements, bool alongRow) {
  const i64 first = tile.offset(at.row, at.column);
  for (i64 j = 1; j < elements; ++j) {
    const i64 row = alongRow ? at.row : at.row + j, column = alongRow ? at.column + j : at.column;
    const i64 step = tile.offset(row, column) - first;
    if (step != j)
      return Diag{fmt::format("{} needs {} contiguous bytes at ({},{}): ({},{}) is {} elements away, not {}", spec.text,
                              elements * tile.elementBits() / 8, at.row, at.column, row, column, step, j),
                  fmt::format("{} contiguous elements", elements),
                  fmt::format("{} allows accesses of {} bytes", tile.text(), vectorBytes(tile)),
                  {}};
  }
  const i64 width = elements * tile.elementBits() / 8, bit = first * tile.elementBits();
  if (bit % (8 * width) != 0)
    return Diag{
        fmt::format("{} at ({},{}): byte {} is not a multiple of {}", spec.text, at.row, at.column, bit / 8, width),
        fmt::format("rows that start at multiples of {} bytes", width),
        fmt::format("{} allows accesses of {} bytes; pad rows to a multiple of {} bytes", tile.text(),
                    vectorBytes(tile), width),
        {}};
  return bit / 8;
}

struct Vector {
  i64 elements = 1;  // a lane
  int width = 0;     // bytes a lane
};

Result<Vector> vectorOf(const Tile& tile, const AccessSpec& spec) {
  const int bits = tile.elementBits();
  const int width = spec.width != 0 ? spec.width : std::max(1, bits / 8);
  if (8 * width < bits)
    return Diag{fmt::format("{} moves {} bytes a lane, an element has {}", spec.text, width, bits / 8),
                fmt::format("an access of at least {} bytes", bits / 8),
                bits <= 128 ? fmt::format("use ld.shared.b{}", bits) : "",
                {}};
  return Vector{i64{8} * width / bits, width};
}

// Blocks of matrices an ldmatrix.xN may cover, in matrices: the one that divides the tile first.
struct Block {
  i64 down, across;
};
Result<Block> matrixBlock(const Tile& tile, const AccessSpec& spec, i64 length, i64 others, i64 run) {
  const std::vector<Block> shapes = spec.matrices == 1   ? std::vector<Block>{{1, 1}}
                                    : spec.matrices == 2 ? std::vector<Block>{{2, 1}, {1, 2}}
                                                         : std::vector<Block>{{2, 2}, {1, 4}, {4, 1}};
  for (const Block& b : shapes)
    if (others % (8 * b.down) == 0 && length % (run * b.across) == 0) return b;
  std::string fits = others % 8 == 0 && length % run == 0
                         ? fmt::format("this tile fits {}.x1",
                                       isMatrix(spec) && spec.kind == AccessKind::Ldmatrix ? "ldmatrix" : "stmatrix")
                         : fmt::format("the tile must be a multiple of 8 rows of 16 bytes ({} elements)", run);
  return Diag{fmt::format("{} does not divide the {}x{} tile {}", spec.text, tile.rows(), tile.columns(), tile.text()),
              fmt::format("multiples of {} rows and {} columns", 8 * shapes[0].down, run * shapes[0].across),
              fits,
              {}};
}

Result<std::vector<TileAccess>> matrixAccesses(const Tile& tile, const AccessSpec& spec) {
  const int bits = tile.elementBits();
  if (spec.trans ? bits != 16 : bits < 4 || bits > 32)
    return Diag{fmt::format("{} moves 16-bit elements, the tile has {}-bit ones", spec.text, bits),
                spec.trans ? "16-bit elements" : "elements of 4 to 32 bits",
                spec.trans ? "ldmatrix.m16n16.x1.trans.b8 transposes bytes (sm_100a)" : "use ld.shared",
                {}};
  const i64 run = 128 / bits;
  // Matrix rows lie along the contiguous dimension; without .trans that must be the tile's rows.
  const bool alongRow = tile.contiguousDimension() == 1 || tile.rows() < run;
  if (!alongRow && !spec.trans)
    return Diag{fmt::format("{} loads rows, but {} is contiguous down its columns", spec.text, tile.text()),
                "a tile contiguous along its rows",
                fmt::format("use {}.trans, or swap the modes", spec.text),
                {}};
  const i64 length = alongRow ? tile.columns() : tile.rows(), others = alongRow ? tile.rows() : tile.columns();
  TESSERA_TRY(Block block, matrixBlock(tile, spec, length, others, run));
  std::vector<TileAccess> out;
  for (i64 other = 0; other < others; other += 8 * block.down)
    for (i64 start = 0; start < length; start += run * block.across) {
      TileAccess access;
      access.position = alongRow ? TileCoord{other, start} : TileCoord{start, other};
      access.warp.kind = spec.kind;
      access.warp.width = 16;
      access.warp.matrices = spec.matrices;
      for (int lane = 0; lane < 8 * spec.matrices; ++lane) {
        const i64 matrix = lane / 8, o = other + 8 * (matrix % block.down) + lane % 8,
                  s = start + run * (matrix / block.down);
        const TileCoord at = alongRow ? TileCoord{o, s} : TileCoord{s, o};
        TESSERA_TRY(i64 address, vectorAddress(tile, spec, at, run, alongRow));
        access.warp.addresses[static_cast<std::size_t>(lane)] = address;
        access.lanes[static_cast<std::size_t>(lane)] = at;
      }
      out.push_back(access);
    }
  return out;
}

Result<std::vector<TileAccess>> vectorAccesses(const Tile& tile, const AccessSpec& spec) {
  TESSERA_TRY(Vector vector, vectorOf(tile, spec));
  const bool alongRow = tile.contiguousDimension() == 1;
  const i64 length = alongRow ? tile.columns() : tile.rows(), others = alongRow ? tile.rows() : tile.columns();
  if (length % vector.elements != 0)
    return Diag{fmt::format("{} takes {} elements, {} along the contiguous dimension of {} is no multiple", spec.text,
                            vector.elements, length, tile.text()),
                fmt::format("a multiple of {} elements", vector.elements),
                fmt::format("accesses of {} bytes fit", vectorBytes(tile)),
                {}};
  const i64 vectors = length / vector.elements, total = vectors * others;
  const bool vectorsFirst = spec.order == LaneOrder::Contiguous ||
                            (spec.order == LaneOrder::AlongRow) == alongRow;  // lanes run along the run
  std::vector<TileAccess> out;
  out.reserve(static_cast<std::size_t>(total / kWarpLanes + 1));
  for (i64 first = 0; first < total; first += kWarpLanes) {
    TileAccess access;
    access.warp.kind = spec.kind;
    access.warp.width = vector.width;
    for (i64 lane = 0; lane < kWarpLanes && first + lane < total; ++lane) {
      const i64 t = first + lane;
      const i64 other = vectorsFirst ? t / vectors : t % others,
                start = (vectorsFirst ? t % vectors : t / others) * vector.elements;
      const TileCoord at = alongRow ? TileCoord{other, start} : TileCoord{start, other};
      TESSERA_TRY(i64 address, vectorAddress(tile, spec, at, vector.elements, alongRow));
      access.warp.addresses[static_cast<std::size_t>(lane)] = address;
      access.lanes[static_cast<std::size_t>(lane)] = at;
    }
    access.position = access.lanes[0];
    out.push_back(access);
  }
  return out;
}

}  // namespace

Result<AccessSpec> parseAccess(std::string_view text) {
  std::string body;
  for (char c : text.substr(0, 128))
    if (c != ' ') body += (c >= 'A' && c <= 'Z') ? static_cast<char>(c + 32) : c;
  AccessSpec spec;
  spec.text = std::string(text.substr(0, 128));
  if (dropSuffix(body, ".column") || dropSuffix(body, ".col"))
    spec.order = LaneOrder::DownColumn;
  else if (dropSuffix(body, ".row"))
    spec.order = LaneOrder::AlongRow;
  if (auto s = parseMatrix(body, spec); s && spec.order == LaneOrder::Contiguous) return *s;
  if (auto s = parseVector(body, spec)) return *s;
  if (auto s = parseCpAsync(body, spec)) return *s;
  return unknownAccess(text);
}

Result<std::vector<TileAccess>> accesses(const Tile& tile, const AccessSpec& spec) {
  return isMatrix(spec) ? matrixAccesses(tile, spec) : vectorAccesses(tile, spec);
}

Result<std::vector<TileAccess>> accessesThrough(const Tile& tile, const CuteLayout& threadValue, i64 blockRows,
                                                i64 blockColumns, const AccessSpec& spec) {
  TESSERA_CHECKED(requirePlain(threadValue, "an access through a thread-value layout"));
  if (isMatrix(spec)) return Diag{fmt::format("{} chooses its own lanes", spec.text), "ld.shared or st.shared", "", {}};
  TESSERA_TRY(Vector vector, vectorOf(tile, spec));
  if (threadValue.rank() != 2)
    return Diag{fmt::format("a thread-value layout has two modes, {} has {}", print(threadValue), threadValue.rank()),
                "(thread, value)",
                "",
                {}};
  const CuteLayout threads = threadValue.mode(0), values = threadValue.mode(1);
  if (values.size() % vector.elements != 0)
    return Diag{fmt::format("{} takes {} elements, a thread has {}", spec.text, vector.elements, values.size()),
                fmt::format("a multiple of {} values", vector.elements),
                "",
                {}};
  if (blockRows < 1 || blockColumns < 1 || tile.rows() % blockRows != 0 || tile.columns() % blockColumns != 0 ||
      threadValue.minOffset() < 0 || threadValue.maxOffset() >= blockRows * blockColumns)
    return Diag{fmt::format("blocks of {}x{} do not tile {}x{}", blockRows, blockColumns, tile.rows(), tile.columns()),
                "a tile that is a multiple of the block, and a thread-value layout inside the block",
                "",
                {}};
  // One vector must run along one dimension of the block.
  bool alongRow = true;
  if (vector.elements > 1) alongRow = values(1) - values(0) == blockRows;
  std::vector<TileAccess> out;
  for (i64 row = 0; row < tile.rows(); row += blockRows)
    for (i64 column = 0; column < tile.columns(); column += blockColumns)
      for (i64 v = 0; v < values.size(); v += vector.elements)
        for (i64 first = 0; first < threads.size(); first += kWarpLanes) {
          TileAccess access;
          access.position = {row, column};
          access.warp.kind = spec.kind;
          access.warp.width = vector.width;
          for (i64 lane = 0; lane < kWarpLanes && first + lane < threads.size(); ++lane) {
            const i64 index = threads(first + lane) + values(v);
            for (i64 j = 1; j < vector.elements; ++j)
              if (values(v + j) - values(v) != (alongRow ? j * blockRows : j))
                return Diag{
                    fmt::format("{}: values {} and {} of a thread are not neighbours in the tile", spec.text, v, v + j),
                    "values that run along a row or a column",
                    "use a narrower access",
                    {}};
            const TileCoord at{row + index % blockRows, column + index / blockRows};
            TESSERA_TRY(i64 address, vectorAddress(tile, spec, at, vector.elements, alongRow));
            access.warp.addresses[static_cast<std::size_t>(lane)] = address;
            access.lanes[static_cast<std::size_t>(lane)] = at;
          }
          out.push_back(access);
        }
  return out;
}

TileBankReport bankReport(std::span<const TileAccess> list) {
  TileBankReport total;
  i64 mostExcess = 0;
  for (const TileAccess& access : list) {
    auto report = bankReport(access.warp);
    if (!report) continue;  // unreachable: accesses are aligned by construction
    ++total.instructions;
    total.wavefronts += report->wavefronts;
    total.ideal += report->ideal;
    total.excess += report->excess;
    total.conflictDegree = std::max(total.conflictDegree, report->conflictDegree);
    if (report->excess > mostExcess) {
      mostExcess = report->excess;
      total.worst = access;
    }
  }
  if (total.worst) {
    total.conflict = worstConflict(total.worst->warp);
    std::string lanes;
    for (std::size_t i = 0; i < total.conflict->load.words.size() && i < 4; ++i) {
      const auto& word = total.conflict->load.words[i];
      const TileCoord at = total.worst->lanes[static_cast<std::size_t>(word.lanes.front())];
      lanes += fmt::format("{}lane {} at ({},{})", i == 0 ? "" : ", ", word.lanes.front(), at.row, at.column);
    }
    total.text =
        fmt::format("at ({},{}), phase {}: bank {} must deliver {} words: {}{}", total.worst->position.row,
                    total.worst->position.column, total.conflict->phase, total.conflict->load.bank,
                    total.conflict->load.words.size(), lanes, total.conflict->load.words.size() > 4 ? ", ..." : "");
  }
  return total;
}

Result<TileBankReport> bankReport(const Tile& tile, std::span<const AccessSpec> specs) {
  std::vector<TileAccess> all;
  for (std::size_t s = 0; s < specs.size(); ++s) {
    if (specs[s].space == MemorySpace::Global)
      return Diag{fmt::format("{} does not touch shared memory", specs[s].text),
                  "an access to shared memory",
                  "banks are shared memory's; use sectors",
                  {}};
    TESSERA_TRY(std::vector<TileAccess> list, accesses(tile, specs[s]));
    for (TileAccess& a : list) {
      a.spec = s;
      all.push_back(a);
    }
  }
  return bankReport(all);
}

Result<TileSectorReport> tileSectors(const Tile& tile, const AccessSpec& spec) {
  TESSERA_TRY(std::vector<TileAccess> list, accesses(tile, spec));
  TileSectorReport total;
  i64 mostExtra = 0;
  for (const TileAccess& access : list) {
    std::vector<std::optional<i64>> addresses;
    for (i64 a : access.warp.addresses) addresses.push_back(a == kInactive ? std::nullopt : std::optional<i64>(a));
    TESSERA_TRY(SectorReport report, sectorReport(addresses, access.warp.width));
    ++total.instructions;
    total.sectors += report.sectors;
    total.lines += report.lines;
    total.idealSectors += report.idealSectors;
    if (report.sectors - report.idealSectors > mostExtra) {
      mostExtra = report.sectors - report.idealSectors;
      total.worst = access;
    }
  }
  return total;
}

}  // namespace tessera
