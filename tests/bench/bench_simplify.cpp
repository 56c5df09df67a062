// The simplifier of indexing maps: every map of the cases relative to reading its text in the same run (`ratio` =
// simplifying / reading), the same maps when they are already simple, and compositions of reshapes that it has to undo.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <string>
#include <vector>

#include "core/base/check.h"
#include "core/map/compose.h"
#include "core/notation/indexing/map.h"

namespace {

using namespace tessera;

double secondsOf(const auto& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Each "(d0, ..) -> (..)" of the rows of kind simplify, then the domain.
std::vector<std::string> mapTexts() {
  std::ifstream in(TESSERA_SOURCE_DIR "/tests/cases/xla.jsonl");
  std::vector<std::string> texts;
  const auto piece = [](const std::string& line, const std::string& key, char end) {
    const std::size_t at = line.find(key);
    return at == std::string::npos ? std::string()
                                   : line.substr(at + key.size(), line.find(end, at + key.size()) - at - key.size());
  };
  for (std::string line; std::getline(in, line);) {
    if (line.find("\"kind\": \"simplify\"") == std::string::npos) continue;
    std::string map = piece(line, "\"map\": \"", '"'), domain;
    const std::size_t at = line.find("\"domain\": [");
    if (map.empty() || at == std::string::npos) continue;
    const std::string list = line.substr(at + 11, line.find("\"]", at) - at - 11);
    for (const char c : list)
      if (c != '"') domain += c;
    if (indexing::parse(map + ", domain: " + domain)) texts.push_back(map + ", domain: " + domain);
  }
  LAYOUT_CHECK(texts.size() > 20, "the cases have maps");
  return texts;
}

void simplifyCases(benchmark::State& state) {
  const std::vector<std::string> texts = mapTexts();
  std::vector<Map> maps, simple;
  double reading = 1e9, simplifying = 1e9, again = 1e9;
  for ([[maybe_unused]] auto step : state) {
    maps.clear();
    simple.clear();
    reading = std::min(reading, secondsOf([&] {
                         for (const std::string& text : texts) maps.push_back(indexing::parse(text)->map);
                       }));
    simplifying = std::min(simplifying, secondsOf([&] {
                             for (const Map& map : maps) simple.push_back(simplified(map));
                           }));
    again = std::min(again, secondsOf([&] {
                       for (const Map& map : simple) benchmark::DoNotOptimize(simplified(map).axes().size());
                     }));
  }
  state.counters["maps/s"] = static_cast<double>(texts.size()) / simplifying;
  state.counters["ratio"] = simplifying / reading;
  state.counters["again"] = again / simplifying;
}
BENCHMARK(simplifyCases)->Unit(benchmark::kMillisecond)->Iterations(20);

// [10,10,10] -> [50,20] -> [10,10,10], so often: the identity.
void simplifyReshapes(benchmark::State& state) {
  const Map there = indexing::parse(
                        "(d0, d1) -> ((d0 * 20 + d1) floordiv 100, ((d0 * 20 + d1) mod 100) floordiv 10, d1 mod 10), "
                        "domain: d0 in [0, 49], d1 in [0, 19]")
                        ->map;
  const Map back = indexing::parse(
                       "(d0, d1, d2) -> ((d0 * 100 + d1 * 10 + d2) floordiv 20, (d0 * 100 + d1 * 10 + d2) mod 20), "
                       "domain: d0 in [0, 9], d1 in [0, 9], d2 in [0, 9]")
                       ->map;
  double composing = 1e9, simplifying = 1e9;
  for ([[maybe_unused]] auto step : state) {
    Map map = back;
    double composed = 0, simple = 0;
    for (int k = 0; k < 8; ++k) {
      composed += secondsOf([&] { map = *then(map, k % 2 == 0 ? there : back); });
      simple += secondsOf([&] { map = simplified(map); });
    }
    LAYOUT_CHECK(map.axes().size() == 2, "there and back again");
    composing = std::min(composing, composed);
    simplifying = std::min(simplifying, simple);
  }
  state.counters["maps/s"] = 8 / simplifying;
  state.counters["ratio"] = simplifying / composing;
}
BENCHMARK(simplifyReshapes)->Unit(benchmark::kMicrosecond)->Iterations(50);

}  // namespace
