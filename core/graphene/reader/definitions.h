// Definition: a named specification with its decomposition, expanded at each call.
//
//     def all<op>: %x <- Spec<all><<<#b,#w>>>(%x) {       leaves op over all lanes in every lane of a warp
//       %other:[].fp32.RF
//       %other <- Shfl<bfly 16><<<#b,#w>>>(%x)  %x <- BinaryPointwise<op>(%x,%other)
//       ...
//     }
//     %sum <- all<+><<<#b,#w>>>(%sum)                     becomes Spec<all> with this body applied to %sum
//
// The head has the form of a specification: formal tensors, kind, formal threads. A formal represents the call's
// tensor, of any shape, so one definition works for every size that its tiles divide. Parameters in <> are numbers
// (sizes, bounds, coordinates: any index expression) or operations (+ max exp). A body sees only its formals, its
// parameters and the sizes of the caller's tensors.
//
// Between head and body, `means { ... }` (meaning.h) may state what it computes, once for all calls.
//
// A body is read at each call, because its tiles depend on the tensors. A definition without calls is not checked.
// Law: a program with calls has the same tensors, verdicts and numbers as the program with the bodies written out.
// Rejected: recursion, operands that do not match the formals, a name that is a kind or already taken.
//
// The definitions of the library (assets/graphene/library) are available in every program; a program's own definitions
// shadow them.
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
  std::string_view text;                // the text that contains it
  std::size_t head = 0, end = 0;        // where its head begins; the end of its body
  Span span;                            // of its name
  std::string comment;                  // library only: the comment above it
  std::string signature;                // "all<op>: %x <- Spec<all><<<#b,#w>>>(%x)"
  bool library = false;
};

// The definition after a `def` that was just read. Leaves the cursor after the body, whose brackets alone are checked.
[[nodiscard]] Result<Definition> definitionAt(Cursor& in);

// The library's files, in order.
struct LibraryFile {
  std::string_view name, text;  // "warp", ...
};
[[nodiscard]] const std::vector<LibraryFile>& libraryFiles();
[[nodiscard]] const std::vector<Definition>& libraryDefinitions();

}  // namespace tessera::graphene
