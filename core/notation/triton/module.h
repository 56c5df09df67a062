// Module: the outline of a text of Triton's MLIR: its layout aliases, its operations, and the types of their values.
//
//     #blocked = #ttg.blocked<{...}>                               alias      #blocked
//     tt.func @f(%p: tensor<64x!tt.ptr<f32>, #blocked>) {          value      %p
//       %0 = tt.load %p : tensor<64x!tt.ptr<f32>, #blocked>        operation  tt.load %p;  value %0: tensor<64xf32, ..>
//       %1 = ttg.convert_layout %0 : tensor<64xf32, #blocked> -> tensor<64xf32, #mma>
//
// The text may be a whole file, several modules, or a few lines of one; comments and loc(..) are skipped. The types of
// results follow the operation's printed form: after `->`, after `to`, after iter_args, the element of a loaded
// pointer, i1 of a comparison. An operation that is not known takes its last types.
//
// Law: every span is a range of the text; names, types and texts are pieces of it, but for a type that the text only
// implies (a load, an elided !ttg.memdesc). Never fails: what is not understood is no operation.
// It is not a parser of MLIR: it does not check that a value is defined before it is used.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"

namespace tessera::triton {

struct ModuleAlias {
  std::string name;  // "#blocked"
  std::string text;  // "#ttg.blocked<{..}>"
  Span span;
};
struct ModuleValue {
  std::string name;  // "%acc", "%acc#1"
  std::string type;  // "tensor<64xf32, #blocked>"
  Span span;         // of the name
};
struct ModuleOperation {
  std::string name;  // "ttg.convert_layout"
  std::vector<std::string> operands;
  std::vector<std::string> operandTypes;
  std::vector<std::string> targetTypes;  // after `->`, also where nothing has that type: the buffer of a store
  std::vector<ModuleValue> results;
  std::string function;  // "@matmul", or empty
  Span span;             // of the statement
};
struct Module {
  std::vector<ModuleAlias> aliases;
  std::vector<ModuleValue> values;  // in order: arguments, results, iteration variables
  std::vector<ModuleOperation> operations;
};

[[nodiscard]] Module outlineOf(std::string_view text);

// The aliases that a type or attribute names: "#blocked" in tensor<64xf32, #ttg.slice<{dim = 1, parent = #blocked}>>.
[[nodiscard]] std::vector<std::string> aliasesIn(std::string_view text);

}  // namespace tessera::triton
