// Clusters of several blocks (data/cluster.cu): shared memory of other blocks, barrier.cluster, mbarriers and copies of
// other blocks.
#include <catch2/catch.hpp>
#include <cstring>

#include "solver/kernel/kernel.h"
#include "solver/kernel/launch/arguments.h"
#include "tests/kernel/kernels.h"

using namespace tessera;
using namespace tessera::kernel;

namespace {

using Extent = std::array<std::uint32_t, 3>;

struct ClusterRun {
  Launch launch;
  Report report;
  [[nodiscard]] std::vector<std::uint32_t> before(std::size_t k) const { return words(launch.arguments[k].bytes); }
  [[nodiscard]] std::vector<std::uint32_t> after(std::size_t k) const { return words(report.buffers[k]); }
  [[nodiscard]] std::string verdict() const {
    if (!report.reason.empty()) UNSCOPED_INFO(report.reason);
    if (!report.findings.empty()) UNSCOPED_INFO(report.findings.front().message);
    return std::string(nameOf(report.verdict));
  }
  [[nodiscard]] bool says(const std::string& part) const {
    for (const Finding& f : report.findings)
      if (f.message.find(part) != std::string::npos) return true;
    return report.reason.find(part) != std::string::npos;
  }

 private:
  static std::vector<std::uint32_t> words(const std::vector<std::byte>& bytes) {
    std::vector<std::uint32_t> out(bytes.size() / 4);
    std::memcpy(out.data(), bytes.data(), bytes.size());
    return out;
  }
};

ClusterRun clusterRun(const std::string& entry, Extent grid, Extent cluster,
                      const std::vector<std::string>& arguments) {
  const ptx::Module& module = test::kernelsOf("cluster");
  const auto given = readArguments(*module.function(entry), arguments, 5, {});
  INFO(entry << ": " << (given ? "" : given.error().message));
  REQUIRE(given.ok());
  ClusterRun out;
  out.launch.entry = entry;
  out.launch.grid = grid;
  out.launch.cluster = cluster;
  out.launch.block = {64, 1, 1};
  out.launch.dynamicShared = 8192;
  for (const Given& g : *given) out.launch.arguments.push_back(g.argument);
  auto report = run(module, out.launch);
  REQUIRE(report.ok());
  out.report = *std::move(report);
  return out;
}

}  // namespace

TEST_CASE("each block knows its place in its cluster and in the grid of clusters") {
  const ClusterRun r = clusterRun("places", {4, 6, 1}, {2, 3, 1}, {"u32[240]=0"});
  CHECK(r.verdict() == "clean");
  const auto out = r.after(0);
  for (std::uint32_t y = 0; y < 6; ++y)
    for (std::uint32_t x = 0; x < 4; ++x) {
      const std::uint32_t rank = x % 2 + y % 3 * 2;
      const std::vector<std::uint32_t> want = {x / 2, y / 3, x % 2, y % 3, rank, 6, 2, 3, rank, 5};
      const auto at = out.begin() + (y * 4 + x) * 10;
      CHECK(std::vector<std::uint32_t>(at, at + 10) == want);
    }
  const ClusterRun alone = clusterRun("places", {2, 1, 1}, {1, 1, 1}, {"u32[20]=0"});
  CHECK(alone.after(0) == std::vector<std::uint32_t>{0, 0, 0, 0, 0, 1, 2, 1, 0, 0, 1, 0, 0, 0, 0, 1, 2, 1, 0, 0});
}

TEST_CASE("blocks read each other's shared memory between two barriers of the cluster") {
  const auto exchange = [](const char* fault) {
    return clusterRun("exchange", {6, 1, 1}, {3, 1, 1}, {"u32[384]", "u32[384]=0", fault});
  };
  const ClusterRun right = exchange("0");
  CHECK(right.verdict() == "clean");
  const auto in = right.before(0), out = right.after(1);
  for (std::size_t block = 0; block < 6; ++block)
    for (std::size_t t = 0; t < 64; ++t) CHECK(out[block * 64 + t] == in[(block / 3 * 3 + (block + 1) % 3) * 64 + t]);
  const ClusterRun early = exchange("1"), late = exchange("2"), beyond = exchange("3");
  CHECK(early.verdict() == "race");
  CHECK(early.says("of block 0"));
  CHECK(late.verdict() == "race");
  CHECK(late.says("which may have ended"));
  CHECK_FALSE(exchange("0").says("which may have ended"));
  CHECK(beyond.verdict() == "bounds");
}

TEST_CASE("blocks count in the memory of one of them, with atomics") {
  const ClusterRun right = clusterRun("count", {4, 1, 1}, {4, 1, 1}, {"u32[256]", "u32[8]=0", "0"});
  CHECK(right.verdict() == "clean");
  std::vector<std::uint32_t> want(8);
  for (const std::uint32_t x : right.before(0)) ++want[x % 8];
  CHECK(right.after(1) == want);
  CHECK(clusterRun("count", {4, 1, 1}, {4, 1, 1}, {"u32[256]", "u32[8]=0", "1"}).verdict() == "race");
}

TEST_CASE("arrivals at the mbarrier of another block pass order") {
  const auto arrive = [](const char* fault) { return clusterRun("arrive", {8, 1, 1}, {4, 1, 1}, {"u32[4]=0", fault}); };
  const ClusterRun right = clusterRun("arrive", {4, 1, 1}, {4, 1, 1}, {"u32[4]=0", "0"});
  CHECK(right.verdict() == "clean");
  CHECK(right.after(0) == std::vector<std::uint32_t>{0, 101, 102, 103});
  CHECK(arrive("1").verdict() == "race");
  CHECK(arrive("2").verdict() == "deadlock");
}

TEST_CASE("a multicast copy arrives in every block of its mask, with its bytes") {
  const auto multicast = [](std::uint32_t blocks, const char* fault) {
    const std::string n = std::to_string(blocks);
    return clusterRun(
        "multicast", {blocks, 1, 1}, {blocks, 1, 1},
        {"tensormap:f16[" + std::to_string(16 * blocks) + ",64],box=8x64", "u32[" + n + ",2," + n + ",256]=0", fault});
  };
  for (const std::uint32_t blocks : {1u, 2u, 4u}) {
    const ClusterRun r = multicast(blocks, "0");
    CHECK(r.verdict() == "clean");
    const auto in = r.before(0), out = r.after(1);
    REQUIRE(out.size() == in.size() * blocks);
    for (std::size_t k = 0; k < out.size(); ++k)
      if (out[k] != in[k % in.size()]) REQUIRE(out[k] == in[k % in.size()]);
  }
  CHECK(multicast(2, "1").says("where no mbarrier was initialised"));
  const ClusterRun early = multicast(2, "2");
  CHECK(early.verdict() == "race");
  CHECK(early.says("without a wait for it in between"));
  CHECK(multicast(2, "3").says("has the mask 0x7, and its cluster 2 blocks"));
}

TEST_CASE("a bulk copy to another block completes at that block's mbarrier") {
  const ClusterRun r = clusterRun("pass", {3, 1, 1}, {3, 1, 1}, {"u32[192]", "u32[192]=0"});
  CHECK(r.verdict() == "clean");
  const auto in = r.before(0), out = r.after(1);
  for (std::size_t k = 0; k < 192; ++k) CHECK(out[k] == in[(k + 128) % 192]);
}

TEST_CASE("the barrier of a cluster orders what precedes the arrival, and no more") {
  const auto apart = [](const char* fault) { return clusterRun("apart", {2, 1, 1}, {2, 1, 1}, {"u32[2]=0", fault}); };
  const ClusterRun right = apart("0");
  CHECK(right.verdict() == "clean");
  CHECK(right.after(0) == std::vector<std::uint32_t>{8, 7});
  const ClusterRun late = apart("1");
  CHECK((late.verdict() == "race" || late.verdict() == "uninitialised"));
  CHECK(apart("2").says("without an arrival"));
  CHECK(apart("3").verdict() == "clean");
}

TEST_CASE("clusters that do not fit the grid are refused") {
  Launch launch;
  launch.entry = "places";
  launch.grid = {3, 1, 1};
  launch.cluster = {2, 1, 1};
  CHECK(run(test::kernelsOf("cluster"), launch).error().message == "3 blocks are not divided by clusters of 2");
  launch.grid = {32, 1, 1};
  launch.cluster = {32, 1, 1};
  CHECK(run(test::kernelsOf("cluster"), launch).error().expected == "at most 16 blocks");
  launch.cluster = {0, 1, 1};
  CHECK_FALSE(run(test::kernelsOf("cluster"), launch).ok());
}
