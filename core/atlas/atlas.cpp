#include "core/atlas/atlas.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <mutex>

#include "core/atlas/cutlass.h"
#include "core/atlas/rows/rows.h"
#include "core/base/chars.h"
#include "core/base/check.h"
#include "core/base/mapped.h"
#include "core/base/nearest.h"
#include "core/base/words.h"

namespace tessera {
namespace {

// "{64N}" -> 64n, "{N/8}" -> n/8, everywhere in the text.
std::string withN(const std::string& text, i64 n) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] != '{') {
      out += text[i++];
      continue;
    }
    const std::size_t close = text.find('}', i);
    LAYOUT_CHECK(close != std::string::npos, "an atlas row has an open brace");
    std::string_view inside(text.data() + i + 1, close - i - 1);
    const std::size_t at = inside.find('N');
    LAYOUT_CHECK(at != std::string_view::npos, "an atlas row's place is not {aN/b}");
    i64 factor = 1, divisor = 1;
    if (at > 0) std::from_chars(inside.data(), inside.data() + at, factor);
    if (at + 1 < inside.size()) std::from_chars(inside.data() + at + 2, inside.data() + inside.size(), divisor);
    out += std::to_string(factor * n / divisor);
    i = close + 1;
  }
  return out;
}

void removeAll(std::string& text, std::string_view piece) {
  for (std::size_t at = text.find(piece); at != std::string::npos; at = text.find(piece, at))
    text.erase(at, piece.size());
}

using atlas_rows::normalizedName;

constexpr std::size_t kLongestName = 1024;  // MMA_Traits with every argument as an integral_constant is long

struct Pattern {
  std::string before, after;  // around {N}; after is unused without a placeholder
  bool place = false;
  std::size_t row = 0;
};

std::vector<Pattern> buildIndex() {
  std::vector<Pattern> index;
  auto add = [&](const std::string& text, std::size_t row) {
    std::string flat = normalizedName(text);
    if (const auto key = cutlassKey(text); key && *key) flat = **key;
    const std::size_t at = flat.find("{n}");
    const bool family = !atlas()[row].parameter.empty();
    if (family != (at != std::string::npos)) return;  // a family's name without its number is not an instruction
    if (!family)
      index.push_back({flat, "", false, row});
    else
      index.push_back({flat.substr(0, at), flat.substr(at + 3), true, row});
  };
  for (std::size_t r = 0; r < atlas().size(); ++r) add(atlas()[r].name, r);
  for (std::size_t r = 0; r < atlas().size(); ++r) {
    for (const std::string& alias : atlas()[r].aliases) add(alias, r);
    add(atlas()[r].ptx, r);
  }
  return index;
}

const std::vector<Pattern>& patternIndex() {
  static const std::vector<Pattern> index = buildIndex();
  return index;
}

// The number for {N}, if the query matches the pattern.
std::optional<i64> matchedN(const Pattern& p, const std::string& query) {
  if (!p.place) return query == p.before ? std::optional<i64>(0) : std::nullopt;
  if (query.size() <= p.before.size() + p.after.size() || !query.starts_with(p.before) || !query.ends_with(p.after))
    return std::nullopt;
  return wholeNumber(std::string_view(query).substr(p.before.size(), query.size() - p.before.size() - p.after.size()));
}

std::string instanceName(const AtlasRow& row) {
  return row.parameter.empty() ? row.name : bind(row, row.parameter.back()).name;
}

// The three nearest names, by edit distance over names and aliases.
std::string nearestNames(const std::string& query) {
  std::vector<std::pair<std::size_t, std::size_t>> scored;  // (distance, row)
  std::string cut = query.substr(0, 96);
  for (const Pattern& p : patternIndex()) {
    std::string text = p.before;
    if (p.place) text += "64" + p.after;
    scored.emplace_back(editDistance(cut, text), p.row);
  }
  std::ranges::stable_sort(scored);
  std::vector<std::string> names;
  for (auto [distance, row] : scored) {
    std::string candidate = instanceName(atlas()[row]);
    if (std::ranges::find(names, candidate) == names.end()) names.push_back(candidate);
    if (names.size() == 3) break;
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

struct Sm {
  int number = 0;
  char suffix = 0;
};
std::optional<Sm> parseSm(std::string_view text) {
  if (!text.starts_with("sm_")) return std::nullopt;
  Sm sm;
  auto [end, error] = std::from_chars(text.data() + 3, text.data() + text.size(), sm.number);
  if (error != std::errc()) return std::nullopt;
  if (end != text.data() + text.size()) sm.suffix = *end;
  return sm;
}

bool runsOnOne(std::string_view required, std::string_view device) {
  if (auto need = parseSm(required)) {
    auto have = parseSm(device);
    if (!have) return false;
    if (need->suffix != 0) return have->number == need->number && have->suffix == need->suffix;
    return have->number >= need->number;
  }
  static constexpr std::string_view cdna[] = {"gfx908", "gfx90a", "gfx940", "gfx941", "gfx942", "gfx950"};
  const auto *need = std::ranges::find(cdna, required), *have = std::ranges::find(cdna, device);
  if (need != std::end(cdna)) return have != std::end(cdna) && have >= need;
  return required.size() == device.size() && required.substr(0, 5) == device.substr(0, 5);
}

i64 extentOf(const std::string& text) {
  const auto value = wholeNumber(text);
  LAYOUT_CHECK(value.has_value(), "an operand's extent before bind()");
  return *value;
}

}  // namespace

AtlasRow atlas_rows::rowOf(std::string name, AtlasFamily family, std::string architecture, std::string ptx,
                           std::string shape, std::string threadId) {
  return {std::move(name), family, std::move(architecture), std::move(ptx), std::move(shape), std::move(threadId)};
}

std::vector<std::pair<std::string, std::string>> atlas_rows::typePairs(std::string_view words) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const std::string_view a : wordsIn(words))
    for (const std::string_view b : wordsIn(words)) out.emplace_back(a, b);
  return out;
}

AtlasOperand atlas_rows::referenceOf(AtlasOperand operand) {
  operand.name = "ref";
  return operand;
}

std::string atlas_rows::normalizedName(std::string_view name) {
  std::string out;
  for (char c : name)
    if (c != ' ' && c != '\t') out += lowerCase(c);
  // {N} must survive lower-casing as a placeholder.
  for (std::string_view piece :
       {"cute::", "sm90::", "gmma::", "sm100::", "tmem::", "sm120::", "blockscaled::", "sparse::", ".sync", ".aligned",
        ".mma_async", "::ordered_metadata", ".row.col", ".b32{", "::cta"})
    removeAll(out, piece);
  if (out.starts_with("ldmatrix") || out.starts_with("stmatrix")) {
    for (std::string_view piece : {".shared", ".m8n8", ".b16"}) removeAll(out, piece);
    // .trans before the number of matrices, a common spelling.
    constexpr std::string_view trans = ".trans";
    if (const std::size_t at = out.find(".trans.x"); at != std::string::npos && at + 8 < out.size()) {
      out.erase(at, trans.size());
      out.insert(at + 3, trans);  // after ".x4"
    }
  }
  // The memories of cp.async's operands and its prefetch size; bulk copies are other instructions.
  if (out.starts_with("cp.async") && !out.starts_with("cp.async.bulk"))
    for (std::string_view piece : {".shared", ".global", ".l2::64b", ".l2::128b", ".l2::256b"}) removeAll(out, piece);
  return out;
}

const char* name(AtlasFamily family) {
  static constexpr const char* kNames[] = {"scalar",        "mma.sync", "mma.sp",   "wgmma",     "tcgen05.mma",
                                           "tcgen05.ld/st", "ldmatrix", "stmatrix", "movmatrix", "copies",
                                           "TMA",           "MFMA",     "WMMA"};
  return kNames[static_cast<std::size_t>(family)];
}

const std::vector<AtlasRow>& atlas() {
  static const std::vector<AtlasRow> rows = [] {
    std::vector<AtlasRow> all;
    atlas_rows::appendMmaSync(all);
    atlas_rows::appendMmaSparse(all);
    atlas_rows::appendWgmma(all);
    atlas_rows::appendTcgen05(all);
    atlas_rows::appendMatrixCopies(all);
    atlas_rows::appendCopies(all);
    atlas_rows::appendAmd(all);
    return all;
  }();
  return rows;
}

AtlasRow bind(const AtlasRow& row, i64 n) {
  if (row.parameter.empty()) return row;
  AtlasRow out = row;
  out.parameter.clear();
  for (std::string* text : {&out.name, &out.ptx, &out.shape, &out.threadId}) *text = withN(*text, n);
  for (std::string& alias : out.aliases) alias = withN(alias, n);
  for (AtlasOperand& operand : out.operands)
    for (std::string* text : {&operand.rows, &operand.columns, &operand.layout}) *text = withN(*text, n);
  return out;
}

// Without the cache.
static Result<AtlasRow> searchInstruction(std::string_view typed) {
  TESSERA_TRY(const std::optional<std::string> key, cutlassKey(typed));
  const std::string full = key ? *key : normalizedName(typed);
  std::vector<std::string> queries = {full};
  if (!key) queries.push_back("mma." + full);
  std::optional<Diag> wrongN;
  for (const std::string& query : queries) {
    for (const Pattern& p : patternIndex()) {
      auto n = matchedN(p, query);
      if (!n) continue;
      const AtlasRow& row = atlas()[p.row];
      if (!p.place || std::ranges::find(row.parameter, *n) != row.parameter.end()) return bind(row, *n);
      if (!wrongN)
        wrongN = Diag{fmt::format("{} has no N = {}", row.name, *n),
                      fmt::format("N among {}", fmt::join(row.parameter, ", "))};
    }
  }
  if (wrongN) return *wrongN;
  return Diag{fmt::format("no instruction is called '{}'", typed), "a name of `tessera atlas`",
              fmt::format("did you mean {}?", nearestNames(full))};
}

// Cached: the same few names are looked up repeatedly, and a miss is expensive because it searches for the nearest
// names.
Result<AtlasRow> findInstruction(std::string_view typed) {
  if (typed.size() > kLongestName)
    return Diag{"an instruction name has at most 1024 bytes", "a name such as ldmatrix.x4"};
  constexpr std::size_t most = 2048;
  static std::mutex mutex;
  static std::map<std::string, Result<AtlasRow>, std::less<>> known;
  {
    const std::lock_guard lock(mutex);
    if (const auto found = known.find(typed); found != known.end()) return found->second;
  }
  Result<AtlasRow> out = searchInstruction(typed);
  const std::lock_guard lock(mutex);
  if (known.size() < most) known.emplace(typed, out);
  return out;
}

Result<AtlasRow> findInstruction(std::string_view typed, std::string_view device) {
  TESSERA_TRY(AtlasRow row, findInstruction(typed));
  if (runsOn(row.architecture, device)) return row;
  std::vector<std::string> fits;
  for (const AtlasFamily family : {row.family, AtlasFamily::MmaSync}) {
    for (const AtlasRow& other : atlas())
      if (other.family == family && runsOn(other.architecture, device) && fits.size() < 3)
        fits.push_back(instanceName(other));
    if (!fits.empty()) break;
  }
  return Diag{fmt::format("{} needs {}; {} lacks it", row.name, row.architecture, device),
              fmt::format("an architecture among {}", row.architecture),
              fits.empty() ? "" : fmt::format("{} has {}", device, fmt::join(fits, ", "))};
}

Result<AtlasOperand> findOperand(const AtlasRow& row, std::string_view operand) {
  auto byName = [&](std::string_view wanted) -> const AtlasOperand* {
    for (const AtlasOperand& o : row.operands)
      if (normalizedName(o.name) == wanted) return &o;
    return nullptr;
  };
  const std::string wanted = normalizedName(operand);
  if (const AtlasOperand* o = byName(wanted)) return *o;
  static constexpr std::pair<std::string_view, std::string_view> synonyms[] = {
      {"d", "c"}, {"d", "dst"}, {"s", "src"}, {"source", "src"}, {"destination", "dst"}, {"reference", "ref"}};
  for (auto [from, to] : synonyms)
    if (wanted == from)
      if (const AtlasOperand* o = byName(to)) return *o;
  auto names = mapped<std::string>(row.operands, &AtlasOperand::name);
  return Diag{fmt::format("{} has no operand '{}'", row.name, operand),
              fmt::format("one of {}", fmt::join(names, ", ")), row.note};
}

const AtlasAccess* accessOf(const AtlasRow& row, MemorySpace space) {
  for (const AtlasOperand& o : row.operands)
    if (o.access && o.access->space == space) return &*o.access;
  return nullptr;
}

const AtlasAccess* accessOf(const AtlasRow& row) {
  const AtlasAccess* shared = accessOf(row, MemorySpace::Shared);
  return shared != nullptr ? shared : accessOf(row, MemorySpace::Global);
}

Result<cute::Layout> threadValue(const AtlasOperand& operand) { return cute::parseLayout(operand.layout); }

Result<int> elementBits(std::string_view type) {
  if (const auto known = elementType(type)) return known->bits;
  return Diag{fmt::format("'{}' is not an element type", type),
              "f16 bf16 tf32 f32 f64 s8 u8 s4 u4 b1 e4m3 e5m2 e2m1 ..."};
}

i64 rowsOf(const AtlasOperand& operand) { return extentOf(operand.rows); }
i64 columnsOf(const AtlasOperand& operand) { return extentOf(operand.columns); }

bool runsOn(std::string_view required, std::string_view device) {
  const auto all = wordsIn(required);
  return std::ranges::any_of(all, [&](std::string_view one) { return runsOnOne(one, device); });
}

// PTX ISA, shfl.sync: b is the lane or distance, c holds the clamp (bits 0-4) and the segment mask (bits 8-12). A lane
// that would leave its segment reads itself.
Result<int> shuffleSource(std::string_view mode, int lane, int operand, int clamp) {
  if (lane < 0 || lane >= 32) return Diag{fmt::format("lane {} is outside a warp", lane), "0 to 31"};
  const int b = operand & 31, bound = clamp & 31, segment = (clamp >> 8) & 31;
  const int maxLane = (lane & segment) | (bound & ~segment), minLane = lane & segment;
  int source = 0;
  bool inside = false;
  if (mode == "up")
    inside = (source = lane - b) >= maxLane;
  else if (mode == "down")
    inside = (source = lane + b) <= maxLane;
  else if (mode == "bfly")
    inside = (source = lane ^ b) <= maxLane;
  else if (mode == "idx")
    inside = (source = minLane | (b & ~segment)) <= maxLane;
  else
    return Diag{fmt::format("shfl has no mode '{}'", mode), "idx, up, down or bfly"};
  return inside ? source : lane;
}

}  // namespace tessera
