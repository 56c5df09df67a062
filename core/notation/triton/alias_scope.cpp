#include "core/notation/triton/alias_scope.h"

#include <fmt/format.h>

#include <optional>

namespace tessera::triton {
namespace {

bool isLayoutText(std::string_view text) {
  for (const char* dialect : {"#ttg.", "#ttng.", "#triton_gpu.", "#triton_nvidia_gpu."})
    if (text.starts_with(dialect)) return true;
  return false;
}

}  // namespace

AliasScope::AliasScope(const Module& module) {
  for (const ModuleAlias& alias : module.aliases) {
    if (!isLayoutText(alias.text)) continue;
    Cursor in(alias.text);
    const auto read = parsePrefix(in, lookup(alias.span.begin));
    Result<Encoding> encoding = Diag{"no layout attribute"};
    if (!read)
      encoding = read.error();
    else if (*read && (*read)->encoding)
      encoding = *(*read)->encoding;
    definitions_[alias.name].push_back({alias.span.begin, std::move(encoding)});
  }
}

Result<Encoding> AliasScope::encoding(const std::string& alias, std::size_t place) const {
  const auto found = definitions_.find(alias);
  if (found == definitions_.end())
    return Diag{fmt::format("the alias {} is not defined", alias), fmt::format("a line `{} = #ttg...`", alias)};
  const Definition* chosen = &found->second.front();
  for (const Definition& one : found->second)
    if (one.place <= place) chosen = &one;
  return chosen->encoding;
}

AliasLookup AliasScope::lookup(std::size_t place) const {
  return [this, place](const std::string& name) -> std::optional<Encoding> {
    const Result<Encoding> known = encoding(name, place);
    return known ? std::optional(*known) : std::nullopt;
  };
}

Result<Type> AliasScope::type(std::string_view text, std::size_t place) const {
  if (text.empty()) return Diag{"the type is not printed"};
  for (const std::string& alias : aliasesIn(text))
    if (const Result<Encoding> known = encoding(alias, place); !known) return known.error();
  Cursor in(text);
  TESSERA_TRY(const auto read, parsePrefix(in, lookup(place)));
  if (!read || read->types.empty()) return Diag{fmt::format("{} is no tensor with a layout", text.substr(0, 80))};
  return read->types.back();
}

}  // namespace tessera::triton
