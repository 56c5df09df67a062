#include "core/notation/axe/algebra/search.h"

#include <algorithm>
#include <numeric>

#include "core/base/arith.h"

namespace tessera::axe::detail {

namespace {

struct Search {
  const std::vector<DigitIter>& iters;
  const std::function<bool(const std::vector<i64>&)>& found;
  i64& budget;
  std::vector<std::size_t> order;  // largest |stride| first
  std::vector<i64> least, most;    // range of order[k..]
  std::vector<i64> divisor;        // gcd of the strides of order[k..]; 0 if all are 0
  std::vector<i64> digits;
  bool stopped = false;
  bool complete = true;

  void run(std::size_t level, i64 rest) {
    if (--budget < 0) {
      complete = false;
      stopped = true;
      return;
    }
    if (level == order.size()) {
      if (rest == 0 && !found(digits)) stopped = true;
      return;
    }
    const DigitIter& it = iters[order[level]];
    i64 low = it.low, high = it.low + it.extent - 1;
    if (it.stride != 0) {
      // rest - digit * stride must lie in [least, most] of the later levels.
      const i64 a = rest - most[level + 1], b = rest - least[level + 1], s = it.stride;
      low = std::max(low, s > 0 ? ceilDiv(a, s) : ceilDiv(-b, -s));
      high = std::min(high, s > 0 ? floorDiv(b, s) : floorDiv(-a, -s));
    }
    for (i64 d = low; d <= high && !stopped; ++d) {
      const i64 left = rest - d * it.stride;
      const i64 g = divisor[level + 1];
      if (g != 0 ? left % g != 0 : left != 0) {
        if (--budget < 0) complete = false, stopped = true;
        continue;
      }
      digits[order[level]] = d;
      run(level + 1, left);
    }
  }
};

}  // namespace

bool searchDigits(const std::vector<DigitIter>& iters, i64 target, i64& budget,
                  const std::function<bool(const std::vector<i64>&)>& found) {
  Search search{iters, found, budget, {}, {}, {}, {}, {}, false, true};
  const std::size_t n = iters.size();
  search.order.resize(n);
  std::iota(search.order.begin(), search.order.end(), std::size_t{0});
  const auto magnitude = [&](std::size_t k) { return iters[k].stride < 0 ? -iters[k].stride : iters[k].stride; };
  std::stable_sort(search.order.begin(), search.order.end(),
                   [&](std::size_t a, std::size_t b) { return magnitude(a) > magnitude(b); });
  search.least.assign(n + 1, 0);
  search.most.assign(n + 1, 0);
  search.divisor.assign(n + 1, 0);
  for (std::size_t k = n; k-- > 0;) {
    const DigitIter& it = iters[search.order[k]];
    const i64 first = it.low * it.stride, last = (it.low + it.extent - 1) * it.stride;
    search.least[k] = search.least[k + 1] + std::min(first, last);
    search.most[k] = search.most[k + 1] + std::max(first, last);
    search.divisor[k] = std::gcd(search.divisor[k + 1], magnitude(search.order[k]));
  }
  search.digits.assign(n, 0);
  if (target < search.least[0] || target > search.most[0]) return true;
  search.run(0, target);
  return search.complete;
}

}  // namespace tessera::axe::detail
