// tile_distribution_encoding of ck_tile: which thread and which register hold which element of a tile.
//
//     tile_distribution_encoding<sequence<>,                              R: copies
//                                tuple<sequence<2, 32>, sequence<4, 8>>,  H: the digits of the tile's two dimensions
//                                tuple<sequence<1>, sequence<1, 2>>,      P: warp and lane; dimension 1.. (0: R) and
//                                tuple<sequence<0>, sequence<1, 0>>,         digit of each of their digits
//                                sequence<2>, sequence<1>>                Y: the same for the values of a thread
//
// Digits are major to minor. X = (thread, value) -> x0 + X0 * x1; thread = lane + lanes * warp.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/arith.h"
#include "core/base/chars.h"
#include "core/paste/vendor/composable.h"

namespace tessera::paste::vendor {
namespace {

using code::Tree;
using Ints = std::vector<i64>;

struct Encoding {
  Ints copies;
  std::vector<Ints> digits;
  std::vector<Ints> threadMajor, threadMinor;
  Ints valueMajor, valueMinor;
};

std::optional<std::vector<Ints>> lists(const Tree& tree, Source& source) {
  const auto children = source.list(tree);
  if (!children) {
    (void)source.integers(tree);  // asks
    return std::nullopt;
  }
  std::vector<Ints> out;
  for (const Tree* one : *children) {
    auto numbers = source.integers(*one, "a digit of a tile distribution");
    if (!numbers) return std::nullopt;
    out.push_back(*std::move(numbers));
  }
  return out;
}

// Extents and strides of the chosen digits, minor first.
struct Mode {
  Ints extents, strides;
};

struct Strides {
  const Encoding& encoding;
  Span span;
  // The extent and the stride of a digit; major 0 is a copy.
  [[nodiscard]] Result<std::pair<i64, i64>> of(i64 major, i64 minor) const {
    const Diag outside{fmt::format("the encoding has no digit {} of dimension {}", minor, major),
                       "0 for R, 1 for the first dimension of H", "", span};
    if (major < 0 || major > static_cast<i64>(encoding.digits.size()) || minor < 0) return outside;
    const Ints& digits = major == 0 ? encoding.copies : encoding.digits[static_cast<std::size_t>(major - 1)];
    if (minor >= static_cast<i64>(digits.size())) return outside;
    const auto at = static_cast<std::size_t>(minor);
    if (major == 0) return std::pair<i64, i64>(digits[at], 0);
    i64 stride = 1;
    for (std::size_t k = 0; k + 1 < static_cast<std::size_t>(major); ++k)
      for (const i64 digit : encoding.digits[k]) stride = checkedMul(stride, digit).value_or(INT64_MAX);
    for (std::size_t k = at + 1; k < digits.size(); ++k) stride = checkedMul(stride, digits[k]).value_or(INT64_MAX);
    return std::pair(digits[at], stride);
  }
  Result<void> add(const Ints& majors, const Ints& minors, Mode& out) const {
    if (majors.size() != minors.size())
      return Diag{"the encoding has lists of different lengths", "a minor for each major", "", span};
    for (std::size_t k = majors.size(); k-- > 0;) {
      TESSERA_TRY(const auto digit, of(majors[k], minors[k]));
      out.extents.push_back(digit.first);
      out.strides.push_back(digit.second);
    }
    return {};
  }
};

std::string modeText(const Ints& numbers, i64 ifNone) {
  if (numbers.empty()) return std::to_string(ifNone);
  if (numbers.size() == 1) return std::to_string(numbers[0]);
  return fmt::format("({})", fmt::join(numbers, ","));
}

}  // namespace

Result<bool> bindDistribution(std::string_view name, const Tree& encoding, Source& source) {
  const std::vector<Tree>& arguments = encoding.templateArguments;
  if (arguments.size() < 6)
    return Diag{"a tile_distribution_encoding has six arguments: R, H, P majors, P minors, Y majors, Y minors", "", "",
                encoding.span};
  Encoding e;
  const auto copies = source.integers(arguments[0]);
  auto digits = lists(arguments[1], source), major = lists(arguments[2], source), minor = lists(arguments[3], source);
  const auto valueMajor = source.integers(arguments[4]), valueMinor = source.integers(arguments[5]);
  if (!copies || !digits || !major || !minor || !valueMajor || !valueMinor) return false;
  e = {*copies, *digits, *major, *minor, *valueMajor, *valueMinor};
  if (e.threadMajor.size() != e.threadMinor.size())
    return Diag{"the encoding has different numbers of P majors and minors", "", "", encoding.span};
  const Strides strides{e, encoding.span};
  Mode threads, values;
  for (std::size_t p = e.threadMajor.size(); p-- > 0;)
    TESSERA_CHECKED(strides.add(e.threadMajor[p], e.threadMinor[p], threads));
  TESSERA_CHECKED(strides.add(e.valueMajor, e.valueMinor, values));
  source.out().note(
      "a tile distribution is (thread, value) -> index in the tile, its first dimension fastest; thread = lane + "
      "lanes * warp, and the last Y is the fastest value");
  source.out().bind(name,
                    fmt::format("({},{}):({},{})", modeText(threads.extents, 1), modeText(values.extents, 1),
                                modeText(threads.strides, 0), modeText(values.strides, 0)),
                    encoding.span);
  return true;
}

}  // namespace tessera::paste::vendor
