// KeptRuns: results of runs are stored with the sheet: in a file beside it, or beside its journal if it has no file.
//
//     gemm.tess                 gemm.tess.runs.json
//     a sheet without a file    ~/.local/state/tessera/session.sheets/1f3c....runs.json
//
// Why beside it and not in it: people write and compare the text; one machine's measurements of one day are not part of
// it. To share results, copy or commit the second file.
#pragma once

#include <cstdint>
#include <string>

#include "app/engine/measure/run_results.h"
#include "core/base/result.h"

namespace tessera {

class KeptRuns {
 public:
  // Another sheet was opened: replaces the results by those of its file `path`, or, if that is "", of its journal.
  [[nodiscard]] Result<void> load(RunResults& results, const std::string& path, const std::string& journalId);
  // Writes new results, or all if the sheet has a new file. Returns each problem once.
  [[nodiscard]] Result<void> keep(const RunResults& results, const std::string& path, const std::string& journalId);

 private:
  std::string at_;             // the file that the results were read from or written to
  std::uint64_t written_ = 0;  // their revision at that time
  std::string problem_;        // why that failed, if already reported
};

}  // namespace tessera
