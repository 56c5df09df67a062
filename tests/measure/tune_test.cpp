// The search with the fake driver: refuted candidates never run, hanging ones are stopped, and no result is lost.
#include "solver/measure/report/tune.h"

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <set>

#include "measure/fakes.h"
#include "solver/measure/device/nvrtc.h"
#include "solver/measure/predict/roofline.h"

using namespace tessera;
using namespace tessera::measure;

namespace {

// The kernels are called as_y: the fake driver has copy, swapped, hang, illegal. `wide` of 2 leaves the tensors.
const std::string kText = R"(param as = copy in copy, swapped, hang, illegal
param by = 1 in 1, 2, 4
param wide = 1 in 1, 2
require by < 4
%x:[64].fp16.GL  %y:[64].fp16.GL
#b:[1].block  #t:[64/by].thread
%y <- Spec<as><<<#b,#t>>>(%x) {
  @i = #t.indices()
  %x1 = %x.tile([by:1])[wide*@i]  %y1 = %y.tile([by:1])[wide*@i]
  %r:[by:1].fp16.RF
  %r <- Move(%x1)  %y1 <- Move(%r)
})";

TuneRequest requestOf(const std::string& text = kText) {
  TuneRequest out;
  out.name = "moves";
  out.text = text;
  return out;
}

RunOptions optionsOf(bool apart) {
  RunOptions out;
  out.runs = 3;
  out.seconds = apart ? 0.2 : 30;
  out.silenceSeconds = 30;
  if (apart) out.worker = {WORKER};
  out.date = "2026-11-22";
  return out;
}

TuneLog searched(const std::vector<std::string>& todo, const RunOptions& options) {
  std::vector<std::string> order;
  const auto candidates = candidatesByKey(requestOf(), order);
  REQUIRE(candidates.ok());
  TuneLog log;
  TuneHooks hooks;
  hooks.done = [&](const TuneEntry& e) -> Result<void> {
    log.entries.push_back(e);
    return {};
  };
  const auto done = tune(requestOf(), *candidates, todo, options, hooks);
  INFO((done ? "" : done.error().message));
  REQUIRE(done.ok());
  return log;
}

}  // namespace

TEST_CASE("the candidates are the allowed combinations, by their keys") {
  std::vector<std::string> order;
  const auto candidates = candidatesByKey(requestOf(), order);
  REQUIRE(candidates.ok());
  REQUIRE(order.size() == 16);
  CHECK(order.front() == "as=copy by=1 wide=1");
  CHECK(candidates->at("as=hang by=2 wide=1") == graphene::Settings{{"as", "hang"}, {"by", "2"}, {"wide", "1"}});
  std::vector<std::string> none;
  CHECK(candidatesByKey(requestOf("%x:[64].fp16.GL"), none).error().message ==
        "no parameter of this program has a list of values");
  CHECK(candidatesByKey(requestOf("param a = 1 in 1, 2\nrequire a > 2"), none).error().message ==
        "no combination of the parameters meets the requirements");
}

TEST_CASE("what is fixed holds for all, and sizes are one problem for all") {
  std::vector<std::string> order;
  TuneRequest request = requestOf();
  request.fixed = {{"as", "copy,swapped"}, {"wide", "1"}};
  REQUIRE(candidatesByKey(request, order).ok());
  CHECK(order == std::vector<std::string>{"as=copy by=1 wide=1", "as=copy by=2 wide=1", "as=swapped by=1 wide=1",
                                          "as=swapped by=2 wide=1"});
  TuneRequest sized = requestOf("param BM = 1 in 2, 1, 3\n%x:[BM*M].fp16.GL");
  sized.sizes = {"BM*M=64"};
  order.clear();
  CHECK(candidatesByKey(sized, order)->size() == 2);
  CHECK(order == std::vector<std::string>{"BM=2", "BM=1"});
  CHECK(headOfLog(sized) != headOfLog(requestOf(sized.text)));
}

TEST_CASE("right, wrong, failed; a refuted candidate is never launched") {
  const Fakes fakes;
  const TuneLog log = searched({"as=copy by=1 wide=2", "as=swapped by=2 wide=2"}, optionsOf(false));
  REQUIRE(log.entries.size() == 2);
  for (const TuneEntry& e : log.entries) {
    CHECK(e.result == TuneResult::Refuted);
    CHECK(e.why.find("line 7: O2 bounds") != std::string::npos);
    CHECK(e.median == 0);
  }
  CHECK(fakes.launches() == 0);
  const TuneLog ran = searched({"as=copy by=2 wide=1", "as=swapped by=1 wide=1"}, optionsOf(false));
  REQUIRE(ran.entries.size() == 2);
  CHECK(ran.entries[0].result == TuneResult::Right);
  CHECK(ran.entries[0].median >= 40);
  CHECK(ran.entries[0].device == "Fake GPU");
  CHECK(ran.entries[0].date == "2026-11-22");
  CHECK(ran.entries[0].registers == 24);
  CHECK(ran.entries[0].spilledBytes == 12);
  CHECK(ran.entries[1].result == TuneResult::Wrong);
  CHECK(fakes.launches() > 0);
}

TEST_CASE("what hangs or fails is an entry, and the search goes on") {
  const Fakes fakes;
  const TuneLog log =
      searched({"as=hang by=1 wide=1", "as=illegal by=1 wide=1", "as=copy by=1 wide=1"}, optionsOf(true));
  REQUIRE(log.entries.size() == 3);
  CHECK(log.entries[0].result == TuneResult::Failed);
  CHECK(log.entries[0].why.find("did not end within 0.2 s and was stopped") != std::string::npos);
  CHECK(log.entries[1].result == TuneResult::Failed);
  CHECK(log.entries[1].why.find("illegal memory access") != std::string::npos);
  CHECK(log.entries[2].result == TuneResult::Right);
  const std::string text = textOf(log);
  CHECK(text.find("   1  as=copy by=1 wide=1 ") == 0);
  CHECK(text.find("as=hang by=1 wide=1     failed: ") != std::string::npos);
  CHECK(text.ends_with("3 candidates: 1 right, 2 failed"));
}

TEST_CASE("shards, cut off anywhere and resumed, merge to what one machine finds") {
  const Fakes fakes;
  const auto key = [](const TuneLog& log) {
    std::set<std::pair<std::string, TuneResult>> out;
    for (const TuneEntry& e : merged(log, {}).entries) out.emplace(e.candidate, e.result);
    return out;
  };
  std::vector<std::string> all, order;
  REQUIRE(candidatesByKey(requestOf(), all).ok());
  for (const std::string& c : all)
    if (c.find("hang") == std::string::npos && c.find("illegal") == std::string::npos) order.push_back(c);
  const RunOptions options = optionsOf(false);
  const TuneLog whole = searched(order, options);
  CHECK(whole.entries.size() == 8);
  TuneLog together;
  for (int index = 0; index < 3; ++index) {
    const Shard shard{index, 3};
    const auto mine = left(order, {}, shard);
    const TuneLog first =
        searched({mine.begin(), mine.begin() + static_cast<std::ptrdiff_t>(mine.size() / 2)}, options);
    std::string text = headOfLog(requestOf()) + "\n" + print(first);
    const std::string more = print(searched({mine.back()}, options));
    text += more.substr(0, more.size() / 2);  // the machine went down while it wrote this line
    CHECK(headIn(text) == headOfLog(requestOf()));
    const TuneReading read = readTuneLog(text);
    CHECK(read.cutOff == (more.size() > 1));
    TuneLog log = read.log;
    for (const TuneEntry& e : searched(left(order, log, shard), options).entries) log.entries.push_back(e);
    together = merged(together, log);
  }
  CHECK(key(together) == key(whole));
  CHECK(left(order, together, {}).empty());
}

TEST_CASE("without a device nothing has a time, and it says so; with one it is done again") {
  TuneLog log;
  {
    const Fakes fakes("no-device");
    log = searched({"as=copy by=2 wide=1", "as=copy by=1 wide=2", "as=copy by=1 wide=1"}, optionsOf(false));
    CHECK(fakes.launches() == 0);
  }
  REQUIRE(log.entries.size() == 3);
  CHECK(log.entries[0].result == TuneResult::Untimed);
  CHECK(log.entries[0].registers == 24);
  CHECK(log.entries[0].residentWarps > 0);
  CHECK(log.entries[1].result == TuneResult::Refuted);
  CHECK(ranking(log).empty());
  CHECK(staticRanking(log).front().candidate == "as=copy by=1 wide=1");
  CHECK(textOf(log).find("do not predict time") != std::string::npos);
  const std::vector<std::string> order = {"as=copy by=2 wide=1", "as=copy by=1 wide=2", "as=copy by=1 wide=1"};
  CHECK(left(order, log, {}).empty());
  CHECK(left(order, log, {}, true) == std::vector<std::string>{"as=copy by=2 wide=1", "as=copy by=1 wide=1"});
  const Fakes fakes;
  for (const TuneEntry& e : searched(left(order, log, {}, true), optionsOf(false)).entries) log.entries.push_back(e);
  CHECK(ranking(merged(log, {})).size() == 2);
}

TEST_CASE("a search that is cancelled hands out whole entries only") {
  const Fakes fakes;
  std::atomic<bool> cancel{false};
  RunOptions options = optionsOf(false);
  options.cancel = &cancel;
  std::vector<std::string> order;
  const auto candidates = candidatesByKey(requestOf(), order);
  REQUIRE(candidates.ok());
  int entries = 0;
  TuneHooks hooks;
  hooks.done = [&](const TuneEntry& e) -> Result<void> {
    CHECK_FALSE(print(e).empty());
    if (++entries == 2) cancel = true;
    return {};
  };
  const std::vector<std::string> todo = {"as=copy by=1 wide=1", "as=copy by=1 wide=2", "as=copy by=2 wide=1"};
  const auto done = tune(requestOf(), *candidates, todo, options, hooks);
  REQUIRE_FALSE(done.ok());
  CHECK(done.error().message == "cancelled");
  CHECK(entries == 2);
  hooks.done = [](const TuneEntry&) -> Result<void> { return Diag{"the disk is full", "", "", {}}; };
  cancel = false;
  CHECK(tune(requestOf(), *candidates, todo, options, hooks).error().message == "the disk is full");
}

TEST_CASE("shared memory that the launch gives counts, for occupancy as for the table") {
  const Fakes fakes("no-device");
  const auto nvrtc = Nvrtc::open();
  REQUIRE(nvrtc.ok());
  codegen::CudaSource source = moveSource("copy");
  const auto few = nvrtc->compile(source);
  source.kernels[0].dynamicBytes = 81920;
  const auto many = nvrtc->compile(source);
  REQUIRE((few.ok() && many.ok()));
  CHECK(many->resources.at(0).sharedBytes == few->resources.at(0).sharedBytes + 81920);
  const auto warpsOf = [](const Compiled& c) {
    return occupancyOf("sm_80", 256, c.resources[0].registers, c.resources[0].sharedBytes)->warps;
  };
  CHECK(warpsOf(*few) == 64);
  CHECK(warpsOf(*many) == 16);  // two blocks of 80 KiB
}
