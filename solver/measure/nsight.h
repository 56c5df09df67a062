// Nsight Compute's CSV, as `ncu --csv` prints it, read into launches with their counters. Three forms:
//
//     --page raw       a line a launch, a column a metric, the units in a line of their own behind the head
//     --page details   a line a metric: ... "Section Name","Metric Name","Metric Unit","Metric Value" ...
//     --page source    a table a kernel: "Kernel Name","..." , then a head with "Source" and the columns of its instructions
//
//     "ID","Kernel Name","l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"
//     "","",""                                                                  (or units: "","","wavefront")
//     "0","C_MatMul(const __half *, const __half *, __half *)","4,194,304"     launches[0] = {0, "C_MatMul", 4194304}
//
// Lines before the head (==PROF== and what the program printed) are passed over, also between the rows. A kernel's name is what
// stands before its arguments. Numbers may have thousands separators; units with a prefix (Kbyte, usecond) are
// multiplied out to the unit itself. What is no number (n/a, a name) is left away. The details page calls the metrics of its
// sections by labels ("Registers Per Thread"); they are taken as they are. Of the source page the wavefronts and
// instructions of all lines are added up, as memory_l1_wavefronts_shared and its like: the metrics that the columns show.
//
// Laws: every launch of the file is there once, by its ID and process, in the order of the file; reading the details page of a
// report gives the values that its raw page gives. A Diag names the line that is wrong.
//
// Source: Nsight Compute CLI documentation (--csv, --page, --print-units); the forms of the files in tests/cases/nsight are those that
// releases 2022 to 2025 print; no file here was made by a profiler.
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
  std::string id;      // "0"; of the source page its number in the file
  std::string kernel;  // without its arguments
  std::string block, grid;
  std::map<std::string, double> metrics;
};
struct NsightReport {
  std::vector<NsightLaunch> launches;
};

[[nodiscard]] Result<NsightReport> readNsight(std::string_view text);

// One number as the profiler prints it: "4,194,304" "1.5e+06" "12.50"; nothing for what is none.
[[nodiscard]] std::optional<double> nsightNumber(std::string_view text);

}  // namespace tessera::measure
