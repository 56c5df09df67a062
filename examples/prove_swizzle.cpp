// A unit test of a layout: the tile that a kernel stores and loads has no bank conflict, and no two elements share an
// address. Any test framework can run it: the exit status is 0 if all claims hold.
#include <tessera/tessera.h>

#include <cstdio>

namespace ts = tessera::api;

namespace {

int failures = 0;

void expectProved(const ts::Result<ts::Verdict>& verdict) {
  if (!verdict) std::printf("%s\n", verdict.error().marked().c_str());
  if (verdict) std::printf("%s\n", verdict->counterexample ? verdict->text().c_str() : verdict->claim.c_str());
  if (!verdict || !verdict->proved()) ++failures;
}

}  // namespace

int main() {
  const ts::Layout tile = ts::layout("Sw<3,3,3> o (128,64):(64,1)").value();
  expectProved(ts::conflictFree(tile, "ldmatrix.x4", "fp16"));
  expectProved(ts::conflictFree(tile, "cp.async16", "fp16"));
  expectProved(ts::bijective(tile));
  // The index that the kernel computes is the layout.
  expectProved(ts::prove("equal(S, (i, j) -> ((i * 64 + j) xor ((i mod 8) * 8)), domain: i in [0, 127], j in [0, 63])",
                         {{"S", tile}}));
  std::printf("%s\n", failures == 0 ? "all hold" : "not all hold");
  return failures == 0 ? 0 : 1;
}
