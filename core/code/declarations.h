// Declarations: what a name means at a place of a source file, as a text that can be read alone.
//
//     constexpr int kN = 64;                      slice("L", here) is the text
//     struct Traits {                                 constexpr int kN = 64;
//       using L = Layout<Shape<_8, Int<kN>>>;         using L = Layout<Shape<_8, Int<kN>>>;
//       // here
//     };
//
// The declaration is the one that the place sees: of the line that follows directly, if the place is a comment on lines
// of its own and that line declares the name; else the nearest before it, in the scopes around it (C++'s blocks;
// Python's functions). Its text has the declarations of the names that it uses, each as seen from there, in order.
//
// Laws: the text prints declarations of the file and nothing else. A name has one value where it is used, or is refused
// with the lines: changed after its declaration or in a loop around the place, assigned under a condition (Python),
// declared in several branches of #if. Not seen: a variable that a called function changes through a reference.
// tests/code/declarations_test.cpp has a row per rule, tests/cli/check_source.py random programs with scopes.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/code/tree.h"

namespace tessera::code {

// A comment of the file.
struct Place {
  std::size_t at = 0;                    // where it begins
  bool isAlone = false;                  // no code on its line
  std::optional<std::size_t> next = {};  // alone: the first byte of code after it
};

struct Slice {
  std::string text;                // declarations, each on a line of its own; the last one is asked for
  Span span;                       // of that declaration in the file
  bool isAccess = false;           // it is NAME[...]
  std::vector<std::string> given;  // names without a value in the file that the caller gives
  std::vector<std::pair<std::string, Diag>> doubts;  // names that have no one value, and why
};

class Declarations {
 public:
  // A Diag beyond the limits of the reader.
  [[nodiscard]] static Result<Declarations> of(std::string_view text, Language language);

  struct Asked {
    bool access = false;                                        // also an access NAME[...], the nearest
    std::vector<std::string> cut;                               // names that stay free
    std::function<bool(const std::string&)> isGiven = nullptr;  // of names that the file gives no value
  };
  // nullopt: the file does not declare the name anywhere. A Diag: it has no one value there.
  [[nodiscard]] Result<std::optional<Slice>> slice(const std::string& name, Place place, const Asked& asked) const;
  // The declaration that slice() reads; nullopt: there is none, or the name has no one value.
  [[nodiscard]] std::optional<Span> declarationOf(const std::string& name, Place place, bool access) const;

 private:
  enum class ScopeKind : unsigned char { File, Struct, Function, Block, Loop };
  struct SourceScope {
    int parent = -1;
    Span span;
    ScopeKind kind = ScopeKind::File;
    std::size_t column = 0;  // Python: of its first statement
    int same = 0;            // the first scope of that namespace; itself for others
  };
  enum class What : unsigned char { Defines, Changes, Parameter, Loops, Elsewhere, Access };
  struct Occurrence {
    const Tree* tree = nullptr;
    int scope = 0;  // of a namespace, its first
    std::size_t begin = 0;
    std::size_t statement = 0;  // where its statement begins
    What what = What::Defines;
  };
  using Branch = std::pair<int, int>;  // of #if: its number, which branch
  struct Directive {
    std::size_t at = 0;
    std::vector<Branch> after;
  };
  struct Found {
    const Occurrence* at = nullptr;
    std::optional<Diag> doubt;
  };

  Declarations() = default;
  class Builder;

  using All = std::vector<Occurrence>;
  [[nodiscard]] int scopeOf(const Place& place) const;
  [[nodiscard]] bool encloses(int outer, int inner) const;
  [[nodiscard]] int functionOf(int scope) const;
  [[nodiscard]] std::vector<Branch> branchesAt(std::size_t at) const;
  [[nodiscard]] bool isExcluded(std::size_t declared, std::size_t used) const;
  [[nodiscard]] Found find(const std::string& name, const Place& place, bool access) const;
  [[nodiscard]] const Occurrence* following(const All& all, std::size_t next, bool access) const;
  [[nodiscard]] const Occurrence* nearest(const All& all, std::size_t at, int scope, bool access) const;
  [[nodiscard]] const Occurrence* nearestPython(const All& all, std::size_t at, int scope, bool access) const;
  [[nodiscard]] std::optional<Diag> doubtOf(const std::string& name, const All& all, const Occurrence& of,
                                            std::size_t used, int scope) const;
  [[nodiscard]] std::optional<Diag> changed(const std::string& name, const All& all, const Occurrence& of,
                                            std::size_t used, int scope) const;
  [[nodiscard]] bool declares(const std::string& name, const Tree& tree) const;
  [[nodiscard]] std::size_t lineOf(std::size_t at) const;

  std::string_view text_;
  Language language_ = Language::Cpp;
  std::shared_ptr<const std::vector<Tree>> trees_;
  std::vector<SourceScope> scopes_;  // outer before inner, in the order of the text
  std::map<std::string, std::vector<Occurrence>, std::less<>> occurrences_;  // in the order of the text
  std::vector<Directive> directives_;
  std::vector<std::size_t> lineStarts_;
};

}  // namespace tessera::code
