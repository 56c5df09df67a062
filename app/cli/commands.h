// The sub-commands, each a function of its options. Return values are exit codes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/output.h"
#include "core/base/types.h"

namespace tessera {

struct CommonOptions {
  bool json = false;
  double budgetSeconds = 10;
  std::string smt2Directory;
};

struct EvalOptions {
  CommonOptions common;
  std::vector<std::string> expressions;  // "-": lines from standard input
};
[[nodiscard]] int runEval(const EvalOptions& options, Output& out);

struct CheckOptions {
  CommonOptions common;
  std::vector<std::string> files;  // "-": standard input
  std::string architecture;        // programs: what their leaves may be; empty: sm_80
};
[[nodiscard]] int runCheck(const CheckOptions& options, Output& out);

struct DrawCommandOptions {
  CommonOptions common;
  std::string input;    // a file, or statements
  std::string against;  // the same; "": nothing to compare with
  std::string view;
  std::string output;
  bool dark = false;
  double scale = 2;
  bool transparent = false;
};
[[nodiscard]] int runDraw(const DrawCommandOptions& options, Output& out);

struct AtlasOptions {
  bool json = false;
  std::string name;          // an instruction or a part of its name; empty: all
  std::string architecture;  // only what this device runs; empty: all
  std::string output;        // a picture instead of text
};
[[nodiscard]] int runAtlas(const AtlasOptions& options, Output& out);

struct CodegenCommandOptions {
  std::string file;          // a .graphene program; "-": standard input; anything else: statements, the last a layout
  std::string spec;          // the output or the name of one specification; empty: all
  std::string architecture;  // empty: sm_80
  std::string output;        // empty: standard output
  std::string language;      // of a layout: cuda, c, python, cutlass; empty: cuda
  std::string name;          // of its function
};
// Whether the argument of `tessera codegen` is a program and no layout.
[[nodiscard]] bool isProgramFile(std::string_view argument);
[[nodiscard]] int runCodegenLayout(const CodegenCommandOptions& options, Output& out);
[[nodiscard]] int runCodegen(const CodegenCommandOptions& options, Output& out);

struct MeasureCommandOptions {
  std::string file;                // a .graphene program; "-": standard input
  std::string spec, architecture;  // as of CodegenCommandOptions
  std::vector<std::string> sizes;  // "M=128"
  std::uint64_t seed = 1;
  int runs = 20;
  double seconds = 10;           // that a launch may take
  bool emulate = false;          // also where there is a device
  std::int64_t steps = 400'000;  // that the emulator may take
  bool json = false;
  bool accesses = false;     // its accesses to shared memory, predicted and measured (measure_accesses.cpp)
  std::string access, type;  // `file` is a layout: of this instruction over it, elements of this type
  std::string nsight;        // a profiler's CSV
  bool csv = false;          // of the accesses
};
[[nodiscard]] int runMeasure(const MeasureCommandOptions& options, Output& out);
// What runMeasure() does with --accesses, --access and --nsight.
[[nodiscard]] int runMeasureAccesses(const MeasureCommandOptions& options, Output& out);
// "M=128" -> sizes["M"]; false when it is none.
[[nodiscard]] bool addSize(const std::string& text, std::map<std::string, i64>& sizes);

}  // namespace tessera
