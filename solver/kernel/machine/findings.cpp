#include "solver/kernel/machine/findings.h"

#include <fmt/format.h>

#include <algorithm>

namespace tessera::kernel {

Finding* Findings::add(Verdict kind, int step, int other, int detail) {
  const auto [at, made] = kept_.try_emplace({kind, step, other, detail});
  at->second.kind = kind;
  if (made) return &at->second;
  ++at->second.times;
  return nullptr;
}

Point Findings::point(std::uint32_t thread, int step) const {
  Point out;
  const std::uint32_t threads = launch_.block[0] * launch_.block[1] * launch_.block[2];
  const std::uint32_t block = thread / threads, t = thread % threads;
  out.block = {block % launch_.grid[0], block / launch_.grid[0] % launch_.grid[1],
               block / launch_.grid[0] / launch_.grid[1]};
  out.thread = {t % launch_.block[0], t / launch_.block[0] % launch_.block[1], t / launch_.block[0] / launch_.block[1]};
  if (step >= 0 && static_cast<std::size_t>(step) < program_.steps.size()) {
    const Step& s = program_.steps[static_cast<std::size_t>(step)];
    if (s.source != nullptr) {
      out.line = s.source->line;
      out.location = s.source->location;
    }
  }
  return out;
}

void Findings::report(Verdict kind, int step, std::uint32_t thread, std::string message, int detail) {
  Finding* f = add(kind, step, -1, detail);
  if (f == nullptr) return;
  f->at = point(thread, step);
  f->message = std::move(message);
}

std::vector<Finding> Findings::all() const {
  std::vector<Finding> out;
  for (const auto& [key, finding] : kept_) out.push_back(finding);
  return out;  // the map is in the order of Verdict
}

std::string Findings::threadText(std::uint32_t thread) const {
  const Point p = point(thread, -1);
  const auto text = [](const std::array<std::uint32_t, 3>& at, const std::array<std::uint32_t, 3>& extents) {
    if (extents[1] == 1 && extents[2] == 1) return fmt::format("{}", at[0]);
    if (extents[2] == 1) return fmt::format("({},{})", at[0], at[1]);
    return fmt::format("({},{},{})", at[0], at[1], at[2]);
  };
  const std::string t = fmt::format("thread {}", text(p.thread, launch_.block));
  if (launch_.grid[0] * launch_.grid[1] * launch_.grid[2] == 1) return t;
  return fmt::format("{} of block {}", t, text(p.block, launch_.grid));
}

}  // namespace tessera::kernel
