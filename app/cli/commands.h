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
  std::vector<std::string> expressions;  // "-": lines from standard input; FILE.hlo: a module, bound to its name
};
[[nodiscard]] int runEval(const EvalOptions& options, Output& out);

struct CheckOptions {
  CommonOptions common;
  std::vector<std::string> files;     // "-": standard input
  std::string architecture;           // programs: what their leaves may be; empty: sm_80
  std::vector<std::string> settings;  // programs: "stages=4"
  std::vector<std::string> sizes;     // of programs: "M=128"; "small": what the file says is small
};
[[nodiscard]] int runCheck(const CheckOptions& options, Output& out);

struct DrawCommandOptions {
  CommonOptions common;
  std::string input;    // a file, or statements
  std::string against;  // the same; "": nothing to compare with
  std::string view;
  std::string instruction;  // of a module: one of its instructions or computations
  std::string output;
  bool dark = false;
  double scale = 2;
  bool transparent = false;
  std::vector<std::string> settings;  // programs: "stages=4"
};
[[nodiscard]] int runDraw(const DrawCommandOptions& options, Output& out);

struct AtlasOptions {
  bool json = false;
  std::string name;          // an instruction or a part of its name; empty: all
  std::string architecture;  // only what this device runs; empty: all
  std::string output;        // a picture instead of text
};
[[nodiscard]] int runAtlas(const AtlasOptions& options, Output& out);

struct HloCommandOptions {
  std::string file;                      // "-": standard input
  std::string computation, instruction;  // only that; empty: all
  bool json = false;
  bool uses = false;        // also from inputs to outputs; JSON has both
  bool usage = false;       // count how much of each operand is read
  bool coalescing = false;  // count the sectors of each warp's reads
  bool physical = false;    // each read in memory order, and as slots of the operand
  std::string threads;      // a thread map instead of the emitter's; implies coalescing
  bool worst = false;       // the kernels in the order of what they waste, and nothing else
  std::string tile;  // "[8,128]", "[T,128]", "any": the tile of each operand that such a tile of the output reads
  double budgetSeconds = 10;  // that reading the text, and each instruction, may take
};
[[nodiscard]] int runHlo(const HloCommandOptions& options, Output& out);

struct CodegenCommandOptions {
  std::string file;          // a .graphene program; "-": standard input; anything else: statements, the last a layout
  std::string spec;          // the output or the name of one specification; empty: all
  std::string architecture;  // empty: sm_80
  std::string output;        // empty: standard output
  std::string language;      // of a layout: cuda, c, python, cutlass; empty: cuda
  std::string name;          // of its function
  std::vector<std::string> settings;  // of a program: "stages=4"
  double budgetSeconds = 10;          // of a program: to read it and to write its text
};
// Whether the argument of `tessera codegen` is a program and no layout.
[[nodiscard]] bool isProgramFile(std::string_view argument);
[[nodiscard]] int runCodegenLayout(const CodegenCommandOptions& options, Output& out);
[[nodiscard]] int runCodegen(const CodegenCommandOptions& options, Output& out);

struct MeasureCommandOptions {
  std::string file;                   // a .graphene program; "-": standard input
  std::string spec, architecture;     // as of CodegenCommandOptions
  std::vector<std::string> sizes;     // "M=128"
  std::vector<std::string> settings;  // "stages=4"
  std::uint64_t seed = 1;
  int runs = 20;
  double seconds = 10;               // that a launch may take
  bool emulate = false;              // also where there is a device
  std::int64_t steps = 400'000;      // that the emulator may take
  bool variants = false;             // beside it, all that there are
  std::vector<std::string> variant;  // "stages=4 BM=64"
  bool baseline = false;             // beside it, the file that its '// baseline:' names
  bool json = false, csv = false;    // csv: of a table with variants, of the accesses
  bool accesses = false;             // its accesses to shared memory, predicted and measured (measure_accesses.cpp)
  std::string access, type;          // `file` is a layout: of this instruction over it, elements of this type
  std::string nsight;                // a profiler's CSV
};
struct TuneCommandOptions {
  std::vector<std::string> files;  // a .graphene program; with `merge` logs
  std::vector<std::string> settings, sizes;
  std::string architecture, shard, log;
  bool merge = false, resume = false, json = false;
  double proveSeconds = 5;  // that the proof of a candidate may take
  std::uint64_t seed = 1;
  int runs = 20;
  double seconds = 10;
};
[[nodiscard]] int runTune(const TuneCommandOptions& options, Output& out);

[[nodiscard]] int runMeasure(const MeasureCommandOptions& options, Output& out);
// What runMeasure() does with --accesses, --access and --nsight.
[[nodiscard]] int runMeasureAccesses(const MeasureCommandOptions& options, Output& out);

}  // namespace tessera
