#include "core/atlas/graphene_names.h"

#include <fmt/format.h>

#include "core/atlas/atlas.h"
#include "core/atlas/cutlass.h"
#include "core/base/nearest.h"

namespace tessera::graphene {

std::optional<Diag> elementFault(const Tensor& tensor, std::string_view text, Span span) {
  const std::string& element = tensor.element;
  if (element.empty() || element == "thread" || element == "block" || element == "mbarrier" || elementType(element))
    return std::nullopt;
  const std::size_t dot = text.substr(0, span.end).find("." + element, span.begin);
  if (dot != std::string_view::npos) span = {dot + 1, dot + 1 + element.size()};
  return Diag{fmt::format("'{}' is not an element type", element),
              "fp16 bf16 fp32 fp64 tf32 e4m3 e5m2 s8 u8 s32 u32 ...",
              didYouMean(element,
                         {"fp16", "bf16", "fp32", "fp64", "tf32", "fp8", "fp4", "e4m3", "e5m2", "i8",     "i16",  "i32",
                          "i64",  "s8",   "s16",  "s32",  "s64",  "u8",  "u16", "u32",  "u64",  "thread", "block"}),
              span};
}

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
