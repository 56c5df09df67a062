#include <fmt/format.h>

#include <algorithm>

#include "core/base/words.h"
#include "core/notation/convert.h"
#include "core/worksheet/extension.h"
#include "core/worksheet/functions/calls.h"

namespace tessera {
namespace {

Extension& known() {
  static Extension extension;
  return extension;
}
std::vector<std::span<const Function>>& tables() {
  static std::vector<std::span<const Function>> kTables = {
      cuteFunctions(),     cuteAlgebraFunctions(), tlaFunctions(),       mapFunctions(),    indexingFunctions(),
      hardwareFunctions(), tiledFunctions(),       partitionFunctions(), tensorFunctions(), axeFunctions(),
      tritonFunctions(),   xlaFunctions(),         grapheneFunctions()};
  return kTables;
}

}  // namespace

const Extension& extension() { return known(); }

void extend(Extension extension) {
  tables().insert(tables().end(), extension.functions.begin(), extension.functions.end());
  Extension& all = known();
  const auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  append(all.functions, extension.functions);
  append(all.families, extension.families);
  append(all.parts, extension.parts);
  const auto take = [](auto& to, auto from) { to = to == nullptr ? from : to; };
  take(all.block, extension.block);
  take(all.run, extension.run);
  take(all.equal, extension.equal);
  take(all.reads, extension.reads);
  take(all.identity, extension.identity);
  take(all.print, extension.print);
}

const std::vector<std::span<const Function>>& functionTables() { return tables(); }

namespace {

const Function* functionIn(std::span<const Function> table, std::string_view name) {
  const auto f = std::ranges::find(table, name, &Function::name);
  return f == table.end() ? nullptr : &*f;
}

}  // namespace

const Function* findFunction(std::string_view name) {
  for (const std::string_view space : {"cute::", "tla::", "Catlass::", "layout::"}) {
    if (name.substr(0, space.size()) == space) name.remove_prefix(space.size());
  }
  for (const std::span<const Function> table : functionTables())
    if (const Function* found = functionIn(table, name)) return found;
  return nullptr;
}

const FamilyRow* familyRowOf(const Value& value) {
  static const std::vector<FamilyRow> kRows = {
      {"cute", {}, applyCute},
      {"map", {mapFunctions(), indexingFunctions()}, nullptr, composeMaps},
      {"axe", {axeFunctions(), tritonFunctions()}, applyAxe, composeAxe},
      {"linear", {axeFunctions(), tritonFunctions()}},
      {"triton", {axeFunctions(), tritonFunctions()}},
      {"xla", {xlaFunctions()}},
      {"graphene", {grapheneFunctions()}},
      {"slice", {tiledOverloads()}},
  };
  const auto* layout = std::get_if<Layout>(&value);
  if (layout == nullptr) return nullptr;
  const auto row = std::ranges::find_if(kRows, [&](const auto& r) { return r.family == layout->family(); });
  return row == kRows.end() ? nullptr : &*row;
}

const Function* findOverload(const Function& function, const Value& first) {
  const auto* layout = std::get_if<Layout>(&first);
  if (is<TiledMma>(first) || is<TiledCopy>(first)) {
    const Function* own = functionIn(tiledOverloads(), function.name);
    return own != nullptr ? own : &function;
  }
  if (layout == nullptr) return &function;
  if (const FamilyRow* row = familyRowOf(first))
    for (const std::span<const Function> table : row->functions)
      if (const Function* found = functionIn(table, function.name)) return found;
  for (const auto& [family, table] : extension().families)
    if (family == layout->family())
      if (const Function* found = functionIn(table, function.name)) return found;
  return &function;
}

bool isTupleLike(const Value& v) { return is<cute::IntTuple>(v) || is<i64>(v); }
bool isTilerLike(const Value& v) {
  const auto* tuple = as<cute::IntTuple>(v);
  return tuple != nullptr ? tuple->isTuple() : is<cute::Tiler>(v);
}

Result<cute::Layout> layoutFrom(const Call& call, cute::IntTuple shape, cute::IntTuple stride) {
  if (const auto fault = findFault(shape, stride))
    return call.at(fault->part == cute::LayoutFault::Part::Shape ? 0 : 1, fault->diag);
  return cute::Layout::make(std::move(shape), std::move(stride));
}

Value tupleOf(const std::vector<i64>& numbers) {
  return Value(cute::IntTuple::tuple(std::vector<cute::IntTuple>(numbers.begin(), numbers.end())));
}

Value normalised(cute::IntTuple tuple) {
  if (tuple.isPlain()) return Value(tuple.value());
  return Value(std::move(tuple));
}

Diag Call::wrong(std::size_t k, std::string_view expected) const {
  return Diag{fmt::format("argument {} of {} is {}", k + 1, function, nounOf(args[k].value)), std::string(expected), "",
              args[k].span};
}

Diag Call::at(std::size_t k, Diag diag) const {
  if (diag.span.empty()) diag.span = args[k].span;
  return diag;
}

Result<i64> Call::integer(std::size_t k) const {
  if (const auto n = integerIn(args[k].value)) return *n;
  return wrong(k, "an integer");
}

Result<cute::IntTuple> Call::tuple(std::size_t k) const {
  if (auto tuple = tupleIn(args[k].value)) return *std::move(tuple);
  return wrong(k, "an integer or a tuple");
}

Result<std::vector<i64>> Call::integers(std::size_t k) const {
  TESSERA_TRY(const cute::IntTuple tuple, this->tuple(k));
  std::vector<i64> out;
  for (const cute::IntTuple& leaf : tuple.leaves()) {
    if (!leaf.isPlain()) return wrong(k, "integers");
    out.push_back(leaf.value());
  }
  return out;
}

Result<std::vector<i64>> Call::numbers(std::size_t first) const {
  TESSERA_TRY(std::vector<i64> out, templateIntegers());
  for (std::size_t k = first; k < count(); ++k) {
    TESSERA_TRY(const i64 n, integer(k));
    out.push_back(n);
  }
  return out;
}

Result<std::string> Call::word(std::size_t k) const {
  if (const auto* text = std::get_if<Text>(&args[k].value)) return text->text;
  if (const auto* row = std::get_if<AtlasRow>(&args[k].value)) return row->name;
  return wrong(k, "a name");
}

bool Call::isLayoutLike(std::size_t k) const {
  const auto* layout = std::get_if<Layout>(&args[k].value);
  return layout != nullptr && layout->underlying().as<cute::Layout>() != nullptr;
}

Result<cute::Layout> Call::layout(std::size_t k) const {
  if (const auto* text = std::get_if<Text>(&args[k].value); text != nullptr) return wrong(k, "a layout, shape:stride");
  const Result<Layout> layout = layoutOf(args[k].value);
  if (!layout)
    return is<i64>(args[k].value) || is<cute::IntTuple>(args[k].value) ? at(k, layout.error())
                                                                       : wrong(k, "a layout, shape:stride");
  const bool swizzled =  // a composed layout, or a swizzle alone
      layout->family() == NotationOf<cute::Layout>::kFamily && layout->underlying().as<cute::Layout>() == nullptr;
  if (swizzled) return wrong(k, "a layout, shape:stride");
  return at(k, plainCuteOf(*layout));
}

Result<cute::Tiler> Call::tiler(std::size_t k) const {
  if (const auto* tiler = std::get_if<cute::Tiler>(&args[k].value)) return *tiler;
  const auto* t = std::get_if<cute::IntTuple>(&args[k].value);
  if (t == nullptr || !t->isTuple()) return wrong(k, "a tiler, <3:4, 8:2>, or a shape");
  return at(k, tilerOfShape(*t));
}

Result<Map> Call::map(std::size_t k) const { return at(k, toMap(args[k].value)); }

Result<Arrow> Call::arrow(std::size_t k) const { return at(k, arrowOf(args[k].value)); }

Value comparable(const Value& value) {
  if (const auto* layout = std::get_if<Layout>(&value)) return Value(layout->underlying());
  if (const auto* n = std::get_if<i64>(&value)) return Value(cute::IntTuple(*n));
  return value;
}

Result<std::vector<i64>> Call::templateIntegers() const {
  std::vector<i64> out;
  for (std::string_view text : templateArgs) {
    const bool wrapped = text.substr(0, 4) == "Int<" && text.back() == '>';
    if (wrapped) text = text.substr(4, text.size() - 5);
    if (!text.empty() && text.front() == '_') text.remove_prefix(1);
    const auto n = wholeNumber(text);
    if (!n) {
      return Diag{fmt::format("'{}' is not an integer; {} takes integers between < and >", text, function),
                  "an integer", "", span};
    }
    out.push_back(*n);
  }
  return out;
}

}  // namespace tessera
