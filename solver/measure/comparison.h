// ComparisonTable: what a run found, as a value: this kernel, its variants, the library, unfused steps and the roofline, a row each.
//
//     head    gemm on NVIDIA H100, driver 12.4, 2026-11-22, seed 1, M = 8
//     rows    kernel    gemm              right   41.2 us  29 % of the roofline   96 registers, 0 spilled, 32 of 64 warps
//             variant   without swizzle   right   77.0 us  16 %
//             library   cuBLASLt          right   38.9 us  31 %
//             roofline  memory                    12.0 us
//
// Without a device `device` is empty, `noDevice` says why, and no row has a time: what rows have then is the emulator's answer and
// its counts (wavefronts, sectors), and what the compiler says of the code (registers, shared memory, occupancy).
//
// columns(row, f) and headColumns(table, f) name every member once: printers and readers are made of them.
//
// Laws: readComparisonCsv(csvOf(t)) == t where t has a row and finite numbers; likewise JSON (app/engine/comparison_json.h). Numbers
// are printed so that they come back. Nothing here measures or knows the date.
//
// It is not measure::Comparison: that is one output beside its reference (compare.h).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/types.h"
#include "solver/measure/statistics.h"

namespace tessera::measure {

enum class RowKind : unsigned char { Kernel, Variant, Library, Unfused, Roofline };
[[nodiscard]] std::string_view name(RowKind kind);  // "kernel"
enum class Answer : unsigned char { NotCompared, Right, Wrong };
[[nodiscard]] std::string_view name(Answer answer);  // "right", "wrong", "not compared"

struct ComparisonRow {
  RowKind kind = RowKind::Kernel;
  std::string name;      // "gemm", "without swizzle", "cuBLASLt"
  std::string settings;  // "tile=128x64 stages=3"; may be empty
  Answer answer = Answer::NotCompared;
  std::string why;                      // it is wrong, not compared, or was not run at all
  std::optional<double> relativeError;  // the largest one of its outputs
  std::string worst;                    // "%C[3,5]: 1.25 instead of 1.2502"
  Spread time;                          // microseconds; count 0: not timed
  double roofline = 0;                  // share of the best possible time, 0 to 1; 0: not known
  double bytes = 0, operations = 0;     // that the specification costs at least
  std::optional<i64> kernels;           // that are launched one after the other
  // Of its kernels together: the most registers and shared bytes, all spills, the fewest resident warps of a multiprocessor.
  std::optional<i64> registers, spilledBytes, sharedBytes, residentWarps, mostWarps;
  // The emulator's counts.
  std::optional<i64> instructions, wavefronts, idealWavefronts, sectors, idealSectors;
};

struct ComparisonTable {
  std::string program;         // what was run, as a name
  std::string device, driver;  // "NVIDIA H100", "12.4"; empty: no device
  std::string noDevice;        // why not
  std::string architecture;    // that the code is compiled for: "sm_90"
  std::string compiler;        // "NVRTC 13.0"; empty: none
  std::string date;            // the caller's: "2026-11-22T10:00:00Z"
  u64 seed = 1;                // of the inputs
  std::map<std::string, i64> sizes;
  std::vector<ComparisonRow> rows;
};
[[nodiscard]] bool operator==(const ComparisonRow& a, const ComparisonRow& b);
[[nodiscard]] bool operator==(const ComparisonTable& a, const ComparisonTable& b);

// Calls f(name, member) for every column. A member is a RowKind, an Answer, a string, a double, an int, an i64, a u64, an optional of
// a number, or the sizes.
template <class Row, class F>
void columns(Row& row, F&& f) {
  f("kind", row.kind), f("name", row.name), f("settings", row.settings), f("answer", row.answer), f("why", row.why);
  f("relative_error", row.relativeError), f("worst", row.worst);
  f("median_us", row.time.median), f("lower_us", row.time.lower), f("upper_us", row.time.upper);
  f("least_us", row.time.least), f("most_us", row.time.most), f("runs", row.time.count);
  f("roofline", row.roofline), f("bytes", row.bytes), f("operations", row.operations);
  f("kernels", row.kernels);
  f("registers", row.registers), f("spilled_bytes", row.spilledBytes), f("shared_bytes", row.sharedBytes);
  f("resident_warps", row.residentWarps), f("most_warps", row.mostWarps), f("instructions", row.instructions);
  f("wavefronts", row.wavefronts), f("ideal_wavefronts", row.idealWavefronts);
  f("sectors", row.sectors), f("ideal_sectors", row.idealSectors);
}
template <class Table, class F>
void headColumns(Table& table, F&& f) {
  f("program", table.program), f("device", table.device), f("driver", table.driver), f("no_device", table.noDevice);
  f("architecture", table.architecture), f("compiler", table.compiler), f("date", table.date), f("seed", table.seed);
  f("sizes", table.sizes);
}

// "41.2 us" of "41.2 us", "1.35 ms"; of a row that has none "".
[[nodiscard]] std::string timeOf(const ComparisonRow& row);
// "NVIDIA H100, driver 12.4, 2026-11-22", "the emulator, 2026-11-22".
[[nodiscard]] std::string whereOf(const ComparisonTable& table);

// Lines: the head, then the rows as aligned columns; columns that no row has are left away.
[[nodiscard]] std::string textOf(const ComparisonTable& table);
// The same columns as cells: what pictures show.
struct ComparisonCells {
  std::vector<std::string> heads;
  std::vector<bool> numbers;                    // the column stands to the right
  std::vector<std::vector<std::string>> lines;  // one a row
};
[[nodiscard]] ComparisonCells cellsOf(const ComparisonTable& table);
// RFC 4180: a line of names, then a line a row, which repeats the head.
[[nodiscard]] std::string csvOf(const ComparisonTable& table);
// Columns may stand in any order; unknown ones are passed over. A Diag: no such table, with the line.
[[nodiscard]] Result<ComparisonTable> readComparisonCsv(std::string_view text);

}  // namespace tessera::measure
