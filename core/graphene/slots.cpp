// The slots of a tensor: its elements, outermost level first, the last dimension fastest, in a dimension the first
// mode.
#include "core/base/arith.h"
#include "core/graphene/atoms/atom.h"
#include "core/graphene/atoms/atom_pattern.h"

namespace tessera::graphene {
namespace {

// Every slot's value, from a value for each place of each mode: `step(mode)` times the digit, added up.
template <typename Value, typename Add>
std::vector<Value> slotsOf(const Tensor& tensor, const Value& zero, const Add& add) {
  std::vector<Value> all{zero};
  for (const Level& level : tensor.levels) {
    for (const Dim& dim : level.dims) {
      std::vector<Value> along{zero};
      for (const Mode& mode : dim) {
        std::vector<Value> next;
        for (i64 digit = 0; digit < mode.size.value(); ++digit)
          for (const Value& fast : along) next.push_back(add(fast, mode, digit));
        along = std::move(next);
      }
      std::vector<Value> next;
      next.reserve(all.size() * along.size());
      for (const Value& slow : all)
        for (const Value& fast : along) next.push_back(slow + fast);
      all = std::move(next);
    }
  }
  return all;
}

struct Place {
  std::vector<i64> along;
  friend Place operator+(Place a, const Place& b) {
    for (std::size_t d = 0; d < a.along.size(); ++d) a.along[d] += b.along[d];
    return a;
  }
};

}  // namespace

std::vector<i64> slotAddresses(const Tensor& tensor) {
  return slotsOf<i64>(tensor, 0, [](i64 from, const Mode& mode, i64 digit) {
    return digit == 0 ? from : from + digit * mode.stride.value();
  });
}

std::vector<std::vector<i64>> slotCoordinates(const Tensor& tensor) {
  const std::vector<Place> places = slotsOf<Place>(
      tensor, Place{std::vector<i64>(tensor.extents.size(), 0)}, [](Place from, const Mode& mode, i64 digit) {
        if (digit != 0) from.along[static_cast<std::size_t>(mode.dim)] += digit * mode.step.value();
        return from;
      });
  std::vector<std::vector<i64>> out;
  out.reserve(places.size());
  for (const Place& p : places) out.push_back(p.along);
  return out;
}

std::optional<i64> slotCount(const Tensor& tensor) {
  i64 count = 1;
  for (const Level& level : tensor.levels)
    for (const Dim& dim : level.dims)
      for (const Mode& mode : dim) {
        if (!mode.size.isConstant()) return std::nullopt;
        const auto next = checkedMul(count, mode.size.value());
        if (!next || *next < 1 || *next > (i64{1} << 31)) return std::nullopt;
        count = *next;
      }
  return count;
}

}  // namespace tessera::graphene
