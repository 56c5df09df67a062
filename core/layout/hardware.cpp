#include "core/layout/hardware.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace tessera {
namespace {

struct NamePair {
  std::string_view linear, axe;
};
// The first row of a name gives its canonical spelling.
constexpr std::array<NamePair, 11> kNames = {{{"register", "reg"},
                                              {"lane", "lane"},
                                              {"warp", "warp"},
                                              {"block", "cta"},
                                              {"offset", "m"},
                                              {"row", "TLane"},
                                              {"col", "TCol"},
                                              {"lane", "laneid"},
                                              {"lane", "lane_id"},
                                              {"warp", "warpid"},
                                              {"warp", "warp_id"}}};

}  // namespace

std::string linearAxis(const std::string& name) {
  for (const NamePair& p : kNames)
    if (name == p.axe) return std::string(p.linear);
  return name;
}

std::string hardwareAxis(const std::string& name) {
  const std::string linear = linearAxis(name);
  for (const NamePair& p : kNames)
    if (linear == p.linear) return std::string(p.axe);
  return name;
}

bool isThreadAxis(const std::string& name) {
  constexpr std::array<std::string_view, 7> kThreads = {"lane", "warp", "cta", "tx", "tid_in_wg", "wid_in_wg", "wgid"};
  return std::find(kThreads.begin(), kThreads.end(), hardwareAxis(name)) != kThreads.end();
}

bool isValueAxis(const std::string& name) { return hardwareAxis(name) == "reg"; }

}  // namespace tessera
