#include "core/worksheet/statements/find_statement.h"

#include <fmt/format.h>

#include "core/atlas/atlas.h"
#include "core/notation/convert.h"
#include "core/worksheet/functions/tile_value.h"
#include "core/worksheet/language/place.h"
#include "core/worksheet/language/words.h"
#include "core/worksheet/statements/evaluator.h"

namespace tessera {
namespace {

constexpr std::string_view kForm = "find swizzle for LAYOUT where conflict_free(ACCESS, TYPE) and ...";

// conflict_free(ACCESS, TYPE), once or joined by `and`.
Result<void> addConditions(const Node& node, FindRequest& request) {
  if (node.kind == Node::Kind::And) {
    for (const NodePtr& child : node.children) TESSERA_CHECKED(addConditions(*child, request));
    return {};
  }
  if (node.kind != Node::Kind::Call || node.text != "conflict_free") {
    return Diag{"a swizzle is found for conflict_free conditions, joined by 'and'", "conflict_free(ACCESS, TYPE)",
                std::string(kForm), node.span};
  }
  if (node.children.size() != 2) {
    return Diag{fmt::format("conflict_free takes the access and the type here, not {} arguments", node.children.size()),
                "conflict_free(ldmatrix.x4, fp16)", "the layout comes after 'for'", node.span};
  }
  const Node& access = *node.children[0];
  const Node& type = *node.children[1];
  TESSERA_TRY(const std::string accessText, wordOf(access, "an access: ldmatrix.x4, st.shared.v4, cp.async16 ..."));
  TESSERA_TRY(AccessSpec spec, placedAt(access, parseAccess(accessText)));
  TESSERA_TRY(const std::string typeText, wordOf(type, "an element type: fp16, f32, s8 ..."));
  TESSERA_TRY(const int bits, placedAt(type, elementBits(typeText)));
  if (request.elementBits != 0 && bits != request.elementBits) {
    return Diag{fmt::format("the tile cannot hold both {}-bit and {}-bit elements", request.elementBits, bits),
                "one element type", "", type.span};
  }
  if (spec.space == MemorySpace::Global) {
    return Diag{fmt::format("{} does not touch shared memory", spec.text), "an access to shared memory", "",
                access.span};
  }
  request.elementBits = bits;
  request.specs.push_back(std::move(spec));
  return {};
}

}  // namespace

Result<FindRequest> parseFind(std::string_view text, Evaluator& evaluator) {
  const std::size_t what = skipBlanks(text, skipWord(text, skipBlanks(text, 0)));
  const std::size_t whatEnd = skipWord(text, what);
  if (text.substr(what, whatEnd - what) != "swizzle") {
    return Diag{whatEnd == what
                    ? "find what?"
                    : fmt::format("'{}' cannot be searched for", cleaned(text.substr(what, whatEnd - what))),
                "find swizzle",
                std::string(kForm),
                {what == whatEnd ? 0 : what, whatEnd == what ? std::size_t{4} : whatEnd}};
  }
  const std::size_t forWord = skipBlanks(text, whatEnd);
  const std::size_t where = findClause(text, whatEnd, text.size(), "where");
  if (text.substr(forWord, 3) != "for" || where == std::string_view::npos) {
    return Diag{"the layout or the accesses are missing",
                std::string(kForm),
                "find swizzle for A where conflict_free(ldmatrix.x4, fp16)",
                {0, whatEnd}};
  }
  FindRequest request;
  const std::size_t by = findClause(text, where, text.size(), "by");
  const std::size_t end = trimEnd(text, where, by == std::string_view::npos ? text.size() : by);
  if (by != std::string_view::npos) {
    const std::size_t method = skipBlanks(text, by + 2);
    if (text.substr(method, skipWord(text, method) - method) != "z3") {
      return Diag{"a swizzle is found by the search (the default) or by z3", "by z3", "", {by, text.size()}};
    }
    request.method = Method::Z3;
  }
  TESSERA_TRY(const NodePtr layoutNode, evaluator.parse(forWord + 3, trimEnd(text, forWord + 3, where)));
  TESSERA_TRY(const Value value, evaluator.evaluate(*layoutNode));
  TESSERA_CHECKED(placedAt(*layoutNode, memoryArrowOf(value)));
  TESSERA_TRY(const Layout layout, placedAt(*layoutNode, layoutOf(value)));
  Result<cute::Layout> plain = plainCuteOf(layout);
  if (const auto swizzled = plain ? std::nullopt : swizzledCuteOf(layout)) {
    plain = swizzled->inner();
    const std::string own = print(*swizzled->swizzle()), tile = print(*plain);
    evaluator.notes().push_back(Diag{
        fmt::format("the layout has the swizzle {}, which the search ignores: a swizzle for {} is searched", own, tile),
        "", "for " + tile, layoutNode->span});
  }
  if (!plain) {
    return Diag{fmt::format("a swizzle can only be found for a plain layout: {}", plain.error().message),
                "a layout that strides describe, shape:stride", "omit its swizzle", layoutNode->span};
  }
  request.layout = *plain;
  request.text = text.substr(layoutNode->span.begin, layoutNode->span.end - layoutNode->span.begin);
  TESSERA_TRY(const NodePtr conditions, evaluator.parse(where + 5, end));
  TESSERA_CHECKED(addConditions(*conditions, request));
  return request;
}

}  // namespace tessera
