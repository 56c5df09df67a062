// Outcomes as JSON objects, one per line.
//
//     {"ok":true,"kind":"layout","text":"(4,8):(8,1)","name":"A","shape":[4,8],"stride":[8,1],...}
//     {"ok":true,"kind":"verdict","text":"...","verdict":"refuted","method":"strided","ms":0.01,"counterexample":{...}}
//     {"ok":false,"error":{"message":"...","expected":"...","hint":"...","line":1,"begin":0,"end":3}}
#pragma once

#include <string>

#include "app/engine/engine.h"
#include "core/worksheet/language/place.h"

namespace tessera {

struct AtlasRow;

struct JsonPlace {
  std::string file;            // for check: file name; else empty
  std::size_t lineOffset = 0;  // for eval -: number of lines before this one
};

[[nodiscard]] std::string jsonOf(const Outcome& outcome, const LineIndex& index, const JsonPlace& place);
[[nodiscard]] std::string jsonOf(const Diag& diag, const LineIndex& index, const JsonPlace& place);
// {"ok":true,"kind":"verdict","verdict":"proved",...}: of a program and another one (tessera check --against)
[[nodiscard]] std::string jsonOf(const Verdict& verdict, const std::string& file);
// {"ok":true,"kind":"summary",...}
struct Tally {
  int proved = 0, refuted = 0, unknown = 0;  // prove statements, and asserts of a claim
  int asserted = 0, failed = 0;              // true asserts of a value; statements with an error
  bool interrupted = false;                  // the remaining statements are unknown
  int tasks = 0, solved = 0;                 // tasks, and those that are solved
  [[nodiscard]] bool allHold() const {
    return refuted == 0 && unknown == 0 && failed == 0 && solved == tasks && !interrupted;
  }
};
[[nodiscard]] std::string jsonOf(const Tally& tally, const std::string& file, double seconds);

// One instruction of the atlas: name, family, arch, ptx, shape, threads, operands with their layouts, source.
[[nodiscard]] std::string jsonOf(const AtlasRow& row);
// A written picture: {"ok":true,"kind":"picture","bytes":N}
[[nodiscard]] std::string jsonOfPicture(std::size_t bytes);
[[nodiscard]] std::string jsonOfReport(std::size_t bytes, std::size_t pictures);

}  // namespace tessera
