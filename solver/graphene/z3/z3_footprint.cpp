// By Z3: which places do the instances of a kernel access (O2, O4, O5, O6)?
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/mapped.h"
#include "solver/graphene/z3/z3_kernel.h"

namespace tessera::graphene {

using prover::Answer;
using prover::Goal;

namespace {

std::string listed(const std::vector<i64>& values) { return fmt::format("[{}]", fmt::join(values, ",")); }

std::vector<Goal> sameBlock(const Place& a, const Place& b) {
  std::vector<Goal> out;
  for (std::size_t d = 0; d < a.copy.blockDigits.size(); ++d)
    out.push_back(equals(a.copy.blockDigits[d], b.copy.blockDigits[d]));
  return out;
}

// Whether an access reads and writes, as the accumulator of a product.
bool accumulates(const Access& a) { return a.read && a.write; }

ObligationVerdict refutedBy(Finding f, std::string message) {
  f.message = std::move(message);
  return refuted("z3", std::move(f));
}

// The instances (m, n, k), each once: coverage and injectivity of the contributions.
struct Sum {
  Box box;
  std::vector<Expr> axes, extents;
  Contribution at;
};
std::optional<Sum> sumOf(const Z3Kernel& kernel, const Site& site) {
  Sum out{Box(kernel.sites(), kernel.kernel()), {}, {}, {}};
  auto c = contribution(kernel, out.box, site);
  if (!c) return std::nullopt;
  out.at = *std::move(c);
  out.axes = {out.at.out.coordinate[0], out.at.out.coordinate[1], out.at.a.coordinate[1]};
  out.extents = kernel.extentsOf(out.at.out.access->storage, out.box, out.at.out.copy);
  out.extents.push_back(kernel.extentsOf(out.at.a.access->storage, out.box, out.at.a.copy)[1]);
  return out;
}

ObligationVerdict holeIn(const Z3Kernel& kernel, const Site& site, int storage, const std::vector<i64>& hole,
                         bool sum) {
  Finding f{.obligation = Obligation::Coverage,
            .span = site.span,
            .tensor = "%" + kernel.sites().of(storage).declared.name,
            .coordinate = hole};
  std::string message = fmt::format("{}{} is never written", f.tensor, listed(hole));
  if (sum) {
    f.coordinate.pop_back();
    message = fmt::format("the contribution k={} to {}{} is missing", hole.back(), f.tensor, listed(f.coordinate));
  }
  return refutedBy(std::move(f), message);
}

ObligationVerdict coverageOf(const Z3Kernel& kernel, int storage) {
  const bool product = functionOf(*kernel.kernel().spec) == SpecKind::MatMul;
  const std::vector<const Site*> writers = kernel.writers(storage);
  const Storage& out = kernel.sites().of(storage);
  if (writers.empty()) {
    return refuted("z3", {.obligation = Obligation::Coverage,
                          .span = kernel.kernel().span,
                          .tensor = "%" + out.declared.name,
                          .coordinate = std::vector<i64>(out.declared.extents.size(), 0),
                          .message = fmt::format("%{} is never written", out.declared.name)});
  }
  Answer last = prover::unknown("z3", "");
  for (const Site* site : writers) {
    const Access& access = *kernel.accessOf(*site, storage, true);
    Answer answer;
    if (product) {
      const auto s = sumOf(kernel, *site);
      answer = s ? kernel.covered(s->box, s->axes, s->extents)
                 : prover::unknown("z3", "the product is not accumulated in place by scalar instructions");
    } else {
      Box box(kernel.sites(), kernel.kernel());
      const Place at = kernel.place(box, *site, access);
      std::vector<Expr> axes = at.coordinate, extents = kernel.extentsOf(access.storage, box, at.copy);
      if (out.declared.memory == Memory::Register && box.threads() > 1) {
        axes.push_back(at.copy.thread);
        extents.push_back(Expr::constant(box.threads()));
      }
      answer = kernel.covered(box, axes, extents);
    }
    if (answer.truth == Truth::Proved) return verdict(Obligation::Coverage, Standing::Proved, answer.detail);
    if (answer.truth == Truth::Refuted && writers.size() == 1 && answer.hole) {
      std::vector<i64> hole = *answer.hole;
      if (!product) hole.resize(out.declared.extents.size());
      return holeIn(kernel, *site, storage, hole, product);
    }
    last = answer;
  }
  if (last.truth == Truth::Refuted) last.detail = "no single statement writes all of it";
  return unknownBy(Obligation::Coverage, last, "%" + out.declared.name);
}

std::vector<Expr> withOwner(const Z3Kernel& kernel, const Place& at) {
  std::vector<Expr> axes = at.location;
  const Memory memory = kernel.sites().of(*at.access).declared.memory;
  if (memory != Memory::Global) axes.insert(axes.end(), at.copy.blockDigits.begin(), at.copy.blockDigits.end());
  if (memory == Memory::Register) axes.push_back(at.copy.thread);
  return axes;
}

ObligationVerdict twice(const Z3Kernel& kernel, const Box& box, const Place& a, const std::vector<i64>& pa,
                        const Place& b, const std::vector<i64>& pb, bool contribution) {
  Finding f = kernel.finding(Obligation::Uniqueness, box, a, pa);
  f.instances.push_back(box.instance(b.copy, b.site->span, pb));
  const std::string message = fmt::format("{}{} {} by two instances", f.tensor, listed(f.coordinate),
                                          contribution ? "gets one contribution" : "is written");
  return refutedBy(std::move(f), message);
}

// One site against itself.
std::optional<ObligationVerdict> distinctWithin(const Z3Kernel& kernel, const Site& site, const Access& access) {
  if (!accumulates(access)) {
    Box box(kernel.sites(), kernel.kernel());
    const Place at = kernel.place(box, site, access);
    const Answer answer = kernel.distinct(box, withOwner(kernel, at));
    if (answer.truth == Truth::Proved) return std::nullopt;
    if (answer.truth == Truth::Unknown) return unknownBy(Obligation::Uniqueness, answer, "%" + access.view.name);
    return twice(kernel, box, at, answer.points[0], at, answer.points[1], false);
  }
  if (functionOf(*kernel.kernel().spec) == SpecKind::MatMul) {
    auto s = sumOf(kernel, site);
    if (!s)
      return verdict(Obligation::Uniqueness, Standing::Unknown,
                     "the product is not accumulated in place by scalar instructions");
    const Answer answer = kernel.distinct(s->box, s->axes);
    if (answer.truth == Truth::Unknown) return unknownBy(Obligation::Uniqueness, answer, "contributions");
    if (answer.truth == Truth::Refuted)
      return twice(kernel, s->box, s->at.out, answer.points[0], s->at.out, answer.points[1], true);
  }
  return std::nullopt;
}

// Two instances at one place, of different sites or of one that accumulates, must be the same thread.
std::optional<ObligationVerdict> distinctBetween(const Z3Kernel& kernel, const Site& a, const Site& b, int storage) {
  const Access &x = *kernel.accessOf(a, storage, true), &y = *kernel.accessOf(b, storage, true);
  Box box(kernel.sites(), kernel.kernel());
  const Place pa = kernel.place(box, a, x), pb = kernel.place(box, b, y);
  for (std::size_t d = 0; d < pa.location.size(); ++d) box.equal(pa.location[d], pb.location[d]);
  const bool reg = kernel.sites().of(x).declared.memory == Memory::Register;
  if (reg) {
    box.equal(pa.copy.thread, pb.copy.thread);
    for (const Goal& g : sameBlock(pa, pb)) box.equal(g.left, *g.right);
  }
  const auto starts = [](const Site& s) { return s.spec->kind == SpecKind::Init; };
  const bool sameThreadIsFine = accumulates(x) || accumulates(y) || starts(a) || starts(b);
  std::vector<Goal> goals = {never()};
  if (sameThreadIsFine) {
    goals = sameBlock(pa, pb);
    goals.push_back(equals(pa.copy.thread, pb.copy.thread));
  }
  const Answer answer = kernel.ask(box, goals);
  if (answer.truth == Truth::Proved) return std::nullopt;
  if (answer.truth == Truth::Unknown) return unknownBy(Obligation::Uniqueness, answer, "%" + x.view.name);
  return twice(kernel, box, pa, answer.points.front(), pb, answer.points.front(), false);
}

struct Pair {
  const Site *a, *b;
  const Access *x, *y;
};

enum class Apart : unsigned char { Warps, Threads, ThreadsOfWarp, Blocks };

// Two unordered instances access one place; the goal states that they are the same thread.
std::optional<ObligationVerdict> raceOf(const Z3Kernel& kernel, const Pair& p, Apart apart) {
  const Storage& storage = kernel.sites().of(*p.x);
  Box box(kernel.sites(), kernel.kernel());
  const Place a = kernel.place(box, *p.a, *p.x);
  const Place b = kernel.place(box, *p.b, *p.y, &a.copy, {apart != Apart::Blocks, false, storage.loops});
  for (std::size_t d = 0; d < a.location.size(); ++d) box.equal(a.location[d], b.location[d]);
  std::vector<Goal> goals = {equals(a.copy.thread, b.copy.thread)};
  const Expr warpA = floorDiv(a.copy.thread, 32), warpB = floorDiv(b.copy.thread, 32);
  if (apart == Apart::Blocks) goals = sameBlock(a, b);
  if (apart == Apart::Warps) goals = {equals(warpA, warpB)};
  if (apart == Apart::ThreadsOfWarp) {
    box.equal(warpA, warpB);
    box.equal(box.in(a.copy, *p.a->warpPhase), box.in(b.copy, *p.b->warpPhase));
  }
  if (apart != Apart::Blocks) box.equal(box.in(a.copy, *p.a->phase), box.in(b.copy, *p.b->phase));
  const Answer answer = kernel.ask(box, goals);
  if (answer.truth == Truth::Proved) return std::nullopt;
  if (answer.truth == Truth::Unknown) return unknownBy(Obligation::Races, answer, "%" + storage.declared.name);
  const auto& point = answer.points.front();
  Finding f = kernel.finding(Obligation::Races, box, a, point);
  f.instances.push_back(box.instance(b.copy, p.b->span, point));
  const auto does = [](const Access& x) { return x.write ? "writes" : "reads"; };
  const std::string message = fmt::format(
      "block {}, thread {} {} {}{} while block {}, thread {} {} it", f.instances[0].block, f.instances[0].thread,
      does(*p.x), f.tensor, listed(f.coordinate), f.instances[1].block, f.instances[1].thread, does(*p.y));
  return refutedBy(std::move(f), message);
}

}  // namespace

ObligationVerdict z3Bounds(const Z3Kernel& kernel) {
  i64 asked = 0;
  for (const Site* site : kernel.own())
    for (const Access& access : site->accesses) {
      if (!Box::tileable(access.view)) return verdict(Obligation::Bounds, Standing::Unknown, "a leaf of symbolic size");
      Box box(kernel.sites(), kernel.kernel());
      const Place at = kernel.place(box, *site, access);
      const std::vector<Expr> extents = kernel.extentsOf(access.storage, box, at.copy);
      std::vector<Goal> goals;
      for (std::size_t d = 0; d < extents.size(); ++d)
        if (extents[d].isConstant()) {
          goals.push_back({at.coordinate[d], std::nullopt, 0, extents[d].value() - 1});
        } else {
          goals.push_back({at.coordinate[d], std::nullopt, 0, Box::kFar});
          goals.push_back({extents[d] - at.coordinate[d], std::nullopt, 1, Box::kFar});
        }
      const Answer answer = kernel.ask(box, goals);
      ++asked;
      if (answer.truth == Truth::Unknown) return unknownBy(Obligation::Bounds, answer, "%" + access.view.name);
      if (answer.truth == Truth::Proved) continue;
      Finding f = kernel.finding(Obligation::Bounds, box, at, answer.points.front());
      const auto beyond = mapped<i64>(extents, [&](const Expr& e) { return evaluate(e, answer.points.front()); });
      const std::string message =
          fmt::format("{} is outside {}, whose extents are {}", listed(f.coordinate), f.tensor, listed(beyond));
      return refutedBy(std::move(f), message);
    }
  return verdict(Obligation::Bounds, Standing::Proved, fmt::format("{} accesses, every instance of each", asked));
}

ObligationVerdict z3Coverage(const Z3Kernel& kernel) {
  const bool product = functionOf(*kernel.kernel().spec) == SpecKind::MatMul;
  if (const std::string view = kernel.partial(/*outputsOnly=*/!product); !view.empty())
    return verdict(Obligation::Coverage, Standing::Unknown, view + " is a view: decided by running");
  ObligationVerdict all = verdict(Obligation::Coverage, Standing::Proved, "");
  for (const int storage : kernel.outputs()) {
    ObligationVerdict one = coverageOf(kernel, storage);
    if (one.standing != Standing::Proved) return one;
    all.reason = one.reason;
  }
  return all;
}

ObligationVerdict z3Uniqueness(const Z3Kernel& kernel) {
  if (functionOf(*kernel.kernel().spec) == SpecKind::Generic)
    return verdict(Obligation::Uniqueness, Standing::NotStated,
                   "a generic specification may write an element more than once");
  for (const int storage : kernel.outputs()) {
    const std::vector<const Site*> writers = kernel.writers(storage);
    for (std::size_t i = 0; i < writers.size(); ++i) {
      const Access& access = *kernel.accessOf(*writers[i], storage, true);
      if (auto v = distinctWithin(kernel, *writers[i], access)) return *std::move(v);
      for (std::size_t j = accumulates(access) ? i : i + 1; j < writers.size(); ++j)
        if (auto v = distinctBetween(kernel, *writers[i], *writers[j], storage)) return *std::move(v);
    }
  }
  return verdict(Obligation::Uniqueness, Standing::Proved, "no two instances write one element");
}

ObligationVerdict z3Races(const Z3Kernel& kernel) {
  const Sites& all = kernel.sites();
  if (all.hasAsync) return verdict(Obligation::Races, Standing::Unknown, "asynchronous copies are decided by running");
  const Box probe(all, kernel.kernel());
  i64 pairs = 0;
  const auto& own = kernel.own();
  for (std::size_t i = 0; i < own.size(); ++i)
    for (std::size_t j = i; j < own.size(); ++j)
      for (const Access& x : own[i]->accesses)
        for (const Access& y : own[j]->accesses) {
          const Memory memory = all.of(x).declared.memory;
          if (x.storage != y.storage || (!x.write && !y.write) || memory == Memory::Register) continue;
          if (i == j && x.operand > y.operand) continue;
          if (!own[i]->phase || !own[j]->phase || !own[i]->warpPhase || !own[j]->warpPhase)
            return verdict(Obligation::Races, Standing::Unknown,
                           "the number of barriers that a thread has passed depends on a condition");
          ++pairs;
          const Pair pair{own[i], own[j], &x, &y};
          std::vector<Apart> questions = {Apart::Threads};
          if (all.hasSyncwarp) questions = {Apart::ThreadsOfWarp, Apart::Warps};
          if (memory == Memory::Global && !probe.oneBlock()) questions.push_back(Apart::Blocks);
          for (const Apart apart : questions)
            if (auto v = raceOf(kernel, pair, apart)) return *std::move(v);
        }
  return verdict(Obligation::Races, Standing::Proved, fmt::format("{} pairs of accesses, any two threads", pairs));
}

}  // namespace tessera::graphene
