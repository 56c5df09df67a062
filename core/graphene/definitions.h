// Definition: a specification with a name and a decomposition, to be called where it is needed.
//
//     def all<op>: %x <- Spec<all><<<#b,#w>>>(%x) {       every lane of a warp ends with op over all lanes
//       %other:[].fp32.RF
//       %other <- Shfl<bfly 16><<<#b,#w>>>(%x)  %x <- BinaryPointwise<op>(%x,%other)
//       ...
//     }
//     %sum <- all<+><<<#b,#w>>>(%sum)                     becomes Spec<all>, with this body over %sum
//
// The head is a specification as it is written everywhere: formal tensors, kind, formal threads. A formal stands for the
// tensor of the call whatever its shape is, so one definition serves every size that its tiles divide. Parameters in <> are
// numbers (sizes, bounds, coordinates: anything an index may be) or operations (+ max exp). A body sees its formals, its
// parameters, and the sizes of the caller's tensors, nothing else.
//
// What it computes may stand between head and body, once for all calls: `means { ... }` (meaning.h).
//
// A body is read at each call, since what its tiles give depends on the tensors: what nobody calls is not checked.
// Law: a program with calls has the same tensors, verdicts and numbers as the one with the bodies written out.
// Refused: a definition that calls itself, formals and operands that do not match, a name that is a kind or taken.
//
// The library (assets/graphene/library) is definitions that every program knows; its own hide them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/cursor.h"
#include "core/base/result.h"

namespace tessera::graphene {

struct Definition {
  std::string name;                     // "all"
  std::vector<std::string> parameters;  // "op"
  std::string_view text;                // that it stands in
  std::size_t head = 0, end = 0;        // its head begins here; behind its body
  Span span;                            // of its name
  std::string comment;                  // the lines above it, of the library's
  std::string signature;                // "all<op>: %x <- Spec<all><<<#b,#w>>>(%x)"
  bool library = false;
};

// The definition whose `def` was just read; the cursor is left behind its body, which is not looked at beyond its brackets.
[[nodiscard]] Result<Definition> definitionAt(Cursor& in);

// The library's, by file and in their order.
struct LibraryFile {
  std::string_view name, text;  // "warp", ...
};
[[nodiscard]] const std::vector<LibraryFile>& libraryFiles();
[[nodiscard]] const std::vector<Definition>& libraryDefinitions();

}  // namespace tessera::graphene
