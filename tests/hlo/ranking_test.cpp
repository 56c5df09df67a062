// The ranking of kernels by wasted traffic, on the dumps, against a count of every lane of every warp.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <sstream>

#include "core/hlo/cost/kernel_reads.h"
#include "core/hlo/cost/waste.h"
#include "core/notation/indexing/map.h"
#include "core/notation/xla/address.h"
#include "hlo/dumps.h"
#include "hlo/every_lane.h"
#include "support/volume.h"

using namespace tessera;
using namespace tessera::testing;

namespace {

i64 pointsOf(const std::vector<Map>& maps) {
  i64 all = 0;
  for (const Map& map : maps) {
    i64 points = 1;
    for (const Digit& d : map.digits()) points *= d.extent;
    all += points;
  }
  return all;
}

// The number of elements that any of the maps reads, and of reads: an element that an output reads through two maps
// counts once.
struct Visited {
  i64 elements = 0, reads = 0;
};
Visited everyPoint(const std::vector<Map>& maps, const std::vector<i64>& sizes) {
  std::vector<i64> outputs;  // sizes of the box that contains all of their coordinates
  for (const Map& map : maps) {
    outputs.resize(map.indexDigits().size(), 1);
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      const Digit& d = map.digit(map.indexDigits()[k]);
      outputs[k] = std::max(outputs[k], d.lo + d.extent);
    }
  }
  std::vector<std::pair<i64, i64>> pairs;
  for (const Map& map : maps) {
    const std::vector<i64> params = middles(map.params());
    const std::vector<int> index = map.indexDigits();
    std::vector<int> all(map.digits().size());
    for (std::size_t k = 0; k < all.size(); ++k) all[k] = static_cast<int>(k);
    eachPoint(map, all, std::vector<i64>(all.size(), 0), [&](std::span<const i64> point) {
      if (!map.isReal(point, params)) return;
      i64 output = 0, element = 0;
      for (std::size_t k = 0; k < index.size(); ++k)
        output = output * outputs[k] + point[static_cast<std::size_t>(index[k])] + map.digit(index[k]).lo;
      const std::vector<i64> at = map.at(point, params);
      for (std::size_t k = 0; k < sizes.size(); ++k) element = element * sizes[k] + at[k];
      pairs.emplace_back(element, output);
    });
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  Visited visited{0, static_cast<i64>(pairs.size())};
  for (std::size_t k = 0; k < pairs.size(); ++k) visited.elements += k == 0 || pairs[k].first != pairs[k - 1].first;
  return visited;
}

// Kernels whose points are more are not compared; `most` as one budget for each operand.
class SlowRanking {
 public:
  int unknown = 0;  // operands whose need is not known

  SlowRanking(const hlo::Module& module, i64 most) : module_(module), most_(most) {}

  // Wasted bytes of one run; nullopt: too many points.
  std::optional<i64> wasted(const hlo::KernelWaste& kernel) {
    const auto read = hlo::readsOfKernel(module_, kernel.where);
    REQUIRE(read.ok());
    if (read->planned.empty()) return std::nullopt;
    for (const hlo::Reach& reach : read->reads)
      if (pointsOf(reach.maps) > most_) return std::nullopt;
    for (const hlo::PlannedReads& p : read->planned)
      if (pointsOf(p.elements) > most_) return std::nullopt;
    i64 all = 0;
    std::size_t next = 0;
    for (const hlo::OperandWaste& w : kernel.operands) {
      while (read->reads[next].slot != w.operand) ++next;  // those that are embedded in the kernel
      all += wasted(w, read->reads[next++], read->planned.at(static_cast<std::size_t>(w.operand)), kernel.where);
    }
    return all;
  }

 private:
  i64 wasted(const hlo::OperandWaste& w, const hlo::Reach& reach, const hlo::PlannedReads& planned, hlo::Where where) {
    const hlo::Computation& c = module_.computation(where.computation);
    const xla::Shape& shape = module_.shapeOf(c.at(module_.at(where).operands[static_cast<std::size_t>(w.operand)]));
    // Not known counts as none: a number of elements that depends on run-time values.
    if (!w.needed || !w.asked || planned.inPlace) {
      CHECK(w.wasted() == 0);
      unknown += !planned.inPlace;
      return 0;
    }
    INFO("operand " << w.name << ", " << xla::print(shape));
    const Visited visited = everyPoint(reach.maps, shape.sizes());
    const i64 bits = shape.storedBits(), bytes = std::max<i64>(1, bits / 8);
    const i64 needed = (visited.elements * bits + 7) / 8;
    REQUIRE(w.needed == needed);
    if (planned.once) {
      CHECK(w.asked == needed);
      return 0;
    }
    if (w.warps.verdict == hlo::WarpVerdict::Unknown) {
      CHECK(w.asked == visited.reads * bytes);
      return std::max<i64>(0, visited.reads * bytes - needed);
    }
    const auto where_ = xla::Addressing::create(shape);
    REQUIRE(where_.ok());
    LaneCounts lanes;
    for (const Map& map : planned.elements) {
      INFO(indexing::print(indexing::toIndexingMap(map)));
      const auto one = hlo::warpReads({map}, hlo::Soundness::Exact, "", shape);
      REQUIRE(one.ok());
      if (one->width == 0) continue;
      const LaneCounts slow = everyLane(map, bits, one->width / bytes,
                                        [&](const std::vector<i64>& element) { return where_->linear(element); });
      REQUIRE(one->sectors == slow.sectors);
      lanes += slow;
    }
    REQUIRE(w.warps.accesses == lanes.accesses);
    REQUIRE(w.warps.sectors == lanes.sectors);
    REQUIRE(w.warps.ideal == lanes.ideal);
    REQUIRE(w.warps.aligned == lanes.aligned);
    REQUIRE(w.asked == lanes.sectors * 32);
    return std::max<i64>(0, lanes.sectors * 32 - needed);
  }

  const hlo::Module& module_;
  i64 most_;
};

}  // namespace

TEST_CASE("the ranking of the dumps is that of every lane") {
  const i64 most = test::volume(10'000, 3'000'000);
  int compared = 0, large = 0, modules = 0, unknown = 0;
  for (const std::filesystem::path& path : hloDumps()) {
    std::ifstream in(path);
    std::ostringstream text;
    text << in.rdbuf();
    const hlo::Module m = hlo::readModule(text.str());
    SlowRanking slow(m, most);
    ++modules;
    struct Ranked {
      i64 wasted = 0;
      hlo::Where where;
    };
    std::vector<Ranked> ranked;
    for (const hlo::KernelWaste& kernel : hlo::rankingOf(m).kernels) {
      INFO(path.filename().string() << ": " << m.at(kernel.where).name << ", " << kernel.plan);
      REQUIRE(kernel.why.empty());
      const auto wasted = slow.wasted(kernel);
      large += !wasted;
      if (!wasted) continue;
      ++compared;
      REQUIRE(kernel.wasted() == *wasted);
      ranked.push_back({*wasted * kernel.runs, kernel.where});
    }
    // Most first, then in the order of the text.
    const auto before = [](const Ranked& a, const Ranked& b) {
      if (a.wasted != b.wasted) return a.wasted > b.wasted;
      return std::pair(a.where.computation, a.where.instruction) < std::pair(b.where.computation, b.where.instruction);
    };
    unknown += slow.unknown;
    INFO(path.filename().string());
    CHECK(std::is_sorted(ranked.begin(), ranked.end(), before));
  }
  std::cout << "ranking: " << compared << " kernels of " << modules << " dumps compared with every lane, " << large
            << " too large; the needs of " << unknown << " operands are not known\n";
  CHECK(compared > 100);
}
