// SourceSheet: the statements in the comments of a source file, run as one sheet that also sees its declarations.
//
//     constexpr int kN = 64;
//     using S = decltype(composition(Swizzle<3, 3, 3>{}, Layout<Shape<_64, Int<kN>>, Stride<Int<kN>, _1>>{}));
//     // tessera: prove conflict_free(S, ldmatrix.x4, fp16)       S is read: Sw<3,3,3> o 0 o (64,64):(64,1)
//
// A name that the statement uses and the sheet does not bind is that of the declaration which the comment sees
// (core/code/declarations.h), read by core/paste or, with a domain, as index code (core/code/index_code.h). Each
// statement looks its names up again: two functions may each have an S. What a statement itself binds is bound for all
// later ones; where the code declares that name too, its use is refused.
//
// Laws: a statement without names of the file has the outcome of the same sheet as .tess. A name that cannot be read
// is an error at the name in the comment, which gives the line of the declaration and the reason; it never has another
// value than in the code. tests/cli/check_source.py changes constants of the code and compares verdicts.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/engine/engine.h"
#include "app/engine/source/source_statements.h"
#include "core/worksheet/language/place.h"

namespace tessera {

// A declaration that a statement used.
struct ReadDeclaration {
  std::string name;
  int line = 1;
  std::string text;  // its value
};

class SourceSheet {
 public:
  // The text must live as long as the sheet.
  SourceSheet(std::string_view text, code::Language language, EngineOptions options)
      : text_(text), language_(language), options_(std::move(options)), lines_(text) {}

  [[nodiscard]] std::vector<SourceStatement> statements() const { return sourceStatements(text_, language_); }

  struct Answer {
    Outcome outcome;
    std::vector<ReadDeclaration> reads;
  };
  [[nodiscard]] Answer run(const SourceStatement& statement);

 private:
  struct Named {
    Scope::BoundPtr value;
    std::string text;
  };
  [[nodiscard]] Result<void> resolve(const std::string& name, const SourceStatement& of,
                                     const SourceStatement::Domain* domain, Scope& scope,
                                     std::vector<ReadDeclaration>& reads);
  [[nodiscard]] std::optional<Diag> hidden(const SourceStatement& of);
  [[nodiscard]] bool readDeclarations();
  [[nodiscard]] Result<Named> readSlice(const std::string& name, const code::Slice& slice,
                                        const SourceStatement::Domain* domain) const;
  [[nodiscard]] Result<Named> readCode(const std::string& name, const code::Slice& slice,
                                       const SourceStatement::Domain& domain) const;
  [[nodiscard]] std::optional<Named> constantOf(const std::string& name, const code::Slice& slice) const;
  [[nodiscard]] std::string_view word() const { return language_ == code::Language::Python ? "python" : "cuda"; }
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> givenOf(const code::Slice& slice) const;

  std::string_view text_;
  code::Language language_;
  EngineOptions options_;
  LineIndex lines_;
  Scope scope_;
  std::optional<Result<code::Declarations>> declarations_;  // read when first needed
  std::map<std::string, Result<Named>> known_;              // by what was read
  std::map<std::string, Span> ofDomain_;                    // names that a domain bound, and their declaration
};

}  // namespace tessera
