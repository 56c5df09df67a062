// Operations: the arithmetic of an instruction, counted once per result.
//
//     f32[8,16] dot of [8,32] and [32,16]              2 * 8 * 16 * 32 = 8,192 of a product
//     f32[64] reduce of f32[64,100] by add             6,400
//     fusion of both, then negate                      the sums over its computation
//
// A multiply-add is two; an elementwise operation, also an exponential, is one per element; moving, converting between
// layouts and comparing by position is none. A value that a loop fusion would compute again counts once.
//
// Law: additive over the instructions of a fusion. Unknown operations (custom calls without dimension numbers, sorts)
// count 0, and `why` names the first.
#pragma once

#include <string>

#include "core/hlo/text/module.h"

namespace tessera::hlo {

struct Operations {
  double products = 0;  // of dots and convolutions
  double others = 0;
  std::string type = {};  // element type of the products' inputs: "bf16"
  std::string why = {};   // what is not counted
};
[[nodiscard]] Operations operationsOf(const Module& module, Where where);

// The bytes of all arrays of a shape as stored, without padding of tiles.
[[nodiscard]] double bytesOf(const xla::Shape& shape);
// The bytes that an instruction writes: its outputs, without the workspace of a library call. An update in place writes
// the update.
[[nodiscard]] double bytesWritten(const Module& module, Where where);

}  // namespace tessera::hlo
