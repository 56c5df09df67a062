// Claims: a call by one of these names becomes a question about maps, which the engine hands to the prover.
#include <fmt/format.h>

#include <array>

#include "core/worksheet/evaluator.h"
#include "core/worksheet/place.h"

namespace tessera {
namespace {

struct Row {
  FunctionInfo info;
  ClaimKind kind;
  int minArgs, maxArgs;
  bool mapSecond;  // the second argument is a map (else the size of the codomain)
};

constexpr std::array<Row, 6> kRows = {{
    {{"injective", "injective(L)", "no two coordinates share a value"}, ClaimKind::Injective, 1, 1, false},
    {{"surjective", "surjective(L) or surjective(L, n)", "every value in [0, cosize(L)), or in [0, n), is hit"},
     ClaimKind::Surjective,
     1,
     2,
     false},
    {{"bijective", "bijective(L) or bijective(L, n)", "injective, and onto [0, cosize(L)) or [0, n)"},
     ClaimKind::Bijective,
     1,
     2,
     false},
    {{"equal", "equal(A, B)", "A(c) == B(c) for every coordinate"}, ClaimKind::Equal, 2, 2, true},
    {{"roundtrip", "roundtrip(F, G)", "G(F(c)) == c for every coordinate c of F"}, ClaimKind::Roundtrip, 2, 2, true},
    {{"in_bounds", "in_bounds(L) or in_bounds(L, n)", "every value lies in [0, cosize(L)), or in [0, n)"},
     ClaimKind::InBounds,
     1,
     2,
     false},
}};

constexpr std::array<FunctionInfo, 6> kInfos = {kRows[0].info, kRows[1].info, kRows[2].info,
                                                kRows[3].info, kRows[4].info, kRows[5].info};
constexpr std::array<FunctionInfo, 2> kForms = {{
    {"explain", "explain(EXPR)", "the derivation of an algebra operation, step by step, with its numbers"},
    {"refuses", "refuses(EXPR)", "true when evaluating EXPR is refused with a message"},
}};

const Row* findRow(std::string_view name) {
  for (const Row& row : kRows) {
    if (row.info.name == name) return &row;
  }
  return nullptr;
}

// The same map with [0, n) as the codomain of each axis.
Result<Map> withCodomain(const Map& map, i64 n) {
  std::vector<Axis> axes = map.axes();
  for (Axis& axis : axes) axis.extent = n;
  return Map::create(map.digits(), std::move(axes), map.guards(), map.params());
}

Result<Map> mapOf(const Node& node, Evaluator& evaluator) {
  TESSERA_TRY(const Value value, evaluator.evaluate(node));
  Result<Map> map = toMap(value);
  if (!map && map.error().span.empty()) map.error().span = node.span;
  return map;
}

Result<ClaimRequest> build(const Node& node, const Row& row, std::string_view text, Evaluator& evaluator) {
  const int count = static_cast<int>(node.children.size());
  if (count < row.minArgs || count > row.maxArgs) {
    return Diag{fmt::format("{} takes {} argument{}, not {}", row.info.name,
                            row.minArgs == row.maxArgs ? std::to_string(row.minArgs)
                                                       : fmt::format("{} or {}", row.minArgs, row.maxArgs),
                            row.maxArgs == 1 ? "" : "s", count),
                std::string(row.info.signature), "", node.span};
  }
  ClaimRequest request;
  request.claim.kind = row.kind;
  request.claim.text = text.substr(node.span.begin, node.span.end - node.span.begin);
  TESSERA_TRY(Map first, mapOf(*node.children[0], evaluator));
  if (count == 2 && !row.mapSecond) {
    const Node& sizeNode = *node.children[1];
    TESSERA_TRY(const Value size, evaluator.evaluate(sizeNode));
    const auto* n = std::get_if<i64>(&size);
    if (n == nullptr || *n < 1) {
      return Diag{fmt::format("the size of the codomain is a positive integer, not {}", print(size)), "n >= 1", "",
                  sizeNode.span};
    }
    TESSERA_TRY(first, withCodomain(first, *n));
  }
  request.claim.maps.push_back(std::move(first));
  if (count == 2 && row.mapSecond) {
    TESSERA_TRY(Map second, mapOf(*node.children[1], evaluator));
    request.claim.maps.push_back(std::move(second));
  }
  return request;
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
  return build(node, *row, text, evaluator);
}

std::span<const FunctionInfo> claimInfos() { return kInfos; }
std::span<const FunctionInfo> specialForms() { return kForms; }

}  // namespace tessera
