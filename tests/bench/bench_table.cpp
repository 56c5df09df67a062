// The layout of a table of 2^20 values: found under a swizzle, or its absence proved, with the closest one.
// BM_TableFloor is the baseline in the same run: one comparison of each value.
#include <benchmark/benchmark.h>

#include "core/map/forms/table_form.h"

namespace {

using namespace tessera;

template <typename Value>
Table tableOfValues(Value value) {
  Table table{{1024, 1024}, {}};
  for (i64 j = 0; j < 1024; ++j)
    for (i64 i = 0; i < 1024; ++i) table.values.push_back(value(i, j));
  return table;
}
i64 swizzledAt(i64 i, i64 j) { return (i * 1024 + j) ^ ((i & 7) << 3); }
i64 damagedAt(i64 i, i64 j) { return i * 1024 + j + (i == 1023 && j == 1023 ? 1 : 0); }

void BM_TableFloor(benchmark::State& state) {
  const Table table = tableOfValues(swizzledAt);
  for (auto _ : state) {
    i64 same = 0;
    for (i64 n = 0; n < 1 << 20; ++n)
      same += table.values[static_cast<std::size_t>(n)] == swizzledAt(n % 1024, n / 1024) ? 1 : 0;
    benchmark::DoNotOptimize(same);
  }
}
BENCHMARK(BM_TableFloor)->Unit(benchmark::kMillisecond);

void BM_TableSwizzled(benchmark::State& state) {
  const Table table = tableOfValues(swizzledAt);
  for (auto _ : state) {
    const TableForms found = formsOfTable(table);
    if (found.forms.empty()) state.SkipWithError("not found");
    benchmark::DoNotOptimize(found.swizzles);
  }
}
BENCHMARK(BM_TableSwizzled)->Unit(benchmark::kMillisecond);

void BM_TableNone(benchmark::State& state) {
  const Table table = tableOfValues(damagedAt);
  for (auto _ : state) {
    if (!formsOfTable(table).forms.empty()) state.SkipWithError("found");
    benchmark::DoNotOptimize(closestForm(table).differing);
  }
}
BENCHMARK(BM_TableNone)->Unit(benchmark::kMillisecond);

}  // namespace
