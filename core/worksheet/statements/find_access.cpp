// find swizzle for K.shared: the accesses of a kernel, or of a block of code, to one array of shared memory.
#include <fmt/format.h>

#include "core/analysis/access/thread_fix.h"
#include "core/base/words.h"
#include "core/notation/inverse.h"
#include "core/worksheet/functions/thread_value.h"
#include "core/worksheet/language/place.h"
#include "core/worksheet/statements/evaluator.h"
#include "core/worksheet/statements/find_statement.h"

namespace tessera {
namespace {

// All accesses of a kernel to shared memory (K.shared, K.line 57), or to one variable of it (K.shared s); or those of a
// block of code to an array.
struct SharedArray {
  std::string name, variable;
  [[nodiscard]] bool has(std::string_view array, std::string_view its) const {
    return array == name && (variable.empty() || its == variable);
  }
  [[nodiscard]] std::string text() const { return variable.empty() ? name : variable; }
};

}  // namespace

Result<std::optional<Layout>> swizzleForAccesses(std::string_view text, Evaluator& evaluator) {
  const std::size_t what = skipBlanks(text, skipWord(text, skipBlanks(text, 0))), whatEnd = skipWord(text, what);
  const std::size_t forWord = skipBlanks(text, whatEnd);
  if (text.substr(what, whatEnd - what) != "swizzle" || text.substr(forWord, 3) != "for" ||
      findClause(text, whatEnd, text.size(), "where") != std::string_view::npos)
    return std::optional<Layout>();
  const auto parsed = evaluator.parse(forWord + 3, trimEnd(text, forWord + 3, text.size()));
  const auto value = parsed ? evaluator.evaluate(**parsed) : Result<Value>(parsed.error());
  if (!value && text.find('.', forWord) < text.find(',', forWord)) return value.error();
  if (!value) return std::optional<Layout>();
  const NodePtr& node = *parsed;
  const auto* code = as<code::IndexCode>(*value);
  if (code == nullptr || code->value().kind != code::IndexValue::Kind::Access) return std::optional<Layout>();
  if (!code->value().isShared)
    return Diag{"a swizzle is found for accesses to shared memory",
                "an access to shared memory: accesses(C) lists them", "", node->span};
  TESSERA_TRY(const std::vector<CodeAccess> all, placedAt(*node, accessesIn(*code, std::nullopt)));
  const SharedArray array{code->value().name, code->variable};
  for (const code::IndexValue& v : *code->values)
    if (array.has(v.name, v.kernel.variable) && !v.kernel.partial.empty())
      return Diag{fmt::format("line {}: {}", v.line, v.kernel.partial),
                  "accesses whose addresses come from indices alone", "", node->span};
  std::vector<ThreadAccess> accesses;
  std::size_t conflicting = 0;
  for (const CodeAccess& one : all) {
    if (!one.isShared || !array.has(one.array, one.variable)) continue;
    if (one.fault) return Diag{one.fault->message, "accesses whose addresses have a closed form", "", node->span};
    if (!accesses.empty() && one.access.elementBits != accesses.front().elementBits)
      return Diag{fmt::format("the accesses to {} have elements of {} and of {} bits", array.text(),
                              accesses.front().elementBits, one.access.elementBits),
                  "accesses to elements of one size", "", node->span};
    conflicting += isConflictFree(one.access) ? 0 : 1;
    accesses.push_back(one.access);
  }
  if (conflicting == 0)
    return Diag{fmt::format("no access to {} has a conflict", array.text()), "an access with conflicts", "",
                node->span};
  const auto found = swizzleFor(accesses);
  if (!found)
    return Diag{fmt::format("no Sw<B,M,S> frees all {} accesses to {} of conflicts", accesses.size(), array.text()),
                "padding, or another layout of the array", "", node->span};
  const cute::Swizzle& swizzle = found->swizzle;
  const Swizzled form{swizzle.bits(), swizzle.base(), swizzle.shift(), 0, {{{found->extent, 1}}}};
  TESSERA_TRY(Layout layout, layoutOfForm(form));
  evaluator.notes().push_back(Diag{
      fmt::format("on offsets in elements of {} bits{}: none of the {} accesses to {} has a conflict then; {} of "
                  "them had",
                  accesses.front().elementBits,
                  array.variable.empty() ? std::string() : fmt::format(" from the beginning of {}", array.variable),
                  accesses.size(), array.text(), conflicting)});
  return std::optional<Layout>(std::move(layout));
}

}  // namespace tessera
