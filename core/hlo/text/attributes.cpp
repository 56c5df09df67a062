#include "core/hlo/text/attributes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "core/base/arith.h"
#include "core/base/chars.h"
#include "core/base/words.h"
#include "core/hlo/text/scan.h"

namespace tessera::hlo {
namespace {

Diag wrong(std::string_view value, std::string expected) {
  return Diag{fmt::format("`{}` cannot be read", value.substr(0, 60)), std::move(expected)};
}

// "2x3", "1_1x0_2": one piece per dimension; none for an empty text.
std::vector<std::string_view> byDimension(std::string_view s) {
  return stripped(s).empty() ? std::vector<std::string_view>{} : split(s, 'x');
}

// "0_1" and "0_1_2": the third number may be left out. nullopt: anything else.
std::optional<std::array<i64, 3>> twoOrThree(std::string_view text, char between, i64 third) {
  const std::vector<std::string_view> parts = split(text, between);
  if (parts.size() < 2 || parts.size() > 3) return std::nullopt;
  std::array<i64, 3> n = {0, 0, third};
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const auto number = wholeNumber(parts[k]);
    if (!number) return std::nullopt;
    n[k] = *number;
  }
  return n;
}

// One number per dimension: "2x3".
Result<Ints> windowNumbers(std::string_view value, std::string_view name, std::size_t rank, i64 otherwise) {
  const auto text = field(value, name);
  if (!text) return Ints(rank, otherwise);
  Ints result;
  for (const std::string_view part : byDimension(*text))
    if (const auto n = wholeNumber(part)) result.push_back(*n);
  if (result.size() != rank) return wrong(*text, fmt::format("{} numbers joined by x for {}", rank, name));
  return result;
}

// b01f: the positions of `one` and `two`, and of the spatial dimensions by their digits. false: malformed.
bool labels(std::string_view text, char one, char two, i64& first, i64& second, Ints& spatial) {
  first = second = -1;
  spatial.assign(text.size() < 2 ? 0 : text.size() - 2, -1);
  for (std::size_t k = 0; k < text.size(); ++k) {
    const char c = text[k];
    const auto at = static_cast<i64>(k);
    const auto d = static_cast<std::size_t>(c - '0');
    if (c == one && first < 0) {
      first = at;
    } else if (c == two && second < 0) {
      second = at;
    } else if (isDigit(c) && d < spatial.size() && spatial[d] < 0) {
      spatial[d] = at;
    } else {
      return false;
    }
  }
  return first >= 0 && second >= 0 && std::ranges::count(spatial, -1) == 0;
}

}  // namespace

std::vector<std::string_view> split(std::string_view s, char at) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = s.find(at);
    parts.push_back(stripped(s.substr(0, end)));
    if (end == std::string_view::npos) return parts;
    s = s.substr(end + 1);
  }
}

std::optional<i64> wholeNumber(std::string_view text) { return tessera::wholeNumber(stripped(text)); }

Result<Ints> numbers(std::string_view value) {
  std::string_view inside = stripped(value);
  if (inside.size() >= 2 && inside.front() == '{' && inside.back() == '}')
    inside = stripped(inside.substr(1, inside.size() - 2));
  Ints result;
  if (inside.empty()) return result;
  for (const std::string_view part : split(inside, ',')) {
    const auto n = wholeNumber(part);
    if (!n) return wrong(value, "whole numbers in braces: {1,0}");
    result.push_back(*n);
  }
  return result;
}

std::optional<std::string_view> field(std::string_view value, std::string_view name) {
  if (value.size() < 2 || value.front() != '{') return std::nullopt;
  Scan in(value, 1);
  while (!in.done()) {
    (void)in.accept(',');
    const std::string_view found = in.name();
    if (found.empty() || !in.accept('=')) return std::nullopt;
    const std::string_view text = in.value();
    if (found == name) return text;
  }
  return std::nullopt;
}

Result<std::vector<SliceRange>> slices(std::string_view value) {
  const std::string expected = "{[start:limit], [start:limit:stride]}";
  std::vector<SliceRange> result;
  Scan in(value);
  if (!in.accept('{')) return wrong(value, expected);
  for (in.blanks(); !in.accept('}'); in.blanks()) {
    const std::string_view one = in.balanced();
    if (one.size() < 2 || one.front() != '[') return wrong(value, expected);
    const auto n = twoOrThree(one.substr(1, one.size() - 2), ':', 1);
    if (!n) return wrong(value, expected);
    result.push_back({(*n)[0], (*n)[1], (*n)[2]});
    (void)in.accept(',');
  }
  return result;
}

Result<std::vector<Padding>> paddings(std::string_view value) {
  std::vector<Padding> result;
  for (const std::string_view dimension : byDimension(value)) {
    const auto n = twoOrThree(dimension, '_', 0);
    if (!n) return wrong(value, "low_high or low_high_interior for each dimension, joined by x: 0_0x1_1_2");
    result.push_back({(*n)[0], (*n)[1], (*n)[2]});
  }
  return result;
}

Result<std::vector<WindowDim>> windowOf(std::string_view value) {
  const auto size = field(value, "size");
  std::vector<WindowDim> result(size ? byDimension(*size).size() : 0);
  static constexpr std::pair<std::string_view, i64 WindowDim::*> kNumbers[] = {{"size", &WindowDim::size},
                                                                               {"stride", &WindowDim::stride},
                                                                               {"lhs_dilate", &WindowDim::baseDilation},
                                                                               {"rhs_dilate", &WindowDim::dilation}};
  for (const auto& [name, member] : kNumbers) {
    TESSERA_TRY(const Ints n, windowNumbers(value, name, result.size(), 1));
    for (std::size_t k = 0; k < result.size(); ++k) result[k].*member = n[k];
  }
  TESSERA_TRY(const Ints reversed, windowNumbers(value, "rhs_reversal", result.size(), 0));
  for (std::size_t k = 0; k < result.size(); ++k) result[k].reversed = reversed[k] != 0;
  if (const auto pad = field(value, "pad")) {
    TESSERA_TRY(const std::vector<Padding> read, paddings(*pad));
    if (read.size() != result.size())
      return wrong(*pad, fmt::format("{} times low_high joined by x for pad", result.size()));
    for (std::size_t k = 0; k < result.size(); ++k) {
      result[k].low = read[k].low;
      result[k].high = read[k].high;
    }
  }
  for (const WindowDim& w : result)
    if (w.size < 1 || w.stride < 1 || w.baseDilation < 1 || w.dilation < 1)
      return wrong(value, "sizes, strides and dilations of at least 1");
  return result;
}

std::optional<i64> windowedSize(const WindowDim& w, i64 size) {
  const auto spread = size == 0 ? std::optional<i64>(-1) : checkedMul(size - 1, w.baseDilation);
  const auto reach = checkedMul(w.size - 1, w.dilation);
  const auto low = spread ? checkedAdd(*spread, w.low) : std::nullopt;
  const auto padded = low ? checkedAdd(*low, w.high) : std::nullopt;
  const auto free = padded && reach ? checkedAdd(*padded, -*reach) : std::nullopt;
  if (!free || *free > (i64{1} << 62) || w.low < -(i64{1} << 62)) return std::nullopt;
  return *free < 0 ? 0 : *free / w.stride + 1;
}

Result<DimLabels> dimLabelsOf(std::string_view value) {
  DimLabels d;
  const std::size_t bar = value.find('_'), arrow = value.find("->");
  if (bar == std::string_view::npos || arrow == std::string_view::npos || bar > arrow ||
      !labels(value.substr(0, bar), 'b', 'f', d.batch, d.feature, d.spatial) ||
      !labels(value.substr(bar + 1, arrow - bar - 1), 'i', 'o', d.kernelInput, d.kernelOutput, d.kernelSpatial) ||
      !labels(value.substr(arrow + 2), 'b', 'f', d.outputBatch, d.outputFeature, d.outputSpatial) ||
      d.spatial.size() != d.kernelSpatial.size() || d.spatial.size() != d.outputSpatial.size())
    return wrong(value, "input_kernel->output: b01f_01io->b01f");
  return d;
}

}  // namespace tessera::hlo
