// TuneLog: the log of a search, one line per candidate with its measurement, so that a search can be resumed,
// distributed over machines and merged.
//
//     tile=128x64 stages=3   right    41.25  41  41.5  NVIDIA H100  12.4  2026-11-22   ...  96  0  16384  32  64
//     tile=256x128 stages=4  failed   0      0   0     NVIDIA H100  12.4  2026-11-22  66560 bytes of shared memory  ...
//     tile=64x64 stages=3    untimed  0      0   0                        2026-11-22   ...  64  0  12288  40  64
//
// Fourteen tab-separated fields; the last five are registers, spilled bytes, shared bytes, resident warps and the
// maximum of resident warps, -1 if unknown. A line with only the first nine is accepted.
//
//     Shard{3, 16}.owns("tile=128x64 stages=3")  true on the fourth of 16 machines; depends only on the text
//     left(candidates, log, shard)               the candidates still to do here
//
// Laws: parse(print(log)) == log for every log. A truncated last line (the machine went down while writing) is dropped
// and reported; all other lines are kept. merged(a, b) == merged(b, a): of two results for a candidate it keeps the
// faster right one, then a right one, then wrong, refuted, failed, untimed, then the text that sorts first. Every
// candidate belongs to exactly one shard, independently of the other candidates. Pure text: the caller does the file
// I/O.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/base/types.h"
#include "solver/measure/reference/statistics.h"

namespace tessera::measure {

enum class TuneResult : unsigned char {
  Right,    // measured, and right
  Wrong,    // measured, and wrong
  Refuted,  // rejected by the prover: never run
  Failed,   // did not compile, did not run, or could not be compared
  Untimed,  // compiled and not refuted, but no device to run it
};
[[nodiscard]] std::string_view name(TuneResult r);

struct TuneEntry {
  std::string candidate;  // its settings in a fixed order; the key
  TuneResult result = TuneResult::Right;
  double median = 0, lower = 0, upper = 0;  // microseconds; 0: not timed
  std::string device, driver, date;
  std::string why;  // why it is not right; for a right one, what was not proved
  i64 registers = -1, spilledBytes = -1, sharedBytes = -1, residentWarps = -1, mostWarps = -1;
  bool operator==(const TuneEntry&) const = default;
};

struct TuneLog {
  std::vector<TuneEntry> entries;  // in writing order; the last one of a candidate counts
  bool operator==(const TuneLog&) const = default;
};

// One line without line end, as a search appends it.
[[nodiscard]] std::string print(const TuneEntry& entry);
[[nodiscard]] std::string print(const TuneLog& log);
struct TuneReading {
  TuneLog log;
  int skipped = 0;      // lines that are not entries
  bool cutOff = false;  // the last line had no end and was dropped
};
[[nodiscard]] TuneReading readTuneLog(std::string_view text);
// Every candidate once, sorted by text.
[[nodiscard]] TuneLog merged(const TuneLog& a, const TuneLog& b);
// The right entries, fastest first.
[[nodiscard]] std::vector<TuneEntry> ranking(const TuneLog& log);
// The untimed entries, ranked by the compiler's figures only: no spills, then more resident warps, then fewer
// registers. Not a prediction of time.
[[nodiscard]] std::vector<TuneEntry> staticRanking(const TuneLog& log);

// Places of the timed right entries, fastest first, then of the untimed ones in static order. Ties: as they are listed.
[[nodiscard]] std::vector<std::size_t> ranked(const std::vector<TuneEntry>& entries);

// FNV-1a: the same on every machine.
[[nodiscard]] u64 textHash(std::string_view text);

// Part `index` of `count`.
struct Shard {
  int index = 0, count = 1;
  [[nodiscard]] bool owns(std::string_view candidate) const;
};
// "3/16": the fourth of sixteen; the index is 0 to count - 1.
[[nodiscard]] Result<Shard> parseShard(std::string_view text);
// The candidates of this shard that are not in the log, in order; with `timed` also those that are in it untimed.
[[nodiscard]] std::vector<std::string> left(const std::vector<std::string>& candidates, const TuneLog& log,
                                            const Shard& shard, bool timed = false);

}  // namespace tessera::measure
