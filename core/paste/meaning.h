// The meaning of a reading: its statements, evaluated in a scope of their own.
#pragma once

#include <optional>
#include <string>

#include "core/paste/paste.h"
#include "core/worksheet/any_value.h"
#include "core/worksheet/worksheet.h"

namespace tessera::paste {

// The value of the last statement that has one; a Diag if a statement cannot be evaluated.
[[nodiscard]] Result<Shared<Value>> lastValue(const Reading& reading);
// Whether both readings end in the same function: equal text, or equal at every coordinate (at most 2^14; beyond, in
// text only).
[[nodiscard]] bool sameMeaning(const Reading& a, const Reading& b);

}  // namespace tessera::paste
