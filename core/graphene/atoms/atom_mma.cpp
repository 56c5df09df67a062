// MatMul: fma, dp4a and every dense mma.sync of the atlas. The thread-value layouts of a row give the products of each
// lane.
//
//     out(lane, value) is C's (m, n);  its terms are A's (m, k) and B's (n, k) for every k, wherever the row has them
#include <fmt/format.h>

#include "core/graphene/atoms/atom_pattern.h"

namespace tessera::graphene {
namespace {

OperandPattern fragmentOperand(const std::string& element, std::vector<i64> levels, std::string shape, i64 run) {
  std::erase(levels, 1);
  return {kRegister, element, std::move(levels), false, std::move(shape), run};
}

// 32-bit registers of `packed` values: [2,2].[1,2] of A, [2,1].[2,1] of B.
OperandPattern packedOperand(const AtlasOperand& operand, const RowFragment& f, bool left) {
  const i64 bits = elementBits(operand.element).ok() ? *elementBits(operand.element) : 32;
  const i64 packed = std::min<i64>(f.values, bits >= 32 ? 1 : 32 / bits), registers = f.values / packed;
  std::string shape = left ? fmt::format("[{},{}]", f.rows == 16 ? 2 : 1, f.rows == 16 ? registers / 2 : registers)
                           : fmt::format("[{},1]", registers);
  if (packed > 1) shape += left ? fmt::format(".[1,{}]", packed) : fmt::format(".[{},1]", packed);
  return fragmentOperand(operand.element, {registers, packed}, std::move(shape), packed);
}

std::vector<std::pair<i64, i64>> groupOf(const AtlasRow& row) {
  if (row.threadId == "32:1") return {{32, 1}};
  if (row.threadId == "(4,2):(1,16)") return {{4, 1}, {2, 16}};
  return {};
}

// Whether the row is a plain product with these majors. Scaled and sparse products have more operands; .xor.popc is not
// a product.
bool isProduct(const AtlasRow& row, std::string_view attribute) {
  if (row.family != AtlasFamily::MmaSync && row.family != AtlasFamily::Scalar) return false;
  if (row.operands.size() != 3 || row.ptx.ends_with(".xor.popc")) return false;
  const bool volta = row.threadId == "(4,2):(1,16)";
  const std::string_view majors = attribute.empty() ? "row.col" : attribute;
  return !volta || row.ptx.find("." + std::string(majors) + ".") != std::string::npos;
}

std::optional<Pattern> patternOf(const AtlasRow& row) {
  const auto a = rowFragment(row, "A"), b = rowFragment(row, "B"), c = rowFragment(row, "C");
  if (!a || !b || !c) return std::nullopt;
  const bool half = row.name == "fma.f16";
  Pattern out = instruction(half ? "hfma" : row.name, half ? "__hfma" : row.ptx, row.architecture, row.source);
  out.group = groupOf(row);
  const bool scalar = row.family == AtlasFamily::Scalar, volta = out.group.size() == 2;
  out.atom.lanes = static_cast<int>(c->lanes);
  out.atom.collective = !scalar;
  out.atom.together = scalar ? 1 : 32;
  out.atom.function = AtomFunction::MultiplyAdd;
  const auto elementOf = [&](std::size_t k) { return row.operands[k].element; };
  if (scalar) {
    out.operands = {flatOperand(kAnywhere, elementOf(2), 1, 1),
                    flatOperand(kAnywhere, elementOf(0), a->values, a->values),
                    flatOperand(kAnywhere, elementOf(1), b->values, b->values)};
  } else if (volta) {
    out.operands = {fragmentOperand(elementOf(2), {8}, "[2,4]", elementOf(2) == "f16" ? 2 : 1),
                    fragmentOperand(elementOf(0), {4}, "[1,4]", 2), fragmentOperand(elementOf(1), {4}, "[4,1]", 2)};
  } else {
    const i64 packed = elementOf(2) == "f16" ? 2 : 1;
    const bool tall = c->rows == 16;
    out.operands = {fragmentOperand(elementOf(2), {tall ? 2 : 1, 2}, tall ? "[2,1].[1,2]" : "[1,2]", packed),
                    packedOperand(row.operands[0], *a, true), packedOperand(row.operands[1], *b, false)};
  }
  const auto fragments = std::make_shared<const std::vector<RowFragment>>(std::vector<RowFragment>{*a, *b, *c});
  out.terms = [fragments] { return productTerms((*fragments)[0], (*fragments)[1], (*fragments)[2]); };
  return out;
}

// An fma of one thread without an atlas row: two at once, and other types.
Pattern threadFma(const char* name, const char* ptx, const char* architecture, const char* element, i64 count) {
  Pattern out = instruction(name, ptx, architecture, "CUDA math API");
  out.atom.function = AtomFunction::MultiplyAdd;
  for (int k = 0; k < 3; ++k) out.operands.push_back(flatOperand(kAnywhere, element, count, count));
  return out;
}

using Table = std::vector<std::pair<const AtlasRow*, Pattern>>;
const Table& table() {
  static const Table all = [] {
    Table out;
    for (const AtlasRow& row : atlas()) {
      if (row.family != AtlasFamily::MmaSync && row.family != AtlasFamily::Scalar) continue;
      if (row.operands.size() != 3) continue;
      if (auto pattern = patternOf(row)) out.emplace_back(&row, *std::move(pattern));
    }
    return out;
  }();
  return all;
}

// Move by a warp: ldmatrix and stmatrix, from the rows' accesses (which lane has which row) and fragments (operand D).
//
//     fragment slot v of lane l is D's (row, column): slot `column` of the lane whose address is that row's

// [lane * values + value] -> 8 * (lane that has the row) + column; empty: not in the row.
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

// Rows that no matrix has are not written.
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

std::vector<std::vector<AtomTerm>> productTerms(const RowFragment& a, const RowFragment& b, const RowFragment& c) {
  std::vector<std::vector<AtomTerm>> out;
  for (const int element : c.elementOf) {
    const i64 m = element % c.rows, n = element / c.rows;
    auto& terms = out.emplace_back();
    for (i64 k = 0; k < a.columns; ++k)
      terms.push_back(
          {a.slotOf[static_cast<std::size_t>(m + a.rows * k)], b.slotOf[static_cast<std::size_t>(n + b.rows * k)]});
  }
  return out;
}

std::optional<RowFragment> rowFragment(const AtlasRow& row, std::string_view operand) {
  const auto found = findOperand(row, operand);
  if (!found) return std::nullopt;
  const auto layout = threadValue(*found);
  if (!layout || layout->rank() != 2) return std::nullopt;
  RowFragment out{rowsOf(*found), columnsOf(*found), layout->mode(0).size(), layout->mode(1).size(), {}, {}};
  out.elementOf.resize(static_cast<std::size_t>(out.lanes * out.values));
  out.slotOf.assign(static_cast<std::size_t>(out.rows * out.columns), -1);
  for (i64 lane = 0; lane < out.lanes; ++lane)
    for (i64 value = 0; value < out.values; ++value) {
      const i64 slot = lane * out.values + value, element = (*layout)(lane + out.lanes * value);
      out.elementOf[static_cast<std::size_t>(slot)] = static_cast<int>(element);
      out.slotOf[static_cast<std::size_t>(element)] = static_cast<int>(slot);
    }
  return out;
}

Patterns matmulPatterns(const Spec& leaf) {
  Patterns out = {threadFma("hfma2", "__hfma2", "sm_53", "f16", 2),
                  threadFma("hfma.bf16", "__hfma", "sm_80", "bf16", 1),
                  threadFma("hfma2.bf16", "__hfma2", "sm_80", "bf16", 2),
                  threadFma("mad.lo.s32", "mad.lo.s32 d, a, b, d;", "sm_20", "s32", 1)};
  for (const auto& [row, pattern] : table())
    if (isProduct(*row, leaf.attribute)) out.push_back(pattern);
  return out;
}

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
