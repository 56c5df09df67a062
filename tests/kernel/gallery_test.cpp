// Two opinions on generated kernels: the emulator runs the program, the PTX machine runs what NVRTC makes of its text.
// Without NVRTC nothing is compared, and the output says so.
//
// Both compute a product of matrices in double and round once, and NVRTC contracts nothing (--fmad=false). So where a
// kernel executes no other inexact instruction, the results are equal to the last bit. Elsewhere an output has a row
// below with the bound of its error.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <iostream>
#include <set>

#include "solver/measure/device/nvrtc.h"
#include "solver/measure/emulated.h"
#include "solver/measure/ptx_run.h"
#include "tests/support/small_programs.h"

using namespace tessera;
using namespace tessera::measure;

namespace {

// The bound of an output's difference, in units of 2^-23 of the value, or of `least` if that is larger. All inputs are
// in [-1, 1].
// `nearby`: the output, or values on the way to it, are rounded to fp16 or bf16, so that a small difference may become
// one of a unit in their last place; at most this share of the elements differs by more than `units`.
//
// exp is ex2.approx of x * log2(e): (2 + 1.173 |x|) units by the CUDA guide (PTX: 2 ulp, and the rounding of the
// product). The emulator rounds the exact value.
struct Inexact {
  const char *program, *output;
  double units, least, nearby;
  const char* why;
};
constexpr Inexact kInexact[] = {
    // |x| <= 16 for a score of 64 products, divided by 8: 21 units in the numerator, and 21 in the sum.
    {"attention", "O", 42, 1, 0, "exp(x), |x| <= 16, divided by the sum of such"},
    {"attention_heads", "O", 4, 1, 0.01, "ex2.approx, 2 ulp, divided by the sum of such"},
    {"attention_unfused", "P", 42, 0, 0.01, "exp(x), |x| <= 16, divided by the sum of such"},
    {"attention_unfused", "O", 42, 1, 0.01, "P"},
    // |x| <= 2: 4.4 units, in the numerator, in the sum, and in the factor that rescales the sum.
    {"online_softmax", "y", 14, 0, 0, "exp(x), |x| <= 2, divided by the sum of such"},
    // sigmoid: the derivative of 1/(1 + e) is at most 1/4, so at most 1 unit of exp, 1 of the sum, 1 of rcp. tanhf: 2.
    {"lstm", "c1", 7, 1, 0, "sigmoid 3, sigmoid * tanhf 4"},
    {"lstm", "h1", 7, 1, 0.01, "c1"},
    {"lstm_cell", "c1", 7, 1, 0, "sigmoid 3, sigmoid * tanhf 4"},
    {"lstm_cell", "h1", 7, 1, 0.01, "c1"},
    {"lstm_unfused", "c1", 7, 1, 0, "sigmoid 3, sigmoid * tanhf 4"},
    {"lstm_unfused", "h1", 7, 1, 0.01, "c1"},
    // |x - mean| * rsqrt is below 4 for these inputs.
    {"layernorm", "y", 5, 1, 0, "rsqrt.approx, 2^-22.9, times a number below 4"},
    {"layernorm_rows", "y", 5, 1, 0.01, "rsqrt.approx, 2^-22.9, times a number below 4"},
    {"layernorm_unfused", "y", 5, 1, 0.01, "rsqrt.approx, 2^-22.9, times a number below 4"},
};

const Inexact* boundOf(const std::string& program, const std::string& output) {
  for (const Inexact& row : kInexact)
    if (program == row.program && output == row.output) return &row;
  return nullptr;
}

// An inexact instruction other than a product of matrices.
bool approximate(const std::string& bound) { return !bound.starts_with("mma.") && !bound.starts_with("wgmma."); }

bool haveNvrtc() {
  const auto nvrtc = Nvrtc::open();
  if (!nvrtc) WARN("skipped: " + nvrtc.error().message);
  return nvrtc.ok();
}

// One program by both.
class Compared {
 public:
  Compared(const testing::SmallProgram& one, const std::string& architecture) : one_(one), architecture_(architecture) {
    auto program = graphene::readProgram(one.text);
    REQUIRE(program.ok());
    program_ = *std::move(program);
    auto source = codegen::emitCuda(program_, {architecture});
    INFO((source ? "" : source.error().message));
    REQUIRE(source.ok());
    source_ = *std::move(source);
    auto launches = launchesOf(source_, program_, one.sizes);
    INFO((launches ? "" : launches.error().message));
    REQUIRE(launches.ok());
    launches_ = *std::move(launches);
  }

  [[nodiscard]] const std::vector<Operand>& operands() const { return launches_.operands; }
  [[nodiscard]] Inputs inputs() const {
    auto out = Inputs::of(launches_.operands, kSeed);
    REQUIRE(out.ok());
    return *std::move(out);
  }
  [[nodiscard]] EmulatorRun emulate(Inputs& in) const {
    auto out = runEmulator(program_, {one_.sizes, architecture_}, in, kSteps);
    INFO((out ? "" : out.error().message));
    REQUIRE(out.ok());
    REQUIRE(out->stopped.empty());
    return *std::move(out);
  }
  // What each statement costs in the emulator, by the place of the statement.
  using Costs = std::map<std::size_t, graphene::LeafCounts>;
  [[nodiscard]] static Costs costsOf(const EmulatorRun& run) {
    Costs out;
    for (const EmulatorRun::Leaf& leaf : run.leaves) out[leaf.span.begin] += leaf.counts;
    return out;
  }
  // The same of the compiled text. A kernel loads operands in registers or in shared memory at its start and stores them
  // at its end; the caller owns them, and the emulator does not count this. It is the cost of no statement in a kernel.
  [[nodiscard]] Costs costsOf(const ptx::Module& module, const PtxRun& run) const {
    std::set<std::size_t> kernels;
    for (const graphene::Statement& s : program_.specs) kernels.insert(s.span.begin);
    Costs out;
    for (const kernel::Report& report : run.reports)
      for (const kernel::AccessLine& a : report.accesses) {
        if (a.space != ptx::Space::Shared && a.space != ptx::Space::Global) continue;
        if (a.op.starts_with("cp.async.bulk")) continue;  // the emulator does not count sectors of tensor copies
        const Span statement = statementOf(module, source_, a.location);
        if (!statement.empty() && kernels.contains(statement.begin)) continue;
        graphene::LeafCounts& c = out[statement.empty() ? kNowhere : statement.begin];
        c.wavefronts += a.wavefronts;
        c.sectors += a.sectors;
      }
    return out;
  }
  static constexpr std::size_t kNowhere = ~std::size_t{0};

  [[nodiscard]] ptx::Module compiled(const std::string& option) const {
    auto compiled = ptxOf(source_, {"--fmad=false", option});
    INFO((compiled ? "" : compiled.error().message));
    REQUIRE(compiled.ok());
    return std::move(compiled->module);
  }
  [[nodiscard]] Result<PtxRun> run(const ptx::Module& module, Inputs& in) const {
    return runPtx(module, launches_, in, kThreadSteps);
  }

 private:
  static constexpr u64 kSeed = 7;
  static constexpr i64 kSteps = 400'000;  // of warps
  static constexpr i64 kThreadSteps = i64{1} << 30;
  const testing::SmallProgram& one_;
  std::string architecture_;
  graphene::Program program_;
  codegen::CudaSource source_;
  Launches launches_;
};

struct Difference {
  i64 differing = 0;
  double most = 0;           // in units of 2^-23, as in Inexact
  std::vector<double> each;  // of the differing elements
};
Difference differenceOf(const Inputs& a, const Inputs& b, int operand, double least = 1) {
  Difference out;
  for (i64 e = 0; e < a.operands()[static_cast<std::size_t>(operand)].elements; ++e) {
    const double x = a.result(operand, e), y = b.result(operand, e);
    if (x == y || (std::isnan(x) && std::isnan(y))) continue;
    const double units = std::fabs(x - y) * 0x1p23 / std::max(least, std::fabs(x));
    out.each.push_back(std::isnan(units) ? HUGE_VAL : units);
    out.most = std::max(out.most, out.each.back());
    ++out.differing;
  }
  return out;
}

void compareOutput(const std::string& name, const std::string& architecture, const PtxRun& run, const Inputs& emulated,
                   const Inputs& ran, int operand) {
  const Operand& o = emulated.operands()[static_cast<std::size_t>(operand)];
  INFO("%" << o.name);
  const Inexact* row = boundOf(name, o.name);
  const Difference difference = differenceOf(emulated, ran, operand, row == nullptr ? 1 : row->least);
  if (row == nullptr) {
    CHECK(difference.differing == 0);
    return;
  }
  // A row without an inexact instruction would hide a fault.
  CHECK(std::any_of(run.bounds.begin(), run.bounds.end(), approximate));
  i64 beyond = 0;
  for (const double units : difference.each) beyond += units > row->units ? 1 : 0;
  std::cout << fmt::format(
      "  {:<24} %{:<2} {:>6} elements, {:>5} differ, by at most {:.3g} units of 2^-23; bound {:.3g} ({}){}\n",
      name + ", " + architecture, o.name, o.elements, difference.differing, difference.most, row->units, row->why,
      beyond == 0 ? "" : fmt::format("; {} next to it, rounded to {}", beyond, o.element));
  CHECK(static_cast<double>(beyond) <= row->nearby * static_cast<double>(o.elements));
  // A neighbour of fp16 is up to 2^-10 away: 2^13 units.
  CHECK(difference.most <= (row->nearby > 0 ? 0x1p13 : row->units));
}

std::vector<testing::SmallProgram> gallery() {
  auto out = testing::smallPrograms(
      {"assets/graphene", "assets/graphene/hopper", "tests/cases/graphene", "tests/codegen/data"});
  std::erase_if(out, [](const auto& one) { return testing::isWrong(one.name); });
  return out;
}

// Where NVRTC makes several stores of one, with and without optimisation: of the pair of floats %new, whose values are
// ready at different times.
const std::set<std::string> kSplit = {"lstm", "lstm_unfused"};

struct Tally {
  int kernels = 0, exact = 0;        // launches; programs without approximate instructions
  int equal = 0, unoptimised = 0;    // programs with the emulator's costs
  int statements = 0, agreeing = 0;  // of those that access memory
};

struct Cost {
  i64 wavefronts = 0, sectors = 0;
  bool operator==(const Cost&) const = default;
};
Cost totalOf(const Compared::Costs& costs) {
  Cost out;
  for (const auto& [at, c] : costs) out.wavefronts += c.wavefronts, out.sectors += c.sectors;
  return out;
}

// Optimised code may keep a value in a register instead of loading it again (gemm_simple: the sum; online_softmax: a
// row that is read twice), and may split or join accesses. So what differs is compared once more, compiled without
// optimisation, where every access of the text is made.
void compareCosts(const std::string& name, const Compared& compared, const Compared::Costs& emulated,
                  const Compared::Costs& optimised, Tally& tally) {
  for (const auto& [at, c] : emulated) {
    if (c.wavefronts == 0 && c.sectors == 0) continue;
    const auto same = optimised.find(at);
    ++tally.statements;
    if (same != optimised.end() && same->second.wavefronts == c.wavefronts && same->second.sectors == c.sectors)
      ++tally.agreeing;
  }
  const Cost wanted = totalOf(emulated), got = totalOf(optimised);
  CHECK(got.wavefronts == wanted.wavefronts);
  if (got == wanted) {
    ++tally.equal;
    return;
  }
  const ptx::Module module = compared.compiled("--device-debug");
  Inputs in = compared.inputs();
  const auto run = compared.run(module, in);
  REQUIRE(run.ok());
  const Cost all = totalOf(compared.costsOf(module, *run));
  std::cout << fmt::format("  {:<24} {} sectors in the emulator, {} optimised, {} not optimised\n", name,
                           wanted.sectors, got.sectors, all.sectors);
  if (kSplit.contains(name.substr(0, name.find(',')))) {
    CHECK(got.sectors < 2 * wanted.sectors);
    return;
  }
  CHECK(all.wavefronts == wanted.wavefronts);
  CHECK(all.sectors == wanted.sectors);
  ++tally.unoptimised;
}

void compareProgram(const testing::SmallProgram& one, const std::string& architecture, Tally& tally) {
  INFO(one.name << " for " << architecture);
  const Compared compared(one, architecture);
  Inputs emulated = compared.inputs(), ran = compared.inputs();
  const ptx::Module module = compared.compiled("--generate-line-info");
  const auto run = compared.run(module, ran);
  INFO((run ? run->finding : run.error().message));
  REQUIRE(run.ok());
  CHECK((run->verdict == kernel::Verdict::Clean || run->verdict == kernel::Verdict::Benign));
  const EmulatorRun emulator = compared.emulate(emulated);
  CHECK(emulator.findings.empty());
  const std::string name = one.name + ", " + architecture;
  for (std::size_t k = 0; k < compared.operands().size(); ++k)
    if (compared.operands()[k].output) compareOutput(one.name, architecture, *run, emulated, ran, static_cast<int>(k));
  compareCosts(name, compared, Compared::costsOf(emulator), compared.costsOf(module, *run), tally);
  tally.kernels += static_cast<int>(run->reports.size());
  tally.exact += std::none_of(run->bounds.begin(), run->bounds.end(), approximate) ? 1 : 0;
}

}  // namespace

TEST_CASE("every generated kernel, compiled to PTX, has the emulator's results, wavefronts and sectors, and is clean") {
  if (!haveNvrtc()) return;
  Tally tally;
  for (const testing::SmallProgram& one : gallery())
    for (const std::string architecture : {"sm_80", "sm_90a"})
      if (one.architecture != "sm_90a" || architecture == "sm_90a") compareProgram(one, architecture, tally);
  std::cout << fmt::format(
      "generated kernels compared with the emulator: {}; {} programs to the last bit\n"
      "wavefronts and sectors: equal for {} programs, and for {} without optimisation; {} of {} statements one by "
      "one\n",
      tally.kernels, tally.exact, tally.equal, tally.unoptimised, tally.agreeing, tally.statements);
  CHECK(tally.kernels >= 100);
  CHECK(tally.exact >= 50);
  CHECK(tally.equal >= 50);
  CHECK(tally.unoptimised >= 20);
  CHECK(tally.agreeing * 5 >= tally.statements * 4);
}

TEST_CASE("programs with one thing wrong: their PTX has the emulator's numbers, or the fault is reported") {
  if (!haveNvrtc()) return;
  using kernel::Verdict;
  const std::map<std::string, Verdict> faults = {
      {"w3", Verdict::Bounds},         {"w4", Verdict::Race},        {"w5", Verdict::Uninitialised},
      {"w6", Verdict::Bounds},  // A column too many is the next row's first, with the same value.
      {"w6_columns", Verdict::Benign}, {"w10", Verdict::Divergence}, {"w11", Verdict::Race}};
  int wrong = 0;
  for (const testing::SmallProgram& one : testing::smallPrograms({"tests/cases/graphene"})) {
    if (!testing::isWrong(one.name)) continue;
    INFO(one.name);
    const Compared compared(one, "sm_80");
    Inputs emulated = compared.inputs(), ran = compared.inputs();
    const auto run = compared.run(compared.compiled("--generate-line-info"), ran);
    REQUIRE(run.ok());
    INFO(run->finding);
    const auto fault = faults.find(one.name);
    CHECK(run->verdict == (fault == faults.end() ? Verdict::Clean : fault->second));
    (void)compared.emulate(emulated);
    for (std::size_t k = 0; k < compared.operands().size() && fault == faults.end(); ++k)
      if (compared.operands()[k].output) CHECK(differenceOf(emulated, ran, static_cast<int>(k)).differing == 0);
    ++wrong;
  }
  CHECK(wrong >= 12);
}
