#include "core/graphene/atoms/fragments.h"

#include <fmt/format.h>

#include "core/atlas/atlas.h"

namespace tessera::graphene {

Result<Fragment> atlasFragment(std::string_view instruction, std::string_view operand) {
  TESSERA_TRY(const AtlasRow row, findInstruction(instruction));
  TESSERA_TRY(const AtlasOperand found, findOperand(row, operand));
  if (found.space != OperandSpace::Register)
    return Diag{fmt::format("the {} of {} is not in registers", operand, row.name), "an operand in registers"};
  if (found.element == "b1")
    return Diag{fmt::format("the {} of {} counts bits, not elements", operand, row.name), "an operand of elements",
                findOperand(row, "D").ok() ? fmt::format("{} D", row.name) : ""};
  Fragment out;
  out.text = fmt::format("{} {}", row.name, operand);
  out.rows = rowsOf(found);
  out.columns = columnsOf(found);
  out.transposed = found.name == "B";
  TESSERA_TRY(out.threadValue, threadValue(found));
  TESSERA_TRY(out.threadId, cute::parseLayout(row.threadId.empty() ? "32:1" : row.threadId));
  return out;
}

}  // namespace tessera::graphene
