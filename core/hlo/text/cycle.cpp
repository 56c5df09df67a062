#include "core/hlo/text/cycle.h"

#include <algorithm>
#include <vector>

namespace tessera::hlo {

std::optional<Cycle> cycleIn(const Computation& c) {
  const std::size_t n = c.instructions.size();
  const auto operandsOf = [&](std::size_t i) -> const std::vector<int>& { return c.instructions[i].operands; };
  const auto before = [](const std::vector<int>& operands, std::size_t i) {
    return std::all_of(operands.begin(), operands.end(), [&](int o) { return o < static_cast<int>(i); });
  };
  std::size_t ordered = 0;
  while (ordered < n && before(operandsOf(ordered), ordered)) ++ordered;
  if (ordered == n) return std::nullopt;  // definitions before uses: the common case
  // Topological sort; what remains is on a cycle or depends on one.
  std::vector<std::vector<std::size_t>> users(n);
  std::vector<std::size_t> waiting(n), ready;
  for (std::size_t i = 0; i < n; ++i) {
    for (const int o : operandsOf(i)) {
      if (o < 0) continue;
      users[static_cast<std::size_t>(o)].push_back(i);
      ++waiting[i];
    }
    if (waiting[i] == 0) ready.push_back(i);
  }
  std::size_t done = 0;
  for (; done < ready.size(); ++done)
    for (const std::size_t user : users[ready[done]])
      if (--waiting[user] == 0) ready.push_back(user);
  if (done == n) return std::nullopt;
  std::vector<int> found(n, -1);
  const auto firstOpen = [&](std::size_t i) {
    if (found[i] < 0)
      found[i] = *std::find_if(operandsOf(i).begin(), operandsOf(i).end(),
                               [&](int o) { return o >= 0 && waiting[static_cast<std::size_t>(o)] > 0; });
    return static_cast<std::size_t>(found[i]);
  };
  std::size_t at = 0;
  while (waiting[at] == 0) ++at;
  for (std::size_t k = 0; k < n; ++k) at = firstOpen(at);  // after n steps back we are on the cycle
  return Cycle{static_cast<int>(at), static_cast<int>(firstOpen(at))};
}

}  // namespace tessera::hlo
