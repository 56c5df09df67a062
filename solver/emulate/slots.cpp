#include "solver/emulate/slots.h"

#include <fmt/format.h>

namespace tessera::graphene {

Result<FlatSlots> slotsOf(const Tensor& tensor, i64 most) {
  const auto digits = slotDigits(tensor);
  if (!digits) return Diag{fmt::format("a size or a stride of {} is not known", tensor.name), "sizes that are numbers"};
  if (!slotCount(*digits, most))
    return Diag{fmt::format("{} has too many elements", tensor.name), fmt::format("at most {}", most)};
  return flatSlots(*digits, tensor.extents.size());
}

}  // namespace tessera::graphene
