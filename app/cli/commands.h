// The sub-commands: each is a function of its options that returns an exit code.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/io/output.h"
#include "app/engine/kernel/kernel_run.h"

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

struct PasteOptions {
  CommonOptions common;
  std::string file;                      // "-" or empty: standard input
  std::vector<std::string> lets, over;   // "kBlockM=64", "row=64"
  std::string name, dialect;             // of the last value; "cute-c++"
  std::vector<std::string> expressions;  // of --eval
};
[[nodiscard]] int runPaste(const PasteOptions& options, Output& out);

struct TtgirOptions {
  bool json = false;
  std::string file;     // "-": standard input
  std::string against;  // the same module before a pass; "": no comparison
  double budgetSeconds = 60;
};
[[nodiscard]] int runTtgir(const TtgirOptions& options, Output& out);

struct CheckOptions {
  CommonOptions common;
  std::string format = "text";                 // json, github, gitlab, sarif
  std::string comments;                        // how the comments of other files are written: "c", "python"
  std::vector<std::string> files;              // and folders; "-": standard input
  std::string architecture;                    // for programs: target architecture of their leaves; empty: sm_80
  std::vector<std::string> settings;           // programs: "stages=4"
  std::vector<std::string> sizes;              // for programs: "M=128"; "small": the file's '// small:' sizes
  struct Compared {                            // a program with another one, or with a reference
    std::string against, reference;            // a .graphene file; "Y = relu(A @ B)"; both empty: none
    std::vector<std::string> settings, sizes;  // of the other program only
    std::string where;                         // its inputs by those of the first
    std::optional<double> within;              // the error that the outputs may have in their types
    std::string inputs;                        // ranges for it: "|X| <= 4, 0 <= W <= 0.5"
    [[nodiscard]] bool any() const { return !against.empty() || !reference.empty(); }
  } compared = {};
  bool answers = false;     // of lessons: try the answers that they keep
  std::string certificate;  // of a program: write the certificate of its obligations to this file
  std::string customCalls;  // of HLO modules: a table of rules for custom calls; empty: none
};
[[nodiscard]] int runCheck(const CheckOptions& options, Output& out);

struct DrawCommandOptions {
  CommonOptions common;
  std::string input;    // a file, or statements
  std::string against;  // likewise; "": no comparison
  std::string view;
  std::string instruction;  // of a module: an instruction or computation
  std::string output;
  bool dark = false;
  double scale = 2;
  bool transparent = false;
  std::vector<std::string> settings;  // programs: "stages=4"
};
[[nodiscard]] int runDraw(const DrawCommandOptions& options, Output& out);

struct AtlasOptions {
  bool json = false;
  std::string name;          // an instruction, or a part of its name; empty: all
  std::string architecture;  // only instructions of this device; empty: all
  std::string output;        // write a picture instead of text
};
[[nodiscard]] int runAtlas(const AtlasOptions& options, Output& out);

struct HloCommandOptions {
  std::string file;                      // "-": standard input
  std::string computation, instruction;  // restrict to these; empty: all
  bool json = false;
  bool uses = false;        // also the direction from inputs to outputs; JSON has both
  bool usage = false;       // count the elements read of each operand
  bool coalescing = false;  // count the sectors of each warp's reads
  bool physical = false;    // each read in memory order, and as slots of the operand
  std::string threads;      // replaces the emitter's thread map; implies coalescing
  struct Ranked {           // only lists kernels:
    bool worst = false;     // by excess memory traffic
    std::string roofline;   // by minimum time on that device
    std::string against;    // whose traffic differs from that of an earlier module
    bool wire = false;      // that send bytes between replicas
  } ranked = {};
  std::string customCalls;  // a table of rules for custom calls; empty: none
  std::string tile;         // "[8,128]", "[T,128]", "any": the tile of each operand read by such a tile of the output
  struct Reported {         // only reports:
    std::string only;       // this instruction, computation or opcode; empty: all
    std::string fields;     // these members of JSON lines, separated by commas; empty: all
  } reported = {};
  double budgetSeconds = 10;  // for reading the text, and for each instruction
};
[[nodiscard]] int runHlo(const HloCommandOptions& options, Output& out);

struct WhyOptions {
  std::string file;         // an HLO module; "-": standard input
  std::string instruction;  // a kernel
  bool json = false;
  double budgetSeconds = 10;
};
[[nodiscard]] int runWhy(const WhyOptions& options, Output& out);

struct CodegenCommandOptions {
  std::string file;          // a .graphene program; "-": standard input; else statements, the last one a layout
  std::string spec;          // output or name of one specification; empty: all
  std::string architecture;  // empty: sm_80
  std::string output;        // empty: standard output
  std::string language;      // for a layout: cuda, c, python, cutlass; empty: cuda
  std::string name;          // of the layout's function
  std::vector<std::string> settings;  // for a program: "stages=4"
  double budgetSeconds = 10;          // for a program: to read it and to generate its text
};
// Whether the argument of `tessera codegen` is a program rather than a layout.
[[nodiscard]] bool isProgramFile(std::string_view argument);
[[nodiscard]] int runCodegenLayout(const CodegenCommandOptions& options, Output& out);
[[nodiscard]] int runCodegen(const CodegenCommandOptions& options, Output& out);

// Programs measured together with the given one.
struct ComparedPrograms {
  bool all = false;                // all variants
  std::vector<std::string> named;  // "stages=4 BM=64"
  bool baseline = false;           // the file named by its '// baseline:'
};
// Which shared-memory accesses to predict and measure (measure_accesses.cpp).
struct AccessChoice {
  bool program = false;           // those of the program
  std::string instruction, type;  // the file is a layout: this instruction over it, with elements of this type
  std::string nsight;             // a profiler's CSV
  [[nodiscard]] bool any() const { return program || !instruction.empty() || !nsight.empty(); }
};
struct MeasureCommandOptions {
  std::string file;                   // a .graphene program; "-": standard input
  std::string spec, architecture;     // as in CodegenCommandOptions
  std::vector<std::string> sizes;     // "M=128"
  std::vector<std::string> settings;  // "stages=4"
  std::uint64_t seed = 1;
  int runs = 20;
  double seconds = 10;           // limit for a launch
  bool emulate = false;          // even if there is a device
  std::int64_t steps = 400'000;  // limit for the emulator
  ComparedPrograms compared;
  bool json = false, csv = false;  // csv: table of variants, or of accesses
  AccessChoice shared;
};
struct TuneCommandOptions {
  std::vector<std::string> files;  // .graphene programs; with `merge`, logs
  std::vector<std::string> settings, sizes;
  std::string architecture, shard, log;
  bool merge = false, resume = false, json = false;
  double proveSeconds = 5;  // limit for the proof of a candidate
  std::uint64_t seed = 1;
  int runs = 20;
  double seconds = 10;
};
struct KernelCommandOptions {
  std::string file;          // PTX, a file with PTX inside, CUDA C++; "-": standard input
  std::string architecture;  // of CUDA C++
  KernelRequest run;
  std::vector<std::string> outputs;  // "2=C.npy"
  std::string page;                  // the HTML file of the report; empty: none
  bool json = false;
};
[[nodiscard]] int runKernel(const KernelCommandOptions& options, Output& out);

struct SassCommandOptions {
  std::string file;          // a listing, a cubin, a program, PTX, CUDA C++; "-": standard input
  std::string entry;         // part of a kernel's name; empty: all
  std::string architecture;  // of PTX and CUDA C++
  double budgetSeconds = 60;
  bool json = false;
};
[[nodiscard]] int runSass(const SassCommandOptions& options, Output& out);

[[nodiscard]] int runTune(const TuneCommandOptions& options, Output& out);

[[nodiscard]] int runMeasure(const MeasureCommandOptions& options, Output& out);
// runMeasure() with --accesses, --access or --nsight.
[[nodiscard]] int runMeasureAccesses(const MeasureCommandOptions& options, Output& out);

}  // namespace tessera
