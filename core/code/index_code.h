// IndexCode: a piece of C++, CUDA, HIP or Python that computes indices, as layouts: one per named value and per access.
//
//     cuda {
//       int row = tid / 8;                           row    tid in [0, 127]  ->  tid floordiv 8
//       As[row][tid % 8] = A[row * N + tid % 8];     A      tid -> (tid floordiv 8) * N + tid mod 8, a load
//     } over (tid = 128) with N = 512                As     the store, the last one: the value of the block
//
// `over` names the coordinates in their order (a name is any text of the code: threadIdx.x, coord.contiguous()).
// Without names the extents belong to the parameters of the function, or to the free names in the order of their first
// appearance. `with` gives constants, types (T = half) and extents of arrays (As = (128, 8)). The last value is that of
// the text: what its last function returns, else the last access or assignment. C.row selects another one.
//
// Law: at each coordinate the value is that of the code, compiled by C++ or run by Python. Where a statement is not
// executed (if), its values have no image. A value that overflows a signed type, or that depends on data, is refused.
// It is not a program: what it stores, and floating-point values, have no meaning here.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/cursor.h"
#include "core/base/memory_cost.h"
#include "core/base/result.h"
#include "core/code/run/memory.h"
#include "core/code/run/names.h"
#include "core/code/run/value.h"
#include "core/code/run_trace.h"
#include "core/code/tree.h"
#include "core/layout/layout.h"
#include "core/map/map.h"

namespace tessera::code {

struct IndexValue {
  enum class Kind : unsigned char { Value, Access, Array };
  std::string name;  // of the variable, function or array
  Kind kind = Kind::Value;
  Map map;
  std::optional<Diag> fault;  // it is no index; the map is empty
  std::size_t line = 1;       // in the text, from 1
  Span span;
  // Of an access and an array:
  Direction direction = Direction::Load;
  std::string element;      // "half"; "" if not declared
  int elementBits = 0;      // 0: not declared
  i64 vector = 1;           // elements that the access moves
  bool isRegister = false;  // of a local array
  bool isShared = false;
  std::vector<i64> extents;  // Array
  // Of an access of a kernel.
  struct OfKernel {
    std::string partial;   // the map has a part of its executions only: "256 of 400 executions were recorded"
    std::string variable;  // of shared memory that it lies in; empty: unknown
    i64 variableAt = 0;    // the byte where that begins
  };
  OfKernel kernel = {};
};

// What the run of a compiled kernel found, if the values are its accesses.
struct RunFacts {
  struct Finding {
    std::size_t line = 1, other = 0;  // of the text; 0: none
    std::string message;
  };
  std::string verdict;            // "race: ...": a note of the statement
  std::optional<bool> raceFree;   // nullopt: not decided
  std::vector<MemoryCost> costs;  // one per value
  std::vector<Finding> findings;
  // Whether the kernel leaves the values of its reference; proved when it is asked for, and kept. Null: it has none.
  struct Computes {
    std::optional<bool> holds;  // nullopt: not decided
    std::string why;
  };
  std::function<Computes()> computes = {};
  // The steps of a block, below 0: of the block of the first finding. Recorded when first asked for, and kept.
  std::function<Result<std::shared_ptr<const RunTrace>>(i64 block)> trace = {};
};

struct IndexCode {
  std::string word = "cuda";  // "c", "cpp", "cuda", "hip", "python"; "kernel": accesses of a run, without such a text
  std::string text;           // between the braces; of a kernel: its source
  Given given;
  std::shared_ptr<const std::vector<IndexValue>> values;
  std::size_t selected = 0;                  // in values
  std::shared_ptr<const RunFacts> run = {};  // of a kernel
  std::string variable = {};                 // of shared memory, that the selection names

  [[nodiscard]] const IndexValue& value() const { return (*values)[selected]; }
  bool operator==(const IndexCode& other) const;
};

[[nodiscard]] std::optional<Language> languageOf(std::string_view word);

// All values of the text. A Diag's span is in the text.
[[nodiscard]] Result<IndexCode> indexCode(std::string_view word, std::string_view text, Given given);
// The same with another value selected: "row", "As", or "As.0" for the first of several of that name; "line 7": the
// last access to shared memory at that line, else the last access, else the last value there; "shared s": the accesses
// of a kernel to the variable s of shared memory, as offsets from its beginning.
[[nodiscard]] Result<IndexCode> selected(const IndexCode& code, std::string_view name);

// What the text needs and does not define, in the order of coordinates; for questions.
struct Survey {
  std::vector<Missing> missing;
  std::optional<Diag> fault;  // reading it ended here
};
[[nodiscard]] Survey survey(Language language, std::string_view text, const Given& given);
// Coordinates whose extent the text or the given sizes fix: threadIdx.x with blockDim, laneid.
[[nodiscard]] std::optional<i64> knownExtent(const std::string& name, const Given& given);

// Its map, simplified; a Diag if the value is none.
[[nodiscard]] Result<Map> toMap(const IndexCode& code);
// The map of its value. Reads back as that map.
[[nodiscard]] std::string print(const IndexCode& code);

// The position past the `}` of the block of code whose `{` is text[brace]; nullopt: it is no block of code; npos: it is
// never closed. Strings and comments of the language may hold braces.
[[nodiscard]] std::optional<std::size_t> codeBlockEnd(std::string_view text, std::size_t brace);
// WORD [NAME] { ... } [over (...)] [with ...] at the cursor (core/base/cursor.h).
[[nodiscard]] Result<std::optional<IndexCode>> parsePrefix(Cursor& in);
// The name of a block `cuda NAME {` at the beginning of a statement; "" if it has none.
[[nodiscard]] std::string_view codeBlockName(std::string_view statement);

}  // namespace tessera::code

namespace tessera {

template <>
struct NotationOf<code::IndexCode> {
  static std::string_view kind(const code::IndexCode&) { return "code"; }
  static std::string_view noun(const code::IndexCode&) { return "index code"; }
  static Result<Arrow> arrow(const code::IndexCode& code);
  static constexpr std::string_view kFamily = "map";
};

}  // namespace tessera
