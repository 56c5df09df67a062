// --smt2 DIR: one file per obligation that a solver saw.
#pragma once

#include <set>
#include <string>

#include "core/claim/claim.h"

namespace tessera {

class Smt2Writer {
 public:
  // Makes the directory; where that fails it says so, and failed() is true.
  explicit Smt2Writer(std::string directory);
  [[nodiscard]] bool wanted() const { return !directory_.empty(); }
  void write(const Verdict& verdict);
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  std::string directory_;
  std::set<std::string> used_;
  bool failed_ = false;
};

}  // namespace tessera
