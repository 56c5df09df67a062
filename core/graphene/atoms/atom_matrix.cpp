// Move by a warp: ldmatrix and stmatrix, from the rows' accesses (which lane has which row) and fragments (operand D).
//
//     fragment slot v of lane l is D's (row, column): slot `column` of the lane whose address is that row's
#include <fmt/format.h>

#include "core/graphene/atoms/atom_pattern.h"

namespace tessera::graphene {
namespace {

// [lane * values + value] -> 8 * (lane that has the row) + column; empty: the row does not say.
std::vector<int> sourcesOf(const AtlasRow& row, const AtlasAccess& access) {
  std::vector<int> out;
  const auto d = rowFragment(row, "D");
  if (!d) return out;
  for (const int element : d->elementOf) {
    const i64 r = element % d->rows, column = element / d->rows;
    const i64 holder = r / 8 * access.matrixRows + r % 8;  // lane L has row L % matrixRows of matrix L / matrixRows
    out.push_back(static_cast<int>(holder * d->columns + column));
  }
  return out;
}

std::vector<std::vector<AtomTerm>> loadTerms(const std::vector<int>& sources) {
  std::vector<std::vector<AtomTerm>> out;
  for (const int from : sources) out.push_back({{from, 0}});
  return out;
}

// Rows of lanes that no matrix has are not written.
std::vector<std::vector<AtomTerm>> storeTerms(const std::vector<int>& sources) {
  std::vector<std::vector<AtomTerm>> out(32 * 8);
  for (std::size_t slot = 0; slot < sources.size(); ++slot)
    out[static_cast<std::size_t>(sources[slot])] = {{static_cast<int>(slot), 0}};
  return out;
}

std::optional<Pattern> patternOf(const AtlasRow& row, const std::string& element) {
  const AtlasAccess* access = accessOf(row, MemorySpace::Shared);
  if (access == nullptr) return std::nullopt;
  const std::vector<int> sources = sourcesOf(row, *access);
  if (sources.empty()) return std::nullopt;
  const bool load = row.family == AtlasFamily::Ldmatrix;
  const i64 count = access->matrices;
  Pattern out = instruction(row, load ? " {%r0,...}, [addr];" : " [addr], {%r0,...};");
  out.atom.lanes = out.atom.together = 32;
  out.atom.collective = true;
  out.group = {{32, 1}};
  const OperandPattern memory{kShared, element, {8}, false, "[1,8]", 8};
  OperandPattern fragment{kRegister, element, {count, 2}, false, "", 2};
  std::erase(fragment.levels, 1);
  fragment.shape = count == 4 ? "[2,2].[1,2]" : count == 2 ? "[2,1].[1,2]" : "[1,1].[1,2]";
  out.operands = {load ? fragment : memory, load ? memory : fragment};
  out.accesses = {{load ? 1 : 0, *access}};
  out.terms = [load, sources] { return load ? loadTerms(sources) : storeTerms(sources); };
  return out;
}

}  // namespace

Patterns matrixMovePatterns(const Spec& leaf) {
  if (!leaf.attribute.empty() && leaf.attribute != "trans") return {};
  const bool store = leaf.outputs[0].memory == Memory::Shared && leaf.inputs[0].memory == Memory::Register;
  const std::string element = canonicalElement(leaf.inputs[0]);
  Patterns out;
  if (bitsOf(leaf.inputs[0]) != 16) return out;
  for (const int count : {4, 2, 1}) {
    const auto row = findInstruction(
        fmt::format("{}.x{}{}", store ? "stmatrix" : "ldmatrix", count, leaf.attribute == "trans" ? ".trans" : ""));
    if (!row) continue;
    if (auto pattern = patternOf(*row, element)) out.push_back(*std::move(pattern));
  }
  return out;
}

}  // namespace tessera::graphene
