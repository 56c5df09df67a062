// tessera measure: with the fake driver, without one, and refusals.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "cli/process.h"
#include "solver/measure/device/nvrtc.h"

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
  return {{{"TESSERA_LIBCUDA", FAKE_CUDA}, {"TESSERA_LIBNVRTC", FAKE_NVRTC}, {"TESSERA_FAKE", behaviour}}};
}
Environment nothing() {
  return {{{"TESSERA_LIBCUDA", "/nowhere/libcuda.so"}, {"TESSERA_LIBNVRTC", "/nowhere/libnvrtc.so"}}};
}

// What the fake's kernels do: 64 halves copied.
std::string moveFile() {
  static const std::string kPath = scratchFolder() + "/move.graphene";
  writeText(kPath,
            "%x:[64:1].fp16.GL  %y:[64:1].fp16.GL\n#b:[1:1].block  #t:[64:1].thread\n%y <- Move<<<#b,#t>>>(%x) {\n"
            "  @i = #t.indices()\n  %x1 = %x.tile([1:1])  %from = %x1[@i]\n  %y1 = %y.tile([1:1])  %to = %y1[@i]\n"
            "  %to <- Move(%from)\n}\n");
  return kPath;
}

}  // namespace

TEST_CASE("measure on a device: right, timed, in lines and in JSON") {
  const Environment set = fakes("cache=1024");
  const Finished lines = run({"measure", moveFile(), "--seed", "5"});
  INFO(lines.out << lines.err);
  CHECK(lines.exit == 0);
  for (const char* const part :
       {"\u2713 move_y on Fake GPU (sm_80, driver 12.4): ", "seed 5", "relative error 0 over 64",
        "20 runs of 3 launches, 17 copies", "3 launches after a busy kernel of ", "17 sets of 256 B, L2 1 KiB: cold",
        "bound by memory", "peak by compute capability 8.0", "24 registers", "NVRTC 12.4"}) {
    INFO(part);
    CHECK(lines.out.find(part) != std::string::npos);
  }
  const Finished json = run({"run", moveFile(), "--json", "--runs", "4"});  // another name of it
  CHECK(json.exit == 0);
  const auto said = nlohmann::json::parse(json.out);
  CHECK(said["kind"] == "measurement");
  CHECK(said["on"] == "device");
  CHECK(said["right"] == true);
  CHECK(said["device"]["name"] == "Fake GPU");
  CHECK(said["checks"][0]["relativeError"] == 0);
  CHECK(said["us"]["runs"] == 4);
  CHECK(said["us"]["median"].get<double>() >= 40);
  CHECK(said["us"]["launchesPerRun"] == 3);
  CHECK(said["us"]["copies"] == 17);
  CHECK(said["us"]["graph"] == false);
  CHECK(said["us"]["lateRuns"] == 0);
  CHECK(said["us"]["busyUs"].get<double>() >= 100);
  CHECK(said["us"]["setBytes"] == 256);
  CHECK(said["us"]["timedBy"] == "3 launches");
  CHECK(said["us"]["inputs"] == "17 sets of 256 B, L2 1 KiB: cold");
  CHECK(said["work"]["bytesRead"] == 128);
  CHECK(said["date"].get<std::string>().size() == 20);
}

TEST_CASE("measure on a device that fails: a message, exit 1, and never the end of the program") {
  {
    const Environment set = fakes("memory=500");
    const Finished poor = run({"measure", moveFile()});
    CHECK(poor.exit == 1);
    CHECK(poor.err.find("the device has no memory for 640 bytes") != std::string::npos);
    const Finished json = run({"measure", moveFile(), "--json"});
    CHECK(json.exit == 1);
    CHECK(nlohmann::json::parse(json.out)["ok"] == false);
  }
  const Environment set = fakes("stuck");
  const Finished narrow = run({"measure", moveFile(), "--emulate"});  // the device is not asked
  CHECK(narrow.exit == 0);
  CHECK(narrow.out.find("on the emulator: right") != std::string::npos);
  CHECK(narrow.out.find("  not run: ") != std::string::npos);  // the fake's is none
}

TEST_CASE("measure without a GPU: the emulator's result, its counts, and why") {
  const Environment set = nothing();
  const Finished lines = run({"measure", moveFile()});
  INFO(lines.out << lines.err);
  CHECK(lines.exit == 0);
  for (const char* const part : {"\u2713 move_y on the emulator: right", "no GPU", "the CUDA driver was not found",
                                 "TESSERA_LIBCUDA=/nowhere/libcuda.so", "2 warp instructions", "256 B of memory",
                                 "no: CUDA's run-time compiler (NVRTC) was not found"}) {
    INFO(part);
    CHECK(lines.out.find(part) != std::string::npos);
  }
  const auto said = nlohmann::json::parse(run({"measure", moveFile(), "--json"}).out);
  CHECK(said["on"] == "emulator");
  CHECK(said["noDevice"].get<std::string>().find("not found") != std::string::npos);
  CHECK(said["counts"]["instructions"] == 2);
  CHECK_FALSE(said.contains("us"));
  // Too large for the emulator: nothing is compared, and that is no success.
  const std::string gemm = std::string(TESSERA_SOURCE_DIR) + "/assets/graphene/gemm_simple.graphene";
  const Finished large = run({"measure", gemm, "--steps", "100"});
  CHECK(large.exit == 1);
  CHECK(large.out.find("  ? matmul_C on the emulator: stopped") != std::string::npos);
  CHECK(nlohmann::json::parse(run({"measure", gemm, "--steps", "100", "--json"}).out)["right"] == false);
}

TEST_CASE("measure without a GPU, but with NVRTC: the compiled PTX is a second opinion") {
  const Environment set = {{{"TESSERA_LIBCUDA", "/nowhere/libcuda.so"}}};
  if (const auto nvrtc = measure::Nvrtc::open(); !nvrtc) {
    WARN("skipped: " + nvrtc.error().message);
    return;
  }
  const Finished lines = run({"measure", moveFile()});
  INFO(lines.out << lines.err);
  CHECK(lines.exit == 0);
  for (const char* const part : {"on the emulator: right", "clean; shared memory 0 wavefronts, global memory 8 sectors",
                                 "PTX %y    the emulator's to the last bit, 64 elements"}) {
    INFO(part);
    CHECK(lines.out.find(part) != std::string::npos);
  }
  const auto said = nlohmann::json::parse(run({"measure", moveFile(), "--json"}).out);
  CHECK(said["ptx"]["verdict"] == "clean");
  CHECK(said["ptx"]["sectors"] == said["counts"]["sectors"]);
  CHECK(said["ptx"]["checks"][0]["relativeError"] == 0);
  // A barrier is missing: both find it.
  const std::string racy = std::string(TESSERA_SOURCE_DIR) + "/tests/cases/graphene/w4.graphene";
  const auto wrong = nlohmann::json::parse(run({"measure", racy, "--json"}).out);
  CHECK(wrong["right"] == false);
  CHECK(wrong["ptx"]["verdict"] == "race");
}

TEST_CASE("measure: sizes, specifications and files that are none") {
  const Environment set = nothing();
  const std::string gemm = std::string(TESSERA_SOURCE_DIR) + "/assets/graphene/gemm_symbolic.graphene";
  const Finished sized = run({"measure", gemm, "--size", "M=1", "--size", "N=1"});
  INFO(sized.out << sized.err);
  CHECK(sized.exit == 0);
  CHECK(sized.out.find("K = 4, M = 1, N = 1 (K was not given: --size K=128)") != std::string::npos);
  struct Row {
    std::vector<std::string> call;
    int exit;
    const char* says;
  };
  for (const Row& row : std::vector<Row>{{{gemm, "--size", "M"}, 2, "--size 'M' is not a size"},
                                         {{gemm, "--size", "Q=3"}, 1, "the program has no size Q"},
                                         {{gemm, "--size", "M=0"}, 1, "M is 0"},
                                         {{gemm, "--spec", "Z"}, 1, "no specification writes 'Z' or has this name"},
                                         {{gemm, "--arch", "gfx942"}, 2, "'gfx942' is not an architecture"},
                                         {{"/nowhere.graphene"}, 2, "nowhere.graphene"},
                                         {{gemm, "--runs", "-1"}, 2, "runs"}}) {
    std::vector<std::string> call = {"measure"};
    call.insert(call.end(), row.call.begin(), row.call.end());
    const Finished refused = run(call);
    INFO(row.says << ": " << refused.err);
    CHECK(refused.exit == row.exit);
    CHECK(refused.err.find(row.says) != std::string::npos);
  }
  writeText(moveFile() + ".bad", "%x:[64:1].fp16.GL\n%y <- Move(%x)\n");
  CHECK(run({"measure", moveFile() + ".bad"}).exit == 2);
}
