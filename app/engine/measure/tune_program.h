// tuneRequest: what the command line and the library search, from the words of their options.
//
//     tuneRequest({"gemm", text, "", {"BM=64,128"}, {"M=8"}})     architecture sm_80, BM of two values, M = 8
//
// Law: every symbol of the program has a size, because times at default sizes would be meaningless; an unknown or a
// missing one is a Diag. The caller's WorkBudget applies.
#pragma once

#include <string>
#include <vector>

#include "solver/measure/report/tune.h"

namespace tessera {

struct TuneWords {
  std::string name, text;
  std::string architecture;                  // empty: the program's own, or sm_80
  std::vector<std::string> settings, sizes;  // "BM=64,128", "M=1024"
  double proveSeconds = 5;
};
[[nodiscard]] Result<measure::TuneRequest> tuneRequest(TuneWords words);

}  // namespace tessera
