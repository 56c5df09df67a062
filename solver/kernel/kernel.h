// Runs a kernel given as PTX on the CPU, checks it for races and errors, and records its accesses to memory.
//
//     Launch launch{.entry = "add", .grid = {4, 1, 1}, .block = {128, 1, 1}};
//     launch.arguments = {Argument::buffer(bytes), Argument::scalar(ptx::Type::U32, 512)};
//     Result<Report> report = run(module, launch);
//     report->verdict          Verdict::Race
//     report->findings[0]      both threads, both places, the address, and the argument that it lies in
//     report->accesses         for each line: bytes, wavefronts and sectors against the minimum
//     report->buffers[0]       the bytes of argument 0 after the run
//
// One run covers all schedules: order is happens-before, and an access that is not ordered after a conflicting one is a
// race whichever came first. Control flow and addresses that depend on the values of the arguments are covered for the
// given values only; `covers` states this.
//
// Source: PTX ISA 9.0, chapter 8 (memory consistency model).
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/memory_cost.h"
#include "core/base/result.h"
#include "core/ptx/module.h"
#include "solver/kernel/access_table.h"
#include "solver/kernel/tensor_map.h"

namespace tessera::kernel {

struct Argument {
  enum class Kind : unsigned char { Buffer, Scalar, Bytes, TensorMap, Arbitrary };
  Kind kind = Kind::Arbitrary;
  // Buffer, and TensorMap of its own buffer: its contents; Scalar, Bytes: the value of the parameter.
  std::vector<std::byte> bytes;
  std::string element;                // Buffer, TensorMap: "float32", for findings; may be empty
  std::vector<i64> shape;             // Buffer, TensorMap: for findings; may be empty
  std::optional<TensorMap> map = {};  // TensorMap
  bool operator==(const Argument&) const = default;
};

struct Launch {
  std::string entry;  // empty: the only entry of the module
  std::array<std::uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1}, cluster{1, 1, 1};
  i64 dynamicShared = 0;
  std::vector<Argument> arguments;  // by parameter; missing ones are arbitrary
  u64 seed = 1;                     // of arbitrary values, and of the order of warps and copies
  i64 maxSteps = i64{1} << 33;      // thread instructions
  bool layouts = false;             // prove the layouts of accesses where their addresses come from indices alone
  std::vector<int> without;         // lines of the PTX text whose barriers, waits and fences are left out
};

enum class Verdict : unsigned char {
  Deadlock,
  Divergence,
  Bounds,
  Misaligned,
  Uninitialised,
  Race,
  Wrong,
  Unknown,
  Benign,
  Clean
};
[[nodiscard]] std::string_view nameOf(Verdict verdict);

// A place in a thread's execution.
struct Point {
  std::array<std::uint32_t, 3> block{}, thread{};
  int line = 0;       // of the PTX text; 0: none
  int location = -1;  // of Module::locations
};

struct Finding {
  Verdict kind = Verdict::Unknown;
  std::string message;  // one sentence: "thread 33 reads what thread 1 writes, with no barrier between them"
  Point at;
  std::optional<Point> other;              // the conflicting access
  ptx::Space space = ptx::Space::Generic;  // Special: tensor memory
  u64 address = 0;                         // byte offset within the buffer or within shared memory
  int bytes = 0;
  std::string element;  // "A[3,5]" or "tile+132"; empty: none
  i64 times = 1;        // it was found this often
};

// All executions of one instruction that accesses memory, and their cost.
struct AccessCost : MemoryCost {
  i64 bytes = 0, warps = 0;  // moved in total; executions by a warp
};
struct AccessLine : AccessCost {
  int line = 0, location = -1;  // as in Point
  std::string op;               // "ld.shared.v4.f32"
  ptx::Space space = ptx::Space::Global;
  bool store = false;
  int width = 0;        // bytes of a lane
  std::string layout;   // of the address, if there is one: "(32,8):(4,128)"
  bool proved = false;  // it holds in every execution of the launch; else in the recorded ones
  // The addresses of every execution, if they come from indices alone.
  std::optional<AccessTable> whole = {};
  // The first executions, for layouts and pictures: lane -> byte address (-1: inactive), by warp and time.
  struct Sample {
    std::uint32_t block = 0, warp = 0, visit = 0;
    std::array<i64, 32> at{};
  };
  std::vector<Sample> samples;
  int argument = -1;      // the parameter whose buffer all its addresses lie in; -1: several or none
  int step = 0;           // of the decoded program
  bool sameLanes = true;  // in all executions
  // The addresses of lanes in all executions (none if tiles are moved as a whole), and the variable of shared memory
  // that they all lie in, with its address: "s" at 1024. Empty: several, or none.
  struct Range {
    i64 lowest = INT64_MAX, highest = -1;
    std::string variable = {};
    i64 variableAt = 0;
  };
  Range range = {};
};

struct Report {
  Verdict verdict = Verdict::Unknown;
  std::vector<Finding> findings;     // one per kind and pair of instructions, in order of Verdict
  std::vector<AccessLine> accesses;  // by line
  // By parameter, after the run; of a tensor map the elements of its tensor; empty for scalars.
  std::vector<std::vector<std::byte>> buffers;
  std::string covers;               // "all arguments" or which values: "n = 512; the other arguments are arbitrary"
  bool arbitrary = false;           // some argument was not given
  bool stopped = false;             // before the end, for `reason`
  std::string reason;               // of Unknown: "instruction tex.2d at line 33 is not supported"
  std::vector<std::string> notes;   // faults that no GPU detects: accesses beside a thread's local variables
  std::vector<std::string> bounds;  // inexact instructions that were executed, with the bound of their error
  i64 threadInstructions = 0;
};

// Errors: a Diag about the launch: no such entry, too many threads, arguments that do not fit the parameters.
[[nodiscard]] Result<Report> run(const ptx::Module& module, const Launch& launch);

// A barrier, a wait or a fence that the run executed, and what a run without it finds.
struct Synchronization {
  int line = 0, location = -1;
  std::string op;
  Verdict without = Verdict::Unknown;  // Clean or Benign: it is redundant for these arguments
};
// Each of them left out in turn. Requires: run() of this launch is clean or benign.
[[nodiscard]] Result<std::vector<Synchronization>> withoutEach(const ptx::Module& module, const Launch& launch);

// The first entry of `module` that fits the name, or a Diag that lists the entries.
[[nodiscard]] Result<const ptx::Function*> entryOf(const ptx::Module& module, std::string_view name);

}  // namespace tessera::kernel
