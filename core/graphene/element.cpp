#include "core/graphene/element.h"

#include <fmt/format.h>

#include "core/atlas/cutlass.h"
#include "core/base/nearest.h"

namespace tessera::graphene {

std::optional<Diag> elementFault(const Tensor& tensor, std::string_view text, Span span) {
  const std::string& element = tensor.element;
  if (element.empty() || element == "thread" || element == "block" || element == "mbarrier" || elementType(element))
    return std::nullopt;
  const std::size_t dot = text.substr(0, span.end).find("." + element, span.begin);
  if (dot != std::string_view::npos) span = {dot + 1, dot + 1 + element.size()};
  return Diag{fmt::format("'{}' is no element type", element), "fp16 bf16 fp32 fp64 tf32 e4m3 e5m2 s8 u8 s32 u32 ...",
              didYouMean(element,
                         {"fp16", "bf16", "fp32", "fp64", "tf32", "fp8", "fp4", "e4m3", "e5m2", "i8",     "i16",  "i32",
                          "i64",  "s8",   "s16",  "s32",  "s64",  "u8",  "u16", "u32",  "u64",  "thread", "block"}),
              span};
}

}  // namespace tessera::graphene
