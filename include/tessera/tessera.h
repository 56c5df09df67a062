// Tessera: tensor layouts, and proofs about them, as a library.
//
// The author of a kernel expects a layout to be free of bank conflicts, to cover its tile exactly once, and to equal
// the layout of another tool. This library decides such claims for all coordinates, not for samples. It reads the
// notations of CuTe, Axe, Triton, XLA and Graphene. It evaluates, proves and draws as the program `tessera` does, but
// does not generate kernels. It runs compiled kernels on the CPU, and on a device only by a worker (TuneOptions).
//
//     #include <tessera/tessera.h>
//     namespace ts = tessera::api;
//
//     const ts::Layout tile = ts::layout("(64,64):(64,1)").value();
//     ts::conflictFree(tile, "ldmatrix.x4", "fp16")->text()
//         refuted  conflict_free(L, ldmatrix.x4, fp16)   [exhaustive, 0.05 ms]
//                  ldmatrix.x4 at (0,0), phase 0: bank 0 must deliver 8 words: lane 0 at (0,0), lane 1 at (1,0) ...
//     const ts::Layout better = ts::findSwizzle(tile, {"ldmatrix.x4"}, "fp16")->swizzles.front().layout;
//     better.text()                                                  Sw<3,3,3> o 0 o (64,64):(64,1)
//     ts::conflictFree(better, "ldmatrix.x4", "fp16")->proved()      true
//     ts::prove("bijective(S)", {{"S", better}})->proved()           true
//
// What is where
//     layout.h        layouts: reading, evaluation, translation, banks, sectors, findSwizzle; included here. The target
//                     tessera::layout links only this part, without the solver, Cairo and the code that runs kernels
//     prove           claims, with the deciding method and a replayed counterexample
//     draw            pictures: SVG, PDF, PNG, TikZ, text
//     Worksheet       the whole language: named statements, one answer each, as text and as JSON
//     paste           text of other tools (source, printed tables, index code) as statements of a worksheet
//     checkKernel     every obligation of a Graphene program: bounds, races, coverage, values ...
//     runKernel       a compiled kernel (PTX) on the CPU: races of every schedule, errors of memory, each access
//     Module          an HLO module: the elements that each instruction reads of its operands, as indexing maps
//     tuneCandidates  the search of `tessera tune`, one candidate at a time, so that any engine can distribute it
//
// Laws
//     Verdict::truth is Proved or Refuted only if that is certain; Unknown always has a reason and is never a pass
//     a refuted claim has a counterexample
//     Worksheet::run(text) gives the answers that `tessera eval --json` prints, one per statement, except for times
//     the same call gives the same answer on every machine: budgets count work, not time
//
// For errors, work and threads see layout.h: no function throws, prints or exits; free functions may be called from any
// thread at any time, const objects may be shared, and a Worksheet is used by one thread at a time.
#pragma once

#include <tessera/layout.h>

namespace tessera::api {

enum class Truth { Proved, Refuted, Unknown };

// One named coordinate or value of a counterexample: {"x", {2, 0}}, {"f(x)", {2}}.
struct Witness {
  std::string name;
  Numbers values;
};

struct Counterexample {
  std::string text;  // "(2,0) and (0,1) both give 2"
  std::vector<Witness> witnesses;
};

struct Verdict {
  Truth truth = Truth::Unknown;
  std::string claim;   // "injective(S)"
  std::string method;  // "strided", "F2 rank", "exhaustive", "Z3 QF_BV" ...
  std::string reason;  // proved: the argument, may be empty; unknown: what is missing
  double milliseconds = 0;
  std::optional<Counterexample> counterexample;  // refuted
  [[nodiscard]] bool proved() const noexcept { return truth == Truth::Proved; }
  [[nodiscard]] bool refuted() const noexcept { return truth == Truth::Refuted; }
  // The format of `tessera eval`: "proved   injective(S)   [F2 rank, 0.02 ms]", and the counterexample or the reason.
  [[nodiscard]] std::string text() const;
};

// Decides a claim of the worksheet language about named layouts: "injective(S)", "bijective(S, 4096)", "equal(A, B)",
// "surjective(S) by z3", "not injective(S)", "conflict_free(S, ldmatrix.x4, fp16)", "vectorizes(S, 16, fp16)" ...
[[nodiscard]] Result<Verdict> prove(std::string_view claim, const Names& names = {}, const Options& options = {});

// No two coordinates share a place.
[[nodiscard]] Result<Verdict> injective(const Layout& layout, const Options& options = {});
// Injective, and every place of the codomain is the place of a coordinate.
[[nodiscard]] Result<Verdict> bijective(const Layout& layout, const Options& options = {});
// Both are the same function. Layouts of the same shape are compared by coordinate, others by linear index.
[[nodiscard]] Result<Verdict> equal(const Layout& a, const Layout& b, const Options& options = {});
// No access of the tile has a bank conflict. Access and type as in bankReport.
[[nodiscard]] Result<Verdict> conflictFree(const Layout& layout, std::string_view access, std::string_view type,
                                           const Options& options = {});
// Whether this library was built with Z3. Without it, claims that need a solver are Unknown.
[[nodiscard]] bool haveSolver() noexcept;

// Format and appearance of a picture.
struct Picture {
  std::string format = "svg";  // svg tex txt csv json html; with Cairo also png and pdf
  std::string view;            // "grid", "memory", "banks fp16 ldmatrix.x4" ...; empty: the value's default
  std::string name;            // for the title
  bool dark = false;
  bool transparent = false;  // no background
  bool frame = true;         // title and caption
  double scale = 2;          // PNG: pixels per point
};
// Draws a layout; returns the bytes of the file.
[[nodiscard]] Result<std::string> draw(const Layout& layout, const Picture& picture = {}, const Options& options = {});
// Draws the last value or claim of a short worksheet. If it has `show` statements, draws the last of them, in its view.
// html without a view: the whole worksheet as a page, with what is refuted or wrong in it.
[[nodiscard]] Result<std::string> draw(std::string_view worksheet, const Picture& picture = {},
                                       const Options& options = {});
// The views that can show the layout, the default first.
[[nodiscard]] std::vector<std::string> viewsOf(const Layout& layout);

// The outcome of one statement of a worksheet.
class Answer {
 public:
  // There is no error, and the claim or assertion holds.
  [[nodiscard]] bool holds() const noexcept;
  // "layout", "int", "bool", "tuple", "verdict", "search", "instruction", "measurement" ...; "error"; "none": no
  // value.
  [[nodiscard]] const std::string& kind() const noexcept;
  // The text that `tessera eval` prints; for an error, its message.
  [[nodiscard]] const std::string& text() const noexcept;
  // The line that `tessera eval --json` prints.
  [[nodiscard]] const std::string& json() const noexcept;
  [[nodiscard]] int line() const noexcept;                      // where the statement begins, from 1
  [[nodiscard]] const std::string& statement() const noexcept;  // its text
  [[nodiscard]] const std::string& name() const noexcept;       // the name it binds; may be empty
  [[nodiscard]] const std::optional<Error>& error() const noexcept;
  [[nodiscard]] const std::optional<Verdict>& verdict() const noexcept;
  [[nodiscard]] const std::optional<Layout>& layout() const noexcept;        // if the value is one
  [[nodiscard]] const std::optional<std::int64_t>& number() const noexcept;  // likewise; true is 1
  struct Impl;

 private:
  friend struct Access;
  explicit Answer(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};

// A worksheet. Names persist from one run to the next. A copy is an independent worksheet with the same names; a
// moved-from worksheet may only be assigned to. A `run` statement uses the emulator: it starts no process.
class Worksheet {
 public:
  Worksheet();
  Worksheet(const Worksheet& other);
  Worksheet(Worksheet&& other) noexcept;
  Worksheet& operator=(Worksheet other) noexcept;
  ~Worksheet();

  void bind(const std::string& name, const Layout& layout);
  // One answer per statement, in order. `Options::seconds` applies to each. An Error if the answers do not fit into
  // memory, or if the flag was raised before the first statement; if it is raised later, the answers end early.
  [[nodiscard]] Result<std::vector<Answer>> run(std::string_view text, const Options& options = {});

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};
// In a new worksheet.
[[nodiscard]] Result<std::vector<Answer>> run(std::string_view worksheet, const Options& options = {});

// A constant, type or unit that a pasted text uses and does not define.
struct Question {
  std::string name;      // "kBlockM"
  std::string asks;      // "a template argument"
  std::string suggests;  // "--let kBlockM=64", as an option of `tessera paste`
  int line = 0, column = 0;
};
// A text of another tool as statements of a worksheet. With questions, the statements are incomplete.
struct Pasted {
  std::string dialect;                  // "CuTe C++"; "Tessera": the worksheet reads the text by itself
  std::vector<std::string> statements;  // "A = (_8,_64):(_64,_1)"
  std::vector<std::string> notes;       // assumptions: "elements are assumed to be f16"
  std::vector<Question> questions;
  std::optional<Layout> layout;  // the last value, if it is one
  // For Worksheet::run: a statement on each line.
  [[nodiscard]] std::string text() const;
};
struct PasteOptions {
  Options work = {};                                            // for reading; for each statement
  std::vector<std::pair<std::string, std::string>> lets = {};   // {"kBlockM", "64"}, {"shm", "(32,32)"}, {"T", "half"}
  std::vector<std::pair<std::string, std::int64_t>> over = {};  // extents of the free variables of index code
  std::string dialect = {};                                     // "cute-c++"; empty: the surest
};
// Reads CuTe and CUTLASS source, printed layouts, Triton and XLA dumps, index code in C++ and Python ... An Error if no
// format fits, if the text is faulty in its format, or if a statement has no value.
//     paste("using A = Layout<Shape<_8, Int<kN>>>;", {.lets = {{"kN", "64"}}})->statements    A = ...
[[nodiscard]] Result<Pasted> paste(std::string_view text, const PasteOptions& options = {});

// One obligation of one specification.
struct Obligation {
  std::string label, name;  // "O6", "races"
  std::string standing;     // "proved", "refuted", "unknown", "not stated" (nothing to prove)
  std::string method;       // "static", "running", "z3" ...
  std::string reason;       // "256 elements, each once"; unknown: what is missing
  std::string finding;      // refuted: "block 0, thread 33: %s[1,0] at 33 ..."
  int findingLine = 0;      // of the program, from 1
};
struct Specification {
  std::string text;  // "%2 <- Move(%1)"
  std::string atom;  // the instruction, for a leaf
  int line = 0, depth = 0;
  bool leaf = false;
  std::vector<Obligation> obligations;
  Truth truth = Truth::Unknown;  // of all obligations together
  std::string checklist;         // the text that `tessera check` prints
  std::string json;              // the line that `tessera check --json` prints
};
struct KernelReport {
  std::vector<Specification> specifications;  // in the order of the text, outer before inner; may be empty
  std::vector<Error> notes;                   // remarks on the text
  std::string summary;                        // "3 specifications: 17 proved, 1 not stated"
  bool holds = false;                         // there are obligations, and each is proved or not stated
  std::string certificate;                    // if requested and nothing is refuted: as docs/certificates.md says
  // The checklists and the summary.
  [[nodiscard]] std::string text() const;
};
struct KernelOptions {
  Options work;                       // budget for reading the program, and for each obligation
  std::string architecture;           // "sm_90a"; empty: the program's own, or sm_80
  std::vector<std::string> settings;  // of its parameters: "stages=4"
  std::vector<std::string> sizes;     // of its symbols: "M=128"; "small": the program's small sizes
  std::string file;                   // file name in the JSON; may be empty
  bool certificate = false;           // write a certificate
};
// Checks that each decomposition of a Graphene program implements its specification (examples: assets/graphene).
[[nodiscard]] Result<KernelReport> checkKernel(std::string_view program, const KernelOptions& options = {});

// An argument of a launch: a text as `tessera kernel --arg` takes it (a buffer "f32[1024]=0", a number "int32:5" or 5,
// any value "_"), or an array in memory, in C order. Arrays are read only during the call.
struct LaunchArgument {
  std::string text;  // with data: only its name, for a reference
  std::string type;  // of an array: "<f4", "<i8" ... as NumPy writes it
  Numbers shape = {};
  const void* data = nullptr;
};
struct Launch {
  std::string entry;  // empty: the only kernel of the text; a part of the name is enough
  Numbers grid = {1};
  Numbers block = {}, cluster = {};  // empty: as the kernel requires, else 1
  std::int64_t shared = 0;           // bytes of dynamic shared memory
  std::vector<LaunchArgument> arguments;
  std::uint64_t seed = 1;  // of random buffers and arbitrary values
  std::int64_t steps = std::int64_t{1} << 33;
  std::string reference;  // "C = A @ B": compares the buffers after the run
  double tolerance = 0;   // 0: by the type of each buffer
  bool prove = false;     // proves the reference for every value of the buffers, over the real numbers
  bool barriers = false;  // also removes each barrier in turn
};
struct ThreadPoint {
  Numbers block, thread;
  std::string file;           // of the source; empty: the PTX
  int line = 0, ptxLine = 0;  // 0: none
};
struct RunFinding {
  std::string kind, message;  // "race", "thread 33 reads what thread 1 writes, with no barrier between them"
  ThreadPoint at;
  std::optional<ThreadPoint> other;  // the conflicting access
  std::string space, element;        // "shared", "tile+132"
  std::uint64_t address = 0;         // in bytes, within the buffer or the shared memory
  std::int64_t bytes = 0, times = 1;
};
// The cost of all executions of an access, and the least possible.
struct RunCost {
  std::int64_t bytes = 0, warps = 0;  // moved in all; executions by a warp
  std::int64_t wavefronts = 0, ideal = 0, sectors = 0, idealSectors = 0;
};
// All executions of one instruction that accesses memory.
struct RunAccess {
  std::string op, space, file;  // "ld.shared.v4.f32"
  int line = 0, ptxLine = 0, argument = -1;
  bool store = false;
  std::int64_t width = 0;  // bytes of a lane
  RunCost cost;
  std::string layout;   // of the address, if there is one: "(32,8):(4,128)"
  bool proved = false;  // it holds in every execution; else in the recorded ones
};
// A buffer after the run. Empty for scalars.
struct RunBuffer {
  std::string name, type;
  Numbers shape;
  std::string bytes;
};
struct KernelRun {
  std::string entry;    // "reduce_race"
  std::string verdict;  // "clean", "benign", "race", "bounds", "deadlock", "wrong", "unknown" ...
  std::string covers;   // "every value of the arguments that were not given, in every schedule"
  std::string reason;   // of "unknown"
  bool passed = false;  // clean, or benign: only threads that write equal values conflict
  std::vector<RunFinding> findings;
  std::vector<RunAccess> accesses;  // by line
  std::vector<RunBuffer> buffers;   // by parameter
  std::vector<std::string> notes;
  std::string text;  // what `tessera kernel` prints
  std::string json;  // what `tessera kernel --json` prints
};
// Runs a kernel given as PTX, or a file's bytes with PTX inside. No compiler and no device is used.
[[nodiscard]] Result<KernelRun> runKernel(std::string_view ptx, const Launch& launch, const Options& options = {});

// An instruction of an HLO module.
struct Instruction {
  std::string name, opcode, shape;  // "t", "transpose", "f32[4,8]{1,0}"
  std::string computation;
  std::string source;  // "model.py:12 (softmax)"; empty: not given in the text
  int line = 0;
};
// The elements of an operand that an instruction reads, or the results that use an element of the operand.
struct Reach {
  std::string operand;  // the operand's name
  int operandNumber = 0, output = 0;
  bool reads = true;              // output -> operand; false: operand -> output
  std::string sound;              // "exact", "at most", "unknown"
  std::string reason;             // why it is not exact
  std::vector<std::string> maps;  // together: "(d0, d1) -> (d1, d0), domain: ..."
  std::string json;               // one line, as `tessera hlo --json` prints it
};
// The memory traffic of a kernel of the module beyond what it needs, in bytes.
struct Waste {
  std::string instruction, opcode, source, plan;  // "a loop over the output"
  int line = 0;
  std::int64_t needed = 0, asked = 0, wasted = 0;
  std::int64_t runs = 1;  // of the kernel in one run of the module; the bytes are those of one
  std::string reason;     // why nothing is known
  std::string text;       // the lines that `tessera hlo --worst` prints
  std::string json;
};
// What `tessera check` prints of a module.
struct ModuleCheck {
  std::int64_t exact = 0, nothing = 0, over = 0, unsupported = 0, wrong = 0;  // instructions, by what they read
  std::int64_t inside = 0, open = 0;  // reads that are proved to be in bounds; those that are not shown
  std::vector<std::string> outside;   // reads out of bounds, with a counterexample
  std::vector<std::string> gaps;      // why instructions are not exact
  std::string summary;
  bool holds = false;  // the text has no fault, no instruction is wrong, no read is outside
};
// An HLO module: an immutable value, cheap to copy. A faulty line does not make reading fail: it is reported in
// problems(), and all other lines are kept.
class Module {
 public:
  [[nodiscard]] const std::string& name() const noexcept;
  [[nodiscard]] const std::vector<Instruction>& instructions() const noexcept;
  [[nodiscard]] const std::vector<Error>& problems() const noexcept;
  // The maps of instructions()[k], through fusions and calls, in both directions.
  [[nodiscard]] Result<std::vector<Reach>> reaches(std::size_t k, const Options& options = {}) const;
  // The kernels by wasted bytes times runs, most first. `Options::seconds` applies to each.
  [[nodiscard]] Result<std::vector<Waste>> waste(const Options& options = {}) const;
  // `Options::seconds` applies to each instruction, and to all proofs together.
  [[nodiscard]] Result<ModuleCheck> check(const Options& options = {}) const;
  struct Impl;

 private:
  friend struct Access;
  explicit Module(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};
// An Error if the text has no computation.
[[nodiscard]] Result<Module> readModule(std::string_view text, const Options& options = {});

// The search of `tessera tune`, in parts that do not depend on each other.
struct TuneOptions {
  Options work;  // for reading the program
  std::string name = "program";
  std::string architecture;           // "sm_90a"; empty: the program's own, or sm_80
  std::vector<std::string> settings;  // of its parameters: "stages=4", "BM=64,128": only these values
  std::vector<std::string> sizes;     // of every symbol: "M=40", "BM*M=5120"
  double proveSeconds = 5;            // per candidate
  // {"/usr/bin/tessera", "measure-worker"}: that process measures on the GPU. Empty: no device is used, and candidates
  // are ranked by the compiler's figures.
  std::vector<std::string> worker;
  std::uint64_t seed = 1;
  int runs = 20;
  double launchSeconds = 10;
};
struct TuneCandidate {
  std::string name;                   // "BM=64 stages=2"
  std::vector<std::string> settings;  // {"BM=64", "stages=2"}: all that its evaluation needs
};
struct TuneResult {
  std::string candidate, result;            // "right", "wrong", "refuted", "failed", "untimed"
  double median = 0, lower = 0, upper = 0;  // microseconds; 0: not timed
  std::string device, why;                  // why it is not right, or what was not proved
  // By the compiler; -1: unknown.
  std::int64_t registers = -1, spilledBytes = -1, sharedBytes = -1, residentWarps = -1, mostWarps = -1;
};
// The combinations that the requirements and sizes allow, last parameter fastest.
[[nodiscard]] Result<std::vector<TuneCandidate>> tuneCandidates(std::string_view program, const TuneOptions& options);
// Proves one, compiles it if it is not refuted, and measures it if there is a worker. An Error only if the program or
// the candidate cannot be read, or if cancelled.
[[nodiscard]] Result<TuneResult> tuneOne(std::string_view program, const TuneCandidate& candidate,
                                         const TuneOptions& options);
// Places of the timed and right ones, fastest first, then of the untimed ones by the compiler's figures (no spills,
// more resident warps, fewer registers). Ties: as they are listed.
[[nodiscard]] std::vector<std::size_t> tuneRanking(const std::vector<TuneResult>& results);

}  // namespace tessera::api
