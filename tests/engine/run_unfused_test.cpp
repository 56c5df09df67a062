// run NAME compare unfused: the row beside the kernel, on the emulator and on a device, and its form in pictures and
// files.
#include <stdlib.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "app/engine/engine.h"
#include "app/engine/help/completions.h"
#include "app/engine/measure/comparison_json.h"
#include "app/engine/measure/run_pictures.h"
#include "app/engine/measure/run_program.h"
#include "core/graphene/program.h"
#include "core/worksheet/requests.h"
#include "tests/support/run_document.h"

using namespace tessera;
using measure::RowKind;

namespace {

class Libraries {
 public:
  explicit Libraries(bool device) {
    set("TESSERA_LIBCUDA", device ? FAKE_CUDA : "/nowhere/libcuda.so");
    set("TESSERA_LIBNVRTC", device ? FAKE_NVRTC : "/nowhere/libnvrtc.so");
    set("TESSERA_FAKE", "cache=1024");
  }
  ~Libraries() {
    for (const char* name : {"TESSERA_LIBCUDA", "TESSERA_LIBNVRTC", "TESSERA_FAKE"}) ::unsetenv(name);
  }
  Libraries(const Libraries&) = delete;
  Libraries& operator=(const Libraries&) = delete;

 private:
  static void set(const char* name, const char* value) { ::setenv(name, value, 1); }
};

// 64 halves copied (what the fake's kernels do), straight and by way of %z.
std::string copy(const std::string& from, const std::string& to) {
  return "  %" + to + " <- Move<<<#b,#t>>>(%" + from + ") {\n    @i = #t.indices()\n    %f1 = %" + from +
         ".tile([1:1])  %f = %f1[@i]\n    %g1 = %" + to + ".tile([1:1])  %g = %g1[@i]\n    %g <- Move(%f)\n  }\n";
}
std::string block(const std::string& name, const std::string& tensors, const std::string& body,
                  const std::string& comment = "") {
  return "graphene " + name + " {\n" + comment + "  " + tensors + "\n  #b:[1:1].block  #t:[64:1].thread\n" + body +
         "}\n";
}
const std::string kTensors = "%x:[64:1].fp16.GL  %y:[64:1].fp16.GL";
const std::string kFused = block("copy", kTensors, copy("x", "y"));
const std::string kUnfused = block("copy_unfused", kTensors + "  %z:[64:1].fp16.GL", copy("x", "z") + copy("z", "y"));
const std::string kSheet = kUnfused + kFused;

EngineOptions engine(std::shared_ptr<RunResults> results = nullptr) {
  EngineOptions out;
  out.run.results = std::move(results);
  out.run.worker = {WORKER};
  out.run.now = [] { return std::string("2026-11-22T10:00:00Z"); };
  return out;
}
Outcome last(const std::string& sheet, const EngineOptions& options = engine()) {
  return runDocument(sheet, options).back();
}
const measure::ComparisonRow& unfusedRow(const Outcome& o) {
  INFO((o.diag ? o.diag->message : ""));
  REQUIRE(o.ran);
  const auto& rows = o.ran->table.rows;
  const auto found = std::find_if(rows.begin(), rows.end(), [](const auto& r) { return r.kind == RowKind::Unfused; });
  REQUIRE(found != rows.end());
  return *found;
}

}  // namespace

TEST_CASE("without a device fused and unfused are compared by what the emulator counts") {
  const Libraries none(false);
  const Outcome o = last(kSheet + "run copy compare unfused, cublas");
  const auto& row = unfusedRow(o);
  INFO(row.why);
  CHECK(row.name == "copy_unfused");
  CHECK(row.answer == measure::Answer::Right);
  CHECK(row.why.empty());
  CHECK(row.kernels == 2);
  const auto& kernel = *o.ran->kernel();
  CHECK(kernel.kernels == 1);
  REQUIRE(kernel.sectors.value_or(0) > 0);
  CHECK(*row.sectors == 2 * *kernel.sectors);  // each kernel reads and writes all
  CHECK(row.bytes == 2 * kernel.bytes);
  CHECK(o.ran->table.rows.back().kind == RowKind::Library);
  CHECK(textOf(o.ran->table).find("kernels") != std::string::npos);
  REQUIRE(o.figure);
  CHECK(o.figure->caption.find("The unfused program (2 kernels, copy_unfused) moves 2.00 times the sectors") !=
        std::string::npos);
  CHECK(csvOf(*readComparisonJson(jsonOf(o.ran->table))) == csvOf(o.ran->table));
  CHECK(csvOf(o.ran->table).find("\nunfused,copy_unfused,") != std::string::npos);
  const auto table = drawOutcome(o, "table");
  REQUIRE(table.ok());
  CHECK(table->table.size() == 4);
}

TEST_CASE("on a device the unfused program has a time of its own, of all its kernels") {
  const Libraries fakes(true);
  const Outcome o = last(kSheet + "run copy compare unfused");
  const auto& row = unfusedRow(o);
  INFO(row.why);
  CHECK(row.time.count == 20);
  CHECK(row.kernels == 2);
  CHECK(o.ran->table.rows.back().kind == RowKind::Roofline);
  REQUIRE(o.figure);
  CHECK(o.figure->caption.find("times copy_unfused's median") != std::string::npos);
}

TEST_CASE("what is unfused and cannot be compared says why, and the kernel has its row") {
  const Libraries none(false);
  std::string wide = block("copy_unfused", "%x:[128:1].fp16.GL  %y:[128:1].fp16.GL", copy("x", "y"));
  wide.replace(wide.find("#t:[64"), 6, "#t:[128");
  CHECK(unfusedRow(last(wide + kFused + "run copy compare unfused")).why == "another size: %x is 128 instead of 64");
  const std::string sized = block("copy", kTensors, copy("x", "y"), "  // baseline: copy_unfused (N = 3)\n");
  const Outcome o = last(kUnfused + sized + "run copy compare unfused");
  CHECK(unfusedRow(o).why == "it is for N = 3, but N is 4");
  CHECK(o.ran->right());
  const std::string two = block("pair", kTensors + "  %z:[64:1].fp16.GL", copy("x", "z") + copy("x", "y"));
  CHECK(unfusedRow(last(kSheet + two + "run pair spec %y compare unfused(copy_unfused)")).why ==
        "it computes all of pair, but only %y is run");
}

TEST_CASE("a kept result is stale when the unfused program has changed") {
  const Libraries none(false);
  const auto results = std::make_shared<RunResults>();
  results->ask("run copy compare unfused");
  CHECK(last(kSheet + "run copy compare unfused", engine(results)).ran->asked);
  const Outcome kept = last(kSheet + "run copy compare unfused", engine(results));
  CHECK(kept.ran->kept);
  CHECK_FALSE(kept.ran->stale);
  CHECK(unfusedRow(kept).kernels == 2);
  std::string changed = kUnfused;
  changed.insert(changed.find("  #b"), "  // slower\n");
  CHECK(last(changed + kFused + "run copy compare unfused", engine(results)).ran->stale);
}

TEST_CASE("behind compare, and behind its commas, the words are offered") {
  const auto offers = [](const std::string& text) {
    const auto items = completionsAt(text, text.size(), {}).items;
    return std::any_of(items.begin(), items.end(), [](const Completion& c) { return c.text == "unfused"; });
  };
  CHECK(offers("run copy compare u"));
  CHECK(offers("run copy compare unf"));
  CHECK(offers("run copy compare cublas, u"));
  CHECK(offers("run copy with M=8, n=4 compare variants,u"));
  CHECK_FALSE(offers("run copy compare cublas u"));
  CHECK_FALSE(offers("run copy compare cublas with M=8, u"));
  CHECK_FALSE(offers("run copy u"));
}
