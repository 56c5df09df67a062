// Move by a warp: ldmatrix and stmatrix, from the rows' accesses (which lane has which row) and fragments (operand D).
//
//     fragment slot v of lane l is D's (row, column): slot `column` of the lane whose address is that row's
#include <fmt/format.h>

#include "core/graphene/atoms/atom_pattern.h"

namespace tessera::graphene {
namespace {

struct Matrices {
  i64 values = 0;          // of a lane
  std::vector<int> rowOf;  // [lane * values + value] -> 8 * (lane that has the row) + column
};

std::optional<Matrices> matricesOf(const AtlasRow& row, const AtlasAccess& access) {
  const auto operand = findOperand(row, "D");
  if (!operand) return std::nullopt;
  const auto layout = threadValue(*operand);
  if (!layout || layout->rank() != 2) return std::nullopt;
  Matrices out;
  out.values = layout->mode(1).size();
  const i64 rows = rowsOf(*operand), width = columnsOf(*operand);
  for (i64 lane = 0; lane < 32; ++lane)
    for (i64 value = 0; value < out.values; ++value) {
      const i64 element = (*layout)(lane + 32 * value), r = element % rows, column = element / rows;
      const i64 holder = r / 8 * access.matrixRows + r % 8;  // lane L has row L % matrixRows of matrix L / matrixRows
      out.rowOf.push_back(static_cast<int>(holder * width + column));
    }
  return out;
}

std::vector<std::vector<AtomTerm>> loadTerms(const Matrices& m) {
  std::vector<std::vector<AtomTerm>> out;
  for (const int from : m.rowOf) out.push_back({{from, 0}});
  return out;
}

// Rows of lanes that no matrix has are not written.
std::vector<std::vector<AtomTerm>> storeTerms(const Matrices& m) {
  std::vector<std::vector<AtomTerm>> out(32 * 8);
  for (std::size_t slot = 0; slot < m.rowOf.size(); ++slot)
    out[static_cast<std::size_t>(m.rowOf[slot])] = {{static_cast<int>(slot), 0}};
  return out;
}

std::optional<Pattern> patternOf(const AtlasRow& row, const std::string& element) {
  const AtlasAccess* access = accessOf(row, MemorySpace::Shared);
  if (access == nullptr) return std::nullopt;
  const auto matrices = matricesOf(row, *access);
  if (!matrices) return std::nullopt;
  const bool load = row.family == AtlasFamily::Ldmatrix;
  const i64 count = access->matrices;
  Pattern out;
  out.atom.name = row.name;
  out.atom.ptx = row.ptx + (load ? " {%r0,...}, [addr];" : " [addr], {%r0,...};");
  out.atom.architecture = row.architecture;
  out.atom.source = row.source;
  out.atom.lanes = out.atom.together = 32;
  out.atom.collective = true;
  out.group = {{32, 1}};
  const OperandPattern memory{kShared, element, {8}, false, "[1,8]", 8};
  OperandPattern fragment{kRegister, element, {count, 2}, false, "", 2};
  std::erase(fragment.levels, 1);
  fragment.shape = count == 4 ? "[2,2].[1,2]" : count == 2 ? "[2,1].[1,2]" : "[1,1].[1,2]";
  if (load)
    out.operands = {fragment, memory};
  else
    out.operands = {memory, fragment};
  out.accesses = {{load ? 1 : 0, *access}};
  out.terms = [load, m = *matrices] { return load ? loadTerms(m) : storeTerms(m); };
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
