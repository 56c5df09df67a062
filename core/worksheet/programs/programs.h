// Programs and modules in the language: the blocks `graphene` and `hlo`, their parts, the functions and claims about
// them, `run`, and layouts as index code.
//
//     int main() { tessera::addPrograms(); ... }
#pragma once

namespace tessera {

// Adds them to the language (core/worksheet/extension.h). Calling it again does nothing.
void addPrograms();

}  // namespace tessera
