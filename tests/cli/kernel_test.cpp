// tessera kernel: arguments, findings, outputs, exit codes and refusals.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "core/base/npy.h"
#include "process.h"

using namespace tessera;
using Json = nlohmann::json;

namespace {

// Thread by thread: tile[0] = a[0]; b[0] = tile[0].
const std::string kThroughShared = R"(.version 8.0
.target sm_80
.address_size 64
.file 1 "through.cu"
.visible .entry through(.param .u64 a, .param .u64 b, .param .u32 n)
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  .shared .align 4 .b8 tile[512];
  ld.param.u64 %rd0, [a];
  ld.param.u64 %rd1, [b];
  ld.global.u32 %r0, [%rd0];
  .loc 1 3 5
  st.shared.u32 [tile], %r0;
  .loc 1 4 5
  ld.shared.u32 %r1, [tile];
  st.global.u32 [%rd1], %r1;
  ret;
}
)";

std::string kernelFolder() {
  const std::string folder = scratchFolder();
  writeText(folder + "/through.ptx", kThroughShared);
  writeText(folder + "/through.cu", "// one\n// two\n    tile[0] = a[0];\n    b[0] = tile[0];\n");
  writeText(folder + "/a.npy", writeNpy({"<f4", {2}, std::string("\0\0\x80\x3f\0\0\0\x40", 8)}));
  return folder;
}

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("tessera kernel runs a kernel and writes its buffers") {
  const std::string folder = kernelFolder();
  const Finished ran = run({"kernel", folder + "/through.ptx", "--arg", "@" + folder + "/a.npy", "--arg", "f32[2,2]=0",
                            "--arg", "int32:5", "--out", "1=" + folder + "/b.npy"});
  INFO(ran.out << ran.err);
  CHECK(ran.exit == 0);
  CHECK(holds(ran.out, "clean; covers the given arguments"));
  const auto b = readNpy(readText(folder + "/b.npy"));
  REQUIRE(b.ok());
  CHECK((*b == Npy{"<f4", {2, 2}, std::string("\0\0\x80\x3f", 4) + std::string(12, '\0')}));
}

TEST_CASE("tessera kernel takes tensor maps, and writes the tensor of one") {
  const std::string folder = scratchFolder(), file = TESSERA_SOURCE_DIR "/tests/kernel/data/tensor.ptx";
  const auto stored = [&](const std::string& map, const std::string& buffer) {
    return run({"kernel", file,    "--entry", "store_2d", "--block", "64",    "--shared",
                "2048",   "--arg", map,       "--arg",    buffer,    "--arg", "1024",
                "--arg",  "0",     "--arg",   "0",        "--arg",   "2",     "--arg",
                "0",      "--arg", "0",       "--arg",    "0",       "--out", "0=" + folder + "/tensor.npy"});
  };
  // The box of 8 x 32 floats from row 2 on, in a tensor of 4 rows.
  const Finished ran = stored("tensormap:f32[4,32]=1,box=8x32", "f32[256]=2");
  INFO(ran.out << ran.err);
  CHECK(ran.exit == 0);
  const auto tensor = readNpy(readText(folder + "/tensor.npy"));
  REQUIRE(tensor.ok());
  std::string want;
  for (int k = 0; k < 128; ++k) want += k < 64 ? std::string("\0\0\x80\x3f", 4) : std::string("\0\0\0\x40", 4);
  CHECK((*tensor == Npy{"<f4", {4, 32}, want}));
  const Finished wide = stored("tensormap:f32[4,32]=1,box=8x300", "f32[256]=2");
  CHECK(wide.exit == 2);
  CHECK(holds(wide.out + wide.err, "the box has 300 elements in dimension 0"));
  // Without the map the copy is unknown, and the form of the argument is in the message.
  const Finished without = run({"kernel", file, "--entry", "store_nothing", "--shared", "2048"});
  CHECK(without.exit == 1);
  CHECK(holds(without.out, "the tensor map store_nothing_param_0, was not given"));
  CHECK(holds(without.out, "--arg tensormap:"));
}

TEST_CASE("tessera kernel shows a race with both threads and both source lines") {
  const std::string folder = kernelFolder();
  const Finished ran = run({"kernel", folder + "/through.ptx", "--block", "64", "--arg", "@" + folder + "/a.npy",
                            "--arg", "f32[2]=0", "--arg", "int32:5"});
  INFO(ran.out << ran.err);
  CHECK(ran.exit == 1);
  CHECK(holds(ran.out, "race: "));
  CHECK(holds(ran.out, "through.cu:4: b[0] = tile[0];; line 16 of the PTX: ld.shared.u32 %r1, [tile];"));
  CHECK(holds(ran.out, "through.cu:3: tile[0] = a[0];; line 14 of the PTX: st.shared.u32 [tile], %r0;"));
  CHECK(holds(ran.out, "through.cu:3  st.shared.u32"));
}

TEST_CASE("tessera kernel --page writes the report as a page") {
  const std::string folder = kernelFolder(), page = folder + "/report.html";
  const Finished race = run({"kernel", folder + "/through.ptx", "--block", "64", "--page", page});
  INFO(race.out << race.err);
  CHECK(race.exit == 1);
  const std::string text = readText(page);
  for (const char* piece : {"<!DOCTYPE html>", "refuted</b>", "race: ", "through.cu", "st.shared.u32", "<figure "})
    CHECK(holds(text, piece));
  // 32 wavefronts instead of one: the source, and the banks of one access.
  const Finished banks =
      run({"kernel", TESSERA_SOURCE_DIR "/assets/kernels/copy.ptx", "--entry", "transpose_tile", "--grid", "2,2",
           "--block", "32,32", "--arg", "f32[64,64]", "--arg", "f32[64,64]", "--arg", "64", "--page", page});
  INFO(banks.out << banks.err);
  CHECK(banks.exit == 0);
  const std::string two = readText(page);
  CHECK(holds(two, "proved</b>"));
  CHECK(holds(two, "id=\"f2g\""));
  CHECK_FALSE(holds(two, "id=\"f3g\""));
  CHECK(run({"kernel", folder + "/through.ptx", "--block", "64", "--page", folder + "/none/x.html"}).exit == 2);
  for (const char* name : {"", "/x.txt"}) {
    const Finished other = run({"kernel", folder + "/through.ptx", "--block", "64", "--page", folder + name});
    CHECK(other.exit == 2);
    CHECK(holds(other.err, "ends in .html"));
  }
}

TEST_CASE("tessera kernel --json: the last line is the report") {
  const std::string folder = kernelFolder();
  const Finished ran = run({"kernel", folder + "/through.ptx", "--block", "64", "--json"});
  INFO(ran.out << ran.err);
  CHECK(ran.exit == 1);
  const Json report = Json::parse(ran.out);
  CHECK(report.at("verdict") == "race");
  const Json& finding = report.at("findings").at(0);
  CHECK(finding.at("line") == 4);
  CHECK(finding.at("ptx_line") == 16);
  CHECK(finding.at("other").at("line") == 3);
  CHECK(report.at("accesses").size() == 4);
  for (const Json& access : report.at("accesses"))
    for (const char* key :
         {"line", "op", "space", "bytes", "warps", "wavefronts", "ideal", "sectors", "ideal_sectors", "layout"})
      CHECK(access.contains(key));
  CHECK(report.at("accesses").at(1).at("op") == "st.shared.u32");
  CHECK(report.at("accesses").at(1).at("warps") == 2);
}

TEST_CASE("tessera kernel --reference compares buffers after the run") {
  const std::string folder = kernelFolder();
  const auto with = [&](const std::string& reference) {
    return run({"kernel", folder + "/through.ptx", "--arg", "A=@" + folder + "/a.npy", "--arg", "f32[2]=3",
                "--reference", reference});
  };
  const Finished right = with("b = np.where(np.arange(2) == 0, A[0], b)");
  INFO(right.out << right.err);
  CHECK(right.exit == 0);
  CHECK(holds(right.out, "b: 2 elements within 0 of the reference"));
  const Finished wrong = with("b = A + 1");
  INFO(wrong.out << wrong.err);
  CHECK(wrong.exit == 1);
  CHECK(holds(wrong.out, "wrong: b[0] is 1, and the reference gives 2"));
  CHECK(with("b = A @").exit == 2);
  CHECK(with("c = A").exit == 2);
}

TEST_CASE("tessera kernel --prove proves the reference for every value, or says why not") {
  const std::string folder = kernelFolder();
  const auto with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all = {
        "kernel", folder + "/through.ptx", "--arg", "A=@" + folder + "/a.npy", "--arg", "b=f32[2]", "--prove"};
    all.insert(all.end(), more.begin(), more.end());
    return run(all);
  };
  const std::string right = "b = np.where(np.arange(2) == 0, A[0], b)";
  const Finished proved = with({"--reference", right});
  INFO(proved.out << proved.err);
  CHECK(proved.exit == 0);
  CHECK(holds(proved.out, "b: proved for every value of A and b, to the last bit: 2 elements equal the reference"));
  const Finished json = with({"--reference", right, "--json"});
  CHECK(Json::parse(json.out).at("proofs").at(0).at("answer") == "proved");
  // A sort is no term.
  const Finished open = with({"--reference", "b = np.where(np.arange(2) == 0, np.sort(A[:1])[0], b)"});
  INFO(open.out << open.err);
  CHECK(open.exit == 1);
  CHECK(holds(open.out, "unknown"));
  CHECK(holds(open.out, "sort has no terms for values that are symbols"));
  const Finished nothing = with({});
  CHECK(nothing.exit == 2);
  CHECK(holds(nothing.err, "--prove needs a reference to prove"));
}

TEST_CASE("tessera kernel refuses what does not fit, with the edit that helps") {
  const std::string folder = kernelFolder(), file = folder + "/through.ptx";
  const auto refused = [&](std::vector<std::string> arguments, const std::string& part) {
    arguments.insert(arguments.begin(), {"kernel", file});
    const Finished ran = run(arguments);
    INFO(ran.out << ran.err);
    CHECK(ran.exit == 2);
    CHECK(holds(ran.err, part));
  };
  refused({"--arg", "int32:5"}, "argument 0 is for the parameter a (.u64, 8 bytes): int32 has 4 bytes");
  refused({"--arg", "1", "--arg", "1", "--arg", "1", "--arg", "1"}, "4 arguments for 3 parameters");
  refused({"--arg", "@" + folder + "/none.npy"}, "No such file");
  refused({"--entry", "missing"}, "through");
  refused({"--block", "2000"}, "1024");
  refused({"--grid", "0,1"}, "--grid '0,1' is not an extent");
  refused({"--out", "2=x.npy"}, "the argument of n is not a buffer");
  refused({"--out", "7=x.npy"}, "there is no such parameter");
  writeText(folder + "/cut.ptx", kThroughShared.substr(0, 300));
  const Finished cut = run({"kernel", folder + "/cut.ptx"});
  CHECK(cut.exit == 2);
  CHECK(holds(cut.err, "the text may be truncated"));
  CHECK(holds(cut.err, "line "));
  CHECK(run({"kernel", folder + "/none.ptx"}).exit == 2);
}

TEST_CASE("tessera kernel without a compiler gives the command that makes PTX") {
  const std::string folder = kernelFolder();
  ::setenv("TESSERA_NVCC", "", 1);
  ::setenv("TESSERA_LIBNVRTC", "/nowhere/libnvrtc.so", 1);
  const Finished ran = run({"kernel", folder + "/through.cu"});
  ::unsetenv("TESSERA_NVCC");
  ::unsetenv("TESSERA_LIBNVRTC");
  INFO(ran.out << ran.err);
  CHECK(ran.exit == 2);
  CHECK(holds(ran.err, "neither nvcc nor NVRTC"));
  CHECK(holds(ran.err, "nvcc -arch=sm_90a -lineinfo -ptx"));
}
