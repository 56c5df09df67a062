// Diagnostics: what is wrong or unknown in a document.
//
//     prove injective(A)          error    refuted       refuted: (row, col) = (0,1) and (1,0) are both at 8
//     B = compositon(A, (2,2))    error    error         there is no function compositon; hint: did you mean ...
//     prove sum(N)                warning  unknown       unknown: out of budget
//     task "bijective": ...       info     task          not yet: bijective
//     %o <- Move<<<...>>>(%s)     error    refuted       O6 races: block 0, thread 33 ... (in a program, at its line)
//
// Law (tests/lsp): errors are those of `tessera check --json`, with the same places; a claim that holds has none.
#pragma once

#include "app/lsp/open_document.h"
#include "app/lsp/protocol.h"

namespace tessera::lsp {

// The array of textDocument/publishDiagnostics.
[[nodiscard]] Json diagnosticsOf(const Known& known);

}  // namespace tessera::lsp
