// Attributes: parsers for the values of an instruction's attributes, which are stored as text and parsed on demand.
//
//     dimensions={1,0}                                   numbers                 1 0
//     slice={[0:4:2], [1:3]}                             slices                  {0,4,2} {1,3,1}
//     padding=0_0_0x1_1                                  paddings                {0,0,0} {1,1,0}
//     window={size=3x3 stride=2x2 pad=0_1x0_1}           windowOf                one per dimension
//     dim_labels=b01f_01io->b01f                         dimLabelsOf             batch 0, feature 3, spatial 1 2 ...
//     metadata={op_name="a b" source_line=3}             field(.., "op_name")    "a b" with its quotes
//
// Law: a malformed value gives a Diag, or nullopt if the return type is optional.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/types.h"

namespace tessera::hlo {

using Ints = std::vector<i64>;

// The parts between the separators, without blanks around them; one empty part for an empty text.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);
[[nodiscard]] std::optional<i64> wholeNumber(std::string_view text);
// {1,0}, {}, or one number.
[[nodiscard]] Result<Ints> numbers(std::string_view value);
// The text after NAME= in {NAME=.. NAME=..}, quotes included.
[[nodiscard]] std::optional<std::string_view> field(std::string_view value, std::string_view name);

struct SliceRange {
  i64 start = 0, limit = 0, stride = 1;
};
[[nodiscard]] Result<std::vector<SliceRange>> slices(std::string_view value);

struct Padding {
  i64 low = 0, high = 0, interior = 0;  // low and high may be negative
};
[[nodiscard]] Result<std::vector<Padding>> paddings(std::string_view value);

struct WindowDim {
  i64 size = 1, stride = 1, low = 0, high = 0, baseDilation = 1, dilation = 1;
  bool reversed = false;
};
[[nodiscard]] Result<std::vector<WindowDim>> windowOf(std::string_view value);

// The number of window positions along a dimension of that size. nullopt: it does not fit in 64 bits.
[[nodiscard]] std::optional<i64> windowedSize(const WindowDim& window, i64 size);

// The dimension numbers of a convolution's input, kernel and output.
struct DimLabels {
  i64 batch = 0, feature = 0, kernelInput = 0, kernelOutput = 0, outputBatch = 0, outputFeature = 0;
  Ints spatial, kernelSpatial, outputSpatial;
};
[[nodiscard]] Result<DimLabels> dimLabelsOf(std::string_view value);

}  // namespace tessera::hlo
