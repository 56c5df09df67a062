// tessera measure --accesses, --access and --nsight: with the fake driver, without one, and refusals.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "cli/process.h"

using namespace tessera;

namespace {

struct Libraries {
  Libraries(const std::string& cuda, const std::string& nvrtc) {
    ::setenv("TESSERA_LIBCUDA", cuda.c_str(), 1);
    ::setenv("TESSERA_LIBNVRTC", nvrtc.c_str(), 1);
  }
  ~Libraries() {
    ::unsetenv("TESSERA_LIBCUDA");
    ::unsetenv("TESSERA_LIBNVRTC");
  }
  Libraries(const Libraries&) = delete;
  Libraries& operator=(const Libraries&) = delete;
};

const std::string kSwizzled = "Sw<3,3,3> o (64,64):(64,1)", kPlain = "(64,64):(64,1)";

std::string program(const std::string& name) {
  return std::string(TESSERA_SOURCE_DIR) + "/assets/graphene/" + name + ".graphene";
}
std::string report(const std::string& name) { return std::string(TESSERA_SOURCE_DIR) + "/tests/cases/nsight/" + name; }

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("an access over a layout on a device: agreement, and what is flagged") {
  const Libraries set(FAKE_CUDA, FAKE_NVRTC);
  const Finished good = run({"measure", kSwizzled, "--access", "ldmatrix.x4", "--type", "fp16"});
  INFO(good.out << good.err);
  CHECK(good.exit == 0);
  CHECK(has(good.out, "\u2713 ldmatrix.x4 over"));
  CHECK(has(good.out, "1 access: 1 agrees"));
  CHECK(has(good.out, "device: Fake GPU (sm_80, driver 12.4)"));
  // The fake's access is as fast as one without conflicts; 32 wavefronts are predicted of this one.
  const Finished bad = run({"measure", kPlain, "--access", "ldmatrix.x4", "--type", "fp16", "--json"});
  INFO(bad.out << bad.err);
  CHECK(bad.exit == 1);
  const auto said = nlohmann::json::parse(bad.out);
  CHECK(said["kind"] == "predictions");
  REQUIRE(said["accesses"].size() == 1);
  CHECK(said["accesses"][0]["predicted"] == 32);
  CHECK(said["accesses"][0]["ideal"] == 4);
  CHECK(said["accesses"][0]["measured"].get<double>() == Approx(4));
  CHECK(said["accesses"][0]["cycles"].get<double>() == Approx(4));
  CHECK(said["accesses"][0]["verdict"] == "disagrees");
}

TEST_CASE("a program's accesses without a device: predictions, and why nothing is measured") {
  const Libraries set("/nowhere/libcuda.so", "/nowhere/libnvrtc.so");
  const Finished lines = run({"measure", program("ldmatrix_move"), "--accesses"});
  INFO(lines.out << lines.err);
  CHECK(lines.exit == 0);
  CHECK(has(lines.out, "? " + program("ldmatrix_move") + ": 1 access: 1 is not measured\n"));
  CHECK(has(lines.out, "not measured: the CUDA driver was not found"));
  CHECK(has(lines.out, "ldmatrix.x4"));
  CHECK(has(lines.out, "line "));
  const Finished csv = run({"measure", program("ldmatrix_move"), "--accesses", "--csv"});
  CHECK(csv.exit == 0);
  CHECK(csv.out.rfind("kind,kernel,line,instruction", 0) == 0);
  CHECK(has(csv.out, "not measured"));
  const auto said = nlohmann::json::parse(run({"measure", program("ldmatrix_move"), "--accesses", "--json"}).out);
  CHECK(said["accesses"][0]["predicted"] == 8);
  CHECK_FALSE(said["accesses"][0].contains("measured"));
  CHECK_FALSE(said["notMeasured"].get<std::string>().empty());
}

TEST_CASE("a profiler's report beside the predictions") {
  const Libraries set("/nowhere/libcuda.so", "/nowhere/libnvrtc.so");
  const Finished lines = run({"measure", program("ldmatrix_move"), "--nsight", report("raw.csv")});
  INFO(lines.out << lines.err);
  CHECK(lines.exit == 0);
  CHECK(has(lines.out, "there is no prediction for a kernel of that name"));
  CHECK(has(lines.out, "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum 96"));
  const Finished none = run({"measure", program("ldmatrix_move"), "--nsight", program("ldmatrix_move")});
  CHECK(none.exit == 2);
  CHECK(has(none.err, "this is not a report of Nsight Compute"));
}

TEST_CASE("measure --accesses: what is refused") {
  const Libraries set("/nowhere/libcuda.so", "/nowhere/libnvrtc.so");
  struct Row {
    std::vector<std::string> call;
    int exit;
    std::string says;
  };
  const Row kRows[] = {
      {{"measure", kPlain, "--access", "ldmatrix.x5"}, 1, "'ldmatrix.x5'"},
      {{"measure", kPlain, "--access", "ld.global.v4"}, 1, "does not touch shared memory"},
      {{"measure", "(64,64", "--access", "ldmatrix.x4"}, 1, "(64,64"},
      {{"measure", "7", "--access", "ldmatrix.x4"}, 1, "not a layout in memory"},
      {{"measure", kPlain, "--access", "ldmatrix.x4", "--type", "fp17"}, 1, "fp17"},
      {{"measure", kPlain, "--type", "fp16", "--accesses"}, 2, "--type needs --access"},
      {{"measure", kPlain, "--access", "ldmatrix.x4", "--nsight", report("raw.csv")},
       2,
       "about a program, not a layout"},
      {{"measure", program("ldmatrix_move"), "--accesses", "--json", "--csv"}, 2, "--json and --csv"},
      {{"measure", program("ldmatrix_move"), "--accesses", "--size", "M"}, 2, "is not a size"},
      {{"measure", program("nothing_here"), "--accesses"}, 2, "nothing_here"},
      {{"measure", program("ldmatrix_move"), "--nsight", "/nowhere.csv"}, 2, "/nowhere.csv"},
  };
  for (const Row& row : kRows) {
    const Finished f = run(row.call);
    INFO(row.says << "\n" << f.out << f.err);
    CHECK(f.exit == row.exit);
    CHECK(has(f.out + f.err, row.says));
  }
}
