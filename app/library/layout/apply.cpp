// apply: a function of the language on values. Arguments that need the language's own reading are written as text.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "app/library/layout/inside.h"
#include "core/base/chars.h"
#include "core/base/mapped.h"
#include "core/notation/convert.h"
#include "core/worksheet/functions/functions.h"

namespace tessera::api {
namespace {

constexpr int kMostNested = 200;  // as cute::IntTuple::kMaxDepth

bool isTuple(const Term& term) { return !term.layout && !term.number && term.text.empty(); }
bool hasLayout(const Term& term) { return term.layout || std::ranges::any_of(term.parts, hasLayout); }
int depthOf(const Term& term) {
  int deepest = 0;
  for (const Term& part : term.parts) deepest = std::max(deepest, depthOf(part));
  return isTuple(term) ? deepest + 1 : 0;
}

// nullopt: only the language reads it.
std::optional<cute::IntTuple> tupleTerm(const Term& term) {
  if (term.number) return cute::IntTuple(*term.number);
  if (term.text == "_") return cute::IntTuple::wildcard();
  if (!isTuple(term)) return std::nullopt;
  std::vector<cute::IntTuple> children;
  for (const Term& part : term.parts) {
    std::optional<cute::IntTuple> child = tupleTerm(part);
    if (!child) return std::nullopt;
    children.push_back(*std::move(child));
  }
  if (children.size() > cute::IntTuple::kMaxLeaves) return std::nullopt;
  return cute::IntTuple::tuple(std::move(children));
}

std::optional<cute::Tiler> tilerTerm(const Term& term) {
  using Entry = cute::TilerEntry;
  cute::Tiler out;
  for (const Term& part : term.parts) {
    Entry& entry = out.entries.emplace_back();
    if (part.layout && part.layout->kind() == "layout") {
      tessera::Result<cute::Layout> layout = plainCuteOf(Access::valueOf(*part.layout));
      if (!layout) return std::nullopt;
      entry.kind = Entry::Kind::Layout;
      entry.layout = *std::move(layout);
    } else if (part.text == "_") {
      entry.kind = Entry::Kind::Whole;
    } else if (isTuple(part)) {
      std::optional<cute::Tiler> nested = tilerTerm(part);
      if (!nested) return std::nullopt;
      entry.kind = Entry::Kind::Nested;
      entry.nested = *std::move(nested);
    } else {
      return std::nullopt;
    }
  }
  return out;
}

std::optional<Value> valueTerm(const Term& term) {
  if (term.layout) return Value(Access::valueOf(*term.layout));
  if (term.number) return Value(*term.number);
  if (!isTuple(term) || term.parts.empty()) return std::nullopt;
  if (hasLayout(term)) {
    std::optional<cute::Tiler> tiler = tilerTerm(term);
    if (!tiler) return std::nullopt;
    return Value(*std::move(tiler));
  }
  std::optional<cute::IntTuple> tuple = tupleTerm(term);
  if (!tuple) return std::nullopt;
  return Value(*std::move(tuple));
}

// The call on values; nullopt: the language has to read it, or to say what is wrong.
std::optional<tessera::Result<Value>> direct(std::string_view name, const std::vector<Term>& arguments) {
  const Function* function = findFunction(name);
  if (function == nullptr || function->words != 0 || function->lists != 0 || function->types != 0 || arguments.empty())
    return std::nullopt;
  Call call;
  for (const Term& term : arguments) {
    std::optional<Value> value = valueTerm(term);
    if (!value) return std::nullopt;
    call.args.push_back({*std::move(value), {}});
  }
  function = findOverload(*function, call.args.front().value);
  const int count = static_cast<int>(arguments.size());
  if (count < function->minArgs || count > function->maxArgs) return std::nullopt;
  call.function = function->name;
  return function->run(call);
}

std::string spelled(const Term& term, Names& names) {
  if (term.layout) {
    names.emplace_back(fmt::format("term{}", names.size()), *term.layout);
    return names.back().first;
  }
  if (term.number) return fmt::format("{}", *term.number);
  if (!isTuple(term)) return term.text;
  const auto parts = mapped<std::string>(term.parts, [&](const Term& part) { return spelled(part, names); });
  return fmt::format(fmt::runtime(hasLayout(term) ? "<{}>" : "({})"), fmt::join(parts, ","));
}

}  // namespace

Result<Computed> apply(std::string_view function, const std::vector<Term>& arguments, const Options& options) {
  return guarded<Computed>(options, {}, [&]() -> tessera::Result<Computed> {
    if (function.empty() || !std::ranges::all_of(function, isNamePart))
      return Diag{"this is not the name of a function", "composition"};
    for (const Term& term : arguments)
      if (depthOf(term) > kMostNested) return Diag{"an argument is nested deeper than 200 levels"};
    if (auto result = direct(function, arguments)) {
      if (*result) return computedOf(**result);
      result->error().span = {};
      return result->error();
    }
    Names names;
    const auto texts = mapped<std::string>(arguments, [&](const Term& term) { return spelled(term, names); });
    TESSERA_TRY(const Value value, called(fmt::format("{}({})", function, fmt::join(texts, ", ")), names));
    return computedOf(value);
  });
}

}  // namespace tessera::api
