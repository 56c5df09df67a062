// Pictures of a run's results: bars with quartiles, with checks and resources below; or all of it as a table.
//
//     TIME, MICROSECONDS
//     gemm              |=========|-|                 41.2 us
//     without swizzle   |====================|--|     77.0 us
//     cuBLASLt          |========|-|                  38.9 us
//                          | roofline 12.0 us, bound by memory
//
// Measurements are passed in as numbers and words: pictures do not run anything (app/engine/measure/run_pictures.h
// fills them).
//
// Law: the bars of a group share one scale that starts at 0, so that lengths are proportional.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "render/draw/draw.h"

namespace tessera {

struct MeasuredBar {
  enum class Look : unsigned char { Kernel, Variant, Library, Unfused, Wrong } look = Look::Kernel;
  std::string name, settings;
  std::optional<double> value;  // nullopt: no bar; `text` gives the reason
  double lower = 0, upper = 0;  // quartiles; equal: no whiskers
  std::optional<double> least;  // an extra tick: "without conflicts"
  std::string text;             // after the bar: "41.2 us"
};

struct MeasuredBars {
  std::string title;      // "time, microseconds: median and quartiles"
  std::string leastText;  // meaning of the ticks; empty: there are none
  std::vector<MeasuredBar> bars;
  std::optional<double> line;  // across all bars
  std::string lineText;        // "roofline 12.0 us, bound by memory"
};

struct MeasuredFact {
  Truth state = Truth::Unknown;
  std::string name, text;
};

struct MeasuredCells {
  std::vector<std::string> heads;
  std::vector<bool> numbers;  // right-aligned columns
  std::vector<std::vector<std::string>> lines;
};

struct MeasuredPicture {
  std::string title, subtitle, caption;
  std::vector<FigureBadge> badges;
  std::vector<MeasuredBars> groups;
  std::vector<MeasuredFact> checks;
  MeasuredCells resources;
  MeasuredCells all;  // the table, also exported as CSV
};

[[nodiscard]] Figure drawBars(const MeasuredPicture& picture);
[[nodiscard]] Figure drawMeasuredTable(const MeasuredPicture& picture);

}  // namespace tessera
