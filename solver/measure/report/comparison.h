// ComparisonTable: the results of a run as a value: one row each for the kernel, its variants, the library, unfused
// steps and the roofline.
//
//     head   gemm on NVIDIA H100, driver 12.4, 2026-11-22, seed 1, M = 8
//     rows   kernel    gemm              right   41.2 us  29 % of the roofline  96 registers, 0 spilled, 32 of 64 warps
//            variant   without swizzle   right   77.0 us  16 %
//            library   cuBLASLt          right   38.9 us  31 %
//            roofline  memory                    12.0 us
//
// Without a device `device` is empty, `noDevice` gives the reason, and no row has a time. Rows then hold the emulator's
// answer and counts (wavefronts, sectors) and the compiler's figures (registers, shared memory, occupancy).
//
// columns(row, f) and headColumns(table, f) enumerate every member once; all printers and readers are built on them.
//
// Law: every member of t is a field of csvOf(t), exactly enough to be read back, if its numbers are finite; likewise
// for JSON (app/engine/measure/comparison_json.h). Nothing here measures or reads the clock.
//
// Not to be confused with measure::Comparison, one output against its reference (compare.h).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/types.h"
#include "solver/measure/reference/statistics.h"

namespace tessera::measure {

enum class RowKind : unsigned char { Kernel, Variant, Library, Unfused, Roofline };
[[nodiscard]] std::string_view name(RowKind kind);  // "kernel"
enum class Answer : unsigned char { NotCompared, Right, Wrong };
[[nodiscard]] std::string_view name(Answer answer);  // "right", "wrong", "not compared"

struct ComparisonRow {
  RowKind kind = RowKind::Kernel;
  std::string name = {};      // "gemm", "without swizzle", "cuBLASLt"
  std::string settings = {};  // "tile=128x64 stages=3"; can be empty
  Answer answer = Answer::NotCompared;
  std::string why = {};       // why it is wrong, was not compared or did not run
  std::string compiled = {};  // the compiled PTX on the CPU: "clean, the emulator's results to the last bit"
  std::optional<double> relativeError = {};  // the largest of its outputs
  std::string worst = {};                    // "%C[3,5]: 1.25 instead of 1.2502"
  Spread time = {};                          // microseconds; count 0: not timed
  std::string timedBy = {};                  // "graph of 64 launches", "3 launches, 1 run late"
  std::string timingNote = {};               // why there was no busy kernel or no graph
  std::string inputs = {};                   // "17 sets of 256 B, L2 1 KiB: cold"
  std::optional<i64> launchesPerRun = {}, lateRuns = {}, sets = {}, setBytes = {};
  double roofline = 0;               // fraction of the best possible time, 0 to 1; 0: unknown
  double bytes = 0, operations = 0;  // lower bounds from the specification
  std::optional<i64> kernels = {};   // number of launches, in sequence
  // Over all its kernels: maximum registers and shared bytes, total spills, minimum resident warps per multiprocessor.
  std::optional<i64> registers = {}, spilledBytes = {}, sharedBytes = {}, residentWarps = {}, mostWarps = {};
  // The emulator's counts.
  std::optional<i64> instructions = {}, wavefronts = {}, idealWavefronts = {}, sectors = {}, idealSectors = {};
};

struct ComparisonTable {
  std::string program = {};              // name of the program
  std::string device = {}, driver = {};  // "NVIDIA H100", "12.4"; empty: no device
  std::string noDevice = {};             // why there is none
  std::string architecture = {};         // compilation target: "sm_90"
  std::string compiler = {};             // "NVRTC 13.0"; empty: none
  std::string date = {};                 // set by the caller: "2026-11-22T10:00:00Z"
  u64 seed = 1;                          // of the inputs
  std::map<std::string, i64> sizes = {};
  std::vector<ComparisonRow> rows = {};
  std::optional<i64> cacheBytes = {};  // of the L2
};

// Calls f(name, member) for every column. A member is a RowKind, an Answer, a string, a double, an int, an i64, a u64,
// an optional number, or the sizes.
template <class Row, class F>
void columns(Row& row, F&& f) {
  f("kind", row.kind), f("name", row.name), f("settings", row.settings), f("answer", row.answer), f("why", row.why);
  f("compiled", row.compiled);
  f("relative_error", row.relativeError), f("worst", row.worst);
  f("median_us", row.time.median), f("lower_us", row.time.lower), f("upper_us", row.time.upper);
  f("least_us", row.time.least), f("most_us", row.time.most), f("runs", row.time.count);
  f("roofline", row.roofline), f("bytes", row.bytes), f("operations", row.operations);
  f("kernels", row.kernels);
  f("registers", row.registers), f("spilled_bytes", row.spilledBytes), f("shared_bytes", row.sharedBytes);
  f("resident_warps", row.residentWarps), f("most_warps", row.mostWarps), f("instructions", row.instructions);
  f("wavefronts", row.wavefronts), f("ideal_wavefronts", row.idealWavefronts);
  f("sectors", row.sectors), f("ideal_sectors", row.idealSectors);
  f("timed_by", row.timedBy), f("timing_note", row.timingNote), f("inputs", row.inputs);
  f("launches_per_run", row.launchesPerRun), f("late_runs", row.lateRuns);
  f("input_sets", row.sets), f("input_set_bytes", row.setBytes);
}
template <class Table, class F>
void headColumns(Table& table, F&& f) {
  f("program", table.program), f("device", table.device), f("driver", table.driver), f("no_device", table.noDevice);
  f("architecture", table.architecture), f("compiler", table.compiler), f("date", table.date), f("seed", table.seed);
  f("sizes", table.sizes), f("l2_bytes", table.cacheBytes);
}

// "41.2 us", "1.35 ms"; "" if the row has no time.
[[nodiscard]] std::string timeOf(const ComparisonRow& row);
// "NVIDIA H100, driver 12.4, 2026-11-22", "the emulator, 2026-11-22".
[[nodiscard]] std::string whereOf(const ComparisonTable& table);

// The head, then the rows as aligned columns; columns that are empty in every row are omitted.
[[nodiscard]] std::string textOf(const ComparisonTable& table);
// The same columns as cells, for pictures.
struct ComparisonCells {
  std::vector<std::string> heads;
  std::vector<bool> numbers;                    // right-aligned
  std::vector<std::vector<std::string>> lines;  // one per row
};
[[nodiscard]] ComparisonCells cellsOf(const ComparisonTable& table);
// RFC 4180: a line of column names, then one line per row, each repeating the head.
[[nodiscard]] std::string csvOf(const ComparisonTable& table);

}  // namespace tessera::measure
