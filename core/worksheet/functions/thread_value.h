// A worksheet value as an access of threads: an index formula, a layout, or an access of a block of index code.
//
//     S(t, i) = t * 32 + i over (32, 4), with f32         one element of 32 bits at a time
//     S, with float4                                      four of them
//     C.As of C = cuda { float4 ... } over (...)          as the code declares it
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/access/thread_access.h"
#include "core/code/index_code.h"
#include "core/worksheet/value.h"

namespace tessera {

struct ElementsOfLane {
  int bits = 32;  // of one element
  i64 count = 1;  // in one instruction of a lane
};
// "f32", "half", "float4"; nullopt: no element type.
[[nodiscard]] std::optional<ElementsOfLane> elementsIn(std::string_view word);

// `elements`: given by the user; nullopt: those that the code declares. A Diag: neither.
[[nodiscard]] Result<ThreadAccess> threadAccessIn(const Value& value, std::string name,
                                                  const std::optional<ElementsOfLane>& elements);

// The accesses of a block of code to memory that threads share, in the order of the text.
struct CodeAccess {
  std::string name;   // "tile.1" selects it; "tile" is the last one
  std::string array;  // "tile"
  ThreadAccess access;
  std::optional<Diag> fault;  // why there is none: the type of its elements is not known
  bool store = false;
  bool isShared = false;
  std::string variable = {};  // of shared memory; empty: not known
  std::size_t line = 1;
  i64 phase = 0;  // barriers before it in the text
};
// A Diag: the block has none.
[[nodiscard]] Result<std::vector<CodeAccess>> accessesIn(const code::IndexCode& code,
                                                         const std::optional<ElementsOfLane>& elements);

// The instruction of one warp with the most excess wavefronts, else the first, of an access of a block of code or of a
// kernel; nullopt: the value is none. `note`: which instruction.
struct ShownAccess {
  BankAccess access;
  std::string note;
};
[[nodiscard]] Result<std::optional<ShownAccess>> worstAccessOf(const Value& value);

// accesses(S, f32), accesses(C): one line for each access with its lanes, width, wavefronts and sectors.
[[nodiscard]] Result<std::string> accessesText(const Value& value, const std::optional<ElementsOfLane>& elements);

}  // namespace tessera
