// The conversions of a TTGIR module: each operation that moves a tensor between two register layouts, or between
// registers and shared memory, with what it costs and whether less would do.
//
//     %7 = ttg.convert_layout %6 : tensor<128x64xf16, #blocked> -> tensor<128x64xf16, #mma>
//         needs shared memory; 16384 bytes; write 128 wavefronts, ideal 128; read 128, ideal 128
//     %9 = ttg.convert_layout %8 : tensor<64xf32, #ttg.slice<..>> -> tensor<64xf32, #blocked1>
//         needs a shuffle: every element stays in its warp
//     %12 = ttg.local_load %11, a buffer that `ttg.local_alloc %10` filled
//         from %10 it needs nothing: each thread has its elements
//
// "needs" is proved from the bases of both layouts (movement.h). Operations: ttg.convert_layout, ttg.local_load,
// ttg.local_store, ttg.local_alloc with a source.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/conversion/movement.h"
#include "core/analysis/conversion/transfer.h"
#include "core/base/result.h"
#include "core/notation/triton/attr.h"

namespace tessera {

enum class ConversionKind : unsigned char { Convert, Load, Store, Allocate };

// The operation in the text.
struct ConversionSource {
  std::string operation;         // "ttg.convert_layout"
  std::string result, operand;   // "%7", "%6"; of a store: the buffer, the tensor
  std::string function;          // "@matmul"
  std::string fromText, toText;  // the types as written
  Span span;
};

struct Conversion {
  ConversionKind kind = ConversionKind::Convert;
  ConversionSource source;
  triton::Type from, to;
  std::optional<Movement> movement;  // of a conversion, and of a load whose buffer one tensor filled
  std::string filledBy;              // "%10": that tensor
  i64 bytes = 0;                     // of the tensor in shared memory; 0 if it does not go there
  std::optional<Transfer> write, read;
  std::string uncounted;  // why there are no wavefronts, if the machine is not modelled
  std::string why;        // a part that is not understood, and why
  // Equal for the same conversion in another module: kind, shape, element and layouts.
  [[nodiscard]] std::string key() const;
};

// In the order of the text. An operation whose types cannot be read has only its text and `why`.
[[nodiscard]] std::vector<Conversion> conversionsOf(std::string_view module);

// What is in one list and not in the other, as multisets of keys.
struct ConversionChanges {
  std::vector<Conversion> added, removed;
  std::size_t kept = 0;
};
[[nodiscard]] ConversionChanges changesOf(const std::vector<Conversion>& before, const std::vector<Conversion>& after);

}  // namespace tessera
