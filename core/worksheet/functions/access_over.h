// ACCESS over LAYOUT, TYPE: the call over(ACCESS, LAYOUT, TYPE) for what is no layout with named axes.
#pragma once

#include "core/worksheet/functions/functions.h"

namespace tessera {

// Whether the first argument is an access, an instruction or a thread-value layout: `over` is then accessOverCall.
[[nodiscard]] bool isAccessLike(const Call& call);
[[nodiscard]] Result<Value> accessOverCall(const Call& call);

}  // namespace tessera
