#include "core/analysis/find_swizzle.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <tuple>
#include <unordered_map>

#include "core/analysis/cover.h"
#include "core/base/arith.h"
#include "core/base/patience.h"

namespace tessera {
namespace {

// The geometry of all accesses, found once: candidates only change the offsets under it.
struct Site {
  TileAccess access;
  i64 elements = 1;  // a lane
  bool alongRow = true;
};

struct Pitched {
  i64 pitch = 0;  // elements between neighbours of the outer dimension
  int leaf = -1;  // the leaf of the layout that carries it
  bool rowMajor = true;
};

// The outer dimension as one leaf with the largest stride: only then a row padding is a layout again.
std::optional<Pitched> pitchedOf(const cute::Layout& layout) {
  std::vector<cute::LayoutLeaf> leaves = flatLeaves(layout);
  Pitched best;
  for (std::size_t i = 0; i < leaves.size(); ++i)
    if (leaves[i].extent > 1 && leaves[i].stride.value() > best.pitch)
      best = {leaves[i].stride.value(), static_cast<int>(i), true};
  if (best.leaf < 0 || layout.rank() != 2) return std::nullopt;
  i64 inner = 0;  // largest offset of all other leaves
  for (std::size_t i = 0; i < leaves.size(); ++i)
    if (static_cast<int>(i) != best.leaf) {
      if (leaves[i].stride.value() < 0) return std::nullopt;
      inner += (leaves[i].extent - 1) * leaves[i].stride.value();
    }
  if (inner >= best.pitch) return std::nullopt;
  best.rowMajor = best.leaf < static_cast<int>(layout.mode(0).shape().leafCount());
  return best;
}

cute::Layout withPitch(const cute::Layout& layout, int leaf, i64 pitch) {
  std::vector<cute::IntTuple> strides = layout.stride().leaves();
  strides[static_cast<std::size_t>(leaf)] = cute::IntTuple(pitch);
  auto padded = cute::Layout::make(layout.shape(), withLeaves(layout.stride(), strides));
  return padded ? *padded : layout;
}

std::vector<i64> swizzled(const std::vector<i64>& offsets, const cute::Swizzle& swizzle) {
  std::vector<i64> out;
  out.reserve(offsets.size());
  for (i64 x : offsets) out.push_back(swizzle(x));
  return out;
}

// The access of a site when the tile's offsets are `offsets`; nullopt when a vector is torn or misaligned there.
std::optional<WarpAccess> accessAt(const Site& site, const Tile& tile, const std::vector<i64>& offsets) {
  WarpAccess warp = site.access.warp;
  const i64 step = site.alongRow ? 1 : tile.columns();
  const i64 bits = tile.elementBits();
  for (std::size_t lane = 0; lane < kWarpLanes; ++lane) {
    if (warp.addresses[lane] == kInactive) continue;
    const TileCoord at = site.access.lanes[lane];
    const i64 index = at.row * tile.columns() + at.column, first = offsets[static_cast<std::size_t>(index)];
    for (i64 j = 1; j < site.elements; ++j)
      if (offsets[static_cast<std::size_t>(index + j * step)] != first + j) return std::nullopt;
    const i64 bit = first * bits;
    if (bit % (8 * warp.width) != 0) return std::nullopt;
    warp.addresses[lane] = bit / 8;
  }
  return warp;
}

bool serves(const Site& site, const Tile& tile, const std::vector<i64>& offsets) {
  spend(16);
  auto warp = accessAt(site, tile, offsets);
  return warp && conflictFree(*warp);
}

struct Candidate {
  cute::Swizzle swizzle;
  bool tma = false;
};

// Sw<B,M,S> with S >= B whose source bits exist in the tile and whose targets stay inside what the tile spans.
std::vector<Candidate> candidatesFor(const Tile& tile, i64 rowPitch) {
  std::vector<Candidate> out;
  const i64 span = tile.span();
  const int bits = static_cast<int>(std::bit_width(static_cast<u64>(span - 1)));
  for (int b = 1; b <= bits; ++b)
    for (int s = b; b + s <= bits; ++s)
      for (int m = 0; m + s + b <= bits; ++m) {
        if (span % (i64{1} << (m + b)) != 0) continue;  // else a target may leave the tile's own memory
        auto swizzle = cute::Swizzle::make(b, m, s);
        if (swizzle) out.push_back({*swizzle, tmaSwizzleMode(*swizzle, tile.elementBits(), rowPitch).has_value()});
      }
  std::stable_sort(out.begin(), out.end(), [](const Candidate& x, const Candidate& y) {
    auto key = [](const Candidate& c) {
      return std::tuple(c.swizzle.bits(), !c.tma, c.swizzle.shift(), c.swizzle.base());
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
    std::sort(failures_.begin(), failures_.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
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

  static bool contains(const std::vector<int>& sorted, int x) {
    return std::binary_search(sorted.begin(), sorted.end(), x);
  }
  const std::vector<int>* firstMissed() const {
    spend(static_cast<i64>(failures_.size()));
    for (const auto& set : failures_)
      if (std::none_of(chosen_.begin(), chosen_.end(), [&](int x) { return contains(set, x); })) return &set;
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

// Where every access stands. The plain layout may tear vectors that a padding mends, so geometry comes from the same
// shape with a compact pitch when the layout itself refuses.
Result<std::vector<Site>> sitesOf(const cute::Layout& layout, const Tile& tile, std::span<const AccessSpec> specs) {
  std::vector<Site> sites;
  std::unordered_map<std::string_view, std::vector<std::size_t>> asked;  // by text: an access that stands twice
  for (std::size_t s = 0; s < specs.size(); ++s) {
    std::vector<std::size_t>& same = asked[specs[s].text];
    if (std::any_of(same.begin(), same.end(), [&](std::size_t k) { return specs[k] == specs[s]; })) continue;
    same.push_back(s);
    if (specs[s].space == MemorySpace::Global)
      return Diag{fmt::format("{} does not touch shared memory", specs[s].text), "accesses to shared memory", "", {}};
    Result<std::vector<TileAccess>> list = accesses(tile, specs[s]);
    if (!list) {
      auto pitched = pitchedOf(layout);
      if (!pitched) return list.error();
      auto mended = Tile::of(withPitch(layout, pitched->leaf, roundUp(pitched->pitch, 128)), tile.elementBits());
      if (!mended) return list.error();
      Result<std::vector<TileAccess>> again = accesses(*mended, specs[s]);
      if (!again) return list.error();
      list = std::move(again);
    }
    for (TileAccess& access : *list) {
      access.spec = s;
      Site site;
      site.access = access;
      site.elements = std::max<i64>(1, i64{8} * access.warp.width / tile.elementBits());
      site.alongRow = runsAlongRow(
          specs[s], {tile.rows(), tile.columns(), tile.contiguousDimension() == 1, tile.elementBits(), ""});
      sites.push_back(site);
    }
  }
  return sites;
}

bool stopped(const SwizzleSearchOptions& options) { return options.cancel != nullptr && options.cancel->load(); }

std::vector<SwizzleClash> clashOf(const std::vector<Site>& sites, const Tile& tile, std::span<const AccessSpec> specs,
                                  const std::vector<Candidate>& candidates, bool& exact,
                                  const SwizzleSearchOptions& options) {
  std::vector<std::vector<int>> failures;
  for (const Candidate& c : candidates) {
    if (stopped(options)) return {};
    const std::vector<i64> offsets = swizzled(tile.offsets(), c.swizzle);
    std::vector<int> failed;
    for (std::size_t i = 0; i < sites.size(); ++i)
      if (!serves(sites[i], tile, offsets)) failed.push_back(static_cast<int>(i));
    failures.push_back(std::move(failed));
  }
  std::vector<int> chosen = HittingSet(std::move(failures)).smallest(exact);
  std::sort(chosen.begin(), chosen.end());
  std::vector<SwizzleClash> clash;
  for (int i : chosen) {
    const Site& site = sites[static_cast<std::size_t>(i)];
    SwizzleClash entry{site.access, specs[site.access.spec].text, ""};
    auto warp = accessAt(site, tile, tile.offsets());
    if (warp) {
      entry.access.warp = *warp;
      TileBankReport report = bankReport(std::span(&entry.access, 1));
      entry.text = report.text.empty()
                       ? fmt::format("{} at ({},{}): free as it is, not in a swizzle that serves the others",
                                     entry.spec, site.access.position.row, site.access.position.column)
                       : fmt::format("{} {}", entry.spec, report.text);
    } else {
      entry.text = fmt::format("{} at ({},{}): its vectors are not contiguous and aligned", entry.spec,
                               site.access.position.row, site.access.position.column);
    }
    clash.push_back(std::move(entry));
  }
  return clash;
}

SwizzleAnswer answerFor(const cute::Swizzle& swizzle, const cute::Layout& layout, int elementBits,
                        const std::optional<Pitched>& pitched) {
  SwizzleAnswer answer;
  answer.kind = swizzle.isIdentity() ? SwizzleAnswer::Kind::AsIs : SwizzleAnswer::Kind::Swizzled;
  answer.swizzle = swizzle;
  answer.layout = layout;
  answer.cute = swizzle.isIdentity() ? print(layout) : fmt::format("{} o 0 o {}", print(swizzle), print(layout));
  answer.cuda = cudaIndexCode(swizzle, layout);
  if (!pitched) return answer;
  answer.tma = tmaSwizzleMode(swizzle, elementBits, pitched->pitch).value_or("");
  answer.triton = tritonSwizzle(swizzle, pitched->pitch, pitched->rowMajor).value_or("");
  return answer;
}

std::vector<SwizzleAnswer> paddingsFor(const cute::Layout& layout, const Tile& tile, const std::vector<Site>& sites,
                                       const Pitched& pitched, const SwizzleSearchOptions& options) {
  std::vector<SwizzleAnswer> out;
  for (i64 p = 1; p * tile.elementBits() <= 8 * options.maxPaddingBytes && !stopped(options); ++p) {
    cute::Layout padded = withPitch(layout, pitched.leaf, pitched.pitch + p);
    auto paddedTile = Tile::of(padded, tile.elementBits());
    if (!paddedTile) continue;
    if (!std::all_of(sites.begin(), sites.end(),
                     [&](const Site& s) { return serves(s, *paddedTile, paddedTile->offsets()); }))
      continue;
    SwizzleAnswer answer;
    answer.kind = SwizzleAnswer::Kind::Padded;
    answer.layout = padded;
    answer.padding = p;
    answer.cute = print(padded);
    if (isPowerOfTwo(pitched.pitch) && isPowerOfTwo(p))
      answer.triton = fmt::format("#ttg.padded_shared<[{}:+{}] {{order = {}, shape = [{}, {}]}}>", pitched.pitch, p,
                                  pitched.rowMajor ? "[1, 0]" : "[0, 1]", tile.rows(), tile.columns());
    answer.cuda = cudaIndexCode(cute::Swizzle(), padded);
    out.push_back(std::move(answer));
  }
  return out;
}

std::string indexTerm(const std::string& name, const cute::Layout& mode) {
  std::string out;
  i64 before = 1;
  const std::vector<cute::LayoutLeaf> leaves = flatLeaves(mode);
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const auto& leaf = leaves[i];
    if (leaf.extent > 1 && leaf.stride.value() != 0) {
      std::string digit = before == 1 ? name : fmt::format("{} / {}", name, before);
      if (i + 1 < leaves.size())
        digit = before == 1 ? fmt::format("{} % {}", name, leaf.extent) : fmt::format("{} % {}", digit, leaf.extent);
      if (leaf.stride.value() != 1)
        digit = digit == name ? fmt::format("{} * {}", name, leaf.stride.value())
                              : fmt::format("({}) * {}", digit, leaf.stride.value());
      out += (out.empty() ? "" : " + ") + digit;
    }
    before *= leaf.extent;
  }
  return out;
}

}  // namespace

std::optional<std::string> tmaSwizzleMode(const cute::Swizzle& onElements, int elementBits, i64 rowPitch) {
  if (onElements.isIdentity() || elementBits > 128) return std::nullopt;
  // In bytes: Sw<B,4,3> with rows of exactly 32, 64 or 128 bytes.
  const int baseInBits = onElements.base() + std::countr_zero(static_cast<unsigned>(elementBits));
  if (baseInBits != 7 || onElements.shift() != 3 || onElements.bits() > 3) return std::nullopt;
  const i64 bytes = i64{16} << onElements.bits();
  if (rowPitch * elementBits != 8 * bytes) return std::nullopt;
  return fmt::format("CU_TENSOR_MAP_SWIZZLE_{}B", bytes);
}

std::optional<std::string> tritonSwizzle(const cute::Swizzle& onElements, i64 rowPitch, bool rowMajor) {
  if (!isPowerOfTwo(rowPitch)) return std::nullopt;
  const int pitchBits = std::countr_zero(static_cast<u64>(rowPitch));
  const int source = onElements.base() + onElements.shift();
  if (onElements.isIdentity() || source < pitchBits || onElements.base() + onElements.bits() > pitchBits ||
      onElements.shift() < 0)
    return std::nullopt;
  return fmt::format("#ttg.swizzled_shared<{{vec = {}, perPhase = {}, maxPhase = {}, order = {}}}>",
                     i64{1} << onElements.base(), i64{1} << (source - pitchBits), i64{1} << onElements.bits(),
                     rowMajor ? "[1, 0]" : "[0, 1]");
}

std::string cudaIndexCode(const cute::Swizzle& onElements, const cute::Layout& layout) {
  static constexpr const char* names[] = {"row", "column", "stage"};
  std::string sum;
  if (layout.rank() == 1) {
    sum = indexTerm("i", layout);
  } else {
    for (int k = 0; k < layout.rank(); ++k) {
      std::string term = indexTerm(k < 3 ? names[k] : fmt::format("i{}", k), layout.mode(k));
      if (!term.empty()) sum += (sum.empty() ? "" : " + ") + term;
    }
  }
  std::string code = fmt::format("int offset = {};", sum.empty() ? "0" : sum);
  if (onElements.isIdentity()) return code;
  const int shift = onElements.shift();
  return code + fmt::format(" offset ^= (offset & {:#x}) {} {};", onElements.yyyMask(), shift > 0 ? ">>" : "<<",
                            shift > 0 ? shift : -shift);
}

Result<SwizzleSearch> findSwizzle(const cute::Layout& layout, int elementBits, std::span<const AccessSpec> specs,
                                  const SwizzleSearchOptions& options) {
  if (specs.empty())
    return Diag{"find swizzle needs the accesses that touch the tile",
                "where conflict_free(ldmatrix.x4, fp16) and ...",
                "",
                {}};
  TESSERA_TRY(Tile tile, Tile::of(layout, elementBits));
  constexpr i64 kMostBytes = 256 * 1024;  // no CTA has more shared memory
  if (const i64 bytes = tile.span() * elementBits / 8; bytes > kMostBytes) {
    return Diag{fmt::format("the tile takes {} bytes, more than any CTA's shared memory", bytes),
                fmt::format("at most {} bytes", kMostBytes),
                "a swizzle of fewer rows serves all rows: take a part of the tile",
                {}};
  }
  TESSERA_TRY(std::vector<Site> sites, sitesOf(layout, tile, specs));
  const std::optional<Pitched> pitched = pitchedOf(layout);
  const std::vector<Candidate> candidates = candidatesFor(tile, pitched ? pitched->pitch : 0);
  SwizzleSearch result;
  result.candidates = static_cast<int>(candidates.size());
  std::size_t likely = 0;  // the site that failed last is the one to try first
  int tried = 0;
  for (const Candidate& c : candidates) {
    if (stopped(options)) break;
    if (options.onCandidate) options.onCandidate(tried++, result.candidates);
    const std::vector<i64> offsets = swizzled(tile.offsets(), c.swizzle);
    if (!serves(sites[likely], tile, offsets)) continue;
    auto bad = std::find_if(sites.begin(), sites.end(), [&](const Site& s) { return !serves(s, tile, offsets); });
    if (bad == sites.end())
      result.swizzles.push_back(answerFor(c.swizzle, layout, elementBits, pitched));
    else
      likely = static_cast<std::size_t>(bad - sites.begin());
  }
  if (options.paddings && pitched) result.paddings = paddingsFor(layout, tile, sites, *pitched, options);
  if (result.swizzles.empty()) result.clash = clashOf(sites, tile, specs, candidates, result.clashIsSmallest, options);
  if (stopped(options)) return Diag{"the search was cancelled", "", "", {}};
  return result;
}

}  // namespace tessera
