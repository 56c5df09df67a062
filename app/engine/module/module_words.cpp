#include "app/engine/module/module_words.h"

#include <fmt/format.h>

#include <unordered_set>

#include "core/base/chars.h"
#include "core/hlo/notation.h"

namespace tessera {
namespace {

constexpr std::size_t kMostOffered = 20'000;

bool partChar(char c) { return isNamePart(c) || c == '.' || c == '%' || c == '-'; }

ModulePart partOf(const hlo::Module& module, const hlo::Instruction& i, std::string name) {
  return {std::move(name), fmt::format("{} {}", i.opcode, xla::print(module.shapeOf(i))), i.span.begin};
}

}  // namespace

std::vector<ModulePart> partsOf(const hlo::Listing& listing, std::string_view computation, std::size_t most) {
  const hlo::Module& module = *listing.module;
  std::vector<ModulePart> parts;
  if (!computation.empty()) {
    const auto found = module.byName.find(computation);
    if (found == module.byName.end()) return parts;
    for (const hlo::Instruction& i : module.computation(found->second).instructions)
      if (parts.size() < most) parts.push_back(partOf(module, i, fmt::format("%{}.%{}", computation, i.name)));
    return parts;
  }
  std::unordered_set<std::string_view> instructions;
  for (const hlo::Computation& c : module.computations)
    for (const hlo::Instruction& i : c.instructions) instructions.insert(i.name);
  if (module.entry >= 0)
    for (const hlo::Instruction& i : module.computation(module.entry).instructions)
      if (parts.size() < most) parts.push_back(partOf(module, i, fmt::format("%{}", i.name)));
  for (const hlo::Computation& c : module.computations)
    if (parts.size() < most && instructions.count(c.name) == 0)
      parts.push_back({fmt::format("%{}", c.name),
                       fmt::format("{}, {} instructions", c.entry ? "the entry computation" : "a computation",
                                   c.instructions.size()),
                       c.span.begin});
  return parts;
}

const hlo::Listing* moduleNamed(std::string_view name, std::size_t before, std::span<const BoundName> names) {
  const hlo::Listing* found = nullptr;
  for (const BoundName& n : names)
    if (n.begin < before && n.name == name)
      found = n.outcome && n.outcome->value ? as<hlo::Listing>(*n.outcome->value) : nullptr;
  return found;
}

std::optional<ModuleWords> moduleWordsAt(std::string_view statement, std::size_t at, std::span<const BoundName> names) {
  std::size_t from = statement.size();
  while (from > 0 && partChar(statement[from - 1])) --from;
  const std::string_view word = statement.substr(from);
  const std::size_t dot = word.find('.');
  if (dot == std::string_view::npos || dot == 0) return std::nullopt;
  const hlo::Listing* listing = moduleNamed(word.substr(0, dot), at, names);
  if (listing == nullptr) return std::nullopt;
  std::string_view rest = word.substr(dot + 1), computation;
  if (const std::size_t inner = rest.rfind(".%"); inner != std::string_view::npos) {
    computation = rest.substr(0, inner);
    if (computation.starts_with('%')) computation.remove_prefix(1);
  }
  ModuleWords words;
  words.begin = from + dot + 1;
  for (ModulePart& part : partsOf(*listing, computation, kMostOffered))
    words.items.push_back({part.name, "name", std::move(part.detail), part.name});
  return words;
}

}  // namespace tessera
