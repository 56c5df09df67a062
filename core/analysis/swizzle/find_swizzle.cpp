#include "core/analysis/swizzle/find_swizzle.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <tuple>
#include <unordered_map>

#include "core/base/arith.h"
#include "core/base/work_budget.h"

namespace tessera {
namespace {

struct Pitched {
  i64 pitch = 0;  // elements between neighbours of the outer dimension
  int leaf = -1;  // the leaf of the layout with that stride
};

// The outer dimension as one leaf with the largest stride: required for a row padding to be a layout.
std::optional<Pitched> pitchedOf(const cute::Layout& layout) {
  std::vector<cute::LayoutLeaf> leaves = flatLeaves(layout);
  Pitched best;
  for (std::size_t i = 0; i < leaves.size(); ++i)
    if (leaves[i].extent > 1 && leaves[i].stride.value() > best.pitch)
      best = {leaves[i].stride.value(), static_cast<int>(i)};
  if (best.leaf < 0 || layout.rank() != 2) return std::nullopt;
  i64 inner = 0;  // largest offset of all other leaves
  for (std::size_t i = 0; i < leaves.size(); ++i)
    if (static_cast<int>(i) != best.leaf) {
      if (leaves[i].stride.value() < 0) return std::nullopt;
      inner += (leaves[i].extent - 1) * leaves[i].stride.value();
    }
  if (inner >= best.pitch) return std::nullopt;
  return best;
}

cute::Layout withPitch(const cute::Layout& layout, int leaf, i64 pitch) {
  std::vector<cute::IntTuple> strides = layout.stride().leaves();
  strides[static_cast<std::size_t>(leaf)] = cute::IntTuple(pitch);
  auto padded = cute::Layout::make(layout.shape(), withLeaves(layout.stride(), strides));
  return padded ? *padded : layout;
}

// A swizzle as one arithmetic expression: offsets are nonnegative, and there are millions of them.
struct Flip {
  i64 mask;
  int down, up;
  explicit Flip(const cute::Swizzle& s)
      : mask(s.yyyMask()), down(std::max(0, s.shift())), up(std::max(0, -s.shift())) {}
  i64 operator()(i64 x) const { return x ^ ((x & mask) >> down << up); }
};

// A site is an access whose offsets the candidates change. Returns its access to the swizzled tile; nullopt if a vector
// is torn or misaligned there.
std::optional<WarpAccess> accessAt(const TileAccess& site, const Tile& tile, const Flip& swizzle) {
  WarpAccess warp = site.warp;
  const i64 step = site.alongRow ? 1 : tile.columns();
  const i64 bits = tile.elementBits();
  const std::vector<i64>& offsets = tile.offsets();
  for (std::size_t lane = 0; lane < kWarpLanes; ++lane) {
    if (warp.addresses[lane] == kInactive) continue;
    const TileCoord at = site.lanes[lane];
    const i64 index = at.row * tile.columns() + at.column, first = swizzle(offsets[static_cast<std::size_t>(index)]);
    for (i64 j = 1; j < site.elements; ++j)
      if (swizzle(offsets[static_cast<std::size_t>(index + j * step)]) != first + j) return std::nullopt;
    const i64 bit = first * bits;
    if (bit % (8 * warp.width) != 0) return std::nullopt;
    warp.addresses[lane] = bit / 8;
  }
  return warp;
}

bool serves(const TileAccess& site, const Tile& tile, const Flip& swizzle) {
  spend(16);
  auto warp = accessAt(site, tile, swizzle);
  return warp && conflictFree(*warp);
}

// Tile::contiguousDimension() == 1 of the swizzled tile: the direction of an access without .row and .column.
bool alongRow(const Tile& tile, const cute::Swizzle& swizzle) {
  const i64 first = swizzle(tile.offset(0, 0));
  if (tile.columns() > 1 && swizzle(tile.offset(0, 1)) - first == 1) return true;
  return !(tile.rows() > 1 && swizzle(tile.offset(1, 0)) - first == 1);
}

// The position of every access if runs go along the rows (or down the columns). Positions depend only on the tile's
// shape, so they are computed on a tile of that shape whose runs are contiguous and aligned everywhere: the layout
// itself may tear vectors that a swizzle or a padding repairs.
Result<std::vector<TileAccess>> sitesOf(const Tile& tile, bool alongRow, std::span<const AccessSpec> specs) {
  const i64 pitch = roundUp(alongRow ? tile.columns() : tile.rows(), 128);
  std::vector<i64> offsets;
  offsets.reserve(tile.offsets().size());
  for (i64 r = 0; r < tile.rows(); ++r)
    for (i64 c = 0; c < tile.columns(); ++c) offsets.push_back(alongRow ? r * pitch + c : c * pitch + r);
  const Tile even = Tile::ofTable(tile.rows(), tile.columns(), std::move(offsets), tile.elementBits(), tile.text());
  std::vector<TileAccess> sites;
  std::unordered_map<std::string_view, std::vector<std::size_t>> asked;  // by text: an access may be given twice
  for (std::size_t s = 0; s < specs.size(); ++s) {
    std::vector<std::size_t>& same = asked[specs[s].text];
    if (std::ranges::any_of(same, [&](std::size_t k) { return specs[k] == specs[s]; })) continue;
    same.push_back(s);
    if (specs[s].space == MemorySpace::Global)
      return Diag{fmt::format("{} does not touch shared memory", specs[s].text), "accesses to shared memory"};
    Result<std::vector<TileAccess>> list = accesses(even, specs[s]);
    if (!list) {
      const Result<std::vector<TileAccess>> own = accesses(tile, specs[s]);  // for its hint about the layout itself
      return own ? list.error() : own.error();
    }
    for (TileAccess& access : *list) {
      access.spec = s;
      sites.push_back(access);
    }
  }
  return sites;
}

// Whether a tile under a swizzle serves all accesses.
class TileCheck {
 public:
  // Requires: the sites of the unswizzled tile.
  TileCheck(const Tile& tile, std::span<const AccessSpec> specs, std::vector<TileAccess> sites)
      : specs_(specs), alongRow_(alongRow(tile, {})), sites_(std::move(sites)) {}

  [[nodiscard]] const std::vector<TileAccess>& sites() const { return sites_; }
  [[nodiscard]] bool runsAsGiven(const Tile& tile, const cute::Swizzle& swizzle) const {
    return alongRow(tile, swizzle) == alongRow_;
  }
  // Requires the shape of the given tile.
  bool serves(const Tile& tile, const cute::Swizzle& swizzle) {
    if (runsAsGiven(tile, swizzle)) return all(sites_, tile, Flip(swizzle));
    if (!other_) other_ = sitesOf(tile, !alongRow_, specs_);
    return other_->ok() && all(**other_, tile, Flip(swizzle));
  }

 private:
  bool all(const std::vector<TileAccess>& sites, const Tile& tile, const Flip& swizzle) {
    if (likely_ < sites.size() && !tessera::serves(sites[likely_], tile, swizzle)) return false;
    for (std::size_t k = 0; k < sites.size(); ++k)
      if (!tessera::serves(sites[k], tile, swizzle)) {
        likely_ = k;
        return false;
      }
    return true;
  }

  std::span<const AccessSpec> specs_;
  bool alongRow_;
  std::vector<TileAccess> sites_;
  std::optional<Result<std::vector<TileAccess>>> other_;  // the sites in the other direction, computed on first use
  std::size_t likely_ = 0;                                // the site that failed last is tried first
};

// Bits of the largest offset.
int swizzleBits(i64 span) { return static_cast<int>(std::bit_width(static_cast<u64>(span - 1))); }

struct Candidate {
  cute::Swizzle swizzle;
  bool tma = false;
};

// Every Sw<B,M,S>, S of either sign, whose source and target bits are bits of the tile's offsets; simplest first.
std::vector<Candidate> candidatesFor(const Tile& tile, i64 rowPitch) {
  std::vector<Candidate> out;
  const int bits = swizzleBits(tile.span());
  for (int b = 1; 2 * b <= bits; ++b)
    for (int s = b; b + s <= bits; ++s)
      for (int m = 0; m + s + b <= bits; ++m)
        for (const int shift : {s, -s}) {
          auto swizzle = cute::Swizzle::make(b, m, shift);
          if (swizzle) out.push_back({*swizzle, tmaSwizzleMode(*swizzle, tile.elementBits(), rowPitch).has_value()});
        }
  std::ranges::stable_sort(out, [](const Candidate& x, const Candidate& y) {
    auto key = [](const Candidate& c) {
      const int shift = c.swizzle.shift();
      return std::tuple(c.swizzle.bits(), !c.tma, shift < 0, std::abs(shift), c.swizzle.base());
    };
    return key(x) < key(y);
  });
  out.insert(out.begin(), Candidate{cute::Swizzle(), false});
  return out;
}

// Smallest set of sites that hits every candidate's failure set.
class HittingSet {
 public:
  explicit HittingSet(std::vector<std::vector<int>> failures) : failures_(std::move(failures)) {
    std::ranges::sort(failures_, [](const auto& a, const auto& b) { return a.size() < b.size(); });
  }
  std::vector<int> smallest(bool& exact) {
    exact = true;
    for (std::size_t depth = 1; depth <= 4; ++depth) {
      chosen_.clear();
      steps_ = 0;
      if (search(depth)) return chosen_;
      if (steps_ > kMaxSteps) break;
    }
    exact = false;
    return greedy();
  }

 private:
  static constexpr i64 kMaxSteps = 2'000'000;

  static bool contains(const std::vector<int>& sorted, int x) { return std::ranges::binary_search(sorted, x); }
  const std::vector<int>* firstMissed() const {
    spend(static_cast<i64>(failures_.size()));
    for (const auto& set : failures_)
      if (std::ranges::none_of(chosen_, [&](int x) { return contains(set, x); })) return &set;
    return nullptr;
  }
  bool search(std::size_t left) {
    if (++steps_ > kMaxSteps) return false;
    const std::vector<int>* missed = firstMissed();
    if (missed == nullptr) return true;
    if (left == 0) return false;
    for (int site : *missed) {
      chosen_.push_back(site);
      if (search(left - 1)) return true;
      chosen_.pop_back();
    }
    return false;
  }
  std::vector<int> greedy() {
    chosen_.clear();
    while (const std::vector<int>* missed = firstMissed()) {
      int best = missed->front();
      std::size_t most = 0;
      for (int site : *missed) {
        std::size_t hits = 0;
        for (const auto& set : failures_) hits += contains(set, site) ? 1 : 0;
        if (hits > most) {
          most = hits;
          best = site;
        }
      }
      chosen_.push_back(best);
    }
    return chosen_;
  }

  std::vector<std::vector<int>> failures_;
  std::vector<int> chosen_;
  i64 steps_ = 0;
};

bool stopped(const SwizzleSearchOptions& options) { return options.cancel != nullptr && options.cancel->load(); }

std::vector<SwizzleClash> clashOf(const TileCheck& check, const Tile& tile, std::span<const AccessSpec> specs,
                                  const std::vector<Candidate>& candidates, bool& exact,
                                  const SwizzleSearchOptions& options) {
  const std::vector<TileAccess>& sites = check.sites();
  std::vector<std::vector<int>> failures;
  for (const Candidate& c : candidates) {
    if (stopped(options)) return {};
    if (!check.runsAsGiven(tile, c.swizzle)) continue;
    const Flip flip(c.swizzle);
    std::vector<int> failed;
    for (std::size_t i = 0; i < sites.size(); ++i)
      if (!serves(sites[i], tile, flip)) failed.push_back(static_cast<int>(i));
    failures.push_back(std::move(failed));
  }
  std::vector<int> chosen = HittingSet(std::move(failures)).smallest(exact);
  std::ranges::sort(chosen);
  std::vector<SwizzleClash> clash;
  for (int i : chosen) {
    const TileAccess& site = sites[static_cast<std::size_t>(i)];
    SwizzleClash entry{site, specs[site.spec].text, ""};
    auto warp = accessAt(site, tile, Flip({}));
    if (warp) {
      entry.access.warp = *warp;
      TileBankReport report = bankReport(std::span(&entry.access, 1));
      entry.text = report.text.empty()
                       ? fmt::format("{} at ({},{}): free as given, but not under a swizzle that serves the others",
                                     entry.spec, site.position.row, site.position.column)
                       : fmt::format("{} {}", entry.spec, report.text);
    } else {
      entry.text = fmt::format("{} at ({},{}): its vectors are not contiguous and aligned", entry.spec,
                               site.position.row, site.position.column);
    }
    clash.push_back(std::move(entry));
  }
  return clash;
}

i64 bytesFor(const Tile& tile, const cute::Swizzle& swizzle) {
  const Flip flip(swizzle);
  i64 most = 0;
  for (const i64 x : tile.offsets()) most = std::max(most, flip(x));
  return ceilDiv((most + 1) * tile.elementBits(), 8);
}

SwizzleAnswer answerFor(const cute::Swizzle& swizzle, const cute::Layout& layout, const Tile& tile,
                        const std::optional<RowPitch>& rows) {
  SwizzleAnswer answer;
  answer.kind = swizzle.isIdentity() ? SwizzleAnswer::Kind::AsIs : SwizzleAnswer::Kind::Swizzled;
  answer.swizzle = swizzle;
  answer.layout = layout;
  answer.bytes = bytesFor(tile, swizzle);
  answer.cute = swizzle.isIdentity() ? print(layout) : fmt::format("{} o 0 o {}", print(swizzle), print(layout));
  answer.cuda = cudaIndexCode(swizzle, layout);
  if (swizzle.isIdentity()) answer.triton = tritonPadding(tile).value_or("");
  if (!rows) return answer;
  answer.tma = tmaSwizzleMode(swizzle, tile.elementBits(), rows->pitch).value_or("");
  // Triton's own layout has no gaps: its row has the tile's length.
  if (rows->pitch == (rows->rowMajor ? tile.columns() : tile.rows()))
    answer.triton = tritonSwizzle(swizzle, rows->pitch, rows->rowMajor).value_or("");
  return answer;
}

std::vector<SwizzleAnswer> paddingsFor(const cute::Layout& layout, const Tile& tile, TileCheck& check,
                                       const Pitched& pitched, const SwizzleSearchOptions& options) {
  std::vector<SwizzleAnswer> out;
  for (i64 p = 1; p * tile.elementBits() <= 8 * options.maxPaddingBytes && !stopped(options); ++p) {
    cute::Layout padded = withPitch(layout, pitched.leaf, pitched.pitch + p);
    auto paddedTile = Tile::of(padded, tile.elementBits());
    if (!paddedTile || !check.serves(*paddedTile, {})) continue;
    SwizzleAnswer& answer = out.emplace_back(answerFor({}, padded, *paddedTile, std::nullopt));
    answer.kind = SwizzleAnswer::Kind::Padded;
    answer.padding = p;
  }
  return out;
}

std::string memoryNote(i64 bytes, i64 asItIs) {
  return bytes > asItIs ? fmt::format("  (needs {} bytes, {} more)", bytes, bytes - asItIs) : "";
}

// "a3 ^= a6, a4 ^= a7  over (64,32):(64,1)" and its code, and any extra memory that it needs.
std::string printLinear(const LinearSwizzle& linear, const SwizzleFinding& finding) {
  if (!linear.exists()) return linear.none;
  std::string note;
  bool moves = false;
  if (const auto tile = Tile::of(finding.layout, finding.elementBits)) {
    i64 most = 0;
    for (const i64 x : tile->offsets()) {
      most = std::max(most, linear(x));
      moves = moves || linear(x) != x;
    }
    const auto bytes = [&](i64 elements) { return ceilDiv(elements * finding.elementBits, 8); };
    note = moves ? memoryNote(bytes(most + 1), bytes(tile->span())) : "  (unchanged: already conflict-free)";
  }
  return fmt::format("{}  over {}{}\n{}", print(linear), print(finding.layout), note,
                     cudaIndexCode(linear, finding.layout));
}

}  // namespace

Result<SwizzleSearch> findSwizzle(const cute::Layout& layout, int elementBits, std::span<const AccessSpec> specs,
                                  const SwizzleSearchOptions& options) {
  if (specs.empty())
    return Diag{"find swizzle needs the accesses that touch the tile",
                "where conflict_free(ldmatrix.x4, fp16) and ..."};
  TESSERA_TRY(Tile tile, Tile::of(layout, elementBits));
  constexpr i64 kMostBytes = 256 * 1024;  // no CTA has more shared memory
  if (const i64 bytes = bytesFor(tile, {}); bytes > kMostBytes) {
    return Diag{fmt::format("the tile takes {} bytes, more than any CTA's shared memory", bytes),
                fmt::format("at most {} bytes", kMostBytes),
                "a swizzle of fewer rows serves all rows: take a part of the tile"};
  }
  TESSERA_TRY(std::vector<TileAccess> sites, sitesOf(tile, alongRow(tile, {}), specs));
  TileCheck check(tile, specs, std::move(sites));
  const std::optional<RowPitch> rows = rowPitchOf(tile);
  const std::vector<Candidate> candidates = candidatesFor(tile, rows ? rows->pitch : 0);
  SwizzleSearch result;
  result.candidates = static_cast<int>(candidates.size());
  result.bits = swizzleBits(tile.span());
  result.bytes = bytesFor(tile, {});
  int tried = 0;
  for (const Candidate& c : candidates) {
    if (stopped(options)) break;
    if (options.onCandidate) options.onCandidate(tried++, result.candidates);
    if (check.serves(tile, c.swizzle)) result.swizzles.push_back(answerFor(c.swizzle, layout, tile, rows));
  }
  std::stable_partition(result.swizzles.begin(), result.swizzles.end(),
                        [&](const SwizzleAnswer& a) { return a.bytes <= result.bytes; });
  const std::optional<Pitched> pitched = options.paddings ? pitchedOf(layout) : std::nullopt;
  if (pitched) result.paddings = paddingsFor(layout, tile, check, *pitched, options);
  if (result.swizzles.empty()) result.clash = clashOf(check, tile, specs, candidates, result.clashIsSmallest, options);
  if (stopped(options)) return Diag{"the search was cancelled"};
  return result;
}

std::string print(const SwizzleFinding& finding) {
  if (finding.linear) return printLinear(*finding.linear, finding);
  const SwizzleSearch& s = finding.search;
  std::string out;
  const auto line = [&out](const std::string& text) { out += (out.empty() ? "" : "\n") + text; };
  for (const SwizzleAnswer& a : s.swizzles) {
    line(a.cute);
    if (a.kind == SwizzleAnswer::Kind::AsIs) out += "  (unchanged: already conflict-free)";
    out += memoryNote(a.bytes, s.bytes);
    if (!a.tma.empty()) out += "  " + a.tma;
    if (!a.triton.empty()) out += "  " + a.triton;
  }
  for (const SwizzleAnswer& a : s.paddings) {
    line(fmt::format("{}  (rows padded by {})", a.cute, a.padding));
    if (!a.triton.empty()) out += "  " + a.triton;
  }
  if (s.swizzles.empty()) {
    line(fmt::format("no Swizzle<B,M,S> of {} (all within the {} offset bits) serves all accesses; {}{}:", s.candidates,
                     s.bits,
                     s.clash.size() == 1 ? "the one that clashes" : fmt::format("the {} that clash", s.clash.size()),
                     s.clashIsSmallest ? "" : " (not shown to be the fewest)"));
    for (const SwizzleClash& c : s.clash) line("  " + c.text);
  }
  return out;
}

}  // namespace tessera
