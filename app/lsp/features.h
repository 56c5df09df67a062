// Features: the answers to requests about an open document. Pure functions of what is known and of the parameters; a
// parameter of the wrong type throws Failure (protocol.h).
//
//     textDocument/hover at the A of size(A)      {"contents":{"kind":"markdown","value":"```\nA = (4,8):(8,1)..."}}
//
// Laws: every range is in the document's text. An answer never changes the document.
#pragma once

#include "app/lsp/open_document.h"
#include "app/lsp/protocol.h"

namespace tessera::lsp {

[[nodiscard]] Json completionOf(const Known& known, const Json& params);
[[nodiscard]] Json hoverOf(const Known& known, const Json& params);
// Names: where one is bound, where it is used, and what a rename replaces.
[[nodiscard]] Json definitionAnswer(const Known& known, const Json& params);
[[nodiscard]] Json referencesOf(const Known& known, const Json& params);
[[nodiscard]] Json highlightsOf(const Known& known, const Json& params);
[[nodiscard]] Json renamePlaceOf(const Known& known, const Json& params);
[[nodiscard]] Json renameOf(const Known& known, const Json& params);
// The whole document (outline.cpp).
[[nodiscard]] Json symbolsOf(const Known& known, const Json& params);
[[nodiscard]] Json tokensOf(const Known& known, const Json& params);
[[nodiscard]] Json foldsOf(const Known& known, const Json& params);
// Values and verdicts at the ends of lines.
[[nodiscard]] Json inlayHintsOf(const Known& known, const Json& params);
// Edits that errors, refuted claims and layouts suggest (code_actions.cpp).
[[nodiscard]] Json codeActionsOf(const Known& known, const Json& params);

// At most that many bytes of a text, on one line.
[[nodiscard]] std::string cutLine(std::string text, std::size_t most);
// The types of tokensOf.
[[nodiscard]] Json tokenTypes();
// The edit of one document.
[[nodiscard]] Json editOfDocument(const Known& known, Json edits);

}  // namespace tessera::lsp
