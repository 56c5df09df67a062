// HLO modules: reading a 20 MB dump relative to counting its lines in the same run (`ratio` = reading / counting; the
// limit is 1 s for 20 MB); the maps of a module of 5,000 instructions through fusions (`ratio` = maps / reading as many
// instructions); the symbolic tiles of all these maps relative to making the maps (`ratio` = tiles / maps).
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "core/base/check.h"
#include "core/hlo/compose/fusion.h"
#include "core/hlo/text/module.h"
#include "core/hlo/tiles/symbolic_tile.h"

namespace {

using namespace tessera;
namespace fs = std::filesystem;

double secondsOf(const auto& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::vector<std::string> dumps() {
  std::vector<std::string> all;
  for (const auto& entry : fs::directory_iterator(TESSERA_SOURCE_DIR "/tests/cases/hlo")) {
    if (entry.path().string().find(".after.hlo") == std::string::npos) continue;
    std::ifstream in(entry.path());
    std::stringstream text;
    text << in.rdbuf();
    all.push_back(text.str());
  }
  return all;
}

void readModule20MB(benchmark::State& state) {
  // jax's dumps one after the other. Names repeat: the reader says so and goes on.
  std::string once, text;
  for (const std::string& dump : dumps()) once += dump + "\n";
  while (text.size() < 20'000'000) text += once;
  double reading = 1e9, counting = 1e9;
  std::ptrdiff_t lines = 0;
  for ([[maybe_unused]] auto step : state) {
    counting = std::min(
        counting, secondsOf([&] { benchmark::DoNotOptimize(lines = std::count(text.begin(), text.end(), '\n')); }));
    reading =
        std::min(reading, secondsOf([&] { benchmark::DoNotOptimize(hlo::readModule(text).computations.size()); }));
  }
  state.counters["MB"] = static_cast<double>(text.size()) / 1e6;
  state.counters["seconds"] = reading;
  state.counters["ratio"] = reading / counting;
}
BENCHMARK(readModule20MB)->Unit(benchmark::kMillisecond)->Iterations(5);

void mapsOfModule(benchmark::State& state) {
  std::vector<hlo::Module> modules;  // every instruction of the dumps, again and again until there are 5,000
  const std::vector<std::string> texts = dumps();
  for (const std::string& dump : texts) modules.push_back(hlo::readModule(dump));
  std::size_t instructions = 0, maps = 0;
  double seconds = 1e9, reading = 1e9;
  const auto all = [&](const hlo::Module& module) {
    for (std::size_t c = 0; c < module.computations.size(); ++c)
      for (std::size_t i = 0; i < module.computations[c].instructions.size() && instructions < 5000;
           ++i, ++instructions) {
        const auto reads = hlo::readsThrough(module, {static_cast<int>(c), static_cast<int>(i)});
        LAYOUT_CHECK(reads.ok(), "jax's dumps are consistent");
        for (const hlo::Reach& r : *reads) maps += r.maps.size();
      }
  };
  for ([[maybe_unused]] auto step : state) {
    instructions = maps = 0;
    reading = std::min(reading, secondsOf([&] {
                         for (std::size_t k = 0, read = 0; read < 5000; ++k) {
                           const hlo::Module module = hlo::readModule(texts[k % texts.size()]);
                           for (const hlo::Computation& c : module.computations) read += c.instructions.size();
                         }
                       }));
    seconds = std::min(seconds, secondsOf([&] {
                         for (std::size_t k = 0; instructions < 5000; ++k) all(modules[k % modules.size()]);
                       }));
  }
  state.counters["instructions"] = static_cast<double>(instructions);
  state.counters["maps"] = static_cast<double>(maps);
  state.counters["seconds"] = seconds;
  state.counters["ratio"] = seconds / reading;
}
BENCHMARK(mapsOfModule)->Unit(benchmark::kMillisecond)->Iterations(3);

void tilesOfModule(benchmark::State& state) {
  std::vector<hlo::Module> modules;
  for (std::string& dump : dumps()) modules.push_back(hlo::readModule(std::move(dump)));
  std::vector<Map> maps;
  const auto collect = [&] {
    maps.clear();
    for (const hlo::Module& module : modules)
      for (std::size_t c = 0; c < module.computations.size(); ++c)
        for (std::size_t i = 0; i < module.computations[c].instructions.size(); ++i) {
          const auto reads = hlo::readsThrough(module, {static_cast<int>(c), static_cast<int>(i)});
          LAYOUT_CHECK(reads.ok(), "jax's dumps are consistent");
          for (const hlo::Reach& r : *reads) maps.insert(maps.end(), r.maps.begin(), r.maps.end());
        }
  };
  double making = 1e9, tiling = 1e9;
  std::size_t tiles = 0, oneWay = 0;
  for ([[maybe_unused]] auto step : state) {
    making = std::min(making, secondsOf(collect));
    tiles = oneWay = 0;
    tiling = std::min(tiling, secondsOf([&] {
                        for (const Map& map : maps) {
                          const hlo::SymbolicTile tile = hlo::symbolicTile(map);
                          tiles += tile.is() ? 1 : 0;
                          oneWay += std::all_of(tile.parts.begin(), tile.parts.end(),
                                                [](const auto& part) { return part.ways.size() == 1; })
                                        ? 1
                                        : 0;
                        }
                      }));
  }
  state.counters["maps"] = static_cast<double>(maps.size());
  state.counters["tiles"] = static_cast<double>(tiles);
  state.counters["one way"] = static_cast<double>(oneWay);
  state.counters["seconds"] = tiling;
  state.counters["ratio"] = tiling / making;
}
BENCHMARK(tilesOfModule)->Unit(benchmark::kMillisecond)->Iterations(3);

}  // namespace
