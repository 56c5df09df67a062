// Statistics of repeated measurements: the median and the quartiles.
//
//     {3, 1, 2, 10}    median 2.5, quartiles 1.75 and 4.75, least 1, most 10
//
// Quantiles interpolate linearly between neighbours (type 7, as in numpy). Law: least <= lower <= median <= upper <=
// most.
#pragma once

#include <algorithm>
#include <vector>

namespace tessera::measure {

struct Spread {
  double median = 0, lower = 0, upper = 0, least = 0, most = 0;
  int count = 0;
};

// Requires: no NaN.
[[nodiscard]] inline Spread spreadOf(std::vector<double> samples) {
  if (samples.empty()) return {};
  std::ranges::sort(samples);
  const auto quantile = [&](double q) {
    const double at = q * static_cast<double>(samples.size() - 1);
    const auto below = static_cast<std::size_t>(at);
    const std::size_t above = std::min(below + 1, samples.size() - 1);
    return samples[below] + (at - static_cast<double>(below)) * (samples[above] - samples[below]);
  };
  return {quantile(0.5),   quantile(0.25), quantile(0.75),
          samples.front(), samples.back(), static_cast<int>(samples.size())};
}

}  // namespace tessera::measure
