#include "solver/prove/access_claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/analysis/access/access_map.h"
#include "core/base/arith.h"
#include "core/map/compose.h"
#include "solver/prove/points/points.h"
#include "solver/prove/structure/bits.h"

namespace tessera::prover {
namespace {

class AccessProof {
 public:
  AccessProof(const Claim& claim, Rungs& rungs)
      : claim_(claim), memory_(*claim.memory()), layout_(memory_.map), rungs_(rungs) {}

  Verdict run();

 private:
  // Obligations. A run of `elements` starts at (row, column), over the given digits.
  Pointwise runs(std::vector<Digit> digits, std::vector<Guard> assume, const Expr& row, const Expr& column,
                 bool alongRow, i64 elements, i64 bytes) const;
  Verdict vectors(i64 bytes, bool groups);
  Verdict accesses(const AccessSpec& spec);
  Verdict decided(const AccessMap& access);

  // The first byte of a lane's run, over the digits of the access map.
  [[nodiscard]] Expr byteOf(const AccessMap& access) const;
  Answer byRank(const AccessMap& access, const Expr& byte) const;
  Answer byModel(const AccessMap& access, const Expr& byte, i64 most) const;
  Answer bySolver(const AccessMap& access, const Expr& byte);
  std::optional<Counterexample> replay(const AccessMap& access, const std::vector<i64>& position) const;

  [[nodiscard]] std::vector<i64> digitsAt(i64 row, i64 column) const;
  [[nodiscard]] i64 offset(i64 row, i64 column) const { return layout_.at(digitsAt(row, column))[0]; }
  [[nodiscard]] bool aboutBanks() const { return std::holds_alternative<claims::ConflictFree>(claim_.says); }

  const Claim& claim_;
  const claims::Memory& memory_;
  const Map& layout_;
  Rungs& rungs_;
  TileExtents extents_;
};

std::vector<i64> AccessProof::digitsAt(i64 row, i64 column) const {
  std::vector<i64> out;
  const auto& digits = layout_.digits();
  for (std::size_t k = 0; k < digits.size(); ++k) {
    i64& rest = k < static_cast<std::size_t>(memory_.rowDigits) ? row : column;
    const bool last = k + 1 == static_cast<std::size_t>(memory_.rowDigits) || k + 1 == digits.size();
    out.push_back(last ? rest : rest % digits[k].extent);
    rest /= digits[k].extent;
  }
  return out;
}

Pointwise AccessProof::runs(std::vector<Digit> digits, std::vector<Guard> assume, const Expr& row, const Expr& column,
                            bool alongRow, i64 elements, i64 bytes) const {
  Pointwise p;
  p.digits = std::move(digits);
  p.assume = std::move(assume);
  const Expr first = offsetAt(layout_, memory_.rowDigits, row, column);
  p.goals.push_back({mod(first * i64{memory_.elementBits}, 8 * bytes), std::nullopt, 0, 0});
  if (elements == 1) return p;
  const Expr j = Expr::digit(static_cast<int>(p.digits.size()));
  p.digits.push_back({"element", elements});
  const Expr next = offsetAt(layout_, memory_.rowDigits, alongRow ? row : row + j, alongRow ? column + j : column);
  p.goals.push_back({next, first + j, 0, 0});
  return p;
}

// vectorizes: every group of elements along the run; aligned: only the start of each run.
Verdict AccessProof::vectors(i64 bytes, bool groups) {
  const bool alongRow = contiguousAlongRow(layout_, memory_.rowDigits);
  const i64 length = alongRow ? extents_.columns : extents_.rows, others = alongRow ? extents_.rows : extents_.columns;
  const i64 bits = 8 * bytes;
  if (groups && bits % memory_.elementBits != 0)
    return unknownVerdict(
        fmt::format("{} bytes are not a whole number of {}-bit elements", bytes, memory_.elementBits));
  const i64 elements = groups ? bits / memory_.elementBits : 1;
  const auto coordinate = [&](i64 other, i64 i) { return alongRow ? TileCoord{other, i} : TileCoord{i, other}; };
  if (length % elements != 0) {
    Counterexample c;
    c.text = fmt::format("{} elements along the contiguous dimension are not a multiple of the {} in {} bytes", length,
                         elements, bytes);
    c.witnesses = {{"length", {length}}, {"elements", {elements}}};
    return verdictOf(refuted("count", {}), std::move(c));
  }
  const Expr other = Expr::digit(1), start = Expr::digit(0) * elements;
  const Pointwise p = runs({{"group", groups ? length / elements : 1}, {"other", others}}, {}, alongRow ? other : start,
                           alongRow ? start : other, alongRow, elements, bytes);
  const Answer a = rungs_.pointwise(p, groups ? "vectorizes" : "aligned");
  if (a.truth != Truth::Refuted) return verdictOf(a, std::nullopt);
  const std::vector<i64>& at = a.points.at(0);
  const TileCoord first = coordinate(at[1], at[0] * elements);
  const i64 offset0 = offset(first.row, first.column), bit = offset0 * memory_.elementBits;
  Counterexample c;
  if (bit % bits != 0) {
    c.text = fmt::format("({},{}) is at byte {}, not a multiple of {}", first.row, first.column, bit / 8, bytes);
    c.points = {digitsAt(first.row, first.column)};
  } else {
    const TileCoord next = coordinate(at[1], at[0] * elements + (at.size() > 2 ? at[2] : 0));
    const i64 offset1 = offset(next.row, next.column), step = at.size() > 2 ? at[2] : 0;
    if (offset1 == offset0 + step) return verdictOf(a, std::nullopt);
    c.text = fmt::format("({},{}) is {} elements after ({},{}), not {}", next.row, next.column, offset1 - offset0,
                         first.row, first.column, step);
    c.points = {digitsAt(first.row, first.column), digitsAt(next.row, next.column)};
  }
  c.witnesses = {{"at", {first.row, first.column}}, {"byte", {bit / 8}}};
  return verdictOf(a, std::move(c));
}

Expr AccessProof::byteOf(const AccessMap& access) const {
  const Expr element =
      offsetAt(layout_, memory_.rowDigits, access.lanes.map.axes()[0].value, access.lanes.map.axes()[1].value);
  return floorDiv(element * i64{memory_.elementBits}, 8);
}

// The lane in the warp of point `lane` of one instruction: the map's first two digits are lane in phase and phase.
std::size_t warpLane(const AccessMap& access, i64 lane) {
  const int lanes = access.access.phases.lanes;
  return static_cast<std::size_t>(
      access.access.phases.lane(static_cast<int>(lane) / lanes, static_cast<int>(lane) % lanes));
}

// The words (or single bytes of narrow accesses) that a lane accesses.
struct Chunks {
  i64 count = 1, bytes = 4;
};
Chunks chunksOf(int width) { return width >= kBankBytes ? Chunks{width / kBankBytes, kBankBytes} : Chunks{1, width}; }

Answer AccessProof::byRank(const AccessMap& access, const Expr& byte) const {
  constexpr const char* kRank = "F2 rank";
  if (!access.lanes.map.guards().empty()) return unknown(kRank, "a warp is not full");
  std::vector<Digit> digits = access.lanes.map.digits();
  const Chunks chunks = chunksOf(access.access.width);
  const Expr at = byte + Expr::digit(static_cast<int>(digits.size())) * chunks.bytes;
  digits.push_back({"chunk", chunks.count});
  const auto bits = bitsOf(digits);
  if (!bits) return unknown(kRank, "an extent is not a power of two");
  const auto map = Map::create(digits, {{"byte", at, std::nullopt}});
  if (!map) return unknown(kRank, map.error().message);
  const auto matrix = bitMatrix(withSimplerValues(*map).axes()[0].value, *bits);
  if (!matrix) return unknown(kRank, "the addresses are not affine over F2");
  // The bits of the lanes served together: one phase for banks, the whole warp for sectors.
  const bool banks = aboutBanks();
  std::vector<u64> columns;
  std::size_t k = 0;
  for (std::size_t d = 0; d < digits.size(); ++d)
    for (int b = 0; b < (*bits)[d]; ++b, ++k)
      if (d == 0 || d + 1 == digits.size() || (!banks && d == 1)) columns.push_back(matrix->columns[k]);
  const auto rankOf = [&](u64 mask) {
    F2Echelon<u64> masked;
    for (u64 c : columns) masked.add(c & mask);
    return masked.rank();
  };
  if (banks) {
    const int words = rankOf(~u64{3}), bankBits = rankOf(u64{kBanks - 1} << 2);
    if (words == bankBits)
      return proved(
          kRank, fmt::format("the {} address bits that the lanes of a phase span are all bank bits, at every position",
                             words));
    return refuted(kRank, {std::vector<i64>(access.lanes.map.digits().size(), 0)});
  }
  const int all = rankOf(~u64{0}), sectors = rankOf(~u64{kSectorBytes - 1});
  const i64 ideal = ceilDiv((i64{1} << all) * chunks.bytes, kSectorBytes);
  if ((i64{1} << sectors) <= ideal)
    return proved(kRank, fmt::format("{} sectors for {} bytes, at every position", i64{1} << sectors,
                                     (i64{1} << all) * chunks.bytes));
  return refuted(kRank, {std::vector<i64>(access.lanes.map.digits().size(), 0)});
}

// Runs every access through the model. Lanes are the fastest digits, so a block of points consists of whole warps.
Answer AccessProof::byModel(const AccessMap& access, const Expr& byte, i64 most) const {
  const auto& digits = access.lanes.map.digits();
  const auto count = countPoints(digits);
  if (!count || *count > most)
    return unknown("exhaustive",
                   count ? fmt::format("{} lanes in all, the limit is {}", *count, most) : "more than 2^63 lanes");
  const i64 warp = digits[0].extent * digits[1].extent;
  std::vector<Expr> exprs{byte};
  for (const Guard& g : access.lanes.map.guards()) exprs.push_back(g.value);
  PointTable table(digits, {}, exprs);
  const Reality reality{access.lanes.map.guards(), 1};
  i64 instructions = 0;
  for (i64 first = 0; first < table.count(); first += PointTable::kBlock) {
    if (rungs_.budget().spent()) return unknown("exhaustive", rungs_.budget().reason());
    const i64 n = std::min(PointTable::kBlock, table.count() - first);
    table.evaluate(first, n);
    for (i64 w = 0; w < n; w += warp) {
      WarpAccess one{access.access};
      std::vector<std::optional<i64>> addresses;
      for (i64 lane = 0; lane < warp; ++lane) {
        const bool real = reality.at(table, w + lane);
        const i64 address = table.column(0)[w + lane];
        one.addresses[warpLane(access, lane)] = real ? address : kInactive;
        addresses.push_back(real ? std::optional(address) : std::nullopt);
      }
      ++instructions;
      if (aboutBanks()) {
        if (!conflictFree(one)) return refuted("exhaustive", {table.digitsOf(first + w)});
      } else {
        const auto report = sectorReport(addresses, access.access.width);
        if (!report || report->sectors > report->idealSectors)
          return refuted("exhaustive", {table.digitsOf(first + w)});
      }
    }
  }
  return proved("exhaustive", fmt::format("{} accesses, each at its ideal", instructions));
}

// Two lanes of one phase at one position: equal banks imply equal words.
Answer AccessProof::bySolver(const AccessMap& access, const Expr& byte) {
  if (!aboutBanks()) return unknown("Z3", "sectors are counted, not compared");
  const Chunks chunks = chunksOf(access.access.width);
  Pointwise p;
  p.digits = access.lanes.map.digits();
  const int n = static_cast<int>(p.digits.size());
  p.digits.push_back({"lane2", p.digits[0].extent});
  p.digits.push_back({"chunk", chunks.count});
  p.digits.push_back({"chunk2", chunks.count});
  std::vector<Expr> first, second;
  for (int k = 0; k < n; ++k) {
    first.push_back(Expr::digit(k));
    second.push_back(k == 0 ? Expr::digit(n) : Expr::digit(k));
  }
  const auto word = [&](const std::vector<Expr>& at, int chunk) {
    return floorDiv(substitute(byte, at) + Expr::digit(chunk) * chunks.bytes, kBankBytes);
  };
  const Expr a = word(first, n + 1), b = word(second, n + 2);
  // bank a == bank b, as "their difference is 0"
  p.assume.push_back({mod(a, kBanks) - mod(b, kBanks), 0, 0});
  for (const Guard& g : access.lanes.map.guards()) {
    p.assume.push_back(substituted(g, first));
    p.assume.push_back(substituted(g, second));
  }
  p.goals.push_back({a, b, 0, 0});
  Answer answer = rungs_.solver(p, "conflict_free", access.lanes.map.digits());
  if (answer.truth == Truth::Refuted) answer.points[0].resize(static_cast<std::size_t>(n));
  return answer;
}

// Recomputes the access at a position through Map::at and applies the model.
std::optional<Counterexample> AccessProof::replay(const AccessMap& access, const std::vector<i64>& position) const {
  const auto& digits = access.lanes.map.digits();
  TileAccess one;
  static_cast<AtlasAccess&>(one.warp) = access.access;
  std::vector<std::optional<i64>> addresses(kWarpLanes);
  for (i64 lane = 0; lane < digits[0].extent * digits[1].extent; ++lane) {
    std::vector<i64> at = position;
    at[0] = lane % digits[0].extent;
    at[1] = lane / digits[0].extent;
    if (!access.lanes.map.isReal(at)) continue;
    const std::vector<i64> rc = access.lanes.map.at(at);
    const std::size_t l = warpLane(access, lane);
    one.lanes[l] = {rc[0], rc[1]};
    one.warp.addresses[l] = offset(rc[0], rc[1]) * memory_.elementBits / 8;
    addresses[l] = one.warp.addresses[l];
  }
  one.position = one.lanes[0];
  Counterexample c;
  if (!aboutBanks()) {
    const auto report = sectorReport(addresses, access.access.width);
    if (!report || report->sectors <= report->idealSectors) return std::nullopt;
    c.text = fmt::format("at ({},{}): {} sectors of 32 bytes for {} bytes, {} would do", one.position.row,
                         one.position.column, report->sectors, report->uniqueBytes, report->idealSectors);
    c.witnesses = {{"position", {one.position.row, one.position.column}},
                   {"sectors", {report->sectors}},
                   {"ideal", {report->idealSectors}}};
    for (int lane = 0; lane < kWarpLanes; ++lane)
      if (addresses[lane]) c.points.push_back(digitsAt(one.lanes[lane].row, one.lanes[lane].column));
    return c;
  }
  const TileBankReport report = bankReport(std::span(&one, 1));
  if (!report.conflict) return std::nullopt;
  c.text = report.text;
  Witness lanes{"lanes", {}}, bytes{"bytes", {}};
  for (const auto& word : report.conflict->load.words) {
    const auto lane = static_cast<std::size_t>(word.lanes.front());
    lanes.values.push_back(word.lanes.front());
    bytes.values.push_back(*addresses[lane]);
    c.points.push_back(digitsAt(one.lanes[lane].row, one.lanes[lane].column));
  }
  c.witnesses = {{"position", {one.position.row, one.position.column}},
                 {"phase", {report.conflict->phase}},
                 {"bank", {report.conflict->load.bank}},
                 lanes,
                 bytes};
  return c;
}

Verdict AccessProof::decided(const AccessMap& access) {
  const Map addresses = [&] {
    auto map =
        Map::create(access.lanes.map.digits(), {{"byte", byteOf(access), std::nullopt}}, access.lanes.map.guards());
    return map ? withSimplerValues(*map) : Map();
  }();
  if (addresses.axes().empty()) return unknownVerdict("the addresses do not fit in 64 bits");
  const Expr byte = addresses.axes()[0].value;
  const auto enumerate = [&](i64 most) { return byModel(access, byte, most); };
  const Answer a = rungs_.climb({{Method::F2, [&] { return byRank(access, byte); }},
                                 {Method::Exhaustive, [&] { return enumerate(rungs_.limit()); }},
                                 {Method::Z3, [&] { return bySolver(access, byte); }}},
                                access.lanes.map.digits(), enumerate);
  return verdictOf(a, a.truth == Truth::Refuted ? replay(access, a.points.at(0)) : std::nullopt);
}

Verdict AccessProof::accesses(const AccessSpec& spec) {
  const bool alongRow = contiguousAlongRow(layout_, memory_.rowDigits);
  const auto access = accessMap(spec, extents_.rows, extents_.columns, alongRow, memory_.elementBits);
  if (!access) return unknownVerdict(access.error().message);
  const Answer fit =
      rungs_.byAny(runs(access->lanes.map.digits(), access->lanes.map.guards(), access->lanes.map.axes()[0].value,
                        access->lanes.map.axes()[1].value, access->alongRow, access->elements, access->access.width),
                   "fits");
  if (fit.truth == Truth::Unknown) return unknownVerdict("whether the access fits: " + fit.detail);
  if (fit.truth == Truth::Refuted) {
    const std::vector<i64> at(
        fit.points.at(0).begin(),
        fit.points.at(0).begin() + static_cast<std::ptrdiff_t>(access->lanes.map.digits().size()));
    const std::vector<i64> rc = access->lanes.map.at(at);
    return unknownVerdict(fmt::format("{} does not fit: the {} bytes at ({},{}) are not contiguous and aligned",
                                      spec.text, access->access.width, rc[0], rc[1]));
  }
  return decided(*access);
}

Verdict AccessProof::run() {
  if (!layout_.fanDigits().empty() || !layout_.params().empty() || layout_.axes().size() != 1)
    return unknownVerdict("the claim is about a tile with one address for each element");
  const auto extents = tileExtents(layout_, memory_.rowDigits);
  if (!extents) return unknownVerdict(extents.error().message);
  extents_ = *extents;
  if (const auto* groups = std::get_if<claims::Vectorizes>(&claim_.says)) return vectors(groups->bytes, true);
  if (const auto* rows = std::get_if<claims::Aligned>(&claim_.says)) return vectors(rows->bytes, false);
  if (const auto* banks = std::get_if<claims::ConflictFree>(&claim_.says)) return accesses(banks->access);
  return accesses(std::get<claims::Coalesced>(claim_.says).access);
}

}  // namespace

Verdict accessVerdict(const Claim& claim, Rungs& rungs) { return AccessProof(claim, rungs).run(); }

}  // namespace tessera::prover
