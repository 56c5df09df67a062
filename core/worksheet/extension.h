// The part of the language about programs and modules. Texts about layouts do not need it, so it is a separate archive
// (core/worksheet/programs); a program that links it calls addPrograms() before it reads a text.
//
//     addPrograms();                     core/worksheet/programs/programs.h
//     hlo soft { ... }                   binds a module; without the extension this kind of block is unknown
//     reads(soft.%fusion.1, 0)           a function of the extension, and a literal of it
//
// Law: a text that has a meaning without the extension has the same meaning with it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/cursor.h"
#include "core/base/result.h"
#include "core/claim/claim.h"
#include "core/worksheet/any_value.h"
#include "core/worksheet/language/syntax.h"
#include "core/worksheet/requests.h"

namespace tessera {

struct Function;
class Evaluator;

// Functions that are null give nothing.
struct Extension {
  std::vector<std::span<const Function>> functions;  // after those of layouts
  // Functions that layouts of a family (NotationOf<T>::kFamily) have in their own way.
  std::vector<std::pair<std::string_view, std::span<const Function>>> families;
  // Literals that begin with a name: soft.%fusion.1, move.%q, kernel "a.ptx" ... Each as LiteralRow::read.
  std::vector<Result<std::optional<Value>> (*)(Cursor& in, const NameLookup& names)> parts;
  // The value of a block WORD NAME { ... }, and remarks on it; nullopt: no such word.
  Result<std::optional<Value>> (*block)(std::string_view word, std::string_view text,
                                        std::vector<Diag>& notes) = nullptr;
  // `run NAME ...`: as parseRun (core/worksheet/programs/run_statement.h).
  Result<RunRequest> (*run)(std::string_view text, Evaluator& evaluator) = nullptr;
  // `equal(NAME, ...) ...` about programs in text[from, to): as parseEqual (core/worksheet/programs/equal_statement.h);
  // nullopt: it is about other values.
  Result<std::optional<EqualRequest>> (*equal)(std::string_view text, std::size_t from, std::size_t to,
                                               Evaluator& evaluator) = nullptr;
  // Claims about what parts of modules read (core/worksheet/programs/part_claims.h); nullopt: the values are not parts.
  Result<std::optional<std::vector<MapUnion>>> (*reads)(const Value& first, const Value* second) = nullptr;
  Result<std::optional<std::vector<Map>>> (*identity)(const Value& value) = nullptr;
  // A program in canonical form; not null where a text can be one.
  std::string (*print)(const graphene::Listing& program) = nullptr;
};

// Empty until extend() is called, before the first text is read. A second call adds its lists; its functions replace
// those that are null.
[[nodiscard]] const Extension& extension();
void extend(Extension extension);

}  // namespace tessera
