// Gives every test program the whole language, as in the program tessera.
#include "core/worksheet/programs/programs.h"

namespace {
const bool kWithPrograms = (tessera::addPrograms(), true);
}  // namespace
