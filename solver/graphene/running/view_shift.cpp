#include "solver/graphene/running/view_shift.h"

#include <algorithm>
#include <cstdlib>

#include "solver/graphene/z3/box.h"

namespace tessera::graphene {
namespace {

// The steps of one view dimension along one tensor dimension: `size` places, `step` apart.
struct Run {
  i64 size = 1, step = 1;
  int dim = -1;
  bool even = true;  // places are equidistant
};

bool known(const Mode& m) { return m.size.isConstant() && m.step.isConstant(); }

// One per dimension, over all levels, innermost first. nullopt: a size is not a constant.
std::optional<std::vector<Run>> runsOf(const Tensor& view) {
  std::vector<Run> out(view.levels.front().dims.size());
  for (std::size_t l = view.levels.size(); l-- > 0;)
    for (std::size_t d = 0; d < out.size(); ++d)
      for (const Mode& m : view.levels[l].dims[d]) {
        if (!known(m)) return std::nullopt;
        if (m.size.value() == 1) continue;
        Run& run = out[d];
        if (run.dim < 0) {
          run = {m.size.value(), m.step.value(), m.dim, m.step.value() > 0};
        } else {
          run.even = run.even && run.dim == m.dim && m.step.value() == run.step * run.size;
          run.size *= m.size.value();
        }
      }
  return out;
}

bool ofOneRank(const Tensor& t) {
  return std::all_of(t.levels.begin(), t.levels.end(),
                     [&](const Level& l) { return l.dims.size() == t.levels.front().dims.size(); });
}

// The run that absorbs a shift along `dim`: the one with the longest step, if the others span less than that step.
std::optional<std::size_t> takerOf(const std::vector<Run>& runs, int dim) {
  std::optional<std::size_t> out;
  i64 reach = 0;
  for (std::size_t d = 0; d < runs.size(); ++d) {
    if (runs[d].dim != dim) continue;
    if (!runs[d].even) return std::nullopt;
    reach += (runs[d].size - 1) * runs[d].step;
    if (!out || runs[d].step > runs[*out].step) out = d;
  }
  if (!out || reach - (runs[*out].size - 1) * runs[*out].step >= runs[*out].step) return std::nullopt;
  return out;
}

}  // namespace

bool isWhole(const Tensor& view, const Tensor& declared) {
  return view.levels == declared.levels && view.offset == declared.offset && view.origin == declared.origin;
}

std::optional<std::vector<i64>> viewShift(const Tensor& view, const Tensor& declared, const std::vector<i64>& by) {
  const std::size_t rank = view.levels.empty() ? 0 : ofOneRank(view) ? view.levels.front().dims.size() : 1;
  std::vector<i64> out(rank, 0);
  if (std::all_of(by.begin(), by.end(), [](i64 v) { return v == 0; })) return out;
  const i64 places = countOf(view);
  if (places < 0 || places != countOf(declared) || view.levels.empty() || !ofOneRank(view)) return std::nullopt;
  const auto runs = runsOf(view);
  if (!runs) return std::nullopt;
  // A view dimension along several tensor dimensions is unaffected only if none of these is shifted.
  for (const Level& level : view.levels)
    for (std::size_t d = 0; d < level.dims.size(); ++d)
      for (const Mode& m : level.dims[d])
        if (!(*runs)[d].even && !m.size.isConstant(1) && by[static_cast<std::size_t>(m.dim)] != 0) return std::nullopt;
  for (std::size_t dim = 0; dim < by.size(); ++dim) {
    if (by[dim] == 0) continue;
    const auto taker = takerOf(*runs, static_cast<int>(dim));
    if (!taker || by[dim] % (*runs)[*taker].step != 0) return std::nullopt;
    out[*taker] += by[dim] / (*runs)[*taker].step;
  }
  return out;
}

}  // namespace tessera::graphene
