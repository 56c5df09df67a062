// If this machine has NVRTC, it compiles the micro-kernels for every architecture and keeps every access: eight in the
// loop of back-to-back accesses, eight in the one that waits for each value. Nothing runs.
#include <algorithm>

#include "solver/measure/device/nvrtc.h"
#include "support/micro_cases.h"

using namespace tessera;
using namespace tessera::measure;

namespace {

std::size_t occurrences(const std::string& text, const std::string& what) {
  std::size_t n = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += what.size()) ++n;
  return n;
}

// What an access is in PTX, up to its type.
std::string opcodeOf(const SharedAccess& a) {
  if (a.instruction.starts_with("ld.")) return "ld.volatile.shared.";
  if (a.instruction.starts_with("st.")) return "st.volatile.shared.";
  return a.instruction.substr(0, a.instruction.find('.')) + ".";
}

bool runsOn(const SharedAccess& a, int architecture) {
  const int needed = a.instruction.starts_with("stmatrix") ? 90 : a.instruction.starts_with("cp.async") ? 80 : 75;
  return architecture >= needed;
}

}  // namespace

TEST_CASE("NVRTC compiles micro-kernels and keeps every access") {
  const auto nvrtc = Nvrtc::open();
  if (!nvrtc) {
    WARN("skipped: " + nvrtc.error().message);
    return;
  }
  std::vector<SharedAccess> all = microAccesses();
  for (auto& [name, accesses] : libraryAccesses(500)) all.insert(all.end(), accesses.begin(), accesses.end());
  for (const char* architecture : {"sm_75", "sm_80", "sm_90a", "sm_100a"}) {
    std::vector<SharedAccess> some;
    std::copy_if(all.begin(), all.end(), std::back_inserter(some),
                 [&](const SharedAccess& a) { return runsOn(a, numberOf(architecture)); });
    const MicroText text = microText(some, 1);
    const auto compiled = nvrtc->compile(text.text, architecture);
    INFO(architecture << (compiled ? "" : ": " + compiled.error().message));
    REQUIRE(compiled.ok());
    CHECK(compiled->log.find("warning") == std::string::npos);
    CHECK(compiled->resources.size() == some.size());
    for (const Resources& r : compiled->resources) CHECK(r.spillStores + r.spillLoads == 0);
    // PTX, function by function.
    const auto ptx = nvrtc->compile(text.text, std::string("compute_") + (architecture + 3));
    REQUIRE(ptx.ok());
    for (std::size_t k = 0; k < some.size(); ++k) {
      const std::size_t begin = ptx->image.find(".entry access_" + std::to_string(k) + "("),
                        end = ptx->image.find(".entry ", begin + 1);
      REQUIRE(begin != std::string::npos);
      const std::string body = ptx->image.substr(begin, end == std::string::npos ? end : end - begin);
      INFO(some[k].instruction << " " << some[k].layout);
      const bool reads = some[k].patterns.front().warp.direction == AccessDirection::Read;
      const std::size_t extra = some[k].instruction.starts_with("cp.async") ? 1 : 0;  // cp.async.wait_all
      CHECK(occurrences(body, opcodeOf(some[k])) == (reads ? 16u : 8u) + extra);
    }
  }
}
