// TuneLog: the log of a search: candidates and what was measured of them, a line each, so that a search can be resumed, spread over
// machines and put together again.
//
//     tile=128x64 stages=3     right    41.25  41  41.5  NVIDIA H100  12.4  2026-11-22   ...  96  0  16384  32  64
//     tile=256x128 stages=4    failed   0      0   0     NVIDIA H100  12.4  2026-11-22  66560 bytes of shared memory  ...
//     tile=64x64 stages=3      untimed  0      0   0                        2026-11-22   ...  64  0  12288  40  64
//
// Tabs between the fourteen fields; the last five are registers, spilled bytes, shared bytes, resident warps and the most there can
// be, -1 where nobody knows. A line of the first nine alone is read too.
//
//     Shard{3, 16}.owns("tile=128x64 stages=3")     of 16 machines the fourth does it: by the candidate's text alone
//     left(candidates, log, shard)                  what is still to be done here
//
// Laws: parse(print(log)) == log for every text in it; a last line that was cut off (a machine that went down while writing) is left
// away and said, and the others stand. merged(a, b) == merged(b, a): of two results of one candidate the faster right one, then a
// right one, then wrong, refuted, failed, untimed, then the text that comes first. Every candidate belongs to exactly one shard, whatever the other candidates are.
// Pure text: reading and writing files is the caller's.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/types.h"
#include "solver/measure/statistics.h"

namespace tessera::measure {

enum class TuneResult : unsigned char {
  Right,    // measured, and right
  Wrong,    // measured, and wrong
  Refuted,  // the prover refuses it: never run
  Failed,   // it does not compile, or the run failed, or nothing could be compared
  Untimed,  // compiled, and not refuted: there was no device to run it
};
[[nodiscard]] std::string_view name(TuneResult r);

struct TuneEntry {
  std::string candidate;  // its settings in a fixed order: the key
  TuneResult result = TuneResult::Right;
  double median = 0, lower = 0, upper = 0;  // microseconds; 0: not timed
  std::string device, driver, date;
  std::string why;  // of what is not right; of what is, what was not proved
  i64 registers = -1, spilledBytes = -1, sharedBytes = -1, residentWarps = -1, mostWarps = -1;
  bool operator==(const TuneEntry&) const = default;
};

struct TuneLog {
  std::vector<TuneEntry> entries;  // in the order of writing; the last one of a candidate counts
  bool operator==(const TuneLog&) const = default;
};

// One line without its end; what a search appends.
[[nodiscard]] std::string print(const TuneEntry& entry);
[[nodiscard]] std::string print(const TuneLog& log);
struct TuneReading {
  TuneLog log;
  int skipped = 0;      // lines that are none
  bool cutOff = false;  // the last line has no end and was left away
};
[[nodiscard]] TuneReading readTuneLog(std::string_view text);
// Every candidate once, sorted by its text.
[[nodiscard]] TuneLog merged(const TuneLog& a, const TuneLog& b);
// The right ones, fastest first.
[[nodiscard]] std::vector<TuneEntry> ranking(const TuneLog& log);
// The untimed ones by what the compiler says of them alone: nothing spilled, then more resident warps, then fewer registers. It
// is no prediction of time.
[[nodiscard]] std::vector<TuneEntry> staticRanking(const TuneLog& log);

// Part `index` of `count`.
struct Shard {
  int index = 0, count = 1;
  [[nodiscard]] bool owns(std::string_view candidate) const;
};
// "3/16": the fourth of sixteen is 3; 0 to count - 1.
[[nodiscard]] Result<Shard> parseShard(std::string_view text);
// The candidates of this shard that the log does not hold yet, in their order; with `timed` also those that it holds untimed.
[[nodiscard]] std::vector<std::string> left(const std::vector<std::string>& candidates, const TuneLog& log,
                                            const Shard& shard, bool timed = false);

}  // namespace tessera::measure
