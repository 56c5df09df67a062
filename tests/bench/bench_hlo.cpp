// HLO modules: reading a 20 MB dump relative to counting its lines in the same run (`ratio` = reading / counting; the
// limit is 1 s for 20 MB); the ranking of the kernels of a generated module of 100,000 instructions (`ratio` = ranking /
// reading; the limit is 5 s for both), and of 5,000 whose shapes all differ; the maps of a module of 5,000 instructions
// through fusions (`ratio` = maps / reading as many instructions); the symbolic tiles of all these maps relative to making the maps (`ratio` = tiles / maps).
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
#include "core/hlo/cost/waste.h"
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

// Layers of a transformer: a product, a normalisation, a transposition, fusions, a collective; 20 instructions each.
// `apart`: the sizes of layers differ, so that no kernel is the same as another.
std::string layers(int instructions, bool apart) {
  std::string out =
      "HloModule layers\nadd {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT s = f32[] add(a, b)\n}\n";
  std::string entry = "ENTRY main {\n  zero = f32[] constant(0)\n";
  const int count = instructions / 20;
  for (int k = 0; k < count; ++k) {
    const int rows = 1024 + (apart ? 8 * k : 0), columns = 1536 + (apart ? 24 * (k % 97) : 0);
    const std::string r = std::to_string(rows), c = std::to_string(columns), n = std::to_string(k);
    const std::string wide = "f32[" + r + "," + c + "]", tall = "f32[" + c + "," + r + "]", row = "f32[" + r + "]";
    const auto line = [&](const std::string& name, const std::string& what) {
      entry += "  " + name + "." + n + " = " + what + ", metadata={op_name=\"layer_" + n + "/" + name + "\"}\n";
    };
    out += "norm." + n + " {\n  x = " + wide + " parameter(0)\n  z = f32[] constant(0)\n  q = " + wide +
           " multiply(x, x)\n  s = " + row + " reduce(q, z), dimensions={1}, to_apply=add\n  v = " + row +
           " rsqrt(s)\n  w = " + wide + " broadcast(v), dimensions={0}\n  ROOT m = " + wide + " multiply(x, w)\n}\n";
    line("x", wide + " parameter(" + std::to_string(2 * k) + ")");
    line("w", "f32[" + c + "," + c + "] parameter(" + std::to_string(2 * k + 1) + ")");
    line("norm", wide + " fusion(x." + n + "), kind=kLoop, calls=norm." + n);
    line("dot", wide + " dot(norm." + n + ", w." + n + "), lhs_contracting_dims={1}, rhs_contracting_dims={0}");
    line("t", tall + " transpose(dot." + n + "), dimensions={1,0}");
    line("sum", row + " reduce(dot." + n + ", zero), dimensions={1}, to_apply=add");
    line("b", wide + " broadcast(sum." + n + "), dimensions={0}");
    line("d", wide + " divide(dot." + n + ", b." + n + ")");
    line("all", wide + " all-reduce(d." + n + "), replica_groups={}, to_apply=add");
    line("part", "f32[512," + c + "] slice(all." + n + "), slice={[0:512], [0:" + c + "]}");
    line("two", "f32[1024," + c + "] concatenate(part." + n + ", part." + n + "), dimensions={0}");
    line("out", "f32[1024," + c + "] negate(two." + n + ")");
    line("u", tall + " exponential(t." + n + ")");
  }
  return out + entry + "}\n";
}

void rankingOfModule(benchmark::State& state, int instructions, bool apart) {
  const std::string text = layers(instructions, apart);
  double reading = 1e9, ranking = 1e9;
  std::size_t count = 0, kernels = 0;
  for ([[maybe_unused]] auto step : state) {
    hlo::Module module;
    reading = std::min(reading, secondsOf([&] { module = hlo::readModule(text); }));
    LAYOUT_CHECK(module.problems.empty(), "the generator writes valid text");
    count = 0;
    for (const hlo::Computation& c : module.computations) count += c.instructions.size();
    ranking = std::min(ranking, secondsOf([&] { kernels = hlo::rankingOf(module).kernels.size(); }));
  }
  state.counters["instructions"] = static_cast<double>(count);
  state.counters["kernels"] = static_cast<double>(kernels);
  state.counters["seconds"] = reading + ranking;
  state.counters["ratio"] = ranking / reading;
}
BENCHMARK_CAPTURE(rankingOfModule, repeated, 100'000, false)->Unit(benchmark::kMillisecond)->Iterations(2);
BENCHMARK_CAPTURE(rankingOfModule, all_different, 5'000, true)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace
