#include "core/notation/cute/algebra/explain.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/arith.h"
#include "core/notation/cute/algebra/coalesce.h"
#include "core/notation/cute/algebra/composition.h"
#include "core/notation/cute/algebra/divide.h"
#include "core/notation/cute/algebra/inverse.h"

namespace tessera::cute {

std::string print(const Explanation& e) {
  std::string out = e.title + "\n";
  for (std::size_t k = 0; k < e.steps.size(); ++k) {
    const ExplanationStep& s = e.steps[k];
    out += fmt::format("{:>3}  {}", k + 1, s.text);
    if (!s.formula.empty()) out += ":  " + s.formula;
    if (!s.layout.empty()) out += "   " + s.layout;
    out += "\n";
  }
  return out + (e.refused ? "refused: " : "= ") + e.result;
}

namespace {

Explanation finished(Explanation e, const Result<Layout>& result) {
  e.refused = !result.ok();
  e.result = result ? print(*result) : result.error().message;
  return e;
}

void append(Explanation& e, const Explanation& part, std::string_view prefix) {
  for (const ExplanationStep& s : part.steps)
    e.steps.push_back({fmt::format("{}{}", prefix, s.text), s.formula, s.layout});
}

std::string leafText(const LayoutLeaf& l) { return fmt::format("{}:{}", l.extent, print(l.stride.withStatic(false))); }

// Of leaves of a layout.
std::string leavesText(const std::vector<LayoutLeaf>& leaves) { return print(*ofLeaves(leaves, false)); }

// Merges one neighbour at a time, from the right, like coalesce.
std::vector<ExplanationStep> coalesceSteps(const Layout& a) {
  std::vector<ExplanationStep> steps;
  std::vector<LayoutLeaf> leaves = flatLeaves(a);
  const std::size_t before = leaves.size();
  std::erase_if(leaves, [](const LayoutLeaf& l) { return l.extent == 1; });
  if (leaves.empty()) leaves.push_back({1, IntTuple(0)});
  if (leaves.size() != before) {
    steps.push_back({"modes of extent 1 have no effect", fmt::format("{} of {} modes remain", leaves.size(), before),
                     leavesText(leaves)});
  }
  for (std::size_t k = leaves.size(); k-- > 1;) {
    const LayoutLeaf& low = leaves[k - 1];
    const LayoutLeaf& high = leaves[k];
    const auto next = checkedMul(low.extent, low.stride.value());
    const bool joins = next && *next == high.stride.value() &&
                       (low.stride.basis() == high.stride.basis() || (*next == 0 && high.stride.value() == 0));
    std::string formula =
        fmt::format("{} * {} {} {}", low.extent, low.stride.value(), joins ? "=" : "!=", high.stride.value());
    if (joins) {
      std::string text = fmt::format("{} continues into {}", leafText(low), leafText(high));
      leaves[k - 1].extent *= high.extent;
      leaves.erase(leaves.begin() + static_cast<std::ptrdiff_t>(k));
      steps.push_back({std::move(text), std::move(formula), leavesText(leaves)});
    } else {
      steps.push_back({fmt::format("{} does not continue into {}", leafText(low), leafText(high)), std::move(formula)});
    }
  }
  return steps;
}

// CuTe's fold of one leaf of B through A's modes, with the numbers of each division.
void compositionLeaf(Explanation& e, const std::vector<LayoutLeaf>& a, const LayoutLeaf& b, std::size_t at) {
  const i64 step = b.stride.value();
  if (step == 0) {
    e.steps.push_back(
        {fmt::format("mode {} of B, {}, does not move", at, leafText(b)), "", fmt::format("{}:0", b.extent)});
    return;
  }
  const Result<std::vector<Step>> steps = stepsOf(a, b.extent, step);
  if (!steps) {
    e.steps.push_back({fmt::format("mode {} of B, {}: CuTe's division stops", at, leafText(b)), steps.error().message});
    return;
  }
  for (const Step& s : *steps) {
    const auto k = static_cast<std::size_t>(s.leafOfA);
    i64 below = 1;
    for (std::size_t j = 0; j < k; ++j) below *= a[j].extent;
    const bool last = k + 1 == a.size();
    const i64 width = std::max<i64>(1, (s.mode.step < 0 ? -s.mode.step : s.mode.step) / below);
    std::string formula =
        last ? fmt::format("{} remain in A's last mode, stride {} * {}", s.mode.extent, width, a[k].stride.value())
             : fmt::format("min(ceil({} / {}), rest) = {}, stride {} * {}", a[k].extent, width, s.mode.extent, width,
                           a[k].stride.value());
    e.steps.push_back(
        {fmt::format("mode {} of B, {}, walks A's mode {} in steps of {}", at, leafText(b), leafText(a[k]), width),
         std::move(formula),
         fmt::format("{}:{}", s.mode.extent,
                     IndexFunction(*Layout::make(IntTuple(a[k].extent), a[k].stride)).textAt(width))});
  }
}

}  // namespace

Explanation explainCoalesce(const Layout& a) {
  Explanation e{fmt::format("coalesce({})", print(a))};
  if (a.isKnown()) e.steps = coalesceSteps(a);
  return finished(std::move(e), coalesce(a));
}

Explanation explainComposition(const Layout& a, const Layout& b) {
  Explanation e{fmt::format("composition({}, {})", print(a), print(b))};
  const Result<Layout> result = composition(a, b);
  const Result<Layout> wide = coalesceUnbounded(a);
  if (a.isKnown() && b.isKnown() && wide) {
    const std::vector<LayoutLeaf> leavesOfA = flatLeaves(*wide);
    e.steps.push_back({"A coalesced, its last mode unbounded", "", print(*wide)});
    const std::vector<LayoutLeaf> leaves = flatLeaves(b);
    for (std::size_t j = 0; j < leaves.size(); ++j) {
      if (leaves[j].stride.basis().empty()) {
        compositionLeaf(e, leavesOfA, leaves[j], j);
      } else {
        e.steps.push_back({fmt::format("mode {} of B, {}, steps within one mode of A", j, leafText(leaves[j]))});
      }
    }
    e.steps.push_back({"check R(i) = A(B(i)) for every i", result ? "no digit carries into another" : "",
                       result ? print(*result) : ""});
  }
  return finished(std::move(e), result);
}

Explanation explainComposition(const Layout& a, const Tiler& b) {
  Explanation e{fmt::format("composition({}, {})", print(a), print(b))};
  for (std::size_t k = 0; k < b.entries.size() && static_cast<int>(k) < a.rank(); ++k) {
    const TilerEntry& entry = b.entries[k];
    const std::string prefix = fmt::format("mode {}: ", k);
    const Layout mode = a.mode(static_cast<int>(k));
    if (entry.kind == TilerEntry::Kind::Whole) e.steps.push_back({prefix + "kept whole", "", print(mode)});
    if (entry.kind == TilerEntry::Kind::Layout) append(e, explainComposition(mode, entry.layout), prefix);
    if (entry.kind == TilerEntry::Kind::Nested) append(e, explainComposition(mode, entry.nested), prefix);
  }
  return finished(std::move(e), composition(a, b));
}

Explanation explainComplement(const Layout& a, i64 cotarget) {
  Explanation e{fmt::format("complement({}, {})", print(a), cotarget)};
  const Result<Layout> moving = filter(a);
  if (a.isPlain() && moving && cotarget > 0) {
    std::vector<LayoutLeaf> sorted = flatLeaves(*moving);
    std::erase_if(sorted, [](const LayoutLeaf& l) { return l.extent == 1; });
    std::ranges::stable_sort(
        sorted, [](const LayoutLeaf& x, const LayoutLeaf& y) { return x.stride.value() < y.stride.value(); });
    e.steps.push_back({"A without its stride-0 modes, sorted by stride", "",
                       sorted.empty() ? std::string("1:0") : leavesText(sorted)});
    i64 span = 1;
    bool chain = true;
    for (const LayoutLeaf& l : sorted) {
      const i64 d = l.stride.value();
      chain = d >= span;
      if (!chain) {
        e.steps.push_back({fmt::format("{} begins inside the span of the modes below it", leafText(l)),
                           fmt::format("{} < {}", d, span)});
        break;
      }
      const i64 next = checkedMul(l.extent, d).value_or(INT64_MAX);
      e.steps.push_back({fmt::format("the gap below {}", leafText(l)),
                         fmt::format("{} / {} = {}{}, then the span is {} * {} = {}", d, span, d / span,
                                     d % span == 0 ? "" : fmt::format(" rest {}", d % span), l.extent, d, next),
                         fmt::format("{}:{}", d / span, span)});
      span = next;
    }
    const Result<Layout> result = complement(a, cotarget);
    if (!chain && result) {
      e.steps.push_back(
          {"no value repeats: the gap below their common factor, and copies of the whole that do not overlap", "",
           print(*result)});
    }
    if (chain) {
      e.steps.push_back({fmt::format("copies of the whole up to {}", cotarget),
                         fmt::format("ceil({} / {}) = {}", cotarget, span, ceilDiv(cotarget, span)),
                         fmt::format("{}:{}", ceilDiv(cotarget, span), span)});
    }
  }
  return finished(std::move(e), complement(a, cotarget));
}

Explanation explainRightInverse(const Layout& a) {
  Explanation e{fmt::format("right_inverse({})", print(a))};
  if (const Result<Layout> flat = coalesce(a); flat && a.isPlain()) {
    e.steps.push_back({"L coalesced", "", print(*flat)});
    const std::vector<IndexRun> runs = indexRuns(*flat);
    i64 next = 1;
    while (true) {
      const auto it = std::ranges::find(runs, next, &IndexRun::stride);
      if (it == runs.end()) break;
      e.steps.push_back({fmt::format("stride {} continues the run: mode {}:{}, reached every {} indices", next,
                                     it->extent, it->stride, it->before),
                         fmt::format("{} * {} = {}", it->extent, it->stride, it->extent * it->stride),
                         fmt::format("{}:{}", it->extent, it->before)});
      next *= it->extent;
    }
    e.steps.push_back(
        {fmt::format("no mode has stride {}", next), fmt::format("offsets 0 to {} are covered", next - 1)});
  }
  return finished(std::move(e), rightInverse(a));
}

Explanation explainLeftInverse(const Layout& a) {
  Explanation e{fmt::format("left_inverse({})", print(a))};
  if (const Result<Layout> flat = coalesce(a); flat && a.isPlain()) {
    e.steps.push_back({"L coalesced", "", print(*flat)});
    std::vector<IndexRun> runs = indexRuns(*flat);
    std::erase_if(runs, [](const IndexRun& r) { return r.stride <= 0; });
    std::ranges::stable_sort(runs, [](const IndexRun& x, const IndexRun& y) { return x.stride < y.stride; });
    i64 below = 1;
    for (const IndexRun& r : runs) {
      e.steps.push_back({fmt::format("the digit of {}:{} in an offset begins at {}", r.extent, r.stride, r.stride),
                         fmt::format("{} / {} = {}{}", r.stride, below, r.stride / below,
                                     r.stride % below == 0 ? "" : fmt::format(" rest {}", r.stride % below)),
                         fmt::format("index step {}", r.before)});
      below = r.stride;
    }
    e.steps.push_back({"check L(G(L(i))) = L(i)"});
  }
  return finished(std::move(e), leftInverse(a));
}

Explanation explainLogicalDivide(const Layout& a, const Layout& b) {
  Explanation e{fmt::format("logical_divide({}, {})", print(a), print(b))};
  if (a.isKnown()) {
    const Explanation rest = explainComplement(b, a.size());
    append(e, rest, "rest: ");
    e.steps.push_back(
        {"B* = complement(B, size(A)): where the tiles begin", fmt::format("size(A) = {}", a.size()), rest.result});
    const Result<Layout> star = complement(b, a.size());
    const Result<Layout> both = star ? makeLayout({b, *star}) : star;
    if (both) append(e, explainComposition(a, *both), "A o (B, B*): ");
  }
  return finished(std::move(e), logicalDivide(a, b));
}

Explanation explainLogicalProduct(const Layout& a, const Layout& b) {
  Explanation e{fmt::format("logical_product({}, {})", print(a), print(b))};
  const auto room = a.isPlain() && b.isPlain() ? checkedMul(a.size(), b.cosize()) : std::nullopt;
  if (room) {
    append(e, explainComplement(a, *room), "room: ");
    const Result<Layout> star = complement(a, *room);
    e.steps.push_back({"A* = complement(A, size(A) * cosize(B)): where the copies begin",
                       fmt::format("{} * {} = {}", a.size(), b.cosize(), *room), star ? print(*star) : ""});
    if (star) append(e, explainComposition(*star, b), "A* o B: ");
  }
  return finished(std::move(e), logicalProduct(a, b));
}

}  // namespace tessera::cute
