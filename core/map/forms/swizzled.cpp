#include "core/map/forms/swizzled.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>

#include "core/base/arith.h"
#include "core/map/forms/recognise.h"
#include "core/map/forms/table_form.h"

namespace tessera {
namespace {

struct Candidate {
  int bits = 0, base = 0, shift = 0;
  [[nodiscard]] u64 at(u64 x) const {
    const u64 run = (u64{1} << bits) - 1;
    return shift >= 0 ? x ^ (((x >> (base + shift)) & run) << base) : x ^ (((x >> base) & run) << (base - shift));
  }
};

// Every swizzle of words below 2^width, simplest first, until `accepts` returns true.
template <typename Accepts>
std::optional<Candidate> firstSwizzle(int width, Accepts accepts) {
  if (accepts(Candidate{})) return Candidate{};
  for (int bits = 1; 2 * bits <= width; ++bits)
    for (int base = 0; base + 2 * bits <= width; ++base)
      for (int shift = bits; base + shift + bits <= width; ++shift)
        for (const int sign : {1, -1})
          if (const Candidate c{bits, base, sign * shift}; accepts(c)) return c;
  return std::nullopt;
}

// Appends a leaf, or extends the last one where it continues the run.
void add(const SwizzleLeaf& leaf, std::vector<SwizzleLeaf>& leaves) {
  if (!leaves.empty() && checkedMul(leaves.back().extent, leaves.back().stride) == leaf.stride)
    leaves.back().extent *= leaf.extent;
  else
    leaves.push_back(leaf);
}

// The leaves of each digit if the expression under the swizzle is a sum of strides of digits or of their parts.
std::optional<Swizzled> plain(const Map& map) {
  Swizzled out;
  if (const auto form = asStrided(map)) {
    out.offset = form->offset;
    for (std::size_t k = 0; k < form->strides.size(); ++k)
      out.digits.push_back({{map.digits()[k].extent, map.digits()[k].extent == 1 ? 0 : form->strides[k]}});
    return out;
  }
  const auto parts = refined(map);
  if (!parts || !parts->even) return std::nullopt;
  const auto form = asStrided(parts->map);
  if (!form) return std::nullopt;
  out.offset = form->offset;
  for (const std::vector<int>& of : parts->partsOf) {
    out.digits.emplace_back();
    for (const int p : of) {
      const auto at = static_cast<std::size_t>(p);
      add({parts->map.digits()[at].extent, form->strides[at]}, out.digits.back());
    }
  }
  return out;
}

bool disjoint(const std::vector<u64>& columns, const Candidate& c) {
  u64 seen = 0;
  for (const u64 column : columns) {
    const u64 word = c.at(column);
    if ((seen & word) != 0) return false;
    seen |= word;
  }
  return true;
}

// One leaf per run of bits whose strides double, with the extent before rounding up. nullopt if the leaves do not
// divide the extent.
std::optional<std::vector<SwizzleLeaf>> leavesOf(const std::vector<i64>& strides, i64 extent) {
  std::vector<SwizzleLeaf> leaves;
  for (const i64 s : strides) add({2, s}, leaves);
  if (leaves.empty()) leaves.push_back({1, 0});
  i64 below = 1;
  for (std::size_t k = 0; k + 1 < leaves.size(); ++k) below *= leaves[k].extent;
  if (extent % below != 0) return std::nullopt;
  leaves.back().extent = extent / below;
  return leaves;
}

Diag unevenly(const Digit& d) {
  return Diag{fmt::format("{} is split unevenly: its extent {} is not a multiple of its parts", d.name, d.extent),
              "an extent that the parts divide"};
}

// A Diag for the first digit whose cuts do not divide its extent, if the parts are otherwise strided.
std::optional<Diag> unevenCut(const Map& map) {
  const auto parts = refined(map);
  if (!parts || parts->even || !asStrided(parts->map)) return std::nullopt;
  for (std::size_t k = 0; k < parts->partsOf.size(); ++k) {
    i64 count = 1;
    for (const int p : parts->partsOf[k]) count *= parts->map.digit(p).extent;
    if (count != map.digits()[k].extent) return unevenly(map.digits()[k]);
  }
  return std::nullopt;
}

// The map over the box rounded up to powers of two.
Result<Map> roundedUp(const Map& map) {
  std::vector<Digit> digits = map.digits();
  for (Digit& d : digits) {
    if (d.extent > (i64{1} << 62)) return Diag{"its box does not fit in 64 bits when rounded up"};
    d.extent = static_cast<i64>(std::bit_ceil(static_cast<u64>(d.extent)));
  }
  std::vector<Axis> axes = map.axes();
  axes[0].extent.reset();
  return Map::create(std::move(digits), std::move(axes));
}

// form: the bit matrix of box, which is the map rounded up.
Result<Swizzled> byBits(const Map& map, const Map& box, const F2Form& form) {
  const auto found = firstSwizzle(std::min(form.matrix.rows, 62), [&columns = form.matrix.columns](const Candidate& c) {
    return disjoint(columns, c);
  });
  if (!found)
    return Diag{
        "no swizzle Sw<B,M,S> leaves a sum of strides: two coordinate bits change one bit of the offset, or the "
        "changed bits of the offset are more than one run",
        "Sw<B,M,S> of a strided layout"};
  Swizzled out{found->bits, found->base, found->shift, static_cast<i64>(found->at(form.constant)), {}};
  std::size_t column = 0;
  for (std::size_t k = 0; k < map.digits().size(); ++k) {
    std::vector<i64> strides;
    for (i64 e = 1; e < box.digits()[k].extent; e *= 2) {
      // Undo the flip of the offset's bit by a column: stride = (offset xor column) - offset.
      const u64 flipped = static_cast<u64>(out.offset) ^ found->at(form.matrix.columns[column++]);
      strides.push_back(static_cast<i64>(flipped) - out.offset);
    }
    auto leaves = leavesOf(strides, map.digits()[k].extent);
    if (!leaves) return unevenly(map.digits()[k]);
    out.digits.push_back(*std::move(leaves));
  }
  return out;
}

// post(sum): post as one swizzle on the words that the sum can take.
Result<Swizzled> byFormula(const Map& map) {
  const Diag refusal{
      "the sum of its digits carries into bits that are xored, and the result is not a swizzle of one sum",
      "x xor ((x floordiv 2^a) mod 2^b) * 2^c of a sum of strides"};
  const auto outer = outerOf(map, 0);
  if (!outer) return refusal;
  const int width = static_cast<int>(std::bit_width(static_cast<u64>(outer->top)));
  TESSERA_TRY(const F2Form form, asF2(outer->post, width));
  const auto same = [&](const Candidate& c) {
    for (int k = 0; k < width; ++k)
      if (form.matrix.columns[static_cast<std::size_t>(k)] != c.at(u64{1} << k)) return false;
    return form.constant == 0;
  };
  const auto found = firstSwizzle(std::min(std::max(form.matrix.rows, width), 62), same);
  std::vector<Axis> axes = map.axes();
  axes[0].value = outer->inner;
  axes[0].extent.reset();
  TESSERA_TRY(const Map under, Map::create(map.digits(), std::move(axes)));
  auto out = plain(under);
  if (!found || !out) return refusal;
  out->bits = found->bits;
  out->base = found->base;
  out->shift = found->shift;
  return *std::move(out);
}

// For any formula: decided from its table.
std::optional<Swizzled> byTable(const Map& map) {
  const auto table = valueTable(map);
  if (!table) return std::nullopt;
  TableForms found = formsOfTable(*table);
  if (found.forms.empty()) return std::nullopt;
  return std::move(found.forms.front());
}

Result<Swizzled> byForm(const Map& map) {
  if (auto uneven = unevenCut(map)) return *std::move(uneven);
  const auto box = roundedUp(map);
  const auto form = box ? asF2(*box) : Result<F2Form>(box.error());
  if (!form) return byFormula(map);
  auto bits = byBits(map, *box, *form);
  if (bits.ok()) return bits;
  auto formula = byFormula(map);  // leaves of any extents; if it fails, the matrix gives the reason
  return formula.ok() ? formula : bits;
}

}  // namespace

Result<Swizzled> asSwizzled(const Map& map) {
  if (map.axes().size() != 1)
    return Diag{fmt::format("it has {} axes, but a layout gives one number", map.axes().size()), "one axis"};
  if (!map.params().empty()) return Diag{"a layout needs concrete sizes, not symbolic ones", "concrete sizes"};
  if (auto out = plain(map)) return *std::move(out);
  Result<Swizzled> form = byForm(map);
  if (form) return form;
  if (auto table = byTable(map)) return *std::move(table);
  return form;
}

}  // namespace tessera
