// A figure for a paper: the swizzled tile as an SVG file (or .tex, .pdf) without title and background.
#include <tessera/tessera.h>

#include <cstdio>
#include <fstream>

namespace ts = tessera::api;

int main(int argc, char** argv) {
  const std::string file = argc > 1 ? argv[1] : "swizzle.svg";
  const auto tile = ts::layout("Sw<2,0,3> o (8,8):(8,1)");
  if (!tile) return std::puts(tile.error().marked().c_str()), 1;
  ts::Picture picture;
  picture.format = file.substr(file.rfind('.') + 1);
  picture.view = "grid";
  picture.frame = false;
  picture.transparent = true;
  const auto bytes = ts::draw(*tile, picture);
  if (!bytes) return std::puts(bytes.error().marked().c_str()), 1;
  std::ofstream(file, std::ios::binary) << *bytes;
  std::printf("%s: %s\n", file.c_str(), tile->text().c_str());
  std::printf("other views:");
  for (const std::string& view : ts::viewsOf(*tile)) std::printf(" %s", view.c_str());
  std::printf("\n");
}
