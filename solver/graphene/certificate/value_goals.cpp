// O7 and O8: who wrote what an instance reads, and what it is.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "core/base/mapped.h"
#include "solver/graphene/certificate/goal_proofs.h"

namespace tessera::graphene {
namespace {

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

class ValueGoals {
 public:
  explicit ValueGoals(GoalProofs& proofs) : p_(proofs) {}

  // ---- O7

  bool definedness() {
    for (std::size_t r = 0; r < p_.count(); ++r)
      for (const Access& read : p_.site(r).accesses) {
        if (!read.read || p_.kernel.sites().of(read).operand) continue;
        bool found = false;
        for (std::size_t w = 0; w < p_.count() && !found; ++w) {
          const Access* write = p_.kernel.accessOf(p_.site(w), read.storage, true);
          if (write == nullptr || w == r) continue;
          const GoalProofs::Mark before = p_.mark();
          found = written(r, read, w, *write);
          if (!found) p_.forget(before);
        }
        if (!found) return p_.fail("no writer of %" + read.view.name + " is known");
      }
    return true;
  }

  // The writer's digits from the reader's: the same block, common loops, and thread of a register.
  bool written(std::size_t r, const Access& read, std::size_t w, const Access& write) {
    const bool reg = p_.memoryOf(read.storage) == Memory::Register;
    const std::vector<int> common = loopsAround(p_.site(r), p_.site(w));
    const auto axesOf = [&](const SiteCopy& a, const SiteSpot& s) {
      std::vector<Expr> axes = p_.sizeAxes();
      axes.insert(axes.end(), a.blocks.begin(), a.blocks.end());
      if (reg) axes.insert(axes.end(), a.threads.begin(), a.threads.end());
      for (const int loop : common)
        for (const auto& [variable, n] : a.loops)
          if (variable == loop) axes.push_back(n);
      axes.insert(axes.end(), s.coordinate.begin(), s.coordinate.end());
      return axes;
    };
    p_.instances.restart();
    const SiteCopy from = p_.instances.copy(p_.site(w), "'");
    const SiteSpot there = p_.instances.spot(from, write);
    Conditions conditions = from.conditions;
    append(conditions, there.conditions);
    const std::vector<Expr> axes = axesOf(from, there);
    std::vector<i64> extents;
    for (const Expr& e : axes) extents.push_back(p_.instances.most(e) + 1);
    const auto inverse = p_.inverted(axes, extents, conditions);
    if (!inverse) return p_.fail("the digits of a place do not determine its writer");
    const SiteCopy to = p_.instances.copy(p_.site(r), "");
    const SiteSpot here = p_.instances.spot(to, read);
    Conditions given = to.conditions;
    append(given, here.conditions);
    const std::vector<Expr> places = axesOf(to, here);
    const std::string name = fmt::format("{}/{}", r, read.operand);
    const GoalProofs::Values values = p_.choose(name, w, *inverse, places);
    // The goals are about what the instances share besides the sizes.
    const auto sizes = static_cast<std::ptrdiff_t>(p_.instances.sizeCount());
    if (!p_.isInstance(name, given, conditions, values, {axes.begin() + sizes, axes.end()},
                       {places.begin() + sizes, places.end()}))
      return false;
    // Earlier in the text by the same thread, or in an earlier phase.
    const bool single = Instances::isSingle(p_.site(w)) && Instances::isSingle(p_.site(r));
    if (p_.site(w).position < p_.site(r).position && (reg || single)) {
      bool same = true;
      const GoalProofs::Mark before = p_.mark();
      for (std::size_t k = 0; k < to.threads.size() && same; ++k)
        same = p_.proveEqual(fmt::format("{}/thread/{}", name, k), given, from.threads[k], values, to.threads[k]);
      if (same) return true;
      p_.forget(before);
    }
    if (!p_.site(w).phase || !p_.site(r).phase) return p_.fail("the number of barriers depends on a condition");
    const auto before = p_.forms.of(substitute(*p_.site(w).phase, {}, from.values));
    const auto after = p_.forms.of(substitute(*p_.site(r).phase, {}, to.values));
    const auto first = before ? p_.forms.substituted(*before, values) : std::nullopt;
    return p_.prove(name + "/phase", given, first && after ? sum(*first, *after, -1) : std::nullopt);
  }
  // ---- O8

  bool values() {
    if (p_.spec.meaning) return p_.fail("equations");
    if (const std::string view = p_.kernel.partial(false); !view.empty()) return p_.fail(view + " is a view");
    for (const int storage : p_.kernel.outputs()) {
      if (p_.memoryOf(storage) == Memory::Register) return p_.fail("an output in registers");
      for (std::size_t s = 0; s < p_.count(); ++s)
        if (const Access* access = p_.kernel.accessOf(p_.site(s), storage, true))
          if (!(p_.isProduct() ? isContribution(s) : isValue(s, *access))) return false;
    }
    return true;
  }

  bool isContribution(std::size_t s) {
    p_.instances.restart();
    const SiteCopy a = p_.instances.copy(p_.site(s), "");
    const auto product = p_.contributions(a);
    if (!product) return p_.fail("the product is not accumulated in place by scalar instructions");
    const std::vector<SiteSpot>& spots = product->spots;
    const std::vector<int>& inputs = p_.kernel.kernel().inputs;
    for (std::size_t k = 0; k < 2; ++k)
      if (inputs.size() != 2 || p_.kernel.sites().storageOf(inputs[k]) != spots[k + 1].access->storage)
        return p_.fail("a factor is another tensor");
    const auto &c = spots[0].coordinate, &x = spots[1].coordinate, &y = spots[2].coordinate;
    const std::string name = std::to_string(s);
    return p_.proveEqual(name + "/m", a.conditions, x[0], c[0]) &&
           p_.proveEqual(name + "/k", a.conditions, x[1], y[0]) && p_.proveEqual(name + "/n", a.conditions, y[1], c[1]);
  }

  [[nodiscard]] std::optional<TracedValue> wanted(const SiteSpot& out) const {
    const auto input = [&](std::size_t k) {
      const std::vector<int>& inputs = p_.kernel.kernel().inputs;
      TracedValue v{TracedValue::Kind::Input,
                    {},
                    k < inputs.size() ? p_.kernel.sites().storageOf(inputs[k]) : -1,
                    out.coordinate,
                    {}};
      const bool same =
          v.storage >= 0 && p_.instances.extentsOf(v.storage) == p_.instances.extentsOf(out.access->storage);
      return same ? std::optional(v) : std::nullopt;
    };
    const auto a = input(0), b = input(1);
    switch (p_.spec.kind) {
      case SpecKind::Move:
        return a;
      case SpecKind::Init:
        return TracedValue{TracedValue::Kind::Constant, p_.spec.attribute, -1, {}, {}};
      case SpecKind::UnaryPointwise:
        return a ? std::optional(TracedValue{TracedValue::Kind::Operation, p_.spec.attribute, -1, {}, {*a}})
                 : std::nullopt;
      case SpecKind::BinaryPointwise:
        return a && b ? std::optional(TracedValue{TracedValue::Kind::Operation, p_.spec.attribute, -1, {}, {*a, *b}})
                      : std::nullopt;
      default:
        return std::nullopt;
    }
  }

  bool isValue(std::size_t s, const Access& access) {
    p_.instances.restart();
    const SiteCopy a = p_.instances.copy(p_.site(s), "");
    const SiteSpot out = p_.instances.spot(a, access);
    TracedPath path{a.conditions, std::to_string(s), 1};
    append(path.conditions, out.conditions);
    const auto is = wanted(out);
    if (!is) return p_.fail("the function of the specification");
    return traced(a, out, path, [&](const TracedValue& v, const TracedPath& p) {
      int leaf = 0;
      return matches(v, *is, p, leaf);
    });
  }

  bool matches(const TracedValue& v, const TracedValue& w, const TracedPath& path, int& leaf) {
    if (v.kind != w.kind || v.storage != w.storage || v.name != w.name || v.arguments.size() != w.arguments.size())
      return p_.fail("a value of another form");
    for (std::size_t k = 0; k < v.arguments.size(); ++k)
      if (!matches(v.arguments[k], w.arguments[k], path, leaf)) return false;
    if (v.kind != TracedValue::Kind::Input) return true;
    const int number = leaf++;
    for (std::size_t d = 0; d < v.at.size(); ++d)
      if (!p_.proveEqual(fmt::format("{}/{}/{}", path.text, number, d), path.conditions, v.at[d], w.at[d]))
        return false;
    return true;
  }

  bool traced(const SiteCopy& a, const SiteSpot& out, const TracedPath& path, const Traced& done) {
    if (path.copies > 8) return p_.fail("a long chain of writers");
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
        return p_.fail("the function of " + atom.name);
    }
  }

  bool operand(const SiteCopy& a, const SiteSpot& out, int k, const TracedPath& path, const Traced& done) {
    const Access* access = a.site->accessTo(static_cast<int>(a.site->spec->outputs.size()) + k);
    if (access == nullptr) return p_.fail("an operand is missing");
    const SiteSpot in = p_.instances.spot(a, *access);
    TracedPath next = path;
    append(next.conditions, in.conditions);
    equate(next.conditions, in.slotNumber, out.slotNumber);
    const Storage& storage = p_.kernel.sites().of(*access);
    if (storage.operand) {
      if (p_.kernel.isOutput(access->storage)) return p_.fail("it reads what it writes");
      return done({TracedValue::Kind::Input, {}, access->storage, in.coordinate, {}}, next);
    }
    if (!p_.kernel.injective(access->storage)) return p_.fail("a layout that is not injective");
    for (std::size_t w = 0; w < p_.count(); ++w) {
      const Access* write = p_.kernel.accessOf(p_.site(w), access->storage, true);
      if (write == nullptr) continue;
      const SiteCopy b = p_.instances.copy(p_.site(w), std::string(static_cast<std::size_t>(next.copies), '\''), &a,
                                           {true, storage.declared.memory == Memory::Register, storage.loops});
      const SiteSpot there = p_.instances.spot(b, *write);
      TracedPath further{next.conditions, fmt::format("{},{}", next.text, w), next.copies + 1};
      append(further.conditions, b.conditions);
      append(further.conditions, there.conditions);
      equate(further.conditions, there.coordinate, in.coordinate);
      if (!traced(b, there, further, done)) return false;
    }
    return true;
  }

 private:
  GoalProofs& p_;
};

}  // namespace

bool definednessGoals(GoalProofs& proofs) { return ValueGoals(proofs).definedness(); }
bool valueGoals(GoalProofs& proofs) { return ValueGoals(proofs).values(); }

}  // namespace tessera::graphene
