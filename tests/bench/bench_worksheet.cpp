// Parsing and printing, the gallery's proofs, and the start of the command line.
#include <benchmark/benchmark.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "app/engine/engine.h"
#include "core/notation/cute/algebra/coalesce.h"
#include "core/notation/cute/algebra/composition.h"
#include "core/notation/cute/algebra/divide.h"
#include "core/notation/cute/text/text.h"
#include "core/worksheet/value.h"
#include "core/worksheet/worksheet.h"
#include "tests/support/run_document.h"

using namespace tessera;

namespace {

const std::vector<std::string>& texts() {
  static const std::vector<std::string> kTexts = {
      "(4,8):(8,1)", "((2,4),(3,(2,2))):((1,16),(2,(64,128)))", "Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)",
      "Layout<Shape<_4,Shape<_2,_4>>,Stride<_8,Stride<_1,_2>>>", "(128,64):(1@1,1@0)"};
  return kTexts;
}

std::vector<std::string> gallery() {
  std::vector<std::string> sheets;
  for (const auto& e : std::filesystem::directory_iterator(std::string(TESSERA_SOURCE_DIR) + "/assets/gallery")) {
    std::ifstream in(e.path());
    sheets.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  return sheets;
}

}  // namespace

// Bytes a second through parse and print; the baseline copies the same bytes one by one,
// so that the ratio says how far from memory speed a notation is.
static void ParseAndPrint(benchmark::State& state) {
  std::size_t bytes = 0;
  for (auto _ : state)
    for (const std::string& t : texts()) {
      auto v = cute::parse(t);
      if (!v.ok()) state.SkipWithError("a text did not parse");
      std::string printed = print(*v);
      benchmark::DoNotOptimize(printed);
      bytes += t.size();
    }
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes));
}
BENCHMARK(ParseAndPrint);

// What `tessera eval -` does with a stream of operations, split, read, evaluated and printed, against the operations
// alone on layouts that are there (over_algebra): what the language around them costs.
static void StatementStream(benchmark::State& state) {
  const std::vector<std::string> lines = {"composition((8,16):(16,1), (16,2):(2,1))", "coalesce((4,16):(1,4))",
                                          "logical_divide(64:1, 8:4)"};
  EngineOptions options;
  options.figures = EngineOptions::Figures::None;
  Scope scope;
  double own = 0, alone = 0;
  for (auto _ : state) {
    const auto begin = std::chrono::steady_clock::now();
    for (const std::string& line : lines)
      for (const Statement& statement : splitStatements(line)) {
        const Outcome outcome = runStatement(statement, scope, options);
        if (!outcome.value) state.SkipWithError("a statement failed");
        std::string printed = print(*outcome.value);
        benchmark::DoNotOptimize(printed);
      }
    own += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  const cute::Layout a = *cute::parseLayout("(8,16):(16,1)"), b = *cute::parseLayout("(16,2):(2,1)"),
                     c = *cute::parseLayout("(4,16):(1,4)"), d = *cute::parseLayout("64:1"),
                     e = *cute::parseLayout("8:4");
  const auto begin = std::chrono::steady_clock::now();
  for (std::int64_t k = 0; k < static_cast<std::int64_t>(state.iterations()); ++k) {
    auto composed = composition(a, b);
    auto merged = coalesce(c);
    auto divided = logicalDivide(d, e);
    benchmark::DoNotOptimize(composed);
    benchmark::DoNotOptimize(merged);
    benchmark::DoNotOptimize(divided);
  }
  alone = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  state.counters["statements"] =
      benchmark::Counter(static_cast<double>(lines.size()), benchmark::Counter::kIsIterationInvariantRate);
  state.counters["over_algebra"] = own / alone;
}
BENCHMARK(StatementStream);

// The slowest claim of the gallery in milliseconds (bar: 200) and the sum of all.
static void GalleryProofs(benchmark::State& state) {
  const std::vector<std::string> sheets = gallery();
  double slowest = 0, all = 0;
  int claims = 0;
  for (auto _ : state) {
    slowest = all = 0;
    claims = 0;
    for (const std::string& sheet : sheets) {
      EngineOptions options;
      options.figures = EngineOptions::Figures::None;
      for (const Outcome& o : runDocument(sheet, options)) {
        if (!o.verdict) continue;
        ++claims;
        slowest = std::max(slowest, o.verdict->milliseconds);
        all += o.verdict->milliseconds;
      }
    }
  }
  state.counters["claims"] = claims;
  state.counters["slowest_ms"] = slowest;
  state.counters["all_ms"] = all;
}
BENCHMARK(GalleryProofs)->Unit(benchmark::kMillisecond);

namespace {

double runProcess(const char* program, std::vector<const char*> arguments) {
  const auto start = std::chrono::steady_clock::now();
  arguments.insert(arguments.begin(), program);
  arguments.push_back(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    if (std::freopen("/dev/null", "w", stdout) == nullptr) ::_exit(126);
    ::execv(program, const_cast<char* const*>(arguments.data()));
    ::_exit(127);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

// `tessera eval` against /bin/true in the same run: ratio and absolute (bar: 30 ms).
static void StartEval(benchmark::State& state) {
  double ours = 0, baseline = 0;
  for (auto _ : state) {
    ours += runProcess(TESSERA_BINARY, {"eval", "size((4,8))"});
    baseline += runProcess("/bin/true", {});
  }
  state.counters["ms"] = ours / static_cast<double>(state.iterations());
  state.counters["ratio_to_true"] = ours / baseline;
}
BENCHMARK(StartEval)->Iterations(20)->Unit(benchmark::kMillisecond);
