// Layout::to: one row per notation, each a call in the worksheet language.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "app/library/layout/inside.h"
#include "core/base/mapped.h"
#include "core/worksheet/value.h"

namespace tessera::api {
namespace {

struct Row {
  std::string_view notation, call;
};
constexpr std::array<Row, 6> kRows = {{{"cute", "to_cute(L)"},
                                       {"axe", "to_axe(L)"},
                                       {"linear", "to_linear(L)"},
                                       {"xla", "to_xla(L)"},
                                       {"map", "to_map(L)"},
                                       {"indexing", "to_indexing_map(L)"}}};

}  // namespace

const std::vector<std::string>& notations() noexcept {
  static const std::vector<std::string> kNames = [] { return mapped<std::string>(kRows, &Row::notation); }();
  return kNames;
}

Result<Layout> Layout::to(std::string_view notation, const Options& options) const {
  return guarded<Layout>(options, {}, [&]() -> tessera::Result<Layout> {
    const auto row = std::ranges::find(kRows, notation, &Row::notation);
    if (row == kRows.end())
      return Diag{fmt::format("there is no notation '{}'", notation), fmt::format("{}", fmt::join(notations(), ", "))};
    TESSERA_TRY(const Value value, called(row->call, {{"L", *this}}));
    TESSERA_TRY(tessera::Layout found, layoutOf(value));
    return Access::made(std::move(found));
  });
}

}  // namespace tessera::api
