// The text of micro-kernels, compiled for the host: every lane accesses the addresses of its pattern. On a machine
// whose access costs come from a slow, obvious bank model, the wavefronts implied by the kernels' own clock equal the
// predicted ones.
#include <fmt/format.h>

#include <cstring>

#include "host_program.h"
#include "ready.h"
#include "support/micro_cases.h"

using namespace tessera;
using namespace tessera::host_check;
using namespace tessera::measure;

namespace {

// In the order of the lanes: 128 bytes at a time are served together; in such a part every bank gives one word after
// the other. An access at addresses that neither the baselines nor a pattern has ends the kernel.
constexpr const char* kModel = R"(
#include <set>
#include <vector>
namespace tessera::host {
static const std::set<std::vector<long long>> kKnown = {
%KNOWN%};
int probeCycles(const char* name, int width, const long long* addresses) {
  std::vector<long long> all(addresses, addresses + 32);
  long long least = -1;
  for (long long a : all) least = a >= 0 && (least < 0 || a < least) ? a : least;
  for (long long& a : all) a = a < 0 ? a : a - least / 128 * 128;  // whole rows of banks make no difference
  if (kKnown.count(all) == 0) fail(std::string(name) + " at addresses that nobody predicted");
  const int together = width <= 4 ? 32 : 128 / width;
  int cycles = 3;
  for (int first = 0; first < 32; first += together) {
    std::set<long long> words;
    for (int lane = first; lane < first + together; ++lane)
      for (int b = 0; addresses[lane] >= 0 && b < width; ++b) words.insert((addresses[lane] + b) / 4);
    std::vector<int> load(32, 0);
    int most = 0;
    for (long long w : words) most = std::max(most, ++load[w % 32]);
    cycles += 2 * most;
  }
  return cycles;
}
}
)";

std::string rowOf(const std::vector<i64>& addresses) {
  std::string out = "  {";
  for (const i64 a : addresses) out += fmt::format("{},", a);
  return out + "},\n";
}

std::string modelFor(const std::vector<SharedAccess>& accesses) {
  std::string rows, model = kModel;
  for (const SharedAccess& a : accesses) {
    const AtlasAccess& how = a.patterns.front().warp;
    for (const i64 stride : {i64{how.width}, i64{128}}) {
      std::vector<i64> row(32, -1);
      for (int lane = 0; lane < how.phases.active(); ++lane) row[static_cast<std::size_t>(lane)] = stride * lane;
      rows += rowOf(row);
    }
    for (const AccessPattern& p : a.patterns) {
      std::vector<i64> row;
      for (const i64 address : p.warp.addresses) row.push_back(address == kInactive ? -1 : address);
      rows += rowOf(row);
    }
  }
  return model.replace(model.find("%KNOWN%"), 7, rows);
}

std::vector<std::string> kernelsOf(const MicroText& text) {
  std::vector<std::string> out;
  for (const MicroLaunch& l : text.launches)
    if (out.empty() || out.back() != l.kernel) out.push_back(l.kernel);
  return out;
}

// Every launch; the cycles that the kernel wrote, held to the prediction.
void checkAll(const std::vector<SharedAccess>& accesses, std::size_t most) {
  const MicroText text = microText(accesses, most);
  const std::vector<std::string> kernels = kernelsOf(text);
  const HostProgram program({{modelFor(accesses) + text.text, kernels}});
  INFO(program.messages().substr(0, 3000));
  REQUIRE(program.built());
  CHECK(program.messages().find("warning") == std::string::npos);
  std::size_t measured = 0;
  for (const MicroLaunch& launch : text.launches) {
    const SharedAccess& access = accesses[launch.access];
    const AccessPattern& pattern = access.patterns[launch.pattern];
    INFO(access.instruction << " " << access.operand << " " << access.layout << " pattern " << launch.pattern);
    HostLaunch how;
    how.kernel = static_cast<std::size_t>(std::find(kernels.begin(), kernels.end(), launch.kernel) - kernels.begin());
    how.threads = 32 * kMicroWarps;
    how.sizes = launch.arguments;
    how.sizes[0] = 0;  // one launch, one slot
    const Bytes cycles(kMicroNumbers * sizeof(i64), 0xff), far(kMicroFarBytes, 0);
    const HostRun run = program.run(how, {cycles, far});
    REQUIRE(run.wrong == "");
    std::vector<i64> numbers(kMicroNumbers);
    std::memcpy(numbers.data(), run.buffers[0].data(), cycles.size());
    const auto said = microCycles(pattern.warp, numbers, 8);
    INFO((said ? "" : said.error().message));
    REQUIRE(said.ok());
    CHECK(said->wavefronts() == Approx(pattern.wavefronts));
    CHECK(said->ofWavefront() == Approx(2));
    CHECK(said->own == Approx(3 + 2 * pattern.wavefronts));
    CHECK(said->latency.has_value() == (pattern.warp.direction == AccessDirection::Read));
    if (said->latency) CHECK(*said->latency == Approx(3 + 2 * pattern.wavefronts));
    ++measured;
  }
  CHECK(measured >= accesses.size());
}

}  // namespace

TEST_CASE("micro-kernels of layouts touch what is predicted and measure it") {
  if (!hasCompiler()) return;
  const std::vector<SharedAccess> accesses = microAccesses();
  for (std::size_t k = 0; k < accesses.size(); ++k) {
    const MicroCase& c = microCases()[k];
    INFO(c.layout << " " << c.instruction);
    CHECK(accesses[k].patterns.front().wavefronts == c.wavefronts);
    CHECK(accesses[k].formula);
  }
  checkAll(accesses, 2);
}

TEST_CASE("micro-kernels of a layout that no formula says have its table") {
  if (!hasCompiler()) return;
  std::vector<SharedAccess> accesses = microAccesses();
  accesses.resize(4);
  for (SharedAccess& a : accesses) a.formula = false;
  checkAll(accesses, 2);
}

TEST_CASE("micro-kernels of the library's programs touch what the emulator met") {
  if (!hasCompiler()) return;
  std::vector<SharedAccess> all;
  for (auto& [name, accesses] : libraryAccesses()) {
    INFO(name);
    for (SharedAccess& a : accesses) {
      CHECK(a.formula);
      all.push_back(std::move(a));
    }
  }
  CHECK(all.size() >= 20);
  checkAll(all, 1);
}
