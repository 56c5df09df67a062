// The bank conflicts of a loop that walks down the columns of a tile of floats, and swizzles that avoid them.
#include <tessera/tessera.h>

#include <cstdio>

namespace ts = tessera::api;

int main() {
  //   for (int k = 0; k < 32; ++k) sum += tile[lane * pitch + k];
  for (const int pitch : {32, 33, 36}) {
    long long wavefronts = 0, ideal = 0;
    for (int k = 0; k < 32; ++k) {
      ts::Numbers addresses;
      for (int lane = 0; lane < 32; ++lane) addresses.push_back(4 * (lane * pitch + k));
      const auto report = ts::bankReport(addresses, 4);
      if (!report) return std::puts(report.error().message.c_str()), 1;
      wavefronts += report->wavefronts;
      ideal += report->ideal;
    }
    std::printf("pitch %d: %lld wavefronts, ideal %lld\n", pitch, wavefronts, ideal);
  }
  // The same from the tile and the instruction that reads it, without listing addresses.
  const ts::Layout tile = ts::layout("(32,32):(32,1)").value();
  std::printf("down a column: %s ...\n",
              ts::bankReport(tile, "ld.shared.column", "f32")->conflict.substr(0, 72).c_str());
  const auto found = ts::findSwizzle(tile, {"ld.shared.column", "st.shared.row"}, "f32");
  if (!found) return std::puts(found.error().message.c_str()), 1;
  for (const ts::SwizzleChoice& choice : found->swizzles)
    std::printf("%s   %s\n", choice.layout.text().c_str(), choice.cuda.c_str());
}
