#include "core/paste/dialects.h"

namespace tessera::paste {

const Dialect kInstruction{"an instruction", [](std::string_view) { return 0; },
                           [](std::string_view, const Given&) -> Result<Reading> { return Diag{"not read yet"}; }};

}  // namespace tessera::paste
