#include "core/notation/cute/algebra/composition.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/base/arith.h"
#include "core/base/mapped.h"
#include "core/notation/cute/algebra/coalesce.h"

namespace tessera::cute {

Result<std::vector<Step>> stepsOf(const std::vector<LayoutLeaf>& a, i64 extent, i64 step) {
  std::vector<Step> out;
  out.reserve(a.size());
  i64 rest = extent;
  i64 taken = 1;
  i64 restStep = step;
  for (std::size_t k = 0; k + 1 < a.size() && step != 0; ++k) {
    const i64 size = a[k].extent;
    const i64 width = restStep < 0 ? -restStep : restStep;
    if (restStep % size != 0 && restStep >= size)
      return Diag{fmt::format("stride {} is neither a multiple of {} nor below it", restStep, size)};
    const i64 here = ceilDiv(size, width);
    if (here > 1 && rest > 1) {
      const i64 n = std::min(here, rest);
      if (rest % n != 0) return Diag{fmt::format("{} does not divide the extent {}", n, rest)};
      out.push_back({{n, step * taken}, static_cast<int>(k)});
      taken *= n;
      rest /= n;
    }
    restStep = ceilDiv(width, size) * (restStep < 0 ? -1 : 1);
  }
  if (rest > 1 || out.empty()) out.push_back({{rest, rest > 1 ? step * taken : 0}, static_cast<int>(a.size()) - 1});
  return out;
}

namespace {

// The leaves of B that step through one part of A: all for integer strides, otherwise those of one basis path.
struct Group {
  Layout part;                      // of A
  std::vector<std::size_t> leaves;  // positions among B's leaves
};

Result<Layout> partAt(const Layout& a, const std::vector<int>& path) {
  Layout part = a;
  for (const int k : path) {
    if (k >= part.rank() || (part.shape().isLeaf() && k > 0))
      return Diag{fmt::format("B steps in mode {}, but A's part {} has {} modes", k, print(part), part.rank()),
                  "bases within A's profile"};
    part = part.mode(k);
  }
  return part;
}

// By basis path.
using Groups = std::map<std::vector<int>, Group>;

Result<Groups> groupsOf(const Layout& a, const std::vector<LayoutLeaf>& leaves) {
  Groups groups;
  for (std::size_t j = 0; j < leaves.size(); ++j) {
    if (leaves[j].stride.value() == 0) continue;
    auto [it, fresh] = groups.try_emplace(leaves[j].stride.basis());
    if (fresh) {
      TESSERA_TRY(it->second.part, partAt(a, leaves[j].stride.basis()));
    }
    it->second.leaves.push_back(j);
  }
  return groups;
}

using Modes = std::vector<std::vector<StepMode>>;  // per leaf of the group

std::vector<StepMode> joined(const Modes& modes) {
  std::vector<StepMode> box;
  box.reserve(modes.size());
  for (const auto& m : modes) box.insert(box.end(), m.begin(), m.end());
  return box;
}

// CuTe's modes, if its algorithm succeeds.
std::optional<Modes> cuteModes(const std::vector<LayoutLeaf>& coalescedA, const std::vector<LayoutLeaf>& b,
                               const Group& group) {
  Modes modes;
  for (const std::size_t j : group.leaves) {
    const Result<std::vector<Step>> steps = stepsOf(coalescedA, b[j].extent, b[j].stride.value());
    if (!steps) return std::nullopt;
    modes.push_back(mapped<StepMode>(*steps, &Step::mode));
  }
  return modes;
}

// CuTe takes a stride from one mode of A, which equals A's value at the step only if no other digit moves.
bool cuteStridesHold(const IndexFunction& f, const Modes& modes) {
  const std::vector<StepMode> box = joined(modes);
  return std::ranges::all_of(box, [&](const StepMode& m) { return m.extent <= 1 || f.strideAt(m.step).ok(); });
}

std::string stridesText(const IndexFunction& f, const std::vector<StepMode>& box) {
  std::vector<std::string> texts;
  for (const StepMode& m : box)
    if (m.extent > 1) texts.push_back(f.textAt(m.step));
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string linearText(const IndexFunction& f, const std::vector<StepMode>& box, const std::vector<i64>& z) {
  std::vector<i128> sum;
  for (std::size_t t = 0; t < box.size(); ++t) {
    const auto value = f.at(box[t].step);
    if (!value) return "overflow";
    sum.resize(value->size(), 0);
    for (std::size_t c = 0; c < sum.size(); ++c) sum[c] += static_cast<i128>((*value)[c]) * z[t];
  }
  std::vector<std::string> texts;
  for (const i128 v : sum) {
    if (v > INT64_MAX || v < INT64_MIN) return "overflow";
    texts.push_back(std::to_string(static_cast<i64>(v)));
  }
  return texts.size() == 1 ? texts[0] : fmt::format("({})", fmt::join(texts, ","));
}

// Names the first i at which the only candidate differs from A(B(i)), with both values.
Diag refusal(const IndexFunction& f, const std::vector<LayoutLeaf>& b, const Group& group, const Modes& modes) {
  const std::vector<StepMode> box = joined(modes);
  const IndexFunction::Linearity line = f.linearity(box);
  if (line.answer != IndexFunction::Linearity::Answer::Breaks) {
    return {"whether a layout satisfies R(i) = A(B(i)) could not be decided within the search budget",
            "smaller extents"};
  }
  i64 index = 0, y = 0;
  std::size_t t = 0;
  for (std::size_t g = 0; g < modes.size(); ++g) {
    i64 before = 1;
    for (std::size_t j = 0; j < group.leaves[g]; ++j) before *= b[j].extent;
    for (const StepMode& m : modes[g]) {
      index += line.at[t] * before;
      y += line.at[t] * m.step;
      before *= m.extent;
      ++t;
    }
  }
  return {
      fmt::format("no layout of this shape satisfies R(i) = A(B(i)): at i = {}, A(B({})) = A({}) = {}, but strides {} "
                  "give {}",
                  index, index, y, f.textAt(y), stridesText(f, box), linearText(f, box, line.at)),
      "a B whose steps stay inside the modes of A"};
}

// The modes of one group that satisfy the law: CuTe's if they do, otherwise the unique coarsest ones.
Result<Modes> exactModes(const IndexFunction& f, const std::vector<LayoutLeaf>& coalescedA,
                         const std::vector<LayoutLeaf>& b, const Group& group) {
  using Linearity = IndexFunction::Linearity;
  if (auto modes = cuteModes(coalescedA, b, group); modes && cuteStridesHold(f, *modes))
    if (f.linearity(joined(*modes)).answer == Linearity::Answer::Linear) return *std::move(modes);
  Modes modes;
  bool exact = true;
  for (const std::size_t j : group.leaves) {
    IndexFunction::Split split = f.split(b[j].extent, b[j].stride.value());
    exact = exact && split.exact;
    modes.push_back(std::move(split.modes));
  }
  if (exact && f.linearity(joined(modes)).answer == Linearity::Answer::Linear) return modes;
  return refusal(f, b, group, modes);
}

// The stride that CuTe gives a mode of extent 1: its fold over A's modes still divides the step. 0 if CuTe's
// divisibility test fails.
IntTuple idleStride(const std::vector<LayoutLeaf>& coalescedA, i64 step) {
  i64 rest = step;
  for (std::size_t k = 0; k + 1 < coalescedA.size(); ++k) {
    const i64 size = coalescedA[k].extent;
    if (rest % size != 0 && rest >= size) return 0;
    rest = ceilDiv(rest < 0 ? -rest : rest, size) * (rest < 0 ? -1 : 1);
  }
  const IntTuple& last = coalescedA.back().stride;
  const auto value = checkedMul(rest, last.value());
  if (!value || *value == INT64_MIN) return 0;
  return last.basis().empty() ? IntTuple(*value) : IntTuple::scaledBasis(*value, last.basis());
}

}  // namespace

Result<Layout> composition(const Layout& a, const Layout& b) {
  TESSERA_CHECKED(requireKnown(a, "composition"));
  TESSERA_CHECKED(requireKnown(b, "composition"));
  const std::vector<LayoutLeaf> leaves = flatLeaves(b);
  std::vector<std::vector<LayoutLeaf>> out;
  for (const LayoutLeaf& l : leaves) out.push_back({{l.extent, 0}});  // of a leaf that does not move
  TESSERA_TRY(const Groups groups, groupsOf(a, leaves));
  for (const auto& [path, group] : groups) {
    TESSERA_TRY(const Layout wide, coalesceUnbounded(group.part));
    const IndexFunction f(wide);
    const std::vector<LayoutLeaf> wideLeaves = flatLeaves(wide);
    TESSERA_TRY(const Modes modes, exactModes(f, wideLeaves, leaves, group));
    for (std::size_t g = 0; g < modes.size(); ++g) {
      const std::size_t j = group.leaves[g];
      out[j].clear();
      for (const StepMode& m : modes[g]) {
        TESSERA_TRY(IntTuple d, f.strideAt(m.extent > 1 ? m.step : 0));
        out[j].push_back({m.extent, std::move(d)});
      }
      if (leaves[j].extent == 1) out[j] = {{1, idleStride(wideLeaves, leaves[j].stride.value())}};
    }
  }
  return refined(b.shape(), out, a.isStatic() && b.isStatic());
}

Result<Layout> modeWise(const Layout& a, const Tiler& b, ByLayout operation, bool keepRest) {
  if (static_cast<int>(b.entries.size()) > a.rank())
    return Diag{
        fmt::format("the tiler {} has {} modes, but layout {} has {}", print(b), b.entries.size(), print(a), a.rank()),
        "a tiler with at most as many modes"};
  std::vector<Layout> modes = a.modes();
  if (!keepRest) modes.resize(b.entries.size());
  for (std::size_t k = 0; k < b.entries.size(); ++k) {
    const TilerEntry& entry = b.entries[k];
    if (entry.kind == TilerEntry::Kind::Whole) continue;
    Result<Layout> part = entry.kind == TilerEntry::Kind::Layout
                              ? operation(modes[k], entry.layout)
                              : modeWise(modes[k], entry.nested, operation, keepRest);
    if (!part) {
      part.error().message = fmt::format("mode {}: {}", k, part.error().message);
      return part.error();
    }
    modes[k] = *std::move(part);
  }
  return makeLayout(modes);
}

Result<Layout> composition(const Layout& a, const Tiler& b) { return modeWise(a, b, &composition, false); }

}  // namespace tessera::cute
