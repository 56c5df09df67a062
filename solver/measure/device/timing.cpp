#include "solver/measure/device/timing.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace tessera::measure {
namespace {

constexpr int kMostCalibrations = 12;          // runs: a few to grow, at most 8 to halve
constexpr int kMostRepeats = 2;                // of a run that is late after the longest busy kernel
constexpr int kMostWarmRuns = 500;             // for launches that take no time
constexpr int kAssumedKilohertz = 2'000'000;   // if the device does not report its clock
constexpr double kShortestMicroseconds = 0.1;  // of a launch, for the number of repetitions

// PTX 6.0 and sm_70 are understood by every driver since CUDA 9; its compiler translates them to the device's code.
constexpr std::string_view kBusyText = R"(.version 6.0
.target sm_70
.address_size 64

.visible .entry tessera_busy(
	.param .u64 tessera_busy_cycles
)
{
	.reg .pred %p<3>;
	.reg .b64 %rd<6>;
	ld.param.u64 %rd1, [tessera_busy_cycles];
	mov.u64 %rd2, %clock64;
	mov.u64 %rd3, 0;
STEP:
	add.u64 %rd3, %rd3, 1;
	setp.ge.u64 %p1, %rd3, %rd1;
	@%p1 bra DONE;
	mov.u64 %rd4, %clock64;
	sub.u64 %rd5, %rd4, %rd2;
	setp.lt.u64 %p2, %rd5, %rd1;
	@%p2 bra STEP;
DONE:
	ret;
}
)";

int launchesFor(double microseconds) {
  const double often = std::ceil(kRunMicroseconds / std::max(microseconds, kShortestMicroseconds));
  return static_cast<int>(std::clamp(often, 1.0, static_cast<double>(kMostQueued)));
}

// 50 MiB, 1.5 KiB, 640 B
std::string bytesText(i64 bytes) {
  constexpr std::array<const char*, 4> kUnits = {"B", "KiB", "MiB", "GiB"};
  auto size = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (size >= 1024 && unit + 1 < kUnits.size()) size /= 1024, ++unit;
  return fmt::format("{:.4g} {}", size, kUnits[unit]);
}

class Runs {
 public:
  Runs(Context& context, const DeviceInfo& device, const TimedWork& work, const Hooks& hooks)
      : context_(context),
        work_(work),
        hooks_(hooks),
        cyclesPerMicrosecond_((device.clockKilohertz > 0 ? device.clockKilohertz : kAssumedKilohertz) / 1e3),
        each_(work.first) {}

  Result<Timed> all() {
    TESSERA_CHECKED(prepare());
    TESSERA_CHECKED(warmUp());
    TESSERA_CHECKED(calibrate());
    TESSERA_CHECKED(makeGraph());
    for (int run = 0; run < work_.runs; ++run) {
      hooks_.tell(fmt::format("timing {} of {}", run + 1, work_.runs), 0.5 + 0.5 * run / work_.runs);
      TESSERA_TRY(const double microseconds, inTime());
      if (late_) ++out_.lateRuns;
      out_.microseconds.push_back(microseconds / out_.launchesPerRun);
    }
    if (busy_ != nullptr) out_.busyMicroseconds = busyMicroseconds_;
    return std::move(out_);
  }

 private:
  void note(const std::string& what, const Diag& why) {
    out_.note += fmt::format("{}{}: {}", out_.note.empty() ? "" : "; ", what, why.message);
  }

  Result<void> prepare() {
    TESSERA_TRY(begin_, context_.event());
    TESSERA_TRY(end_, context_.event());
    // A driver that cannot compile PTX is no reason not to measure.
    const auto module = context_.load(busyText());
    const auto function = module ? context_.function(*module, kBusyName) : Result<void*>(module.error());
    if (function) busy_ = *function;
    if (!function) note("no busy kernel", function.error());
    hopeless_ = !function;
    most_ = mostQueued();
    return {};
  }

  Result<void> warmUp() {
    double warm = 0;
    for (int run = 0; run < kMostWarmRuns && work_.warmups > 0; ++run) {
      if (run >= work_.warmups && (warm >= kWarmMicroseconds || hopeless_)) break;
      hooks_.tell("warming up", 0.5);
      TESSERA_TRY(const double microseconds, learning());
      warm += microseconds;
      out_.launchesPerRun = wanted();
    }
    return {};
  }

  Result<void> calibrate() {
    out_.launchesPerRun = 1;
    for (int k = 0; k < kMostCalibrations; ++k) {
      TESSERA_TRY(const double microseconds, learning());
      (void)microseconds;
      const int next = wanted();
      if (next <= out_.launchesPerRun && (!late_ || hopeless_)) break;
      out_.launchesPerRun = next;
    }
    return {};
  }

  [[nodiscard]] int mostQueued() const { return std::max(kMostQueued / std::max(work_.kernels, 1), 1); }
  [[nodiscard]] int wanted() const { return std::min(launchesFor(each_), most_); }

  // A run from which the time of a launch is learnt, and how many launches the driver can queue: a run that is late
  // after the longest busy kernel had too many. If even a single launch is late, no number helps.
  Result<double> learning() {
    TESSERA_TRY(const double microseconds, inTime());
    each_ = microseconds / out_.launchesPerRun;
    if (late_ && !hopeless_) {
      hopeless_ = out_.launchesPerRun == 1;
      most_ = hopeless_ ? mostQueued() : out_.launchesPerRun / 2;
    }
    return microseconds;
  }

  Result<void> makeGraph() {
    if (each_ >= kGraphMicroseconds) return {};
    const int sets = std::max(work_.sets, 1);
    const int often = (launchesFor(each_) + sets - 1) / sets * sets;
    const auto graph = context_.graph([&] { return launches(often); });
    if (!graph) {
      note("no CUDA graph", graph.error());
      return {};
    }
    graph_ = *graph;
    out_.graph = true;
    out_.launchesPerRun = often;
    TESSERA_TRY(const double microseconds, inTime());  // the first launch also copies the graph to the device
    each_ = microseconds / often;
    return {};
  }

  Result<void> launches(int often) {
    for (int n = 0; n < often; ++n) TESSERA_CHECKED(work_.launch());
    return {};
  }

  // One run; a late one again after a longer busy kernel, and at most twice after the longest. Sets late_.
  Result<double> inTime() {
    int left = hopeless_ ? 0 : kMostRepeats;
    while (true) {
      TESSERA_CHECKED(hooks_.checkCancelled());
      TESSERA_TRY(const double microseconds, run());
      if (!late_ || busy_ == nullptr) return microseconds;
      if (busyMicroseconds_ >= kMostBusyMicroseconds && left-- <= 0) return microseconds;
      busyMicroseconds_ = std::min(2 * busyMicroseconds_, kMostBusyMicroseconds);
    }
  }

  Result<double> run() {
    if (busy_ != nullptr) {
      auto cycles = static_cast<unsigned long long>(std::ceil(busyMicroseconds_ * cyclesPerMicrosecond_));
      std::vector<void*> arguments = {&cycles};
      TESSERA_CHECKED(context_.launch(busy_, kBusyName, 1, 1, arguments));
    }
    TESSERA_CHECKED(context_.record(begin_, work_.name));
    if (graph_ != nullptr) {
      TESSERA_CHECKED(context_.launchGraph(graph_, work_.name));
    } else {
      TESSERA_CHECKED(launches(out_.launchesPerRun));
    }
    TESSERA_CHECKED(context_.record(end_, work_.name));
    TESSERA_TRY(late_, context_.happened(begin_, work_.name));
    // Allow for repetitions at the known speed, but not for a hang.
    const double slow = 10 * std::max(each_, work_.first) * out_.launchesPerRun + 10 * busyMicroseconds_;
    TESSERA_CHECKED(context_.wait(end_, {work_.seconds + slow / 1e6, hooks_.cancel}, work_.name));
    return context_.microseconds(begin_, end_);
  }

  Context& context_;
  const TimedWork& work_;
  const Hooks& hooks_;
  double cyclesPerMicrosecond_;
  double each_;  // microseconds of a launch, as known so far
  Timed out_;
  void *begin_ = nullptr, *end_ = nullptr;
  void *busy_ = nullptr, *graph_ = nullptr;  // null: there is none
  double busyMicroseconds_ = kFirstBusyMicroseconds;
  int most_ = kMostQueued;  // launches between two events
  bool late_ = false;       // the last run
  bool hopeless_ = false;   // runs are late with any number of launches
};

}  // namespace

std::string busyText() { return std::string(kBusyText); }

std::string methodText(const HowTimed& how) {
  std::string out = fmt::format("{}{} launch{}", how.graph ? "graph of " : "", how.launchesPerRun,
                                how.launchesPerRun == 1 ? "" : "es");
  if (how.busyMicroseconds <= 0) return out + ", host's gaps included";
  if (how.lateRuns > 0) out += fmt::format(", {} run{} late", how.lateRuns, how.lateRuns == 1 ? "" : "s");
  return out;
}

std::string inputsText(const HowTimed& how, i64 cacheBytes) {
  const std::string sets =
      fmt::format("{} set{} of {}", how.copies, how.copies == 1 ? "" : "s", bytesText(how.setBytes));
  if (cacheBytes <= 0) return sets + ", L2 unknown";
  // As doubles: sizes of a damaged report cannot overflow.
  const double set = static_cast<double>(how.setBytes), cache = static_cast<double>(cacheBytes);
  const char* const state = how.copies * set <= cache                     ? "hot"
                            : (how.copies - 1) * set < kCacheSpan * cache ? "partly in the L2"
                                                                          : "cold";
  return fmt::format("{}, L2 {}: {}", sets, bytesText(cacheBytes), state);
}

int wantedSets(i64 bytes, i64 cacheBytes) {
  if (bytes <= 0 || cacheBytes <= 0) return 1;
  const double others =
      std::ceil(static_cast<double>(kCacheSpan) * static_cast<double>(cacheBytes) / static_cast<double>(bytes));
  return static_cast<int>(std::min(1 + others, static_cast<double>(kMostSets)));
}

Result<Timed> timed(Context& context, const DeviceInfo& device, const TimedWork& work, const Hooks& hooks) {
  return Runs(context, device, work, hooks).all();
}

}  // namespace tessera::measure
