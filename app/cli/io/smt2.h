// --smt2 DIR: writes one file per question to a solver.
#pragma once

#include <set>
#include <string>

#include "core/claim/claim.h"

namespace tessera {

class Smt2Writer {
 public:
  // Creates the directory; on failure prints a message, and failed() is true.
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
