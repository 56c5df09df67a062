// Predictions: what the bank model says of every access to shared memory, beside what a device measured and a profiler counted.
//
//     line 14  ldmatrix.x4  %s  [16,64:64,1]   64 times   predicted 32 (ideal 4)   measured 41.2 cycles = 31.8   agrees
//     line 17  st.shared.v4 %s  [16,64:64,1]    8 times   predicted 4 (ideal 4)    not measured: no device
//
// A row is one access of one instruction with one number of wavefronts: an instruction whose conflicts depend on the loop has a row
// for each number that occurs. Predictions are core/analysis/banks.h; measurements solver/measure/micro.h, which says what cycles
// mean; counters solver/measure/nsight.h.
//
// Law: a row agrees when its measured wavefronts are within kSlack of the predicted number, or of the best case of merged phases
// (banks.h); it disagrees when they are not; without a measurement it says why there is none. Nothing is filled in.
//
// What it is not: a claim about speed. A kernel is as fast as its slowest part, and these are one.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/base/types.h"

namespace tessera {

enum class Agreement : unsigned char { Agrees, Disagrees, NotMeasured };
[[nodiscard]] std::string_view name(Agreement a);  // "agrees" "disagrees" "not measured"

struct PredictionRow {
  Span span;     // in the text
  int line = 0;  // 1-based; 0: there is no text
  std::string kernel, instruction, operand, layout;
  i64 times = 0;                      // executed by a warp
  int patterns = 1;                   // different ones, up to a shift by whole rows of banks
  int wavefronts = 0, ideal = 0;      // of one
  std::optional<int> merged;          // the best case of merged phases, where that is another number
  std::optional<double> cycles;       // of one, back to back; of the pattern that is farthest from its prediction
  std::optional<double> idealCycles;  // the same instruction without conflicts
  std::optional<double> latency;      // of one whose address the last one has read
  std::optional<double> measured;     // wavefronts that the cycles imply
  Agreement agreement = Agreement::NotMeasured;
  std::string why;  // not measured; or what disagrees
};

// The profiler's counters of one kernel, all launches together, beside what was predicted for as many.
struct ProfiledKernel {
  std::string kernel;
  int launches = 0;
  i64 wavefronts = 0, ideal = 0;                         // predicted, of one launch
  std::vector<std::pair<std::string, double>> counters;  // by name, of one launch: the mean
  Agreement agreement = Agreement::NotMeasured;
  std::string why;
};

struct PredictionTable {
  std::string title;
  std::string device;       // "NVIDIA H100 (sm_90, driver 12.4)"; empty: none
  std::string notMeasured;  // why not
  std::string date, remark;
  std::vector<PredictionRow> rows;
  std::vector<ProfiledKernel> profiled;
  [[nodiscard]] int count(Agreement a) const;  // of rows and profiled kernels
};

inline constexpr double kSlack = 0.5, kSlackShare = 0.1;
// Whether a measured number of wavefronts may be the predicted one.
[[nodiscard]] bool agree(double measured, double predicted);

// "6 accesses: 4 agree, 1 disagrees, 1 is not measured"
[[nodiscard]] std::string summaryOf(const PredictionTable& table);
// A heading and a line a row, in columns; no line break at the end.
[[nodiscard]] std::string textOf(const PredictionTable& table);
// RFC 4180, a head line; rows first, then a line for every counter.
[[nodiscard]] std::string csvOf(const PredictionTable& table);
// The rows' cells as textOf() and the picture show them, the head first.
[[nodiscard]] std::vector<std::vector<std::string>> cellsOf(const PredictionTable& table);

}  // namespace tessera
