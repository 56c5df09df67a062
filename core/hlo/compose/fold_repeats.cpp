#include "core/hlo/compose/fold_repeats.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "core/base/work_budget.h"

namespace tessera::hlo {
namespace {

constexpr std::size_t kMostPeriods = 64;  // lengths of repeated parts that are tried
constexpr int kLeastRepeated = 8;         // instructions of all copies; of each copy, if there are only two

const std::vector<Feed>& feedsAt(const FoldWiring& wiring, int position) {
  return wiring.feeds[static_cast<std::size_t>(wiring.order[static_cast<std::size_t>(position)])];
}

// Whether copy `b` is wired inside like copy `a`: they have the same instructions by structure.
bool sameWiring(const FoldWiring& wiring, int a, int b, int length) {
  for (int k = 0; k < length; ++k) {
    const auto &x = feedsAt(wiring, a + k), &y = feedsAt(wiring, b + k);
    if (x.size() != y.size()) return false;
    for (std::size_t f = 0; f < x.size(); ++f) {
      const int p = wiring.position[static_cast<std::size_t>(x[f].from)] - a,
                q = wiring.position[static_cast<std::size_t>(y[f].from)] - b;
      const bool inside = p >= 0 && p < length;
      if (inside != (q >= 0 && q < length) || (inside && p != q)) return false;
    }
  }
  return true;
}

// Lengths after which tokens return, the most frequent first.
std::vector<std::size_t> periodsOf(const std::vector<FoldItem>& items) {
  std::unordered_map<int, std::size_t> last;
  std::map<std::size_t, std::size_t> votes;
  for (std::size_t k = 0; k < items.size(); ++k) {
    const auto [found, isNew] = last.try_emplace(items[k].token, k);
    if (!isNew) ++votes[k - found->second];
    found->second = k;
  }
  std::vector<std::pair<std::size_t, std::size_t>> sorted(votes.begin(), votes.end());
  std::ranges::stable_sort(sorted, [](const auto& a, const auto& b) { return a.second > b.second; });
  if (sorted.size() > kMostPeriods) sorted.resize(kMostPeriods);
  std::vector<std::size_t> periods;
  for (const auto& [period, count] : sorted) periods.push_back(period);
  return periods;
}

struct RepeatedRun {
  std::size_t start = 0, length = 0, period = 0;
};
// Stretches of at least two periods, the longest first.
std::vector<RepeatedRun> repeatedRuns(const std::vector<FoldItem>& items) {
  std::vector<RepeatedRun> runs;
  for (const std::size_t period : periodsOf(items)) {
    spend(static_cast<Work>(items.size() / 8));
    std::size_t start = 0;
    for (std::size_t k = 0; k + period <= items.size(); ++k) {
      if (k + period < items.size() && items[k].token == items[k + period].token) continue;
      if (k - start >= period) runs.push_back({start, k - start + period, period});
      start = k + 1;
    }
  }
  std::ranges::stable_sort(runs, {}, [](const RepeatedRun& r) { return std::tuple(~r.length, r.period, r.start); });
  return runs;
}

// The copies of a run, beginning where few values are alive; copies wired otherwise begin a new repetition.
std::vector<Repetition> copiesIn(const std::vector<FoldItem>& items, const RepeatedRun& run, const FoldWiring& wiring) {
  const std::size_t copies = run.length / run.period;
  std::size_t start = run.start;
  const auto aliveAt = [&](std::size_t k) { return wiring.alive[static_cast<std::size_t>(items[k].from)]; };
  for (std::size_t s = run.start; s + copies * run.period <= run.start + run.length; ++s)
    if (aliveAt(s + run.period) < aliveAt(start + run.period)) start = s;
  std::vector<Repetition> list;
  for (std::size_t c = 0; c < copies; ++c) {
    const std::size_t at = start + c * run.period;
    const int from = items[at].from, length = items[at + run.period - 1].to - from;
    if (!list.empty() && sameWiring(wiring, items[list.back().start].from, from, length))
      ++list.back().copies;
    else
      list.push_back({at, run.period, 1});
  }
  std::erase_if(list, [&](const Repetition& r) {
    const int all = items[r.end() - 1].to - items[r.start].from;
    return r.copies < 2 || all < kLeastRepeated || (r.copies == 2 && all < 2 * kLeastRepeated);
  });
  return list;
}

}  // namespace

std::vector<Repetition> repetitionsOf(const std::vector<FoldItem>& items, const FoldWiring& wiring) {
  std::vector<Repetition> chosen;
  std::vector<bool> taken(items.size(), false);
  for (RepeatedRun run : repeatedRuns(items)) {
    while (run.length > 0 && taken[run.start]) ++run.start, --run.length;
    while (run.length > 0 && taken[run.start + run.length - 1]) --run.length;
    bool isFree = run.length >= 2 * run.period;
    for (std::size_t k = 0; isFree && k < run.length; ++k) isFree = !taken[run.start + k];
    if (!isFree) continue;
    for (const Repetition& r : copiesIn(items, run, wiring)) {
      chosen.push_back(r);
      std::fill(taken.begin() + static_cast<std::ptrdiff_t>(r.start),
                taken.begin() + static_cast<std::ptrdiff_t>(r.end()), true);
    }
  }
  std::ranges::sort(chosen, {}, &Repetition::start);
  return chosen;
}

}  // namespace tessera::hlo
