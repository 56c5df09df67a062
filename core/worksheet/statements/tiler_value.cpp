#include <fmt/format.h>

#include "core/worksheet/language/words.h"
#include "core/worksheet/statements/evaluator.h"

namespace tessera {
namespace {

Result<cute::TilerEntry> entryOf(const Argument& element) {
  cute::TilerEntry entry;
  if (const auto* layout = as<cute::Layout>(element.value)) {
    entry.kind = cute::TilerEntry::Kind::Layout;
    entry.layout = *layout;
    return entry;
  }
  if (const auto* tiler = std::get_if<cute::Tiler>(&element.value)) {
    entry.kind = cute::TilerEntry::Kind::Nested;
    entry.nested = *tiler;
    return entry;
  }
  if (const auto shape = tupleIn(element.value)) {
    TESSERA_TRY(cute::Tiler one, tilerOfShape(cute::IntTuple::tuple({*shape})));
    return one.entries.front();
  }
  return Diag{fmt::format("a tiler holds layouts, shapes, integers and '_', not {}", nounOf(element.value)),
              "for example <3:4, _, 8>", "", element.span};
}

}  // namespace

Result<Value> tilerOf(const std::vector<Argument>& elements) {
  cute::Tiler tiler;
  for (const Argument& element : elements) {
    TESSERA_TRY(cute::TilerEntry entry, placed(entryOf(element), element.span));
    tiler.entries.push_back(std::move(entry));
  }
  return Value(std::move(tiler));
}

}  // namespace tessera
