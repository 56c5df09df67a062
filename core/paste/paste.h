// Paste: text in a format of another tool -> statements of the worksheet language with the same meaning.
//
//     using Atom = decltype(composition(Swizzle<kS, 3, 3>{}, Layout<Shape<_8, Int<64>>, Stride<Int<64>, _1>>{}));
//         with kS = 3          Atom = composition(Swizzle<3,3,3>, (_8,_64):(_64,_1))
//                              X = Atom
//         without              asks: kS, "a template argument", at its place
//
// Each format is a *dialect*: a row of kDialects (dialects.cpp) that recognizes its texts and reads them. Reading gives
// text of the worksheet, so what a paste means can be read, edited and kept; there is no second evaluator.
//
// Laws: recognition never changes a meaning: a text that the worksheet reads by itself is bound unchanged. The
// statements evaluate without any other binding. Two dialects that both read a text differently are an error that names
// both. Every assumption is a note. The same text gives the same statements on every machine.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/base/types.h"

namespace tessera::paste {

// What the user adds to the text (--let, --over, --name, --as).
struct Given {
  std::vector<std::pair<std::string, std::string>> lets =
      {};                                              // "TileShape::kContiguous" -> "8"; a tuple, [32, 32], a type
  std::vector<std::pair<std::string, i64>> over = {};  // free variables of index code in the order of X's coordinates
  std::string name = {};                               // --name: instead of the name that the text declares
  std::string dialect = {};                            // --as: only this dialect, by its name or its word; empty: any
  // Of `lets`: integers that the worksheet binds before the statements, under worksheetName(name). A dialect that can
  // writes what follows from them as expressions of these names (CuTe C++); the others write numbers.
  std::vector<std::string> bound = {};
  bool isSource = false;  // source of another tool, which the worksheet does not read: `64 // 2` has no comment
  // The value of a name; nullptr: not given.
  [[nodiscard]] const std::string* let(std::string_view key) const;
};

// NAME = TEXT, a statement of the worksheet.
struct Statement {
  std::string name;  // "": the statement binds nothing (`show A`, a bare value)
  std::string text;  // the whole statement: "Atom = composition(...)", "cuda code { ... } over (row = 64, col = 64)"
  Span span;         // where the pasted text declares it
};

// A constant, type or unit that the text uses and does not define.
struct Question {
  std::string name;      // "kBlockM", "the type of T", "the unit of the strides"
  std::string asks;      // what it is: "a template argument", "the extent of a coordinate"
  std::string suggests;  // an edit that answers it: "--let kBlockM=64"
  Span span;
};

struct Reading {
  std::string dialect;                // "CuTe C++"
  std::vector<Statement> statements;  // in order; the value of the last is also X
  std::vector<std::string> notes;     // assumptions: "elements are assumed to be f16"
  std::vector<Question> questions;    // not empty: the statements are incomplete
};

struct Dialect {
  std::string_view name;  // "CuTe C++"
  // How sure it is that the text is of this dialect: 0 no, 1 perhaps (every line would also fit others), 2 it has a
  // mark that only this dialect has. Cheap: one pass over at most the first 64 KiB.
  int (*recognizes)(std::string_view text);
  // A Diag, with a place and the one edit that helps, if the text is of the dialect but cannot be read.
  Result<Reading> (*read)(std::string_view text, const Given& given);
};

// What the worksheet reads by itself, unchanged; else the reading by the surest dialect that can read the text. A
// reading without questions comes before one with. Readings of equally sure dialects with different values are a Diag
// that names both. If none can read it: the Diag of the surest, with its name.
[[nodiscard]] Result<Reading> read(std::string_view text, const Given& given = {});
// The surest dialect's name; "" if none recognizes the text.
[[nodiscard]] std::string_view dialectOf(std::string_view text);

}  // namespace tessera::paste
