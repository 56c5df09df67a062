// The fixed parts of an HTML report.
//
// Law: no text of the input becomes markup, style or script. All of it is escaped (render/ink/page.h), and the page's
// policy admits one script, by its hash.
#pragma once

#include <string_view>

namespace tessera::page {

// With the names of colours in place of @canvas, @text, @muted, @faint, @line, @panel, @proved, @refuted, @unknown and
// @lit.
extern const std::string_view kStyle;
extern const std::string_view kScript;
// The SHA-256 of kScript in base 64; tests/engine computes it.
extern const std::string_view kScriptHash;

}  // namespace tessera::page
