// Index code of any language as a reading: one block, and a binding for each name that the text declares.
//
//     As[row * BK + col]   --let BK=32 --over row=128 --over col=32
//
//     cuda code {
//     As[row * BK + col]
//     } over (row = 128, col = 32) with BK = 32
//     As = code
#pragma once

#include <string>
#include <string_view>

#include "core/paste/paste.h"

namespace tessera::paste {

// `word` is the block's language (core/code/index_code.h).
[[nodiscard]] Result<Reading> readIndexCode(std::string_view word, std::string_view text, const Given& given);

// The text with matched braces: a `}` that closes nothing becomes a blank, and missing ones are added.
[[nodiscard]] std::string withMatchedBraces(std::string_view text, bool python);

// PTX's tables of rows and columns in prose, as C: "row = groupID for ai where i < 2 / groupID + 8 otherwise". Empty if
// the text is none.
[[nodiscard]] std::string fragmentProseAsC(std::string_view text);

}  // namespace tessera::paste
