#include "listings.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace tessera::sass {

std::string dataText(const std::string& name) {
  std::ifstream in(std::filesystem::path(TESSERA_SOURCE_DIR) / "tests/sass/data" / name, std::ios::binary);
  REQUIRE(in.good());
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

std::vector<Kernel> kernelsOf(const std::string& name) {
  auto listing = read(dataText(name + ".sass"));
  REQUIRE(listing.ok());
  return std::move(listing->kernels);
}

Kernel kernelOf(const std::string& name, const std::string& kernel) {
  for (Kernel& one : kernelsOf(name))
    if (one.name == kernel) return std::move(one);
  FAIL("no kernel " << kernel);
  return {};
}

void setControl(Instruction& i, const Control& control) { i.high = encoded(control, i.high); }

}  // namespace tessera::sass
