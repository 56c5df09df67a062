// sourceStatements: the statements of the worksheet language that the comments of a source file have.
//
//     // tessera: prove conflict_free(SmemLayout,           one statement: a bracket that a line leaves open is
//     //                             ldmatrix.x4, fp16)     closed in the comment lines that follow directly
//     # tessera: A = (64,64):(64,1)                         Python
//     /* tessera: A = (64,64):(64,1)                        two statements
//      *          prove injective(A) */
//     int idx = row * 64 + col;  // tessera: idx over (row = 64, col = 64)
//                                   the statement `idx`, with a domain: the code of idx at these coordinates
//
// Laws: a statement's span is its place in the file, and its text the bytes there, but for the comment marks between
// its lines and for domains, which are blank. A comment that does not begin with `tessera:` has no statement; a bracket
// is never closed by another comment. tests/cli/check_source.py.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/code/comments.h"
#include "core/code/declarations.h"
#include "core/worksheet/worksheet.h"

namespace tessera {

struct SourceStatement {
  // NAME over (row = 64, col = 64) with N = 8
  struct Domain {
    Span name;
    std::string text;  // "over (row = 64, col = 64) with N = 8"
  };
  Statement statement;
  code::Place place;  // of its comment
  std::vector<Domain> domains;
  // The name of a statement that is only a name with its domain: it is bound.
  [[nodiscard]] std::string bindsDomain() const;
};

inline constexpr std::size_t kMostSourceStatements = 100'000;  // of a file; the last one says that there are more

[[nodiscard]] std::vector<SourceStatement> sourceStatements(std::string_view text, code::Language language);

// How the comments of a file are written, by the ending of its name: .cu .cuh .h .hpp .cc .cpp .c .hip ..., .py.
[[nodiscard]] std::optional<code::Language> sourceLanguageOf(std::string_view path);

}  // namespace tessera
