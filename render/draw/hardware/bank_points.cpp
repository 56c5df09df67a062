#include "render/draw/hardware/bank_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/analysis/access/tile.h"
#include "core/base/arith.h"
#include "render/draw/links.h"

namespace tessera {
namespace {

constexpr int kWordBits = 8 * kBankBytes;
constexpr std::size_t kMostInWord = 256;  // for layouts with very many coordinates at one address

u64 wordDomain() {
  static const u64 domain = pointDomain({kBanks, 0x7E55'0002});
  return domain;
}

constexpr i64 kWalked = i64{1} << 16;  // limit of elements for walking over a tile's accesses

// The lane and register that the element comes from or goes to. Vectors: the lane's own bytes, 4 per register. Matrices
// of 8 x 8 halves: lane l of the addresses has row l mod 8 of matrix l / 8, and register l / 8 holds two of its halves.
void findRegister(BankPlace& place, const WarpAccess& warp) {
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    const i64 address = warp.addresses[static_cast<std::size_t>(lane)];
    if (address == kInactive || place.bit < address * 8 || place.bit >= (address + warp.width) * 8) continue;
    const i64 byte = place.bit / 8 - address;
    if (warp.matrices == 0) {
      place.lane = lane;
      place.how = fmt::format("byte {} of lane {}'s {} bytes at {}", byte, lane, warp.width, address);
      if (place.access.text.rfind("cp.", 0) == 0) return;  // from memory to memory
      place.reg = static_cast<int>(byte / 4);
      place.how += fmt::format(": register {} / 4", byte);
      return;
    }
    if (warp.matrixRows != 8 || place.elementBits != 16) return;
    const int row = lane % 8, matrix = lane / 8, half = static_cast<int>(byte / 2);
    place.reg = matrix;
    place.lane = warp.trans ? half * 4 + row / 2 : row * 4 + half / 2;
    place.how = fmt::format("lane {}'s address: row {} of matrix {}, half {}; {} * 4 + ({} / 2) = {}", lane, row,
                            matrix, half, warp.trans ? half : row, warp.trans ? row : half, *place.lane);
    return;
  }
}

}  // namespace

WordPoints::WordPoints(const WarpAccess& access, const Tile* tile, u64 domain) : access_(access), domain_(domain) {
  for (int p = 0; p < access.phases.count; ++p) {
    for (const BankLoad& load : bankLoads(access, p)) {
      int n = 0;
      for (const BankLoad::Word& w : load.words)
        asks_.push_back({p, load.bank, w.word, n++, static_cast<int>(load.words.size()), w.lanes});
    }
  }
  if (tile != nullptr) takeElements(*tile);
}

// Elements in the rows of 128 bytes that the access touches; nothing else is shown.
void WordPoints::takeElements(const Tile& tile) {
  rows_ = tile.rows();
  bits_ = tile.elementBits();
  std::set<i64> shown;
  for (const Ask& ask : asks_) shown.insert(ask.word / kBanks);
  for (i64 r = 0; r < tile.rows(); ++r) {
    for (i64 c = 0; c < tile.columns(); ++c) {
      const i64 bit = tile.bit(r, c), index = r + rows_ * c;
      const i64 first = bit / kWordBits, last = (bit + bits_ - 1) / kWordBits;
      bool any = false;
      for (i64 w = first; w <= last; ++w) {
        if (shown.count(w / kBanks) == 0) continue;
        std::vector<i64>& held = elements_[w];
        if (held.size() < kMostInWord) held.push_back(index);
        any = true;
      }
      if (any) bit_[index] = bit;
    }
  }
}

std::vector<Point> WordPoints::in(i64 word) const {
  const auto found = elements_.find(word);
  if (found == elements_.end()) return {{wordDomain(), word}};
  std::vector<Point> points;
  for (const i64 index : found->second) points.push_back({domain_, index});
  return points;
}

std::vector<Point> WordPoints::in(int phase, int bank) const {
  std::vector<Point> points;
  for (const Ask& ask : asks_) {
    if (ask.phase != phase || ask.bank != bank) continue;
    const std::vector<Point> more = in(ask.word);
    points.insert(points.end(), more.begin(), more.end());
  }
  return points;
}

std::vector<i64> WordPoints::wordsOf(Point point) const {
  std::vector<i64> words;
  if (!point.real()) return words;
  if (isThread(point)) {
    for (const Ask& ask : asks_)
      if (std::ranges::find(ask.lanes, point.index) != ask.lanes.end()) words.push_back(ask.word);
  } else if (point.domain == wordDomain()) {
    if (elements_.count(point.index) == 0) words.push_back(point.index);
  } else if (point.domain == domain_) {
    const auto found = bit_.find(point.index);
    if (found == bit_.end()) return words;
    for (i64 w = found->second / kWordBits; w <= (found->second + bits_ - 1) / kWordBits; ++w)
      if (elements_.count(w) != 0) words.push_back(w);
  }
  return words;
}

std::vector<WordPoints::Ask> WordPoints::asksOf(Point point) const {
  const std::vector<i64> words = wordsOf(point);
  std::vector<Ask> out;
  for (const Ask& ask : asks_) {
    if (std::ranges::find(words, ask.word) == words.end()) continue;
    if (isThread(point) && std::ranges::find(ask.lanes, point.index) == ask.lanes.end()) continue;
    out.push_back(ask);
  }
  return out;
}

LinkPtr WordPoints::lanes() const {
  if (elements_.empty()) return nullptr;
  std::vector<std::pair<Point, Point>> pairs;
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    const i64 address = access_.addresses[static_cast<std::size_t>(lane)];
    if (address == kInactive) continue;
    const i64 from = address * 8, to = from + i64{8} * access_.width;
    for (i64 w = from / kWordBits; w * kWordBits < to; ++w) {
      const auto found = elements_.find(w);
      if (found == elements_.end()) continue;
      for (const i64 index : found->second) {
        const i64 bit = bit_.at(index);
        if (bit < to && bit + bits_ > from) pairs.push_back({{domain_, index}, threadPoint(lane)});
      }
    }
  }
  return tableLink(std::move(pairs));
}

Result<AccessSpec> usualAccess(const Tile& tile) {
  for (const char* text : {"ldmatrix.x4", "ldmatrix.x4.trans", "ld.shared.v4", "ld.shared"}) {
    if (tile.elementBits() != 16 && text[2] == 'm') continue;
    TESSERA_TRY(AccessSpec spec, parseAccess(text));
    if (accesses(tile, spec)) return spec;
  }
  return parseAccess("ld.shared");
}

Result<BankPlace> bankPlaceOf(const Layout& layout, int elementBits, const std::optional<AccessSpec>& spec,
                              Point point) {
  TESSERA_TRY(const Tile tile, tileOf(layout, elementBits));
  const i64 size = tile.rows() * tile.columns();
  const u64 domain = pointDomainOf(layout);
  if (!point.isIn(domain, size)) return Diag{"this point is not an element of the layout"};
  BankPlace place;
  place.elementBits = elementBits;
  place.bit = tile.bit(point.index % tile.rows(), point.index / tile.rows());
  place.word = floorDiv(place.bit, kWordBits);
  place.bank = floorMod(place.word, kBanks);
  if (size > kWalked) return place;
  TESSERA_TRY(place.access, spec ? Result<AccessSpec>(*spec) : usualAccess(tile));
  if (place.access.space == MemorySpace::Global) return place;
  TESSERA_TRY(const std::vector<TileAccess> list, accesses(tile, place.access));
  for (const TileAccess& one : list) {
    const bool touches = std::ranges::any_of(one.warp.addresses, [&](i64 a) {
      return a != kInactive && place.bit < (a + one.warp.width) * 8 && place.bit + elementBits > a * 8;
    });
    if (!touches) continue;
    place.position = one.position;
    const WordPoints points(one.warp);
    for (const WordPoints::Ask& ask : points.asks())
      if (ask.word == place.word) place.asks.push_back(ask);
    findRegister(place, one.warp);
    break;
  }
  return place;
}

}  // namespace tessera
