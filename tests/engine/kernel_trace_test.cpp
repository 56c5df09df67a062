// The player of kernels in worksheets: lines are those of the source, the trace is recorded once, findings lead to it.
#include "app/engine/kernel/kernel_trace.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <set>

#include "app/engine/kernel/kernel_value.h"
#include "core/base/words.h"
#include "core/code/index_code.h"
#include "core/worksheet/value.h"
#include "tests/support/run_document.h"

using namespace tessera;

namespace {

const bool kKernelsAdded = (addKernels(), true);

std::vector<Outcome> runSheet(const std::string& text) {
  REQUIRE(kKernelsAdded);
  return runDocument(text);
}

const std::string kReduce = "R = kernel \"" TESSERA_SOURCE_DIR
                            "/assets/kernels/reduce.ptx\" entry reduce_race grid (2) block (256) "
                            "args (in=s32[512], out=s32[2])";

const code::IndexCode& codeOf(const Outcome& outcome) {
  INFO((outcome.diag ? outcome.diag->message : ""));
  REQUIRE(outcome.value);
  const auto* layout = std::get_if<Layout>(outcome.value.get());
  REQUIRE(layout != nullptr);
  return *layout->as<code::IndexCode>();
}

}  // namespace

TEST_CASE("instructions of a trace have the lines of the text and the lines of the PTX") {
  const auto all = runSheet(kReduce);
  const code::IndexCode& code = codeOf(all[0]);
  REQUIRE(code.run->trace);
  const auto trace = code.run->trace(0);
  REQUIRE(trace.ok());
  std::ifstream in(TESSERA_SOURCE_DIR "/assets/kernels/reduce.ptx");
  const std::string ptx((std::istreambuf_iterator<char>(in)), {});
  const std::vector<std::string_view> lines = textLines(ptx);
  std::set<std::size_t> seen;
  for (const code::RunTrace::Instruction& i : (*trace)->instructions) {
    REQUIRE(i.ptxLine > 0);
    CHECK(i.text == stripped(lines[static_cast<std::size_t>(i.ptxLine) - 1]));
    seen.insert(i.line);
  }
  for (const auto& value : *code.values) CHECK(seen.contains(value.line));
  std::set<std::string> names;
  for (const auto& m : (*trace)->memories) names.insert(m.name);
  CHECK(names == std::set<std::string>{"in", "out", "shared"});
  CHECK(*code.run->trace(0) == *trace);  // kept
  CHECK(code.run->trace(1).ok());
  CHECK(code.run->trace(2).error().message == "there is no block 2");
}

TEST_CASE("a kernel is stepped through in a sheet") {
  const auto all =
      runSheet(kReduce + "\nshow R as player\nshow R as player, step 30, block 1, thread 40\nshow R as source");
  for (const Outcome& o : all) {
    INFO(o.statement.text << (o.diag ? ": " + o.diag->message : ""));
    REQUIRE_FALSE(o.diag);
  }
  REQUIRE(all[1].figure);
  CHECK(all[1].figure->modes.at(0).value == 0);
  CHECK(all[1].figure->modes.at(1).extent == 2);
  CHECK(all[2].figure->modes.at(0).value == 30);
  CHECK(all[2].figure->modes.at(2).value == 40);
  CHECK(all[2].figure->text.find("step 30 of") != std::string::npos);
  REQUIRE(all[3].figure);
  bool opens = false;
  for (const FigureDoor& d : all[3].figure->doors) opens = opens || d.view == "player";
  CHECK(opens);
}

TEST_CASE("a finding leads to its step: both threads, and the cell where they meet") {
  const auto all = runSheet(kReduce + "\nshow R as player, finding 1");
  const code::IndexCode& code = codeOf(all[0]);
  REQUIRE_FALSE(code.run->findings.empty());
  const auto trace = code.run->trace(-1);
  REQUIRE(trace.ok());
  REQUIRE((*trace)->meetings.size() == code.run->findings.size());
  const auto& m = (*trace)->meetings[0];
  REQUIRE(m.other);
  CHECK((*trace)->memories[static_cast<std::size_t>(m.memory)].name == "shared");
  CHECK((*trace)->instructions[static_cast<std::size_t>(m.at.access)].line == code.run->findings[0].line);
  CHECK((*trace)->instructions[static_cast<std::size_t>(m.other->access)].line == code.run->findings[0].other);
  REQUIRE(all[1].figure);
  CHECK(all[1].figure->modes.at(0).value == m.at.step);
  CHECK(all[1].figure->modes.at(2).value == m.at.thread);
}

TEST_CASE("steps beyond the end, and values without a run, are refused") {
  const std::pair<std::string, std::string> kWrong[] = {
      {kReduce + "\nshow R as player, step 999999", "there is no step 999999"},
      {kReduce + "\nshow R as player, block 2", "there is no block 2"},
      {kReduce + "\nshow R as player, finding 99", "there is no finding 99"},
      {"A = (4,8):(8,1)\nshow A as player", "the view player does not show"},
      {"C = cuda { int i = t / 2; } over (t = 8)\nshow C as player", "the view player does not show"},
  };
  for (const auto& [text, message] : kWrong) {
    const Outcome outcome = runSheet(text).back();
    INFO(text);
    REQUIRE(outcome.diag);
    CHECK(outcome.diag->message.find(message) != std::string::npos);
  }
}
