// Claims: a call with one of these names becomes a question about maps, which the engine passes to the prover.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/atlas/atlas.h"
#include "core/base/mapped.h"
#include "core/layout/arrow.h"
#include "core/layout/layout.h"
#include "core/map/compose.h"
#include "core/map/domain/variables.h"
#include "core/worksheet/extension.h"
#include "core/worksheet/functions/tile_value.h"
#include "core/worksheet/language/words.h"
#include "core/worksheet/statements/evaluator.h"
#include "core/worksheet/statements/thread_claim.h"

namespace tessera {
namespace {

struct Row {
  std::string_view name, signature, what;
  ClaimKind kind;
  int minArgs = 1, maxArgs = 1;
  bool mapSecond = false;  // the second argument is a map (else the codomain's size)
};

constexpr auto kRows = std::to_array<Row>({
    {"disjoint", "disjoint(X)", "the replicas of each element of X have different places", ClaimKind::Injective},
    {"injective", "injective(L)", "no two coordinates share a value", ClaimKind::Injective},
    {"surjective", "surjective(L) or surjective(L, n)",
     "every value in [0, cosize(L)) (from the lowest one, if it is negative), or in [0, n), is taken",
     ClaimKind::Surjective, 1, 2},
    {"bijective", "bijective(L) or bijective(L, n)", "injective, and onto [0, cosize(L)) or [0, n)",
     ClaimKind::Bijective, 1, 2},
    {"equal", "equal(A, B)", "A(c) == B(c) for every coordinate; of Graphene programs: equal outputs from equal inputs",
     ClaimKind::Equal, 2, 2, true},
    {"roundtrip", "roundtrip(F, G) or roundtrip(X)",
     "G(F(c)) == c for every c; with one argument, G is the computed inverse", ClaimKind::Roundtrip, 1, 2, true},
    {"in_bounds", "in_bounds(L) or in_bounds(L, n)", "every value is in [0, cosize(L)), or in [0, n)",
     ClaimKind::InBounds, 1, 2},
    {"identity", "identity(F)", "F(c) == c for every coordinate, as for a chain of reshapes without effect",
     ClaimKind::Equal},
    // About a tile of memory: the layout, then an access or a number of bytes, then the element type.
    {"conflict_free", "conflict_free(S, TYPE) or conflict_free(L, ACCESS, TYPE)",
     "no access of the tile, or of the threads of index code S, has a bank conflict", ClaimKind::ConflictFree, 2, 3},
    {"coalesced", "coalesced(S, TYPE) or coalesced(L, ACCESS, TYPE)",
     "no access of the tile, or of the threads of index code S, touches more 32-byte sectors than its bytes need",
     ClaimKind::Coalesced, 2, 3},
    {"vectorizes", "vectorizes(L, BYTES, TYPE)", "every aligned group of BYTES is contiguous and aligned",
     ClaimKind::Vectorizes, 2, 3},
    {"race_free", "race_free(STORE, LOAD)",
     "no thread loads or stores what another one stores, in one phase of index code", ClaimKind::Threads, 1, 8},
    {"computes", "computes(K)",
     "the kernel K leaves the values of its reference, for all values of its buffers, over the real numbers",
     ClaimKind::Threads, 1, 1},
    {"aligned", "aligned(L, BYTES, TYPE)", "every row begins at a multiple of BYTES", ClaimKind::Aligned, 2, 3},
});

constexpr std::array<FunctionInfo, 2> kForms = {{
    {"explain", "explain(EXPR)", "the derivation of an algebra operation or of simplify(M), step by step with numbers"},
    {"refuses", "refuses(EXPR)", "true if the evaluation of EXPR fails with an error"},
}};

const Row* findRow(std::string_view name) {
  const auto* row = std::ranges::find(kRows, name, &Row::name);
  return row == kRows.end() ? nullptr : row;
}
bool isAboutMemory(ClaimKind kind) {
  return kind == ClaimKind::ConflictFree || kind == ClaimKind::Coalesced || kind == ClaimKind::Vectorizes ||
         kind == ClaimKind::Aligned;
}

// The same map with codomain [0, n) on each axis.
Result<Map> withCodomain(const Map& map, i64 n) {
  std::vector<Axis> axes = map.axes();
  for (Axis& axis : axes) axis.extent = n;
  return Map::create(map.digits(), std::move(axes), map.guards(), map.params());
}

// in_bounds uses the hardware's bounds (32 lanes) if the target space has them, else the declared ones.
Result<Map> withHardwareBounds(const Arrow& arrow) {
  if (arrow.to.kind != SpaceKind::Hardware || arrow.to.modes.size() != arrow.map.axes().size()) return arrow.map;
  std::vector<Axis> axes = arrow.map.axes();
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const i64 bound = arrow.to.modes[k].extent();
    if (bound > 0) {
      axes[k].extent = bound;
    } else if (!axes[k].extent) {  // no hardware bound, but negative values: require >= 0
      const Range r = factsOf(axes[k].value, environmentOf(arrow.map)).interval;
      axes[k].extent = std::max<i64>(1, r.hi + 1);
    }
  }
  return Map::create(arrow.map.digits(), std::move(axes), arrow.map.guards(), arrow.map.params());
}

// disjoint(X): the replicas of one element are at distinct places: the map over the Fan digits, at the first element.
Result<Map> replicaMap(const Arrow& arrow) {
  std::vector<Digit> digits;
  std::vector<Expr> values(arrow.map.digits().size());
  for (const int k : arrow.map.fanDigits()) {
    values[static_cast<std::size_t>(k)] = Expr::digit(static_cast<int>(digits.size()));
    digits.push_back(arrow.map.digits()[static_cast<std::size_t>(k)]);
    digits.back().kind = DigitKind::Index;
  }
  if (digits.empty()) digits.push_back({"r0", 1, DigitKind::Index});
  std::vector<Axis> axes = arrow.map.axes();
  for (Axis& a : axes) a.value = substitute(a.value, values);
  return Map::create(std::move(digits), std::move(axes));
}

// "((i,i),i)" for the shape ((2,2),4), if the map has one digit per leaf; "" without nesting. The fact gives the
// nesting depth of a mode; a Mode has only its leaves.
bool addProfile(const LayoutFact& fact, std::vector<i64>& extents, std::string& text) {
  if (const auto* extent = std::get_if<i64>(&fact.value)) {
    extents.push_back(*extent);
    text += 'i';
    return true;
  }
  const auto* list = std::get_if<LayoutFact::Tree>(&fact.value);
  if (list == nullptr) return false;
  text += '(';
  for (std::size_t k = 0; k < list->size(); ++k) {
    if (k > 0) text += ',';
    if (!addProfile((*list)[k], extents, text)) return false;
  }
  text += ')';
  return true;
}

std::string profileOf(const Result<Layout>& layout, const Map& map) {
  if (!layout) return "";
  const LayoutFacts facts = layout->facts();
  const auto shape = std::ranges::find(facts, "shape", &LayoutFact::name);
  std::vector<i64> extents, digits;
  std::string text;
  if (shape == facts.end() || !addProfile(*shape, extents, text)) return "";
  for (const int k : map.indexDigits()) digits.push_back(map.digits()[static_cast<std::size_t>(k)].extent);
  return extents == digits && std::ranges::count(text, '(') > 1 ? text : "";
}

// What prevents the layout from having values; true: the claim is undecided, and needs no map.
bool isUndecided(Claim& claim, const Value& value) {
  if (const auto missing = missingElementType(value)) claim.undecided = *missing;
  return !claim.undecided.empty();
}

void addReading(Claim& claim, const std::string& what) {
  if (what.empty() || claim.reading.find(what) != std::string::npos) return;
  claim.reading += (claim.reading.empty() ? "" : "; ") + what;
}

Result<void> addComparison(Claim& claim, const Node& node, const Value& first, const Value& second) {
  TESSERA_TRY(const Layout a, placedAt(*node.children[0], layoutOf(first)));
  TESSERA_TRY(const Layout b, placedAt(*node.children[1], layoutOf(second)));
  TESSERA_CHECKED(placedAt(*node.children[0], a.arrow()));
  TESSERA_CHECKED(placedAt(*node.children[1], b.arrow()));
  TESSERA_TRY(Aligned both, placedAt(node, align(a, b)));
  claim.profiles = {profileOf(a, both.f), profileOf(b, both.g)};
  claim.says = claims::Equal{{std::move(both.f), std::move(both.g)}, both.order};
  addReading(claim, both.reading);
  return {};
}

// f against the identity over the same box; where f has no value, they differ.
Result<std::vector<Map>> besideIdentity(const Map& f) {
  std::vector<Digit> digits;
  std::vector<Axis> axes;
  for (const int k : f.indexDigits()) {
    digits.push_back(f.digits()[static_cast<std::size_t>(k)]);
    axes.push_back({digits.size() <= f.axes().size() ? f.axes()[digits.size() - 1].name : "",
                    Expr::digit(static_cast<int>(digits.size()) - 1) + digits.back().lo, std::nullopt});
  }
  if (axes.size() != f.axes().size())
    return Diag{fmt::format("the values have {} number{}, the coordinates {}", f.axes().size(),
                            f.axes().size() == 1 ? "" : "s", axes.size()),
                "a map from coordinates to coordinates of the same kind"};
  TESSERA_TRY(Map identity, Map::create(std::move(digits), std::move(axes)));
  return std::vector{f, std::move(identity)};
}

Result<void> addIdentity(Claim& claim, const Node& node, const Value& first) {
  const Node& argument = *node.children[0];
  claims::Equal equal;
  if (extension().identity != nullptr) {
    TESSERA_TRY(auto ofPart, placedAt(argument, extension().identity(first)));
    if (ofPart) equal.maps = *std::move(ofPart);
  }
  if (equal.maps.empty()) {
    TESSERA_TRY(const Map map, placedAt(argument, toMap(first)));
    TESSERA_TRY(equal.maps, placedAt(argument, besideIdentity(map)));
  }
  claim.says = std::move(equal);
  return {};
}

// Parts of modules, for equal (both) and in_bounds; false: other arguments.
Result<bool> addReads(Claim& claim, const Node& node, const Value& first, const Value* second) {
  if (extension().reads == nullptr) return false;
  TESSERA_TRY(auto unions, placedAt(node, extension().reads(first, second)));
  if (unions) claim.unions = *std::move(unions);
  return unions.has_value();
}

// Adds the maps of the row's claim: one or two.
Result<void> addMaps(Claim& claim, const Node& node, const Row& row, Evaluator& evaluator) {
  claim.says = claimAbout(row.kind, {});
  TESSERA_TRY(const Value first, evaluator.evaluate(*node.children[0]));
  if (isUndecided(claim, first)) return {};
  addReading(claim, baseAddressNote(first));
  if (row.name == "identity") return addIdentity(claim, node, first);
  if (row.kind == ClaimKind::Equal) {
    TESSERA_TRY(const Value second, evaluator.evaluate(*node.children[1]));
    if (isUndecided(claim, second)) return {};
    addReading(claim, baseAddressNote(second));
    TESSERA_TRY(const bool reads, addReads(claim, node, first, &second));
    if (reads) return {};
    return addComparison(claim, node, first, second);
  }
  if (row.kind == ClaimKind::InBounds && node.children.size() == 1) {
    TESSERA_TRY(const bool reads, addReads(claim, node, first, nullptr));
    if (reads) return {};
  }
  TESSERA_TRY(const Arrow arrow, placedAt(*node.children[0], arrowOf(first)));
  const bool disjoint = row.name == "disjoint";
  const bool ontoCodomain =
      (row.kind == ClaimKind::Surjective || row.kind == ClaimKind::Bijective) && node.children.size() == 1;
  TESSERA_TRY(Map map, placedAt(*node.children[0], disjoint                           ? replicaMap(arrow)
                                                   : row.kind == ClaimKind::InBounds  ? withHardwareBounds(arrow)
                                                   : row.kind == ClaimKind::Injective ? withFewerFans(arrow.map)
                                                   : ontoCodomain                     ? overCodomain(arrow)
                                                                                      : Result<Map>(arrow.map)));
  if (!disjoint) claim.profiles = {profileOf(layoutOf(first), map)};
  claim.says = claimAbout(row.kind, {std::move(map)});
  if (row.mapSecond && node.children.size() == 2) {
    TESSERA_TRY(const Value second, evaluator.evaluate(*node.children[1]));
    if (isUndecided(claim, second)) return {};
    addReading(claim, baseAddressNote(second));
    TESSERA_TRY(Map back, placedAt(*node.children[1], toMap(second)));
    std::get<claims::Roundtrip>(claim.says).maps.push_back(std::move(back));
  }
  return {};
}

Result<AccessSpec> accessOf(const Node& node, ClaimKind kind) {
  TESSERA_TRY(const std::string text, wordOf(node, "an access: ldmatrix.x4, ld.shared.v4, st.global ..."));
  TESSERA_TRY(AccessSpec access, placedAt(node, parseAccess(text)));
  if (kind == ClaimKind::ConflictFree && access.space == MemorySpace::Global) {
    return Diag{fmt::format("{} does not touch shared memory", access.text), "an access to shared memory",
                "banks exist only in shared memory; coalesced() is about global memory", node.span};
  }
  return access;
}

Result<i64> bytesOf(const Node& node, Evaluator& evaluator) {
  TESSERA_TRY(const Value bytes, evaluator.evaluate(node));
  const auto* n = std::get_if<i64>(&bytes);
  if (n == nullptr || *n < 1 || *n > 1 << 20) {
    return Diag{fmt::format("the width must be a positive number of bytes, not {}", print(bytes)), "1, 2, 4, 8, 16 ...",
                "", node.span};
  }
  return *n;
}

// The tile of memory; without a map if the claim is undecided.
Result<claims::Memory> memoryOf(Claim& claim, const Node& node, ClaimKind kind, const Value& layout) {
  claims::Memory memory;
  if (node.children.size() > 2) {
    TESSERA_TRY(const std::string type, wordOf(*node.children[2], "an element type: fp16, f32, s8 ..."));
    TESSERA_TRY(memory.elementBits, placedAt(*node.children[2], elementBits(type)));
  } else if (const auto bits = elementBitsOf(layout)) {
    memory.elementBits = *bits;
  } else if (isUndecided(claim, layout)) {
    return memory;
  } else {
    std::string whole = claim.text.substr(0, 200);  // with the type, as a suggestion
    if (whole.ends_with(')')) whole.insert(whole.size() - 1, ", fp16");
    return Diag{fmt::format("{} needs the element type", name(kind)), "a type such as fp16 as the last argument",
                "write " + whole, node.span};
  }
  TESSERA_TRY(TileMap tile, placedAt(*node.children[0], tileMapOf(layout, memory.elementBits)));
  addReading(claim, baseAddressNote(layout));
  memory.rowDigits = tile.rowDigits;
  claim.profiles = {profileOf(layoutOf(layout), tile.map)};
  memory.map = std::move(tile.map);
  return memory;
}

// Small tiles are tried at once, so an access that does not fit is an error message, not a verdict.
Result<void> addMemory(Claim& claim, const Node& node, ClaimKind kind, Evaluator& evaluator) {
  TESSERA_TRY(const Value layout, evaluator.evaluate(*node.children[0]));
  const Node& second = *node.children[1];
  if (kind == ClaimKind::Vectorizes || kind == ClaimKind::Aligned) {
    TESSERA_TRY(const i64 bytes, bytesOf(second, evaluator));
    TESSERA_TRY(claims::Memory memory, memoryOf(claim, node, kind, layout));
    claim.says = kind == ClaimKind::Aligned ? claims::Any(claims::Aligned{std::move(memory), bytes})
                                            : claims::Vectorizes{std::move(memory), bytes};
    return {};
  }
  TESSERA_TRY(AccessSpec access, accessOf(second, kind));
  TESSERA_TRY(claims::Memory memory, memoryOf(claim, node, kind, layout));
  const auto size = memory.map.size();
  if (claim.undecided.empty() && size && *size <= Tile::kMaxTileElements) {
    TESSERA_TRY(const Tile small, placedAt(*node.children[0], tileOf(layout, memory.elementBits)));
    if (const auto list = accesses(small, access); !list)
      return placedAt<std::vector<TileAccess>>(second, list).error();
  }
  claim.says = kind == ClaimKind::Coalesced ? claims::Any(claims::Coalesced{std::move(memory), std::move(access)})
                                            : claims::ConflictFree{std::move(memory), std::move(access)};
  return {};
}

Result<ClaimRequest> build(const Node& node, const Row& row, std::string_view text, Evaluator& evaluator) {
  const int count = static_cast<int>(node.children.size());
  if (count < row.minArgs || count > row.maxArgs) {
    return Diag{fmt::format("{} takes {} argument{}, not {}", row.name,
                            row.minArgs == row.maxArgs ? std::to_string(row.minArgs)
                                                       : fmt::format("{} or {}", row.minArgs, row.maxArgs),
                            row.maxArgs == 1 ? "" : "s", count),
                std::string(row.signature),
                row.kind == ClaimKind::ConflictFree ? "conflict_free(S, ldmatrix.x4, fp16)" : "", node.span};
  }
  ClaimRequest request;
  request.claim.text = text.substr(node.span.begin, node.span.end - node.span.begin);
  if (isAboutMemory(row.kind)) {
    TESSERA_CHECKED(addMemory(request.claim, node, row.kind, evaluator));
    return request;
  }
  TESSERA_CHECKED(addMaps(request.claim, node, row, evaluator));
  if (count == 2 && !row.mapSecond) {
    const Node& sizeNode = *node.children[1];
    TESSERA_TRY(const Value size, evaluator.evaluate(sizeNode));
    const auto* n = std::get_if<i64>(&size);
    if (n == nullptr || *n < 1) {
      return Diag{fmt::format("the size of the codomain must be a positive integer, not {}", print(size)), "n >= 1", "",
                  sizeNode.span};
    }
    if (request.claim.maps().empty()) return request;  // undecided
    TESSERA_TRY(Map sized, withCodomain(request.claim.maps()[0], *n));
    request.claim.says = claimAbout(row.kind, {std::move(sized)});
  }
  return request;
}

// Adds the bound names that an argument mentions.
void addNames(const Node& node, const Evaluator& evaluator, ClaimSource& source) {
  if (node.kind == Node::Kind::Name &&
      std::ranges::find(source.names, node.text, &ClaimSource::Name::name) == source.names.end()) {
    if (const Scope::Bound* bound = evaluator.binding(node.text); bound != nullptr && bound->value)
      source.names.push_back({node.text, bound->value, bound->text});
  }
  for (const NodePtr& child : node.children)
    if (child) addNames(*child, evaluator, source);
}

}  // namespace

bool isClaimName(std::string_view name) { return findRow(name) != nullptr; }

std::optional<Result<ClaimRequest>> claimOf(const Node& node, std::string_view text, Evaluator& evaluator) {
  if (node.kind == Node::Kind::Not) {
    auto inner = claimOf(*node.children.front(), text, evaluator);
    if (inner && inner->ok()) {
      (*inner)->negated = !(*inner)->negated;
      (*inner)->claim.text = text.substr(node.span.begin, node.span.end - node.span.begin);
    }
    return inner;
  }
  if (node.kind != Node::Kind::Call) return std::nullopt;
  const Row* row = findRow(node.text);
  if (row == nullptr) return std::nullopt;
  auto request =
      isThreadClaim(node, evaluator) ? threadClaim(node, text, evaluator) : build(node, *row, text, evaluator);
  const bool ofRun = node.text == "computes" || node.text == "race_free";
  if (request && !ofRun) addPartial(request->claim, node, text, evaluator);
  for (const NodePtr& argument : node.children) {
    if (!request) break;
    request->source.arguments.push_back(argument->span);
    addNames(*argument, evaluator, request->source);
  }
  return request;
}

std::span<const FunctionInfo> claimInfos() {
  static const auto kInfos = mapped<FunctionInfo>(kRows, [](const Row& row) {
    return FunctionInfo{row.name, row.signature, row.what};
  });
  return kInfos;
}
std::span<const FunctionInfo> specialForms() { return kForms; }

std::vector<FunctionInfo> functions() {
  std::vector<FunctionInfo> out;
  for (const std::span<const Function> table : functionTables()) {
    for (const Function& f : table) out.push_back({f.name, f.signature, f.what});
  }
  out.insert(out.end(), claimInfos().begin(), claimInfos().end());
  out.insert(out.end(), specialForms().begin(), specialForms().end());
  return out;
}

std::vector<std::string> callableNames() { return mapped<std::string>(functions(), &FunctionInfo::name); }

}  // namespace tessera
