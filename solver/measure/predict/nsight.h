// Reads Nsight Compute's CSV, as printed by `ncu --csv`, into launches with their counters. Three forms:
//
//     --page raw      one line per launch, one column per metric, the units in a separate line after the head
//     --page details  one line per metric: ... "Section Name","Metric Name","Metric Unit","Metric Value" ...
//     --page source   one table per kernel: "Kernel Name","..." , then a head with "Source" and the instruction columns
//
//     "ID","Kernel Name","l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"
//     "","",""                                                                  (or units: "","","wavefront")
//     "0","C_MatMul(const __half *, const __half *, __half *)","4,194,304"     launches[0] = {0, "C_MatMul", 4194304}
//
// Lines before the head and between the rows (==PROF==, the program's own output) are skipped. A kernel's name ends at
// its arguments. Numbers may have thousands separators; units with a prefix (Kbyte, usecond) are converted to the base
// unit. Values that are not numbers (n/a, a name) are dropped. The details page labels the metrics of its sections
// ("Registers Per Thread"); labels are kept unchanged. On the source page the wavefronts and instructions of all
// lines are summed and stored under the metrics that the columns show, such as memory_l1_wavefronts_shared.
//
// Laws: every launch of the file appears once, keyed by ID and process, in file order; the details page of a report
// yields the same values as its raw page. A Diag names the offending line.
//
// Source: Nsight Compute CLI documentation (--csv, --page, --print-units). The files in tests/cases/nsight follow the
// formats of releases 2022 to 2025; none was produced by a profiler.
#pragma once

#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/base/result.h"

namespace tessera::measure {

// CsvReader: reads the records of CSV (RFC 4180) inside other text, in order.
//
//     CsvReader("a,\"b,c\"\r\n").record().fields      {"a", "b,c"}
//
// It also accepts bare \n line ends and a byte order mark. Lines are printed by core/base/csv.h.

// A quoted field may span several lines.
class CsvReader {
 public:
  struct Record {
    std::vector<std::string> fields;
    Span span;
    std::size_t line = 0;             // 1-based, of its first line
    std::optional<std::size_t> open;  // a quote that is not closed
  };
  explicit CsvReader(std::string_view text);
  [[nodiscard]] bool done() const { return at_ >= text_.size(); }
  [[nodiscard]] std::string_view line() const;  // up to the next end of line
  void skip();                                  // that line
  Record record();

 private:
  std::string_view text_;
  std::size_t at_ = 0, line_ = 1;
};

// A finite number that takes the whole field.
template <class T>
requires std::is_arithmetic_v<T>
[[nodiscard]] bool readNumber(std::string_view field, T& into) {
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), into);
  if (error != std::errc() || end != field.data() + field.size()) return false;
  if constexpr (std::is_floating_point_v<T>) return std::isfinite(into);
  return true;
}

struct NsightLaunch {
  std::string id;      // "0"; on the source page, its number in the file
  std::string kernel;  // without its arguments
  std::string block, grid;
  std::map<std::string, double> metrics;
};
struct NsightReport {
  std::vector<NsightLaunch> launches;
};

[[nodiscard]] Result<NsightReport> readNsight(std::string_view text);

// Parses a number as the profiler prints it: "4,194,304" "1.5e+06" "12.50"; nullopt if it is not one.
[[nodiscard]] std::optional<double> nsightNumber(std::string_view text);

}  // namespace tessera::measure
