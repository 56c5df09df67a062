// Predictions: the bank model's result for every access to shared memory, next to device measurements and profiler
// counters.
//
//     line 14  ldmatrix.x4  %s  [16,64:64,1]   64 times   predicted 32 (ideal 4)   measured 41.2 cycles = 31.8   agrees
//     line 17  st.shared.v4 %s  [16,64:64,1]    8 times   predicted 4 (ideal 4)    not measured: no device
//
// A row is one access of one instruction with one number of wavefronts: an instruction whose conflicts depend on the
// loop has one row per number that occurs. Predictions come from core/analysis/memory/banks.h, measurements from
// solver/measure/predict/micro.h (which defines the meaning of cycles), counters from solver/measure/predict/nsight.h.
//
// Law: a row agrees if its measured wavefronts are within kSlack of the prediction, or of the best case of merged
// phases (banks.h), and otherwise disagrees; without a measurement it gives the reason. Missing values are never
// estimated.
//
// Not a prediction of speed: a kernel is limited by its slowest part, which may not be these accesses.
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
  int line = 0;  // 1-based; 0: no text
  std::string kernel, instruction, operand, layout;
  i64 times = 0;                      // executions by a warp
  int patterns = 1;                   // different address patterns, up to a shift by whole rows of banks
  int wavefronts = 0, ideal = 0;      // of one
  std::optional<int> merged;          // the best case of merged phases, if different
  std::optional<double> cycles;       // per instruction, back to back; of the pattern farthest from its prediction
  std::optional<double> idealCycles;  // the same instruction without conflicts
  std::optional<double> latency;      // per instruction, each address depending on the previous result
  std::optional<double> measured;     // wavefronts implied by the cycles
  Agreement agreement = Agreement::NotMeasured;
  std::string why;  // why it was not measured, or what disagrees
};

// The profiler's counters of one kernel, summed over launches, next to the prediction for as many.
struct ProfiledKernel {
  std::string kernel;
  int launches = 0;
  i64 wavefronts = 0, ideal = 0;                         // predicted, per launch
  std::vector<std::pair<std::string, double>> counters;  // by name, mean per launch
  Agreement agreement = Agreement::NotMeasured;
  std::string why;
};

struct PredictionTable {
  std::string title;
  std::string device;       // "NVIDIA H100 (sm_90, driver 12.4)"; empty: none
  std::string notMeasured;  // why there is no measurement
  std::string date, remark;
  std::vector<PredictionRow> rows;
  std::vector<ProfiledKernel> profiled;
  [[nodiscard]] int count(Agreement a) const;  // of rows and profiled kernels
};

inline constexpr double kSlack = 0.5, kSlackShare = 0.1;
// Whether a measured number of wavefronts is consistent with the predicted one.
[[nodiscard]] bool agree(double measured, double predicted);

// "6 accesses: 4 agree, 1 disagrees, 1 is not measured"
[[nodiscard]] std::string summaryOf(const PredictionTable& table);
// A heading and one line per row, in columns; no final line break.
[[nodiscard]] std::string textOf(const PredictionTable& table);
// RFC 4180, with a header line; rows first, then one line per counter.
[[nodiscard]] std::string csvOf(const PredictionTable& table);
// The rows' cells as in textOf() and the picture, header first.
[[nodiscard]] std::vector<std::vector<std::string>> cellsOf(const PredictionTable& table);

}  // namespace tessera
