// tessera check FILE.graphene: prints the obligations of every specification as a checklist, with the offending lines.
//
//     ✗ line 6: %out <- Move(%in)                          a specification, indented by nesting depth
//         O1 static        proved      by static analysis: every leaf is an instruction
//         O6 races         refuted     by running
//             block 0, thread 33: %s[1,0] at 33, phase 0: ...
//             line 14: %o2 <- Move<<<#b1, #t1>>>(%s2)
//     2 specifications: 8 proved, 1 refuted
#pragma once

#include <string>
#include <string_view>

#include "app/engine/json.h"
#include "app/engine/json_writer.h"
#include "solver/graphene/check.h"

namespace tessera {

// The program of a file or of a block, and the position of its text.
struct ProgramText {
  std::string_view document;  // the whole file
  std::size_t begin = 0;      // of the listing in it
  std::string file;
};

// One specification as text: the line after the sign, and its details.
[[nodiscard]] std::string checklistOf(const graphene::SpecVerdict& spec, const ProgramText& where,
                                      const LineIndex& index);
// {"ok":true,"kind":"spec","text":"%2 <- Move(%1)","line":5,...,"obligations":[...]}
[[nodiscard]] std::string jsonOf(const graphene::SpecVerdict& spec, const ProgramText& where, const LineIndex& index);
void addSpec(JsonWriter& json, const graphene::SpecVerdict& spec, const ProgramText& where, const LineIndex& index);
// The verdict over all its obligations: refuted before unknown before proved.
[[nodiscard]] Truth truthOf(const graphene::SpecVerdict& spec);

}  // namespace tessera
