// tessera sass: the report of a listing, exit codes, refusals; with nvdisasm also of cubins.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/files/tool.h"
#include "core/sass/listing.h"
#include "process.h"

using namespace tessera;
using Json = nlohmann::json;

namespace {

std::string sassData(const std::string& name) { return std::string(TESSERA_SOURCE_DIR) + "/tests/sass/data/" + name; }

bool mentions(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// The text of dot.sm_80.sass with the control word of dot's FFMA changed.
std::string changedListing(const sass::Control& control) {
  std::string text = readText(sassData("dot.sm_80.sass"));
  const std::string ffma = "0x004fd80000000007";  // waits for barrier 2, stall 12
  const std::size_t at = text.find(ffma);
  REQUIRE(at != std::string::npos);
  REQUIRE(sass::decoded(0x004fd80000000007).waits == 4);
  char coded[32];
  std::snprintf(coded, sizeof coded, "0x%016llx",
                static_cast<unsigned long long>(sass::encoded(control, 0x004fd80000000007)));
  return text.replace(at, ffma.size(), coded);
}

}  // namespace

TEST_CASE("tessera sass reports the kernels of a listing without any tool") {
  ::setenv("TESSERA_NVDISASM", "", 1);
  const Finished ran = run({"sass", sassData("dot.sm_80.sass")});
  INFO(ran.out << ran.err);
  CHECK(ran.exit == 0);
  CHECK(mentions(ran.out, "dot (sm_80)\n  88 instructions, 10 registers, no spills\n"));
  CHECK(mentions(ran.out, "00a0-0120  dot.cu:4"));
  CHECK(mentions(ran.out, "every read waits for its write"));
  const Finished one = run({"sass", sassData("gemm_pipelined.sm_80.sass"), "--entry", "matmul", "--json"});
  CHECK(one.exit == 0);
  const Json json = Json::parse(one.out);
  CHECK(json["kernel"] == "matmul_C");
  CHECK(json["registers"] == 94);
  REQUIRE(json["loops"].size() == 1);
  CHECK(json["loops"][0]["products"] == 96);
  CHECK(json["loops"][0]["instructions"] == 184);
  const Json& operations = json["loops"][0]["operations"];
  CHECK(std::find(operations.begin(), operations.end(), Json{{"operation", "HMMA"}, {"count", 96}}) !=
        operations.end());
  CHECK(json["uncovered"].empty());
  ::unsetenv("TESSERA_NVDISASM");
}

TEST_CASE("tessera sass finds a wait that was removed, and a stall that was shortened, and exits with 1") {
  const std::string folder = scratchFolder();
  sass::Control control = sass::decoded(0x004fd80000000007);
  writeText(folder + "/same.sass", changedListing(control));
  CHECK(run({"sass", folder + "/same.sass"}).exit == 0);
  control.waits = 0;
  writeText(folder + "/wait.sass", changedListing(control));
  const Finished wait = run({"sass", folder + "/wait.sass"});
  CHECK(wait.exit == 1);
  CHECK(mentions(wait.out,
                 "uncovered: R2 of 0x00d0 (LDG.E R2, [R2.64]) is read at 0x0110 (FFMA R7, R4, R2, R7) without "
                 "a wait for barrier 2 on some path"));
  CHECK(mentions(wait.out, "2 reads before the write is complete"));
  // ISETP P1 is 1 cycle before FFMA; the branch that it guards needs 13.
  control = sass::decoded(0x004fd80000000007);
  control.stall = 11;
  writeText(folder + "/stall.sass", changedListing(control));
  const Finished stall = run({"sass", folder + "/stall.sass", "--json", "--entry", "dot"});
  CHECK(stall.exit == 1);
  const Json json = Json::parse(stall.out);
  REQUIRE(json["uncovered"].size() == 1);
  CHECK(json["uncovered"][0]["register"] == "P1");
  CHECK(json["uncovered"][0]["cycles"] == 12);
  CHECK(json["uncovered"][0]["needed"] == 13);
  CHECK(json["uncovered"][0]["producer"]["source"] == "dot.cu:4");
}

TEST_CASE("tessera sass refuses what it cannot read, with the command that helps, and exits with 2") {
  ::setenv("TESSERA_NVDISASM", "", 1);
  const std::string folder = scratchFolder();
  const auto refused = [&](const std::string& file, const std::string& part) {
    const Finished ran = run({"sass", file});
    INFO(file << ": " << ran.err);
    CHECK(ran.exit == 2);
    CHECK(mentions(ran.err, part));
  };
  refused(sassData("dot.sm_80.cubin"), "nvdisasm -c -hex -g dot.sm_80.cubin > kernel.sass");
  refused(folder + "/none.sass", "cannot read");
  writeText(folder + "/text.sass", "no machine code");
  refused(folder + "/text.sass", "this file holds no machine code");
  writeText(folder + "/bare.sass", "\t.section\t.text.f\n/*0000*/ EXIT ;\n");
  refused(folder + "/bare.sass", "the listing of f has no encodings");
  writeText(folder + "/odd.sass", "\t.section\t.text.f\n/*0000*/ EXIT ;\n/*00g0*/ EXIT ;\n");
  refused(folder + "/odd.sass", "line 3 has an address that is not hexadecimal");
  refused(std::string(TESSERA_BINARY), "no cubin");
  const Finished entry = run({"sass", sassData("dot.sm_80.sass"), "--entry", "matmul"});
  CHECK(entry.exit == 2);
  CHECK(mentions(entry.err, "a part of one of: nested, dot"));
  ::unsetenv("TESSERA_NVDISASM");
}

TEST_CASE("with nvdisasm, a cubin's report is that of its listing, with the cubin's own facts") {
  if (toolPath("nvdisasm").empty()) {
    WARN("no nvdisasm here");
    return;
  }
  const Finished ran = run({"sass", sassData("dot.sm_80.cubin"), "--json"});
  INFO(ran.err);
  REQUIRE(ran.exit == 0);
  const Finished listed = run({"sass", sassData("dot.sm_80.sass"), "--json"});
  std::istringstream ours(ran.out), theirs(listed.out);
  for (std::string a, b; std::getline(ours, a) && std::getline(theirs, b);) {
    Json cubin = Json::parse(a);
    CHECK(cubin["shared_bytes"] == (cubin["kernel"] == "dot" ? 512 : 0));
    CHECK(cubin["local_bytes"] == 0);
    cubin.erase("shared_bytes");
    cubin.erase("local_bytes");
    CHECK(cubin == Json::parse(b));
  }
}
