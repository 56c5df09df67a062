// ACCESS over LAYOUT, TYPE: the call over(ACCESS, LAYOUT, TYPE) if the first argument is not a layout with named axes.
#pragma once

#include "core/worksheet/functions/functions.h"

namespace tessera {

// Whether the first argument is an access, an instruction or a thread-value layout; accessOverCall then handles `over`.
[[nodiscard]] bool isAccessLike(const Call& call);
[[nodiscard]] Result<Value> accessOverCall(const Call& call);

}  // namespace tessera
