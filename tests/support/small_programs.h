// The right programs of the repository that become kernels, at sizes that a test has time for.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "core/graphene/reader/parameters.h"
#include "core/graphene/reader/sized.h"
#include "tests/support/replaced.h"

namespace tessera::testing {

struct SmallProgram {
  std::string name;  // "gemm_simple"
  std::string text;
  std::map<std::string, i64> sizes;
  std::string architecture = "sm_80";  // the least one, or the only one: "sm_90a"
};

// One block of figure 8, two by two of the pipelined products, a few steps of k.
inline std::string smaller(const std::string& name, const std::string& text) {
  struct Pipelined {
    const char *name, *grid, *smallGrid, *end, *smallEnd;
  };
  for (const Pipelined& p : {Pipelined{"gemm_pipelined", "[8,8:8,1].block", "[2,2:2,1].block", "32", "8"},
                             {"gemm_64x64", "[8,8:8,1].block", "[2,2:2,1].block", "32", "8"},
                             {"gemm_wgmma_pipelined", "[8,8:8,1].block", "[2,2:2,1].block", "32", "8"},
                             {"gemm_wgmma_deep", "[8,4:4,1].block", "[2,1:1,1].block", "16", "4"}}) {
    if (name != p.name) continue;
    std::string small = replaced(replaced(text, "1024", "256"), p.grid, p.smallGrid);
    for (const std::string before : {"kt < ", "kt + 2 < "})
      small = replaced(small, before + p.end, before + p.smallEnd);
    return small;
  }
  if (name == "gemm_wgmma_tma")
    return *graphene::withSettings(text, {{"rows", "2"}, {"columns", "1"}, {"depth", "6"}, {"group", "2"}});
  const std::string small =
      replaced(replaced(text, "[1024,1024:1,1024]", "[128,128:1,128]"), "[8,8:1,8].block", "[1,1:1,1].block");
  return small.find("[128,128:1,128]") == std::string::npos ? small : replaced(small, "< 1024", "< 128");
}

// "w5": one thing in it is wrong.
inline bool isWrong(const std::string& name) {
  return name.size() > 1 && name[0] == 'w' && name[1] >= '0' && name[1] <= '9';
}

// Those of the folders, by name; tests/cases/graphene also has wrong ones.
inline std::vector<SmallProgram> smallPrograms(const std::vector<std::string>& folders) {
  std::vector<SmallProgram> out;
  for (const std::string& folder : folders)
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(TESSERA_SOURCE_DIR) / folder)) {
      if (entry.path().extension() != ".graphene") continue;
      std::ifstream in(entry.path());
      std::stringstream contents;
      contents << in.rdbuf();
      SmallProgram one;
      one.name = entry.path().stem().string();
      one.text = smaller(one.name, contents.str());
      one.architecture = graphene::architectureOf(one.text);
      one.sizes = graphene::smallSizes(one.text);
      if (const auto program = graphene::readProgram(one.text))
        for (const graphene::Variable& v : program->variables)
          if (v.kind == graphene::Variable::Kind::Size && !one.sizes.contains(v.name))
            one.sizes[v.name] = v.name == "M" ? 2 : v.name == "K" ? 3 : 1;
      out.push_back(std::move(one));
    }
  std::sort(out.begin(), out.end(), [](const SmallProgram& a, const SmallProgram& b) { return a.name < b.name; });
  return out;
}

}  // namespace tessera::testing
