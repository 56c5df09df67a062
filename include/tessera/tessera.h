// Tessera: layouts of tensors, and proofs about them, as a library.
//
// A kernel's author writes a layout and hopes that it is free of bank conflicts, covers the tile once and equals what
// the other tool meant. This library decides it, for all coordinates and not for samples. It reads what CuTe, Axe,
// Triton, XLA and Graphene write; what the program `tessera` answers, a program that links it can ask.
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
// Where to find what
//     layout.h        layouts: read, ask, translate, banks, sectors, findSwizzle; included here, and linked alone by
//                     tessera::layout, without the solver, Cairo and what runs kernels
//     prove           claims, with the method that decided and a counterexample that was replayed
//     draw            pictures: SVG, PDF, PNG, TikZ, text
//     Worksheet       the whole language: statements with names, one answer each, as text and as JSON
//     checkKernel     every obligation of a Graphene program: bounds, races, coverage, values ...
//     Module          an HLO module: what each instruction reads of its operands, as indexing maps
//
// Laws
//     Verdict::truth is Proved or Refuted only where it is so; Unknown always has a reason, and is never a pass
//     a refuted claim has a counterexample
//     Worksheet::run(text) answers as `tessera eval --json` prints, statement by statement, times aside
//     the same call gives the same answer on every machine: budgets count work, not time
//
// Errors, work and threads are as layout.h says: nothing throws, prints or exits; free functions may be called from any
// thread at any time, const objects shared, and a Worksheet used by one thread at a time.
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
  std::string reason;  // proved: why, may be empty; unknown: why not
  double milliseconds = 0;
  std::optional<Counterexample> counterexample;  // refuted
  [[nodiscard]] bool proved() const noexcept { return truth == Truth::Proved; }
  [[nodiscard]] bool refuted() const noexcept { return truth == Truth::Refuted; }
  // As `tessera eval` prints it: "proved   injective(S)   [F2 rank, 0.02 ms]", and the counterexample or the reason.
  [[nodiscard]] std::string text() const;
};

// Decides a claim of the worksheet language about named layouts: "injective(S)", "bijective(S, 4096)", "equal(A, B)",
// "surjective(S) by z3", "not injective(S)", "conflict_free(S, ldmatrix.x4, fp16)", "vectorizes(S, 16, fp16)" ...
[[nodiscard]] Result<Verdict> prove(std::string_view claim, const Names& names = {}, const Options& options = {});

// No two coordinates share a place.
[[nodiscard]] Result<Verdict> injective(const Layout& layout, const Options& options = {});
// Injective, and every place of the codomain is taken.
[[nodiscard]] Result<Verdict> bijective(const Layout& layout, const Options& options = {});
// One function. Layouts of one shape are compared coordinate by coordinate, others by linear index.
[[nodiscard]] Result<Verdict> equal(const Layout& a, const Layout& b, const Options& options = {});
// No access of the tile has a bank conflict. Access and type as in bankReport.
[[nodiscard]] Result<Verdict> conflictFree(const Layout& layout, std::string_view access, std::string_view type,
                                           const Options& options = {});
// Whether this library was built with Z3. Without it claims that need a solver are Unknown.
[[nodiscard]] bool haveSolver() noexcept;

// How a picture is drawn.
struct Picture {
  std::string format = "svg";  // svg tex txt csv json; with Cairo also png and pdf
  std::string view;            // "grid", "memory", "banks fp16 ldmatrix.x4" ...; empty: the value's default
  std::string name;            // for the title
  bool dark = false;
  bool transparent = false;  // no background
  bool frame = true;         // title and caption
  double scale = 2;          // PNG: pixels a point
};
// The bytes of a picture of a layout.
[[nodiscard]] Result<std::string> draw(const Layout& layout, const Picture& picture = {}, const Options& options = {});
// Of the last value or claim of a small worksheet; with a `show`, of the last of these, and the view is its own.
[[nodiscard]] Result<std::string> draw(std::string_view worksheet, const Picture& picture = {},
                                       const Options& options = {});
// The views that can show the layout, the default first.
[[nodiscard]] std::vector<std::string> viewsOf(const Layout& layout);

// What one statement of a worksheet came to.
class Answer {
 public:
  // No error, and what it claims or asserts holds.
  [[nodiscard]] bool holds() const noexcept;
  // "layout", "int", "bool", "tuple", "verdict", "search", "instruction", "measurement" ...; "error"; "none": there is
  // nothing to say.
  [[nodiscard]] const std::string& kind() const noexcept;
  // As `tessera eval` prints it; of an error its message.
  [[nodiscard]] const std::string& text() const noexcept;
  // One line, as `tessera eval --json` prints it.
  [[nodiscard]] const std::string& json() const noexcept;
  [[nodiscard]] int line() const noexcept;                      // where the statement begins, from 1
  [[nodiscard]] const std::string& statement() const noexcept;  // its text
  [[nodiscard]] const std::string& name() const noexcept;       // that it binds; empty: none
  [[nodiscard]] const std::optional<Error>& error() const noexcept;
  [[nodiscard]] const std::optional<Verdict>& verdict() const noexcept;
  [[nodiscard]] const std::optional<Layout>& layout() const noexcept;        // the value, where it is one
  [[nodiscard]] const std::optional<std::int64_t>& number() const noexcept;  // likewise; true is 1
  struct Impl;

 private:
  friend struct Access;
  explicit Answer(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};

// A worksheet: names stay from one run to the next. A copy is another worksheet with the same names; one that was moved
// from may be assigned to and nothing else. A `run` statement runs on the emulator: the library starts no process.
class Worksheet {
 public:
  Worksheet();
  Worksheet(const Worksheet& other);
  Worksheet(Worksheet&& other) noexcept;
  Worksheet& operator=(Worksheet other) noexcept;
  ~Worksheet();

  void bind(const std::string& name, const Layout& layout);
  // One answer a statement, in order. `Options::seconds` are of each. An Error: the answers do not fit into memory, or
  // the flag was raised before the first statement; raised later, the answers end early.
  [[nodiscard]] Result<std::vector<Answer>> run(std::string_view text, const Options& options = {});

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};
// In a worksheet of its own.
[[nodiscard]] Result<std::vector<Answer>> run(std::string_view worksheet, const Options& options = {});

// One obligation of one specification.
struct Obligation {
  std::string label, name;  // "O6", "races"
  std::string standing;     // "proved", "refuted", "unknown", "not stated" (there is nothing to prove)
  std::string method;       // "static", "running", "z3" ...
  std::string reason;       // "256 elements, each once"; unknown: why
  std::string finding;      // refuted: "block 0, thread 33: %s[1,0] at 33 ..."
  int findingLine = 0;      // of the program, from 1
};
struct Specification {
  std::string text;  // "%2 <- Move(%1)"
  std::string atom;  // of a leaf: the instruction
  int line = 0, depth = 0;
  bool leaf = false;
  std::vector<Obligation> obligations;
  Truth truth = Truth::Unknown;  // of all obligations together
  std::string checklist;         // as `tessera check` prints it
  std::string json;              // one line, as `tessera check --json` prints it
};
struct KernelReport {
  std::vector<Specification> specifications;  // in the order of the text, outer before inner; a program may have none
  std::vector<Error> notes;                   // remarks on the text
  std::string summary;                        // "3 specifications: 17 proved, 1 not stated"
  bool holds = false;                         // there are obligations, each proved or not stated
  // The checklists and the summary.
  [[nodiscard]] std::string text() const;
};
struct KernelOptions {
  Options work;                       // for reading the program, and for each obligation
  std::string architecture;           // "sm_90a"; empty: what the program says, or sm_80
  std::vector<std::string> settings;  // of its parameters: "stages=4"
  std::vector<std::string> sizes;     // of its symbols: "M=128"; "small": the sizes that the program calls small
  std::string file;                   // what the JSON calls it; may be empty
};
// Checks a Graphene program (assets/graphene has examples): whether each decomposition does what its specification
// says.
[[nodiscard]] Result<KernelReport> checkKernel(std::string_view program, const KernelOptions& options = {});

// An instruction of an HLO module.
struct Instruction {
  std::string name, opcode, shape;  // "t", "transpose", "f32[4,8]{1,0}"
  std::string computation;
  std::string source;  // "model.py:12 (softmax)"; empty: the text does not say
  int line = 0;
};
// What an instruction reads of one operand, or where elements of an operand go.
struct Reach {
  std::string operand;  // the operand's name
  int operandNumber = 0, output = 0;
  bool reads = true;              // output -> operand; false: operand -> output
  std::string sound;              // "exact", "at most", "unknown"
  std::string reason;             // it is not exact
  std::vector<std::string> maps;  // together: "(d0, d1) -> (d1, d0), domain: ..."
  std::string json;               // one line, as `tessera hlo --json` prints it
};
// An HLO module: an immutable value, cheap to copy. Reading never fails as a whole: lines that cannot be read are
// problems(), and the others are kept.
class Module {
 public:
  [[nodiscard]] const std::string& name() const noexcept;
  [[nodiscard]] const std::vector<Instruction>& instructions() const noexcept;
  [[nodiscard]] const std::vector<Error>& problems() const noexcept;
  // The maps of instructions()[k], through fusions and calls, in both directions.
  [[nodiscard]] Result<std::vector<Reach>> reaches(std::size_t k, const Options& options = {}) const;
  struct Impl;

 private:
  friend struct Access;
  explicit Module(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};
// An Error: there is no computation in it.
[[nodiscard]] Result<Module> readModule(std::string_view text, const Options& options = {});

}  // namespace tessera::api
