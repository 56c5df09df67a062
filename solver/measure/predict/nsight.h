// Reads Nsight Compute's CSV, as printed by `ncu --csv`, into launches with their counters. Three forms:
//
//     --page raw      one line per launch, one column per metric, the units in a line of their own after the head
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
// ("Registers Per Thread"); labels are kept as they are. On the source page the wavefronts and instructions of all
// lines are summed and stored under the metrics that the columns show: memory_l1_wavefronts_shared and the like.
//
// Laws: every launch of the file appears once, keyed by ID and process, in file order; the details page of a report
// yields the same values as its raw page. A Diag names the offending line.
//
// Source: Nsight Compute CLI documentation (--csv, --page, --print-units). The files in tests/cases/nsight follow the
// formats of releases 2022 to 2025; none was produced by a profiler.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/types.h"

namespace tessera::measure {

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
