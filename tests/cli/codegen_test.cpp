// tessera codegen: where the text goes, what is selected, and how errors are refused.
#include <catch2/catch.hpp>
#include <filesystem>

#include "cli/process.h"

using namespace tessera;

namespace {

std::string asset(const std::string& name) {
  return (std::filesystem::path(TESSERA_SOURCE_DIR) / "assets/graphene" / (name + ".graphene")).string();
}
bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("codegen: standard output, a file, one specification") {
  const Finished plain = run({"codegen", asset("gemm_simple")});
  CHECK(plain.exit == 0);
  CHECK(has(plain.out, "extern \"C\" __global__ void __launch_bounds__(256) matmul_C("));
  const std::string file = scratchFolder() + "/gemm_simple.cu";
  const Finished written = run({"codegen", asset("gemm_simple"), "-o", file});
  CHECK(written.exit == 0);
  CHECK(written.out == "matmul_C: 64 blocks of 256 threads, 0 bytes of shared memory, sm_80\n");
  CHECK(readText(file) == plain.out);
  const Finished one = run({"codegen", asset("warp_tile_moves"), "--spec", "%bt"});
  CHECK(one.exit == 0);
  CHECK(has(one.out, "move_bt("));
  CHECK(!has(one.out, "move_a("));
}

TEST_CASE("codegen: what is refused says where") {
  const Finished old = run({"codegen", asset("gemm_pipelined"), "--arch", "sm_75"});
  CHECK(old.exit == 1);
  CHECK(old.out.empty());
  CHECK(has(old.err, "sm_80"));
  CHECK(has(old.err, "copy_rows_async"));
  CHECK(run({"codegen"}).exit == 2);
  CHECK(run({"codegen", "/no/such.graphene"}).exit == 2);
  CHECK(run({"codegen", asset("gemm_simple"), "--arch", "gfx942"}).exit == 2);
  const Finished none = run({"codegen", asset("gemm_simple"), "--spec", "D"});
  CHECK(none.exit == 2);
  CHECK(has(none.err, "no specification writes 'D' or has this name"));
  CHECK(run({"codegen", asset("gemm_simple"), "-o", "/no/such/folder/x.cu"}).exit == 2);
}
