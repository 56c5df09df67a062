#include "core/hlo/notation.h"

#include <fmt/format.h>

#include "core/hlo/listing.h"

namespace tessera {

Result<Arrow> NotationOf<hlo::Listing>::arrow(const hlo::Listing& listing) {
  return Diag{"a module is no function of coordinates", "an instruction of it",
              fmt::format("reads({}.%NAME, 0)", listing.name)};
}

Result<Arrow> NotationOf<hlo::Part>::arrow(const hlo::Part& part) {
  const int count = hlo::operandsOf(part);
  if (count != 1)
    return Diag{fmt::format("%{} reads {} {}", part.name(), count, count == 0 ? "nothing" : "operands"),
                "what reads one operand", count == 0 ? "" : fmt::format("reads({}.%{}, 0)", part.of.name, part.name())};
  TESSERA_TRY(const hlo::Reach reach, hlo::reads(part, 0));
  TESSERA_TRY(const xla::Shape shape, hlo::operandShape(part, 0));
  TESSERA_TRY(Map map, hlo::mapOf(reach, shape.sizes()));
  if (reach.soundness != hlo::Soundness::Exact)
    return Diag{"this is more than what is read: " + reach.why, "an exact map",
                fmt::format("reads({}.%{}, 0)", part.of.name, part.name())};
  return arrowOf(std::move(map), SpaceKind::Elements, LinearOrder::Lex, SpaceKind::Elements);
}

}  // namespace tessera
