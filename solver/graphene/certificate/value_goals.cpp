// O7 and O8: who wrote what an instance reads, and what it is.
#include <fmt/format.h>

#include <algorithm>

#include "core/base/mapped.h"
#include "solver/graphene/certificate/goal_proofs.h"

namespace tessera::graphene {
namespace {

std::vector<int> loopsAround(const Site& a, const Site& b) {
  return {a.loops.begin(), std::ranges::mismatch(a.loops, b.loops).in1};
}

// The value of an input element; or of an operation, a constant if it has no arguments.
struct WantedValue {
  std::string name;
  int storage = -1;
  std::vector<Expr> at;
  std::vector<WantedValue> arguments;
};
// The conditions under which a chain of writers was followed.
struct TracedPath {
  Conditions conditions;
  std::string text;
  int copies = 0;
};

class ValueGoals {
 public:
  explicit ValueGoals(GoalProofs& proofs) : p_(proofs) {}

  // ---- O7

  bool definedness() {
    if (!spans_.prepare(false)) return false;
    for (std::size_t r = 0; r < p_.count(); ++r)
      for (const Access& read : p_.site(r).accesses)
        if (read.read && !p_.kernel.sites().of(read).operand && !isWrittenBefore(r, read))
          return p_.fail("no writer of %" + read.view.name + " is known");
    return true;
  }

  bool isWrittenBefore(std::size_t r, const Access& read) {
    Conditions given;
    std::vector<CaseCandidate> candidates;
    for (const bool phased : {false, true})
      for (std::size_t w = 0; w < p_.count(); ++w)
        if (const Access* write = p_.kernel.accessOf(p_.site(w), read.storage, true); write != nullptr)
          if (auto one = earlier(r, read, w, *write, phased, given)) candidates.push_back(*std::move(one));
    p_.instances.restart();
    const SiteCopy to = p_.instances.copy(p_.site(r), "");
    given = to.conditions;
    append(given, p_.instances.spot(to, read).conditions);
    return chooseByCases(p_, fmt::format("{}/{}", r, read.operand), given, candidates, /*inOrder=*/false);
  }

  // Whether a site can be before another in the text of one thread.
  [[nodiscard]] bool precedes(std::size_t w, std::size_t r, bool reg) const {
    const auto plain = [&](const Site& s) { return Instances::ends(s) && Instances::isSingle(s); };
    return p_.site(w).position < p_.site(r).position && (reg || (plain(p_.site(w)) && plain(p_.site(r))));
  }

  // A writer in an earlier phase (`phased`), or earlier in the text by the same thread. Its outermost loops that the
  // place does not determine are in their first iteration.
  std::optional<CaseCandidate> earlier(std::size_t r, const Access& read, std::size_t w, const Access& write,
                                       bool phased, const Conditions& given) {
    const bool reg = p_.memoryOf(read.storage) == Memory::Register;
    if (phased ? !p_.site(w).phase || !p_.site(r).phase : !precedes(w, r, reg)) return std::nullopt;
    const std::vector<int> shared = phased ? p_.kernel.sites().of(read).loops : loopsAround(p_.site(r), p_.site(w));
    const auto axesOf = [&](const SiteCopy& a, const SiteSpot& s) {
      std::vector<Expr> axes = a.blocks;
      if (reg) append(axes, a.threads);
      for (const auto& [variable, n] : a.loops)
        if (std::ranges::find(shared, variable) != shared.end()) axes.push_back(n);
      append(axes, s.coordinate);
      return axes;
    };
    p_.instances.restart();
    const SiteCopy from = p_.instances.copy(p_.site(w), "'");
    const SiteSpot there = p_.instances.spot(from, write);
    Conditions conditions = from.conditions;
    append(conditions, there.conditions);
    const std::vector<Expr> axes = axesOf(from, there);
    std::vector<Expr> all = p_.sizeAxes();
    append(all, axes);
    std::optional<GoalProofs::Inverse> inverse;
    std::size_t fixed = 0;
    while (!(inverse = p_.inverted(all, p_.reachOf(all), conditions)) && fixed < from.loops.size())
      all.push_back(from.loops[fixed++].second);
    if (!inverse) return std::nullopt;
    const SiteCopy to = p_.instances.copy(p_.site(r), "");
    const std::vector<Expr> places = axesOf(to, p_.instances.spot(to, read));
    std::vector<Expr> known = p_.sizeAxes();
    append(known, places);
    known.resize(known.size() + fixed, Expr::constant(0));
    CaseCandidate out;
    out.chosen.site = static_cast<int>(w);
    const GoalProofs::Values values = p_.valuesAt(*inverse, known, out.chosen);
    std::vector<std::pair<std::string, LinearForm>> forms;  // goals: each form >= 0
    const auto need = [&](const std::string& goal, const Expr& e, const Expr& less, bool more) {
      const auto form = p_.forms.of(e), other = p_.forms.of(less);
      const auto x = form ? p_.forms.substituted(*form, values) : std::nullopt;
      const auto apart = x && other ? more ? sum(*x, *other, -1) : sum(*other, *x, -1) : std::nullopt;
      if (apart) forms.emplace_back(goal, *apart);
      return apart.has_value();
    };
    const auto equal = [&](const std::string& goal, const Expr& a, const Expr& b) {
      return need(goal + "/less", a, b, true) && need(goal + "/more", a, b, false);
    };
    for (std::size_t k = 0; k < conditions.size(); ++k)
      if (!need(fmt::format("exists/{}", k), conditions[k], Expr::constant(0), true)) return std::nullopt;
    for (std::size_t d = 0; d < axes.size(); ++d)
      if (!equal(fmt::format("at/{}", d), axes[d], places[d])) return std::nullopt;
    for (std::size_t k = 0; k < from.threads.size() && !phased; ++k)
      if (!equal(fmt::format("thread/{}", k), from.threads[k], to.threads[k])) return std::nullopt;
    // Of the places only iterations are tested: other digits are determined by the place.
    for (std::size_t k = 0; k < forms.size(); ++k)
      (k < conditions.size() || isOfLoops(forms[k].second) ? out.needed : out.places).push_back(forms[k].second);
    std::vector<Spans::Span> spans;
    LinearForm phase;
    if (phased) {
      const auto reads = spans_.of(to);
      spans = spans_.of(from);
      if (spans.empty() || reads.empty()) return std::nullopt;
      phase = reads.front().first;
    }
    out.proved = [=, this, &given, prefix = fmt::format("{}/{}", r, read.operand)](const std::string& path) {
      const std::string name = prefix + path + "/";
      return std::ranges::all_of(
                 forms,
                 [&](const auto& goal) { return p_.prove(name + goal.first, given, lessOne(goal.second, -1)); }) &&
             std::ranges::all_of(spans, [&](const Spans::Span& span) {
               return isBefore(name + "phase" + span.path, given, span, values, phase);
             });
    };
    return out;
  }
  // Whether the variables of a form are sizes and iterations.
  static bool isOfLoops(const LinearForm& form) {
    return print(form).find("$thread") == std::string::npos && print(form).find("$slot") == std::string::npos;
  }
  bool isBefore(const std::string& name, const Conditions& given, const Spans::Span& span,
                const GoalProofs::Values& values, const LinearForm& phase) {
    const std::size_t outside = p_.cases.size();
    bool known = true;
    for (const LinearForm& form : span.cases) {
      const auto there = p_.forms.substituted(form, values);
      known = known && there.has_value();
      if (there) p_.cases.push_back(*there);
    }
    const auto last = p_.forms.substituted(span.last, values);
    const bool done = known && last && p_.prove(name, given, sum(*last, phase, -1));
    p_.cases.resize(outside);
    return done;
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

  // What the specification defines for a written place.
  [[nodiscard]] std::optional<WantedValue> wanted(const SiteSpot& out) const {
    WantedValue made;
    for (const int node : p_.kernel.kernel().inputs) {
      const int input = p_.kernel.sites().storageOf(node);
      if (p_.instances.extentsOf(input) != p_.instances.extentsOf(out.access->storage)) return std::nullopt;
      made.arguments.push_back({{}, input, out.coordinate, {}});
    }
    switch (p_.spec.kind) {
      case SpecKind::Move:
        return made.arguments.size() == 1 ? std::optional(made.arguments.front()) : std::nullopt;
      case SpecKind::Init:
      case SpecKind::UnaryPointwise:
      case SpecKind::BinaryPointwise:
        made.name = p_.spec.attribute;
        return made;
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
    return isWritten(a, out, *is, path);
  }

  // The value that a copy writes at a place is the wanted one, along each chain of writers from the inputs.
  bool isWritten(const SiteCopy& a, const SiteSpot& out, const WantedValue& is, const TracedPath& path) {
    if (path.copies > 8) return p_.fail("a long chain of writers");
    const Atom& atom = *a.site->atom;
    switch (atom.function) {
      case AtomFunction::Copy:
        return isOperand(a, out, 0, is, path);
      case AtomFunction::Constant:
      case AtomFunction::Unary:
      case AtomFunction::Binary:
        break;
      default:
        return p_.fail("the function of " + atom.name);
    }
    if (is.storage >= 0 || is.name != a.site->spec->attribute || is.arguments.size() != a.site->spec->inputs.size())
      return p_.fail("a value of another form");
    for (std::size_t k = 0; k < is.arguments.size(); ++k)
      if (!isOperand(a, out, static_cast<int>(k), is.arguments[k], path)) return false;
    return true;
  }

  bool isOperand(const SiteCopy& a, const SiteSpot& out, int k, const WantedValue& is, const TracedPath& path) {
    const Access* access = a.site->accessTo(static_cast<int>(a.site->spec->outputs.size()) + k);
    if (access == nullptr) return p_.fail("an operand is missing");
    const SiteSpot in = p_.instances.spot(a, *access);
    TracedPath next = path;
    next.text += fmt::format("/{}", k + 1);
    append(next.conditions, in.conditions);
    equate(next.conditions, in.slotNumber, out.slotNumber);
    const Storage& storage = p_.kernel.sites().of(*access);
    if (storage.operand) {
      if (p_.kernel.isOutput(access->storage)) return p_.fail("it reads what it writes");
      if (is.storage != access->storage) return p_.fail("another input");
      for (std::size_t d = 0; d < is.at.size(); ++d)
        if (!p_.proveEqual(fmt::format("{}/{}", next.text, d), next.conditions, in.coordinate[d], is.at[d]))
          return false;
      return true;
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
      if (!isWritten(b, there, is, further)) return false;
    }
    return true;
  }

 private:
  GoalProofs& p_;
  Spans spans_{p_};
};

}  // namespace

bool definednessGoals(GoalProofs& proofs) { return ValueGoals(proofs).definedness(); }
bool valueGoals(GoalProofs& proofs) { return ValueGoals(proofs).values(); }

}  // namespace tessera::graphene
