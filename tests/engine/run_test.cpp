// Run statements: what is measured when, and what is kept. A device that is missing, fails or hangs costs one
// statement.
#include <stdlib.h>

#include <catch2/catch.hpp>

#include "app/engine/live_document.h"
#include "app/engine/measure/comparison_json.h"
#include "app/engine/measure/run_pictures.h"
#include "app/engine/measure/run_program.h"
#include "core/worksheet/programs/run_statement.h"
#include "render/ink/ink.h"
#include "tests/engine/gate.h"
#include "tests/support/run_document.h"

using namespace tessera;

namespace {

struct Environment {
  std::vector<std::string> names;
  Environment(const std::vector<std::pair<std::string, std::string>>& set) {
    for (const auto& [name, value] : set) {
      ::setenv(name.c_str(), value.c_str(), 1);
      names.push_back(name);
    }
  }
  ~Environment() {
    for (const std::string& name : names) ::unsetenv(name.c_str());
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
};
Environment fakes(const std::string& behaviour) {
  return {{{"TESSERA_LIBCUDA", FAKE_CUDA},
           {"TESSERA_LIBNVRTC", FAKE_NVRTC},
           {"TESSERA_LIBCUBLASLT", FAKE_CUBLASLT},
           {"TESSERA_FAKE", behaviour}}};
}
Environment nothing() {
  return {{{"TESSERA_LIBCUDA", "/nowhere/libcuda.so"}, {"TESSERA_LIBNVRTC", "/nowhere/libnvrtc.so"}}};
}

// What the fake's kernels do: 64 halves copied.
const std::string kCopy =
    "graphene copy {\n  %x:[64:1].fp16.GL  %y:[64:1].fp16.GL\n  #b:[1:1].block  #t:[64:1].thread\n"
    "  %y <- Move<<<#b,#t>>>(%x) {\n    @i = #t.indices()\n    %x1 = %x.tile([1:1])  %from = %x1[@i]\n"
    "    %y1 = %y.tile([1:1])  %to = %y1[@i]\n    %to <- Move(%from)\n  }\n}\n";

EngineOptions engine(std::shared_ptr<RunResults> results = nullptr) {
  EngineOptions out;
  out.run.results = std::move(results);
  out.run.worker = {WORKER};
  out.run.now = [] { return std::string("2026-11-22T10:00:00Z"); };
  return out;
}

Outcome last(const std::string& sheet, const EngineOptions& options) { return runDocument(sheet, options).back(); }

std::string complaint(const Outcome& o) { return o.diag ? o.diag->message : ""; }

}  // namespace

TEST_CASE("a run on a device: checked, timed, with the roofline, as bars") {
  const Environment set = fakes("cache=1024");
  const Outcome o = last(kCopy + "run copy seed 5", engine());
  INFO(complaint(o));
  REQUIRE(o.ran);
  const auto& t = o.ran->table;
  CHECK(t.device == "Fake GPU");
  CHECK(t.driver == "12.4");
  CHECK(t.date == "2026-11-22T10:00:00Z");
  CHECK(t.seed == 5);
  CHECK(o.ran->right());
  CHECK(o.holds());
  REQUIRE(t.rows.size() == 2);
  CHECK(t.rows[0].time.count == 20);
  CHECK(t.rows[0].timedBy == "3 launches");
  CHECK(t.rows[0].inputs == "17 sets of 256 B, L2 1 KiB: cold");
  CHECK(t.cacheBytes == 1024);
  CHECK(t.rows[0].registers == 24);
  CHECK(t.rows[0].residentWarps > 0);
  CHECK(t.rows[1].kind == measure::RowKind::Roofline);
  REQUIRE(o.figure);
  CHECK(o.figure->title == "copy: measured");
  CHECK(ink(*o.figure, "csv").ok());
  const auto table = drawOutcome(o, "table");
  REQUIRE(table.ok());
  CHECK(table->table.size() == 3);
  CHECK(drawOutcome(o, "pie").ok() == false);
}

TEST_CASE("compared with a library that has no such product the row says why") {
  const Environment set = fakes("");
  const Outcome o = last(kCopy + "run copy compare cublas", engine());
  REQUIRE(o.ran);
  REQUIRE(o.ran->table.rows.size() == 3);
  const auto& row = o.ran->table.rows[1];
  CHECK(row.kind == measure::RowKind::Library);
  CHECK(row.time.count == 0);
  CHECK(row.why == "the library has no such product: the specification is not a MatMul");
}

TEST_CASE("without a device the compiled kernel runs on the CPU, too, and the picture says so") {
  const std::vector<std::pair<std::string, std::string>> noDriver = {{"TESSERA_LIBCUDA", "/nowhere/libcuda.so"}};
  const Environment set(noDriver);
  const Outcome o = last(kCopy + "run copy", engine());
  INFO(complaint(o));
  REQUIRE(o.ran);
  const auto& kernel = o.ran->table.rows[0];
  if (o.ran->table.compiler.empty()) {  // no NVRTC here
    CHECK(kernel.compiled.empty());
    return;
  }
  CHECK(kernel.compiled == "clean, the emulator's results to the last bit");
  REQUIRE(o.figure);
  CHECK(o.figure->caption.find("ran on the CPU, too: clean") != std::string::npos);
  const auto again = readComparisonJson(jsonOf(o.ran->table));
  REQUIRE(again.ok());
  CHECK(again->rows[0].compiled == kernel.compiled);
}

TEST_CASE("without a device the emulator runs it, and the table says why there is no time") {
  const Environment set = nothing();
  const Outcome o = last(kCopy + "run copy compare cublas, variants", engine());
  INFO(complaint(o));
  REQUIRE(o.ran);
  const auto& t = o.ran->table;
  CHECK(t.device.empty());
  CHECK_FALSE(t.noDevice.empty());
  CHECK(o.ran->right());
  CHECK(t.rows[0].sectors == t.rows[0].idealSectors);
  for (const auto& row : t.rows) CHECK(row.time.count == 0);
  CHECK(t.rows.back().why == "there is no device");
  REQUIRE(o.figure);
  CHECK(o.figure->caption.find(t.noDevice) != std::string::npos);
}

TEST_CASE("a device that fails is a message of that statement alone") {
  const Environment set = fakes("memory=500");
  const auto outcomes = runDocument(kCopy + "run copy\nA = (4,8):(8,1)", engine());
  REQUIRE(outcomes.size() == 3);
  CHECK(complaint(outcomes[1]).find("the device has no memory") != std::string::npos);
  CHECK(outcomes[2].value.has_value());
}

TEST_CASE("a kernel that never ends is stopped by cancelling, as a job") {
  const Environment set = fakes("stuck");
  Gate gate;
  JobRunner jobs(engine(), [&] { gate.notify(); });
  Scope scope;
  const auto statements = splitStatements(kCopy + "run copy");
  (void)startStatement(statements[0], scope);
  const auto job = jobs.submit(startStatement(statements[1], scope));
  REQUIRE(gate.wait([&] { return job->progress().what.find("loading") != std::string::npos || job->outcome(); }));
  jobs.cancel(job);
  REQUIRE(gate.wait([&] { return job->outcome() != nullptr; }));
  CHECK(complaint(*job->outcome()) == "unknown: cancelled");
}

TEST_CASE("with a store nothing touches the device until it is asked for, and what was found stays") {
  const Environment set = fakes("cache=1024");
  const auto results = std::make_shared<RunResults>();
  const std::string sheet = kCopy + "run copy";
  {
    const Outcome o = last(sheet, engine(results));
    REQUIRE(o.ran);
    CHECK_FALSE(o.ran->asked);
    CHECK(o.ran->table.device.empty());
    CHECK(o.ran->right());
    CHECK(results->empty());  // what was not asked for is not kept
  }
  results->ask("run copy");
  {
    const Outcome o = last(sheet, engine(results));
    CHECK(o.ran->asked);
    CHECK_FALSE(o.ran->kept);
    CHECK(o.ran->table.device == "Fake GPU");
    CHECK_FALSE(results->empty());
  }
  const Outcome kept = last(kCopy + "run  copy as table // as it was", engine(results));
  CHECK(kept.ran->kept);
  CHECK_FALSE(kept.ran->stale);
  CHECK(csvOf(kept.ran->table) == csvOf(results->find("run copy")->table));
  std::string changed = sheet;
  changed.replace(changed.find("%from"), 5, "%where").replace(changed.rfind("%from"), 5, "%where");
  const Outcome stale = last(changed, engine(results));
  INFO(complaint(stale));
  CHECK(stale.ran->stale);
  REQUIRE(stale.figure);
  const auto& badges = stale.figure->badges;
  const auto says = [&](const std::string& text) {
    return std::any_of(badges.begin(), badges.end(), [&](const FigureBadge& b) { return b.text.find(text) == 0; });
  };
  CHECK(says("stale"));
  CHECK(says("measured 22 Nov 2026, 10:00 UTC"));
}

TEST_CASE("what is kept comes back from its file; what is no such file keeps nothing") {
  RunResults results;
  measure::ComparisonTable t;
  t.program = "a \"b\"\n";
  t.device = "X";
  t.sizes = {{"M", 8}};
  t.rows.emplace_back().time = {1.5, 1, 2, 1, 2, 20};
  results.keep({"run a", "00ff", t});
  results.keep({"run b", "0", {}});
  RunResults again;
  REQUIRE(again.read(results.text()).ok());
  CHECK(again.text() == results.text());
  CHECK(csvOf(again.find("run a")->table) == csvOf(t));
  CHECK(again.find("run a")->program == "00ff");
  for (const char* bad : {"", "{}", "[]", "{\"what\":\"tessera runs\"}", "{\"what\":3,\"runs\":[]}"}) {
    CHECK_FALSE(again.read(bad).ok());
    CHECK(again.empty());
  }
  REQUIRE(
      again.read("{\"what\":\"tessera runs\",\"runs\":[3,{},{\"statement\":\"x\",\"result\":{\"rows\":[7]}}]}").ok());
  CHECK(again.empty());
}

TEST_CASE("a live sheet runs a statement again when it is asked, and nothing else with it") {
  const Environment set = nothing();
  const auto results = std::make_shared<RunResults>();
  Gate gate;
  JobRunner jobs(
      engine(results), [&] { gate.notify(); }, gate.function());
  LiveDocument live(jobs);
  const auto settle = [&] {
    while (live.step()) {
    }
    REQUIRE(gate.wait([&] {
      if (live.collect())
        while (live.step()) {
        }
      return live.complete();
    }));
  };
  live.setText(kCopy + "run copy\nprove copy");
  settle();
  CHECK_FALSE(live.outcomes()[1]->ran->asked);
  live.setText("A = 8:1\n" + kCopy + "run copy\nprove copy");  // an edit elsewhere
  settle();
  CHECK(gate.answers("run copy") == 1);
  results->ask(runKey("run copy"));
  live.again(runKey("run copy"));
  settle();
  CHECK(gate.answers("run copy") == 2);
  CHECK(gate.answers("prove copy") == 1);
  CHECK(live.outcomes()[2]->ran->asked);
}

TEST_CASE("dates are read as people write them") {
  CHECK(readableDate("2026-11-22T10:00:00Z") == "22 Nov 2026, 10:00 UTC");
  CHECK(readableDate("2026-01-05T23:59:59Z") == "5 Jan 2026, 23:59 UTC");
  CHECK(readableDate("2026-13-05T23:59:59Z") == "2026-13-05T23:59:59Z");
  CHECK(readableDate("yesterday") == "yesterday");
}
