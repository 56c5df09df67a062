#include "solver/graphene/certificate/goals.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "core/base/mapped.h"
#include "solver/graphene/certificate/instances.h"

namespace tessera::graphene {
namespace {

using Conditions = std::vector<Expr>;

constexpr std::size_t kMostFormText = 300;
constexpr int kMostNodes = 400;

void append(Conditions& to, const Conditions& more) { to.insert(to.end(), more.begin(), more.end()); }
void equate(Conditions& to, const Expr& a, const Expr& b) {
  to.push_back(a - b);
  to.push_back(b - a);
}
void equate(Conditions& to, const std::vector<Expr>& a, const std::vector<Expr>& b) {
  for (std::size_t d = 0; d < a.size(); ++d) equate(to, a[d], b[d]);
}

std::vector<int> loopsAround(const Site& a, const Site& b) {
  return {a.loops.begin(), std::ranges::mismatch(a.loops, b.loops).in1};
}

// A traced value: an input element, a constant, or an operation.
struct TracedValue {
  enum class Kind : unsigned char { Input, Constant, Operation } kind = Kind::Constant;
  std::string name;
  int storage = -1;
  std::vector<Expr> at;
  std::vector<TracedValue> arguments;
};
// The conditions under which a chain of writers was followed.
struct TracedPath {
  Conditions conditions;
  std::string text;
  int copies = 0;
};
using Traced = std::function<bool(const TracedValue&, const TracedPath&)>;

class Goals {
 public:
  Goals(const Z3Kernel& kernel, Obligation o) : kernel_(kernel), spec_(*kernel.kernel().spec), in_(kernel), forms_(in_.names()) {
    out_.obligation = o;
  }

  ObligationCertificate run() {
    out_.complete = in_.fault().empty() ? decide() : fail(in_.fault());
    return std::move(out_);
  }

 private:
  bool decide() {
    switch (out_.obligation) {
      case Obligation::Frame:
        return true;
      case Obligation::Bounds:
        return bounds();
      case Obligation::Coverage:
        return coverage();
      case Obligation::Uniqueness:
        return uniqueness();
      case Obligation::Races:
        return races();
      case Obligation::Definedness:
        return definedness();
      case Obligation::Value:
        return values();
      default:
        return fail("no method");
    }
  }
  bool fail(std::string why) {
    if (out_.open.empty()) out_.open = std::move(why);
    return false;
  }

  // `wrong` >= 0 contradicts the conditions.
  bool prove(const std::string& name, const Conditions& conditions, const std::optional<LinearForm>& wrong) {
    if (!wrong) return fail("goal " + name + " is no linear question");
    std::vector<LinearForm> all = {*wrong};
    const auto add = [&](const Expr& e) {
      if (auto form = forms_.of(e)) all.push_back(*std::move(form));
    };
    for (const Expr& e : in_.sizes()) add(e);
    for (const Expr& e : conditions) add(e);
    const std::vector<LinearForm> meaning = forms_.definitions(all);
    all.insert(all.end(), meaning.begin(), meaning.end());
    auto proof = refute(all, nodes_);
    if (!proof)
      return fail(fmt::format("no sum of inequalities contradicts goal {}: {} >= 0", name,
                              print(*wrong).substr(0, kMostFormText)));
    out_.goals.push_back({name, withoutUnused(all, *std::move(proof))});
    return true;
  }
  bool prove(const std::string& name, const Conditions& conditions, const Expr& wrong) {
    return prove(name, conditions, forms_.of(wrong));
  }
  bool proveEqual(const std::string& name, const Conditions& conditions, const Expr& a, const Expr& b) {
    return prove(name + "/more", conditions, a - b - 1) && prove(name + "/less", conditions, b - a - 1);
  }
  [[nodiscard]] const Site& site(std::size_t k) const { return *kernel_.own()[k]; }
  [[nodiscard]] std::size_t count() const { return kernel_.own().size(); }
  [[nodiscard]] Memory memoryOf(int storage) const { return kernel_.sites().of(storage).declared.memory; }
  [[nodiscard]] bool isProduct() const { return spec_.kind == SpecKind::MatMul; }
  [[nodiscard]] static bool accumulates(const Access& a) { return a.read && a.write; }

  // ---- O2

  bool bounds() {
    for (std::size_t s = 0; s < count(); ++s)
      for (const Access& access : site(s).accesses) {
        in_.restart();
        const SiteCopy a = in_.copy(site(s), "");
        const Spot spot = in_.spot(a, access);
        Conditions all = a.conditions;
        append(all, spot.conditions);
        const std::vector<Expr> extents = in_.extentsOf(access.storage);
        for (std::size_t d = 0; d < extents.size(); ++d) {
          const std::string name = fmt::format("{}/{}/{}", s, access.operand, d);
          if (!prove(name + "/below", all, Expr::constant(-1) - spot.coordinate[d]) ||
              !prove(name + "/beyond", all, spot.coordinate[d] - extents[d]))
            return false;
        }
      }
    return true;
  }

  // ---- O4

  // The contributions of a site to a product, as (m, n, k).
  struct Axes {
    std::vector<Expr> at, extents;
  };
  std::optional<Axes> contributions(const SiteCopy& a, Conditions& conditions) {
    const Site& s = *a.site;
    if (s.spec->kind != SpecKind::MatMul || s.accesses.size() != 3) return std::nullopt;
    Axes out;
    std::vector<Spot> spots;
    for (const Access& access : s.accesses) {
      spots.push_back(in_.spot(a, access));
      append(conditions, spots.back().conditions);
      const bool one = std::ranges::all_of(modesOf(access.view), [](const Mode& m) { return m.size.isConstant(1); });
      if (!one || !kernel_.sites().of(access).operand || spots.back().coordinate.size() != 2) return std::nullopt;
    }
    out.at = {spots[0].coordinate[0], spots[0].coordinate[1], spots[1].coordinate[1]};
    out.extents = in_.extentsOf(s.accesses[0].storage);
    out.extents.push_back(in_.extentsOf(s.accesses[1].storage)[1]);
    return out;
  }

  // The digits of the axes' values determine the digits of the instances. By digit, over those up to `places`.
  std::optional<std::vector<Expr>> inverted(const std::vector<Expr>& axes, const std::vector<i64>& extents,
                                            const Conditions& conditions) {
    std::vector<Axis> all;
    for (std::size_t a = 0; a < axes.size(); ++a) all.push_back({fmt::format("a{}", a), axes[a], extents[a]});
    std::vector<Guard> guards;
    for (const Expr& e : conditions) guards.push_back({e, 0, Box::kFar});
    const auto map = Map::create(in_.digits(), all, guards);
    const auto writer = map ? writerOf(*map) : std::nullopt;
    return writer ? std::optional(writer->digits) : std::nullopt;
  }

  void choose(const std::string& name, std::size_t s, const std::vector<std::string>& names,
              const std::vector<Expr>& values) {
    ChosenInstance out{name, static_cast<int>(s), {}};
    for (std::size_t d = 0; d < names.size(); ++d) out.values.emplace_back(names[d], in_.text(values[d]));
    out_.choices.push_back(std::move(out));
  }

  bool coverage() {
    if (const std::string view = kernel_.partial(!isProduct()); !view.empty()) return fail(view + " is a view");
    std::size_t number = 0;
    for (const int storage : kernel_.outputs()) {
      if (memoryOf(storage) == Memory::Register) return fail("an output in registers");
      if (!covers(number++, storage)) return fail("no site is known to cover an output");
    }
    return true;
  }

  bool covers(std::size_t number, int storage) {
    for (std::size_t s = 0; s < count(); ++s) {
      const Access* access = kernel_.accessOf(site(s), storage, true);
      if (access == nullptr) continue;
      const std::size_t goals = out_.goals.size(), choices = out_.choices.size();
      std::string open = out_.open;
      if (coversBy(number, storage, s, *access)) return true;
      forget(goals);
      out_.choices.erase(out_.choices.begin() + static_cast<std::ptrdiff_t>(choices), out_.choices.end());
    }
    return false;
  }

  bool coversBy(std::size_t number, int storage, std::size_t s, const Access& access) {
    in_.restart();
    const SiteCopy a = in_.copy(site(s), "");
    Conditions conditions = a.conditions;
    Axes axes;
    if (isProduct()) {
      auto all = contributions(a, conditions);
      if (!all) return fail("the product is not accumulated in place by scalar instructions");
      axes = *std::move(all);
    } else {
      const Spot spot = in_.spot(a, access);
      append(conditions, spot.conditions);
      axes = {spot.coordinate, in_.extentsOf(storage)};
    }
    std::vector<Expr> places;
    std::vector<i64> extents;
    for (std::size_t n = 0; n < in_.sizeCount(); ++n) {
      places.push_back(Expr::digit(static_cast<int>(n)));
      extents.push_back(in_.digits()[n].extent);
    }
    std::vector<Expr> seen = places;
    seen.insert(seen.end(), axes.at.begin(), axes.at.end());
    for (const Expr& e : axes.extents) extents.push_back(std::max<i64>(1, in_.most(e)));
    const auto digits = inverted(seen, extents, conditions);
    if (!digits) return fail("the digits of an element do not determine the instance that writes it");
    const std::vector<std::string> names(in_.names().begin() + static_cast<std::ptrdiff_t>(in_.sizeCount()),
                                         in_.names().end());
    Conditions given;
    const std::vector<Expr> element = in_.element(axes.extents, given);
    places.insert(places.end(), element.begin(), element.end());
    std::vector<Expr> values = mapped<Expr>(*digits, [&](const Expr& e) { return substitute(e, places); });
    const std::string name = std::to_string(number);
    values.erase(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(in_.sizeCount()));
    choose(name, s, names, values);
    return isInstance(name, given, conditions, formsOf(names, values), axes.at, element);
  }

  // a - b, or b - a, minus 1, where a is over a copy's digits with these values.
  std::optional<LinearForm> beyond(const Expr& a, const std::map<std::string, LinearForm>& values, const Expr& b,
                                   bool more) {
    const auto x = forms_.of(a), y = forms_.of(b);
    const auto there = x ? forms_.substituted(*x, values) : std::nullopt;
    if (!there || !y) return std::nullopt;
    const auto out = more ? sum(*there, *y, -1) : sum(*y, *there, -1);
    return out ? sum(*out, LinearForm{{{{}, 1}}}, -1) : std::nullopt;
  }
  bool proveEqual(const std::string& name, const Conditions& given, const Expr& a,
                  const std::map<std::string, LinearForm>& values, const Expr& b) {
    return prove(name + "/more", given, beyond(a, values, b, true)) &&
           prove(name + "/less", given, beyond(a, values, b, false));
  }
  std::map<std::string, LinearForm> formsOf(const std::vector<std::string>& names, const std::vector<Expr>& values) {
    std::map<std::string, LinearForm> out;
    for (std::size_t d = 0; d < names.size(); ++d)
      if (const auto form = forms_.of(values[d])) out[names[d]] = *form;
    return out;
  }

  // The instance with these values of its digits exists and is at the place.
  bool isInstance(const std::string& name, const Conditions& given, const Conditions& conditions,
                  const std::map<std::string, LinearForm>& values, const std::vector<Expr>& axes,
                  const std::vector<Expr>& place) {
    int number = 0;
    for (const Expr& c : conditions)
      if (!prove(fmt::format("{}/exists/{}", name, number++), given, beyond(c, values, Expr::constant(0), false)))
        return false;
    for (std::size_t d = 0; d < axes.size(); ++d)
      if (!proveEqual(fmt::format("{}/at/{}", name, d), given, axes[d], values, place[d])) return false;
    return true;
  }

  // ---- O5, O6

  // Where two copies have equal places in one storage: the coordinates, for a register with block and thread.
  void meet(Conditions& all, const SiteCopy& a, const Spot& x, const SiteCopy& b, const Spot& y, Memory memory) {
    equate(all, x.coordinate, y.coordinate);
    if (memory != Memory::Global) equate(all, a.blocks, b.blocks);
    if (memory == Memory::Register) equate(all, a.threads, b.threads);
  }
  // No two points of the conditions differ in these digits, in the order of the goals: those proved equal are conditions
  // of the next ones. `symmetric`: one direction suffices.
  bool agree(const std::string& name, Conditions all, const std::vector<Expr>& a, const std::vector<Expr>& b,
             bool symmetric) {
    std::vector<std::size_t> left;
    for (std::size_t k = 0; k < a.size(); ++k) left.push_back(k);
    const auto proved = [&](std::size_t k) {
      const std::size_t goals = out_.goals.size();
      const bool ok = prove(fmt::format("{}/{}/less", name, k), all, b[k] - a[k] - 1) &&
                      (symmetric || prove(fmt::format("{}/{}/more", name, k), all, a[k] - b[k] - 1));
      if (ok) equate(all, a[k], b[k]);
      if (!ok) forget(goals);
      return ok;
    };
    for (const int nodes : {1, kMostNodes})
      for (bool more = true; more && !left.empty();) {
        nodes_ = nodes;
        more = std::erase_if(left, proved) > 0;
      }
    nodes_ = kMostNodes;
    return left.empty();
  }
  void forget(std::size_t goals) {
    out_.goals.erase(out_.goals.begin() + static_cast<std::ptrdiff_t>(goals), out_.goals.end());
  }
  static std::vector<Expr> owner(const SiteCopy& a) {
    std::vector<Expr> out = a.blocks;
    out.insert(out.end(), a.threads.begin(), a.threads.end());
    return out;
  }

  bool uniqueness() {
    for (const int storage : kernel_.outputs()) {
      if (!kernel_.injective(storage)) return fail("an output with a layout that is not injective");
      for (std::size_t i = 0; i < count(); ++i) {
        const Access* x = kernel_.accessOf(site(i), storage, true);
        if (x == nullptr) continue;
        if (!once(i, *x)) return false;
        for (std::size_t j = accumulates(*x) ? i : i + 1; j < count(); ++j)
          if (const Access* y = kernel_.accessOf(site(j), storage, true); y != nullptr && !apart(i, *x, j, *y, storage))
            return false;
      }
    }
    return true;
  }

  bool once(std::size_t i, const Access& x) {
    in_.restart();
    const SiteCopy a = in_.copy(site(i), ""), b = in_.copy(site(i), "'");
    Conditions all = a.conditions;
    append(all, b.conditions);
    std::vector<Expr> mine = a.own, other = b.own;
    if (accumulates(x)) {
      if (!isProduct()) return fail("a sum outside of a product");
      const auto p = contributions(a, all), q = contributions(b, all);
      if (!p || !q) return fail("the product is not accumulated in place by scalar instructions");
      equate(all, p->at, q->at);
    } else {
      const Spot p = in_.spot(a, x), q = in_.spot(b, x);
      append(all, p.conditions);
      append(all, q.conditions);
      meet(all, a, p, b, q, memoryOf(x.storage));
      addSlots(mine, p);
      addSlots(other, q);
    }
    return agree(fmt::format("{}/once", i), all, mine, other, true);
  }
  static void addSlots(std::vector<Expr>& to, const Spot& spot) {
    for (const Expr& e : spot.slots)
      if (!e.isConstant()) to.push_back(e);
  }

  bool apart(std::size_t i, const Access& x, std::size_t j, const Access& y, int storage) {
    in_.restart();
    const SiteCopy a = in_.copy(site(i), ""), b = in_.copy(site(j), "'");
    const Spot p = in_.spot(a, x), q = in_.spot(b, y);
    Conditions all = a.conditions;
    append(all, b.conditions);
    append(all, p.conditions);
    append(all, q.conditions);
    meet(all, a, p, b, q, memoryOf(storage));
    const std::string name = fmt::format("{}/{}", i, j);
    const auto starts = [](const Site& s) { return s.spec->kind == SpecKind::Init; };
    if (accumulates(x) || accumulates(y) || starts(site(i)) || starts(site(j)))
      return agree(name, all, owner(a), owner(b), i == j);
    return prove(name + "/never", all, Expr::constant(0));
  }

  bool races() {
    for (std::size_t i = 0; i < count(); ++i)
      for (std::size_t j = i; j < count(); ++j)
        for (const Access& x : site(i).accesses)
          for (const Access& y : site(j).accesses) {
            const Memory memory = memoryOf(x.storage);
            if (x.storage != y.storage || (!x.write && !y.write) || memory == Memory::Register) continue;
            if (i == j && x.operand > y.operand) continue;
            if (!ordered(i, x, j, y, true) || (memory == Memory::Global && !ordered(i, x, j, y, false))) return false;
          }
    return true;
  }

  // Of one block: the same thread, or different phases. Of two blocks: never at one place.
  bool ordered(std::size_t i, const Access& x, std::size_t j, const Access& y, bool block) {
    if (!kernel_.injective(x.storage)) return fail("a layout that is not injective");
    if (!site(i).phase || !site(j).phase) return fail("the number of barriers depends on a condition");
    in_.restart();
    const SiteCopy a = in_.copy(site(i), "");
    const SiteCopy b = in_.copy(site(j), "'", &a, {block, false, kernel_.sites().of(x).loops});
    const Spot p = in_.spot(a, x), q = in_.spot(b, y);
    Conditions all = a.conditions;
    append(all, b.conditions);
    append(all, p.conditions);
    append(all, q.conditions);
    equate(all, p.coordinate, q.coordinate);
    if (block) equate(all, substitute(*site(i).phase, {}, a.values), substitute(*site(j).phase, {}, b.values));
    const bool symmetric = i == j && x.operand == y.operand;
    const std::string name = fmt::format("{}/{}/{}/{}/{}", i, x.operand, j, y.operand, block ? "threads" : "blocks");
    return block ? agree(name, all, a.threads, b.threads, symmetric) : agree(name, all, a.blocks, b.blocks, symmetric);
  }

  // ---- O7

  bool definedness() {
    for (std::size_t r = 0; r < count(); ++r)
      for (const Access& read : site(r).accesses) {
        if (!read.read || kernel_.sites().of(read).operand) continue;
        bool found = false;
        for (std::size_t w = 0; w < count() && !found; ++w) {
          const Access* write = kernel_.accessOf(site(w), read.storage, true);
          if (write == nullptr || w == r) continue;
          const std::size_t goals = out_.goals.size(), choices = out_.choices.size();
          found = written(r, read, w, *write);
          if (found) continue;
          forget(goals);
          out_.choices.erase(out_.choices.begin() + static_cast<std::ptrdiff_t>(choices), out_.choices.end());
        }
        if (!found) return fail("no writer of %" + read.view.name + " is known");
      }
    return true;
  }

  // The writer's digits from the reader's: the same block, common loops, and thread of a register.
  bool written(std::size_t r, const Access& read, std::size_t w, const Access& write) {
    const bool reg = memoryOf(read.storage) == Memory::Register;
    const std::vector<int> common = loopsAround(site(r), site(w));
    const auto axesOf = [&](const SiteCopy& a, const Spot& s) {
      std::vector<Expr> axes;
      for (std::size_t n = 0; n < in_.sizeCount(); ++n) axes.push_back(Expr::digit(static_cast<int>(n)));
      axes.insert(axes.end(), a.blocks.begin(), a.blocks.end());
      if (reg) axes.insert(axes.end(), a.threads.begin(), a.threads.end());
      for (const int loop : common)
        for (const auto& [variable, n] : a.loops)
          if (variable == loop) axes.push_back(n);
      axes.insert(axes.end(), s.coordinate.begin(), s.coordinate.end());
      return axes;
    };
    in_.restart();
    const SiteCopy from = in_.copy(site(w), "'");
    const Spot there = in_.spot(from, write);
    Conditions conditions = from.conditions;
    append(conditions, there.conditions);
    const std::vector<Expr> axes = axesOf(from, there);
    std::vector<i64> extents;
    for (const Expr& e : axes) extents.push_back(in_.most(e) + 1);
    const auto digits = inverted(axes, extents, conditions);
    if (!digits) return fail("the digits of a place do not determine its writer");
    const std::vector<std::string> names(in_.names().begin() + static_cast<std::ptrdiff_t>(in_.sizeCount()),
                                         in_.names().end());
    const SiteCopy to = in_.copy(site(r), "");
    const Spot here = in_.spot(to, read);
    Conditions given = to.conditions;
    append(given, here.conditions);
    const std::vector<Expr> places = axesOf(to, here);
    std::vector<Expr> chosen = mapped<Expr>(*digits, [&](const Expr& e) { return substitute(e, places); });
    chosen.erase(chosen.begin(), chosen.begin() + static_cast<std::ptrdiff_t>(in_.sizeCount()));
    const std::string name = fmt::format("{}/{}", r, read.operand);
    choose(name, w, names, chosen);
    const auto values = formsOf(names, chosen);
    // The goals are about what the instances share besides the sizes.
    const auto sizes = static_cast<std::ptrdiff_t>(in_.sizeCount());
    if (!isInstance(name, given, conditions, values, {axes.begin() + sizes, axes.end()}, {places.begin() + sizes, places.end()}))
      return false;
    // Earlier in the text by the same thread, or in an earlier phase.
    if (site(w).position < site(r).position) {
      bool same = true;
      const std::size_t goals = out_.goals.size();
      for (std::size_t k = 0; k < to.threads.size() && same; ++k)
        same = proveEqual(fmt::format("{}/thread/{}", name, k), given, from.threads[k], values, to.threads[k]);
      if (same) return true;
      forget(goals);
    }
    if (!site(w).phase || !site(r).phase) return fail("the number of barriers depends on a condition");
    const auto before = forms_.of(substitute(*site(w).phase, {}, from.values));
    const auto after = forms_.of(substitute(*site(r).phase, {}, to.values));
    const auto first = before ? forms_.substituted(*before, values) : std::nullopt;
    return prove(name + "/phase", given, first && after ? sum(*first, *after, -1) : std::nullopt);
  }

  // ---- O8

  bool values() {
    if (spec_.meaning) return fail("equations");
    if (const std::string view = kernel_.partial(false); !view.empty()) return fail(view + " is a view");
    for (const int storage : kernel_.outputs()) {
      if (memoryOf(storage) == Memory::Register) return fail("an output in registers");
      for (std::size_t s = 0; s < count(); ++s)
        if (const Access* access = kernel_.accessOf(site(s), storage, true))
          if (!(isProduct() ? isContribution(s) : isValue(s, *access))) return false;
    }
    return true;
  }

  bool isContribution(std::size_t s) {
    in_.restart();
    const SiteCopy a = in_.copy(site(s), "");
    Conditions all = a.conditions;
    if (!contributions(a, all)) return fail("the product is not accumulated in place by scalar instructions");
    std::vector<Spot> spots;
    in_.restart();
    const SiteCopy b = in_.copy(site(s), "");
    for (const Access& access : site(s).accesses) spots.push_back(in_.spot(b, access));
    const std::vector<int>& inputs = kernel_.kernel().inputs;
    for (std::size_t k = 0; k < 2; ++k)
      if (inputs.size() != 2 || kernel_.sites().storageOf(inputs[k]) != spots[k + 1].access->storage)
        return fail("a factor is another tensor");
    const auto &c = spots[0].coordinate, &x = spots[1].coordinate, &y = spots[2].coordinate;
    const std::string name = std::to_string(s);
    return proveEqual(name + "/m", b.conditions, x[0], c[0]) && proveEqual(name + "/k", b.conditions, x[1], y[0]) &&
           proveEqual(name + "/n", b.conditions, y[1], c[1]);
  }

  [[nodiscard]] std::optional<TracedValue> wanted(const Spot& out) const {
    const auto input = [&](std::size_t k) {
      const std::vector<int>& inputs = kernel_.kernel().inputs;
      TracedValue v{TracedValue::Kind::Input, {}, k < inputs.size() ? kernel_.sites().storageOf(inputs[k]) : -1, out.coordinate, {}};
      const bool same = v.storage >= 0 && in_.extentsOf(v.storage) == in_.extentsOf(out.access->storage);
      return same ? std::optional(v) : std::nullopt;
    };
    const auto a = input(0), b = input(1);
    switch (spec_.kind) {
      case SpecKind::Move:
        return a;
      case SpecKind::Init:
        return TracedValue{TracedValue::Kind::Constant, spec_.attribute, -1, {}, {}};
      case SpecKind::UnaryPointwise:
        return a ? std::optional(TracedValue{TracedValue::Kind::Operation, spec_.attribute, -1, {}, {*a}}) : std::nullopt;
      case SpecKind::BinaryPointwise:
        return a && b ? std::optional(TracedValue{TracedValue::Kind::Operation, spec_.attribute, -1, {}, {*a, *b}})
                      : std::nullopt;
      default:
        return std::nullopt;
    }
  }

  bool isValue(std::size_t s, const Access& access) {
    in_.restart();
    const SiteCopy a = in_.copy(site(s), "");
    const Spot out = in_.spot(a, access);
    TracedPath path{a.conditions, std::to_string(s), 1};
    append(path.conditions, out.conditions);
    const auto is = wanted(out);
    if (!is) return fail("the function of the specification");
    return traced(a, out, path, [&](const TracedValue& v, const TracedPath& p) {
      int leaf = 0;
      return matches(v, *is, p, leaf);
    });
  }

  bool matches(const TracedValue& v, const TracedValue& w, const TracedPath& path, int& leaf) {
    if (v.kind != w.kind || v.storage != w.storage || v.name != w.name || v.arguments.size() != w.arguments.size())
      return fail("a value of another form");
    for (std::size_t k = 0; k < v.arguments.size(); ++k)
      if (!matches(v.arguments[k], w.arguments[k], path, leaf)) return false;
    if (v.kind != TracedValue::Kind::Input) return true;
    const int number = leaf++;
    for (std::size_t d = 0; d < v.at.size(); ++d)
      if (!proveEqual(fmt::format("{}/{}/{}", path.text, number, d), path.conditions, v.at[d], w.at[d])) return false;
    return true;
  }

  bool traced(const SiteCopy& a, const Spot& out, const TracedPath& path, const Traced& done) {
    if (path.copies > 8) return fail("a long chain of writers");
    const Atom& atom = *a.site->atom;
    switch (atom.function) {
      case AtomFunction::Constant:
        return done({TracedValue::Kind::Constant, a.site->spec->attribute, -1, {}, {}}, path);
      case AtomFunction::Copy:
        return operand(a, out, 0, path, done);
      case AtomFunction::Unary:
      case AtomFunction::Binary:
        return operand(a, out, 0, path, [&](const TracedValue& x, const TracedPath& p) {
          TracedValue made{TracedValue::Kind::Operation, atom.operation, -1, {}, {x}};
          if (atom.function == AtomFunction::Unary) return done(made, p);
          return operand(a, out, 1, p, [&](const TracedValue& y, const TracedPath& q) {
            TracedValue both = made;
            both.arguments.push_back(y);
            return done(both, q);
          });
        });
      default:
        return fail("the function of " + atom.name);
    }
  }

  bool operand(const SiteCopy& a, const Spot& out, int k, const TracedPath& path, const Traced& done) {
    const Access* access = a.site->accessTo(static_cast<int>(a.site->spec->outputs.size()) + k);
    if (access == nullptr) return fail("an operand is missing");
    const Spot in = in_.spot(a, *access);
    TracedPath next = path;
    append(next.conditions, in.conditions);
    equate(next.conditions, in.slotNumber, out.slotNumber);
    const Storage& storage = kernel_.sites().of(*access);
    if (storage.operand) {
      if (kernel_.isOutput(access->storage)) return fail("it reads what it writes");
      return done({TracedValue::Kind::Input, {}, access->storage, in.coordinate, {}}, next);
    }
    if (!kernel_.injective(access->storage)) return fail("a layout that is not injective");
    for (std::size_t w = 0; w < count(); ++w) {
      const Access* write = kernel_.accessOf(site(w), access->storage, true);
      if (write == nullptr) continue;
      const SiteCopy b = in_.copy(site(w), std::string(static_cast<std::size_t>(next.copies), '\''), &a,
                                  {true, storage.declared.memory == Memory::Register, storage.loops});
      const Spot there = in_.spot(b, *write);
      TracedPath further{next.conditions, fmt::format("{},{}", next.text, w), next.copies + 1};
      append(further.conditions, b.conditions);
      append(further.conditions, there.conditions);
      equate(further.conditions, there.coordinate, in.coordinate);
      if (!traced(b, there, further, done)) return false;
    }
    return true;
  }

  const Z3Kernel& kernel_;
  const Spec& spec_;
  Instances in_;
  LinearForms forms_;
  ObligationCertificate out_;
  int nodes_ = kMostNodes;  // of a proof
};

}  // namespace

ObligationCertificate goalsOf(const Z3Kernel& kernel, Obligation obligation) { return Goals(kernel, obligation).run(); }

}  // namespace tessera::graphene
