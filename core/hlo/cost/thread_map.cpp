#include "core/hlo/cost/thread_map.h"

#include <algorithm>
#include <optional>

#include "core/base/arith.h"
#include "core/base/mapped.h"
#include "core/hlo/ops/op.h"
#include "core/map/compose.h"

namespace tessera::hlo {
namespace {

constexpr i64 kTile = 32, kTransposeLeast = 16;

// The digits th, bl and v, and an array's coordinates computed from them.
class Threads {
 public:
  Threads(const xla::Shape& array, i64 threads, i64 blocks, i64 each) : array_(array), coordinates_(array.rank()) {
    digits_ = {{"th", threads, DigitKind::Index, 0},
               {"bl", std::max<i64>(1, blocks), DigitKind::Index, 0},
               {"v", std::max<i64>(1, each), DigitKind::Fan, 0}};
    if (blocks < 1 || each < 1) guards_.push_back({Expr::constant(1), 0, 0});
  }
  [[nodiscard]] static Expr thread() { return Expr::digit(0); }
  [[nodiscard]] static Expr block() { return Expr::digit(1); }
  [[nodiscard]] static Expr step() { return Expr::digit(2); }

  // Splits a number below the product of the dimensions' sizes over them, last fastest.
  void split(const Expr& value, const Ints& dimensions) {
    i64 stride = 1;
    for (std::size_t k = dimensions.size(); k-- > 0;) {
      const i64 size = array_.dims()[n(dimensions[k])].size;
      if (size == 0) return;
      const Expr high = floorDiv(value, stride);
      coordinates_[n(dimensions[k])] = k == 0 ? high : mod(high, size);
      stride *= size;
    }
  }
  // The same for a number that may be larger: a guard excludes those.
  void cover(const Expr& value, const Ints& dimensions) {
    split(value, dimensions);
    if (const i64 count = product(sizesOf(array_, dimensions)); count > 0) guards_.push_back({value, 0, count - 1});
  }

  Result<Map> build() {
    std::vector<Axis> axes;
    for (const auto& c : coordinates_) axes.push_back({"", c.value_or(Expr::constant(0)), std::nullopt});
    TESSERA_TRY(const Map map, Map::create(digits_, std::move(axes), std::move(guards_)));
    return withSimplerValues(map);
  }

 private:
  const xla::Shape& array_;
  std::vector<Digit> digits_;
  std::vector<std::optional<Expr>> coordinates_;
  std::vector<Guard> guards_;
};

// Dimensions in memory order as XLA's reductions group them: maximal runs that are reduced, or kept, together.
struct Runs {
  Ints major, reduced, minor;  // minor: the last run; reduced: the one before it if `minor` is kept
  bool row = false;            // the last run is reduced
  bool regular = false;        // at most three runs, alternating
};
Runs runsOf(const xla::Shape& in, const Ints& reduced) {
  std::vector<std::pair<bool, Ints>> runs;
  for (const i64 d : majorToMinor(in)) {
    const bool gone = std::ranges::count(reduced, d) > 0;
    const bool joins = !runs.empty() && (runs.back().first == gone || in.dims()[n(d)].size == 1);
    if (!joins) runs.emplace_back(gone, Ints{});
    runs.back().second.push_back(d);
  }
  Runs r;
  if (runs.empty()) return r;
  r.row = runs.back().first;
  r.regular = runs.size() <= 3;
  r.minor = runs.back().second;
  runs.pop_back();
  if (!r.row && !runs.empty()) {
    r.reduced = runs.back().second;
    runs.pop_back();
  }
  for (const auto& run : runs) r.major.insert(r.major.end(), run.second.begin(), run.second.end());
  return r;
}

// XLA's rule: a row at least a warp long or dividing a warp; a column that is long enough for its width.
bool worthAnEmitter(const xla::Shape& in, const Runs& r) {
  if (!r.regular) return false;
  const i64 minor = product(sizesOf(in, r.minor)), column = product(sizesOf(in, r.reduced));
  if (minor == 0 || column == 0) return false;
  if (r.row) return minor >= kWarp || kWarp % minor == 0;
  if (r.reduced.empty()) return false;
  return column >= kWarp && (column >= 2 * kWarp || minor >= kWarp) && (column >= 4 * kWarp || minor >= 8) &&
         (column >= 8 * kWarp || minor >= 3);
}

// One warp per row, lanes along it.
Result<Map> rowThreads(const xla::Shape& in, const Runs& r) {
  const i64 length = product(sizesOf(in, r.minor)), rows = product(sizesOf(in, r.major));
  if (length < kWarp) return threadsInOrder(in);  // several rows per warp
  constexpr i64 kRows = 4;
  Threads t(in, kRows * kWarp, ceilDiv(rows, kRows), ceilDiv(length, kWarp));
  const Expr row = t.block() * kRows + floorDiv(t.thread(), kWarp);
  const Expr along = t.step() * kWarp + mod(t.thread(), kWarp);
  t.cover(row, r.major);
  t.cover(along, r.minor);
  return t.build();
}

// Lanes along the kept dimension, 32 warps down the column.
Result<Map> columnThreads(const xla::Shape& in, const Runs& r) {
  const i64 width = product(sizesOf(in, r.minor)), height = product(sizesOf(in, r.reduced)),
            majors = product(sizesOf(in, r.major));
  if (width < kWarp) return threadsInOrder(in);
  const i64 across = ceilDiv(width, kTile);
  Threads t(in, kTile * kWarp, majors * across, ceilDiv(height, kTile));
  const Expr column = mod(t.block(), across) * kTile + mod(t.thread(), kWarp);
  const Expr down = t.step() * kTile + floorDiv(t.thread(), kWarp);
  t.split(floorDiv(t.block(), across), r.major);
  t.cover(column, r.minor);
  t.cover(down, r.reduced);
  return t.build();
}

// 32x32 tiles over the input's minor dimension and the output's; lanes along the input's.
Result<Map> tileThreads(const xla::Shape& in, i64 minor, i64 other) {
  Ints rest;
  for (const i64 d : majorToMinor(in))
    if (d != minor && d != other) rest.push_back(d);
  const i64 across = ceilDiv(in.dims()[n(minor)].size, kTile), down = ceilDiv(in.dims()[n(other)].size, kTile);
  constexpr i64 kRows = 4;
  Threads t(in, kRows * kWarp, product(sizesOf(in, rest)) * across * down, kTile / kRows);
  const Expr a = mod(t.block(), across) * kTile + mod(t.thread(), kWarp);
  const Expr b = mod(floorDiv(t.block(), across), down) * kTile + t.step() * kRows + floorDiv(t.thread(), kWarp);
  t.split(floorDiv(t.block(), across * down), rest);
  t.cover(a, {minor});
  t.cover(b, {other});
  return t.build();
}

}  // namespace

Result<Map> threadsInOrder(const xla::Shape& array, i64 threads, i64 each) {
  if (!array.isArray()) return Diag{"threads iterate over arrays", "an array"};
  const i64 elements = product(array.sizes());
  const auto block = checkedMul(threads, each);
  if (threads < 1 || each < 1 || threads > 1024 || !block)
    return Diag{fmt::format("a block of {} threads with {} elements each", threads, each),
                "1 to 1024 threads, 1 element or more"};
  Threads t(array, threads, ceilDiv(elements, *block), each);
  const Expr linear = (t.block() * threads + t.thread()) * each + t.step();
  t.cover(linear, majorToMinor(array));
  return t.build();
}

Result<std::optional<ThreadMap>> reductionThreads(const xla::Shape& in, const Ints& reduced) {
  const Runs runs = runsOf(in, reduced);
  if (!worthAnEmitter(in, runs)) return std::optional<ThreadMap>();
  TESSERA_TRY(Map threads, runs.row ? rowThreads(in, runs) : columnThreads(in, runs));
  return std::optional(ThreadMap{runs.row ? "a row reduction" : "a column reduction", std::move(threads)});
}

Result<std::optional<ThreadMap>> transposeThreads(const xla::Shape& in, const xla::Shape& out, const Ints& order) {
  if (in.rank() < 2 || order.size() != in.rank()) return std::optional<ThreadMap>();
  const i64 minor = in.layout().minorToMajor[0];
  const i64 other = order[n(out.layout().minorToMajor[0])];  // of the input
  if (minor == other || in.dims()[n(minor)].size < kTransposeLeast || in.dims()[n(other)].size < kTransposeLeast)
    return std::optional<ThreadMap>();
  TESSERA_TRY(Map threads, tileThreads(in, minor, other));
  return std::optional(ThreadMap{"a transposition by tiles of 32x32", std::move(threads)});
}

}  // namespace tessera::hlo
