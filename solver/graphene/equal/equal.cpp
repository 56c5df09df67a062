#include "solver/graphene/equal/equal.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "core/base/chars.h"
#include "core/graphene/reader/parameters.h"
#include "solver/emulate/equality/same_value.h"
#include "solver/graphene/equal/definitions.h"
#include "solver/graphene/equal/ports.h"
#include "solver/kernel/reference/evaluate.h"
#include "solver/kernel/reference/symbols.h"
#include "solver/measure/reference/compare.h"
#include "solver/measure/runner.h"

namespace tessera::graphene {
namespace {

using kernel::reference::Array;
using kernel::reference::Assigned;
using kernel::reference::Symbols;
using Arrays = std::map<std::string, Array, std::less<>>;
using Names = std::set<std::string, std::less<>>;

constexpr Work kNumbersWork = 4'000'000;  // about a second
constexpr double kCheckShare = 0.4;       // of the budget, for each program
constexpr int kRandomSeeds = 2;
constexpr i64 kDefaultSize = 2;       // of a symbol without a number or a line // small:
constexpr double kExactError = 1e-9;  // a difference of doubles beyond this is none of rounding, relative to the terms
constexpr int kPrivateInput = 1 << 16;  // terms of elements that belong to one side; kernel::ValueTerms has 1 << 20
constexpr i64 kMostOpenElements = 16;
constexpr std::size_t kMostSpecials = 8;
constexpr double kFarAway = 1e5, kSpecialValue = 3, kLargeScale = 100;

// An identifier-like word that occurs in a text.
bool mentions(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const bool before = at == 0 || !isNamePart(text[at - 1]);
    const bool after = at + word.size() == text.size() || !isNamePart(text[at + word.size()]);
    if (before && after) return true;
  }
  return false;
}

std::string numberText(double v) {
  return std::isnan(v)   ? "no number"
         : std::isinf(v) ? (v < 0 ? "-infinity" : "infinity")
                         : fmt::format("{:.6g}", v == 0 ? 0.0 : v);
}

std::string sizesText(const Sizes& sizes) {
  std::string out;
  for (const auto& [name, value] : sizes) out += fmt::format("{}{}={}", out.empty() ? "" : ", ", name, value);
  return out;
}

Names sizeNames(const Program& program) {
  Names out;
  for (const Variable& v : program.variables)
    if (v.kind == Variable::Kind::Size) out.insert(v.name);
  return out;
}

// The program of a file or a block with these sizes.
Result<Listing> sizedListing(const Listing& listing, const Sizes& sizes) {
  if (sizes.empty()) return listing;
  const Span inside = programIn(listing.text);
  std::string text = listing.text;
  for (std::size_t k = 0; k < text.size(); ++k)
    if ((k < inside.begin || k >= inside.end) && text[k] != '\n') text[k] = ' ';
  TESSERA_TRY(Listing out, readSizedListing(listing.name, text, sizes));
  out.text = listing.text;
  return out;
}

// One side at known sizes: a program, or the reference.
struct Sides {
  std::optional<Side> first, second;
  CommonPorts ports;
  Sizes sizes;
};

// An output element by element, in both.
struct Differing {
  std::string output;
  i64 element = -1;
  double first = 0, second = 0;
};

class Equality {
 public:
  Equality(const EqualQuestion& question, const CheckOptions& options) : q_(question), options_(options) {}

  Result<EqualVerdict> run() {
    TESSERA_CHECKED(readSizes());
    // A symbol without a number: only the specifications cover every size.
    const bool symbolic = !openSizes_.empty();
    if (!symbolic || q_.small) {
      const TwoSizes sizes = q_.small ? withSmall() : given_;
      TESSERA_TRY(Sides sides, sidesAt(sizes));
      return decided(sides, sizes);
    }
    definedEqually(given_);
    if (verdict_.standing != Standing::Unknown) return std::move(verdict_);
    const std::string open = std::exchange(verdict_.reason, "");
    TwoSizes sizes = withSmall();
    for (const std::string& name : openSizes_) {
      sizes.first.try_emplace(name, kDefaultSize);
      sizes.second.try_emplace(name, kDefaultSize);
    }
    TESSERA_TRY(Sides sides, sidesAt(sizes));
    EqualVerdict small = decided(sides, sizes);
    if (small.standing == Standing::Refuted) return small;
    small.reason =
        fmt::format("{}{}, but not for every {}: {}", small.standing == Standing::Proved ? "proved" : small.reason,
                    at(sides.sizes), fmt::join(openSizes_, ", "), open);
    small.standing = Standing::Unknown;
    return small;
  }

 private:
  // ---- sizes

  Result<void> readSizes() {
    const Names first = sizeNames(*q_.first.program), second = q_.second ? sizeNames(*q_.second->program) : Names();
    for (const auto& [name, value] : q_.sizes)
      if (first.count(name) == 0 && second.count(name) == 0)
        return Diag{
            fmt::format("{} is no size of {}{}", name, q_.first.name, q_.second ? " or " + q_.second->name : ""), "",
            "a parameter has another form: see tessera check --help"};
    for (const auto& [name, value] : q_.secondSizes)
      if (second.count(name) == 0)
        return Diag{fmt::format("{} is no size of {}", name, q_.second ? q_.second->name : "the reference")};
    given_ = {q_.sizes, q_.sizes};
    for (const auto& [name, value] : q_.secondSizes) given_.second[name] = value;
    for (const std::string& name : first)
      if (given_.first.count(name) == 0) openSizes_.insert(name);
    for (const std::string& name : second)
      if (given_.second.count(name) == 0) openSizes_.insert(name);
    return {};
  }

  struct TwoSizes {
    Sizes first, second;
  };

  // Those of a line `// baseline:` that names the other program, then of the lines `// small:`.
  [[nodiscard]] TwoSizes withSmall() const {
    Sizes all;
    const auto add = [&](const Sizes& more) {
      for (const auto& [name, value] : more) all.try_emplace(name, value);
    };
    if (q_.second) {
      const auto addBaseline = [&](const Listing& of, const Listing& other) {
        if (const auto line = baselineOf(of.text); line && nameOf(*line) == other.name) add(line->sizes);
      };
      addBaseline(q_.first, *q_.second);
      addBaseline(*q_.second, q_.first);
    }
    add(smallSizes(q_.first.text));
    if (q_.second) add(smallSizes(q_.second->text));
    TwoSizes out = given_;
    for (const auto& [name, value] : all) {
      out.first.try_emplace(name, value);
      out.second.try_emplace(name, value);
    }
    return out;
  }

  static Sizes only(const Sizes& sizes, const Names& names) {
    Sizes out;
    for (const auto& [name, value] : sizes)
      if (names.count(name) != 0) out[name] = value;
    return out;
  }

  [[nodiscard]] static std::string at(const Sizes& sizes) {
    return sizes.empty() ? "" : fmt::format(" at {}", sizesText(sizes));
  }

  Result<Side> sideOf(const Listing& listing, const Sizes& sizes) {
    const Sizes mine = only(sizes, sizeNames(*listing.program));
    for (const std::string& name : sizeNames(*listing.program))
      if (mine.count(name) == 0)
        return Diag{fmt::format("the size {} of {} is not known", name, listing.name),
                    fmt::format("a number for it, or a line // small: {} = 2 in the program", name),
                    fmt::format("with {}=2; --size {}=2", name, name)};
    TESSERA_TRY(const Listing sized, sizedListing(listing, mine));
    auto side = Side::of(listing.name, sized.program, architectureOf(listing.text, q_.architecture));
    if (!side)
      return Diag{fmt::format("{} cannot be run: {}", listing.name, side.error().message), side.error().expected,
                  side.error().hint};
    return side;
  }

  Result<Sides> sidesAt(const TwoSizes& sizes) {
    Sides out;
    TESSERA_TRY(Side first, sideOf(q_.first, sizes.first));
    out.first = std::move(first);
    out.sizes = only(sizes.first, sizeNames(*q_.first.program));
    atSizes_ = sizes.second;
    for (const auto& [name, value] : sizes.first) atSizes_[name] = value;
    if (!q_.second && !q_.where.empty())
      return Diag{"`where` relates the inputs of two programs; there is only one", "a reference alone",
                  "write it into the reference: its names are local unless they are outputs"};
    if (!q_.second) {
      TESSERA_TRY(const Arrays values, evaluatedOn(*out.first, q_.reference, &unitOf));
      TESSERA_TRY(out.ports, commonPorts(*out.first, namesOfArrays(values)));
      for (const std::string& name : out.ports.outputs)
        TESSERA_CHECKED(shaped(values.find(name)->second, *out.first->port(name)));
      return out;
    }
    TESSERA_TRY(Side second, sideOf(*q_.second, sizes.second));
    out.second = std::move(second);
    for (const auto& [name, value] : only(sizes.second, sizeNames(*q_.second->program))) {
      const auto [known, fresh] = out.sizes.try_emplace(name, value);
      if (!fresh && known->second != value) out.sizes[fmt::format("{} of {}", name, q_.second->name)] = value;
    }
    Names stated, used;
    if (!q_.where.empty()) {
      TESSERA_TRY(const Arrays values, evaluatedOn(*out.first, q_.where, &unitOf));
      for (const auto& [name, value] : values) {
        const Port* port = out.second->port(name);
        if (port == nullptr || !port->input) continue;  // a local name
        stated.insert(name);
        TESSERA_CHECKED(shaped(value, *port));
      }
      if (stated.empty())
        return Diag{fmt::format("`where` states no input of {}", out.second->name()), "where \"NAME = ...\""};
      for (const Port& p : out.first->ports())
        if (p.input && mentions(q_.where, p.name)) used.insert(p.name);
    }
    TESSERA_TRY(out.ports, commonPorts(*out.first, *out.second, stated, used));
    return out;
  }

  // ---- texts in the manner of NumPy

  static double unitOf(const Port&, i64) { return 1; }
  static Names namesOfArrays(const Arrays& arrays) {
    Names out;
    for (const auto& [name, value] : arrays) out.insert(name);
    return out;
  }

  // What a text assigns, on these elements of the inputs (and of outputs, from before the run).
  template <class ElementAt>
  Result<Arrays> evaluatedOn(const Side& side, const std::string& text, const ElementAt& elementAt) const {
    Arrays names, out;
    for (const auto& [name, value] : atSizes_)
      names[name] = kernel::reference::scalarOf(static_cast<double>(value), Array::Kind::Integer);
    for (const Port& p : side.ports()) {
      if (p.copies != 1) continue;
      Array a;
      a.shape = p.extents;
      a.kind = p.type.precision == 0 ? Array::Kind::Integer : Array::Kind::Float;
      spend(p.elements / 4 + 1);
      for (i64 e = 0; e < p.elements; ++e) a.data.push_back(elementAt(p, e));
      names[p.name] = std::move(a);
    }
    auto assigned = kernel::reference::evaluate(text, names);
    if (!assigned) {
      Diag diag = assigned.error();
      diag.message = fmt::format("in \"{}\": {}", text.substr(0, 200), diag.message);
      diag.span = {};
      return diag;
    }
    for (Assigned& one : *assigned) out[one.name] = std::move(one.value);
    return out;
  }
  // A scalar or a shape with further extents of 1 fits; the data are in row-major order in each case.
  static Result<void> shaped(const Array& a, const Port& port) {
    const auto squeezed = [](const std::vector<i64>& shape) {
      std::vector<i64> out;
      for (const i64 extent : shape)
        if (extent != 1) out.push_back(extent);
      return out;
    };
    if (port.copies == 1 && squeezed(a.shape) == squeezed(port.extents)) return {};
    return Diag{fmt::format("{} has the shape {}, but %{} is {}", port.name, kernel::reference::shapeText(a.shape),
                            port.name, port.shapeText()),
                "equal shapes", fmt::format("\"{} = (...).reshape({})\"", port.name, fmt::join(port.extents, ", "))};
  }

  // ---- all methods at known sizes

  EqualVerdict decided(const Sides& sides, const TwoSizes& sizes) {
    verdict_.sizes = sides.sizes;
    // A program that is quick to run is quicker to compare by terms than to prove.
    const bool quick = numbers(sides);
    if (verdict_.standing == Standing::Refuted) return verdict_;
    // Without findings a program's results depend on its inputs only (solver/emulate/machine.h).
    if (quick && finding_.empty() && sides.second && q_.where.empty() && sizes.first == sizes.second &&
        print(sides.first->program()) == print(sides.second->program())) {
      verdict_.standing = Standing::Proved;
      verdict_.method = "same program";
      verdict_.reason = fmt::format("both are the same program, and its runs determine {}{}",
                                    listOf(sides.ports.outputs), at(sides.sizes));
      return verdict_;
    }
    std::string open;
    for (const bool byTerms : {quick, !quick}) {
      verdict_.reason.clear();
      if (byTerms)
        terms(sides);
      else
        definedEqually(sizes);
      if (verdict_.standing != Standing::Unknown) break;
      open += (open.empty() ? "" : "; ") + verdict_.reason;
      verdict_.reason = open;
    }
    if (verdict_.standing == Standing::Proved) {
      for (const std::string& note : sides.ports.notes) verdict_.reason += "; " + note;
      if (!note_.empty()) verdict_.reason += "; " + note_;
    }
    return verdict_;
  }

  // ---- numbers

  using ElementNumber = std::function<double(const std::string& name, i64 element, const NumberFormat& type)>;

  // The values of all common outputs of both sides on these inputs.
  struct Both {
    Values<double> first, second;
    std::string finding, stopped;
  };
  [[nodiscard]] Both runBoth(const Sides& sides, bool exact, const ElementNumber& draw) const {
    Both out;
    const auto of = [&](const Side& side, const ElementNumber& element) {
      Numbers numbers;
      return side.run<Numbers>(numbers, exact ? side.exact() : side.plan(), [&](const Port& p, i64 e) -> double {
        if (!p.input) return Numbers::undefined();
        const i64 shared = p.alias.empty() ? e : p.alias[static_cast<std::size_t>(e)];
        const double value = element(p.name, shared, p.type);
        return exact && p.type.precision > 0 ? value : rounded(value, p.type);
      });
    };
    const auto take = [&](const Side& side, SideRun<double> run, Values<double>& to) {
      to = std::move(run.values);
      if (out.finding.empty() && !run.finding.empty()) out.finding = side.name() + ": " + run.finding;
      if (out.stopped.empty()) out.stopped = run.stopped;
    };
    // Both sides get the numbers of the narrower type.
    const ElementNumber common = [&](const std::string& name, i64 e, const NumberFormat& type) {
      const NumberFormat narrow = narrowest(sides, name, type);
      return rounded(draw(name, e, narrow), narrow);
    };
    take(*sides.first, of(*sides.first, common), out.first);
    if (sides.second) {
      const Arrays stated = statedInputs(sides, common);
      take(*sides.second,
           of(*sides.second,
              [&](const std::string& name, i64 e, const NumberFormat& type) {
                const auto found = stated.find(name);
                return found == stated.end() ? common(name, e, type) : found->second.data[static_cast<std::size_t>(e)];
              }),
           out.second);
    } else if (const auto values = evaluatedOn(*sides.first, q_.reference, [&](const Port& p, i64 e) {
                 return p.input ? common(p.name, e, p.type) : 0;
               })) {
      for (const auto& [name, a] : *values) out.second[name] = a.data;
    } else {
      out.stopped = values.error().message;
    }
    return out;
  }
  static NumberFormat narrowest(const Sides& sides, const std::string& name, const NumberFormat& type) {
    NumberFormat out = type;
    for (const auto* side : {&sides.first, &sides.second})
      if (*side)
        if (const Port* p = (*side)->port(name); p != nullptr && p->type.precision > 0 && p->type.bits < out.bits)
          out = p->type;
    return out;
  }
  [[nodiscard]] Arrays statedInputs(const Sides& sides, const ElementNumber& draw) const {
    if (q_.where.empty()) return {};
    auto values = evaluatedOn(*sides.first, q_.where, [&](const Port& p, i64 e) {
      return p.input ? draw(p.name, p.alias.empty() ? e : p.alias[static_cast<std::size_t>(e)], p.type) : 0;
    });
    return values ? *std::move(values) : Arrays{};
  }

  struct Distance {
    std::optional<Differing> differing;  // beyond the tolerance
    double relative = 0;                 // the largest of an output
  };
  // Compares the outputs. `tolerance` of an output: relative to it as a whole, and of an element.
  [[nodiscard]] static Distance distance(const Sides& sides, const Both& both,
                                         const std::function<measure::Tolerance(const std::string&)>& toleranceOf) {
    Distance out;
    for (const std::string& name : sides.ports.outputs) {
      const std::vector<double>& a = both.first.find(name)->second;
      const auto other = both.second.find(name);
      if (other == both.second.end() || other->second.size() != a.size()) continue;
      const std::vector<double>& b = other->second;
      spend(static_cast<i64>(a.size()) / 4 + 1);
      double squares = 0, apart = 0;
      for (std::size_t e = 0; e < a.size(); ++e) {
        if (!std::isfinite(a[e]) || !std::isfinite(b[e])) continue;
        squares += std::max(a[e] * a[e], b[e] * b[e]);
        apart += (a[e] - b[e]) * (a[e] - b[e]);
      }
      const double typical = a.empty() ? 0 : std::sqrt(squares / static_cast<double>(a.size()));
      const double relative = squares > 0 ? std::sqrt(apart / squares) : 0;
      const measure::Tolerance tolerance = toleranceOf(name);
      out.relative = std::max(out.relative, relative);
      double worst = 0;
      i64 where = -1;
      for (std::size_t e = 0; e < a.size(); ++e) {
        const bool same = a[e] == b[e] || (std::isnan(a[e]) && std::isnan(b[e]));
        if (same) continue;
        const double d = std::isfinite(a[e]) && std::isfinite(b[e])
                             ? std::fabs(a[e] - b[e]) / (std::max(std::fabs(a[e]), std::fabs(b[e])) + typical)
                             : HUGE_VAL;
        if (d > worst) {
          worst = d;
          where = static_cast<i64>(e);
        }
      }
      if (where >= 0 && !out.differing && (worst > tolerance.element || relative > tolerance.relative))
        out.differing = Differing{name, where, a[static_cast<std::size_t>(where)], b[static_cast<std::size_t>(where)]};
    }
    return out;
  }

  [[nodiscard]] static std::string secondName(const Sides& sides) {
    return sides.second ? sides.second->name() : "the reference";
  }

  void refute(const Sides& sides, const Differing& d, const std::string& inputs, int seed = 0) {
    const Port& port = *sides.first->port(d.output);
    verdict_.standing = Standing::Refuted;
    verdict_.method = "numbers";
    verdict_.output = d.output;
    verdict_.coordinate = port.coordinateOf(d.element);
    verdict_.first = d.first;
    verdict_.second = d.second;
    verdict_.seed = seed;
    const std::string first = sides.first->name(), second = secondName(sides);
    verdict_.reason = fmt::format("{} is {} in {} and {} in {}{} ({})", port.elementText(d.element),
                                  numberText(d.first), first == second ? "the first" : first, numberText(d.second),
                                  first == second ? "the second" : second, at(sides.sizes), inputs);
  }

  // Both sides on random inputs, without rounding and in their types. False: it takes too long.
  bool numbers(const Sides& sides) {
    try {
      const WorkBudget limit({.steps = kNumbersWork});
      numbersWithin(sides);
      return true;
    } catch (const OutOfBudget& end) {
      if (!end.counted() || WorkBudget::left() == 0) throw;
      return false;
    }
  }
  void numbersWithin(const Sides& sides) {
    const auto exactly = [](const std::string&) { return measure::Tolerance{kExactError, 100 * kExactError}; };
    for (int seed = 1; seed <= kRandomSeeds; ++seed) {
      const auto draw = [&](const std::string& name, i64 e, const NumberFormat& type) {
        return comparedInput(seed, name, e, type);
      };
      const std::string inputs = fmt::format("random inputs between -1 and 1, seed {}", seed);
      const Both exact = runBoth(sides, true, draw);
      if (!exact.stopped.empty()) return;
      if (const Distance d = distance(sides, exact, exactly); d.differing)
        return refute(sides, *d.differing, inputs + ", without rounding", seed);
      finding_ = exact.finding;
      if (seed > 1) break;
      const Both typed = runBoth(sides, false, draw);
      if (!typed.stopped.empty()) return;
      const Distance d = distance(sides, typed, [&](const std::string& name) { return rounding(sides, name); });
      if (d.differing)
        return refute(sides, *d.differing, inputs + ", in their types: more than rounding explains", seed);
      verdict_.error = d.relative;
      note_ = d.relative == 0
                  ? fmt::format("equal in their types, too ({})", inputs)
                  : fmt::format("in their types the relative difference is {:.1e} ({})", d.relative, inputs);
      if (exact.finding.empty()) large(sides);
    }
  }

  // Inputs up to 100: overflow in one of the two is no refutation, but worth saying.
  void large(const Sides& sides) {
    const auto draw = [&](const std::string& name, i64 e, const NumberFormat& type) {
      return (type.precision == 0 ? 1 : kLargeScale) * comparedInput(1, name, e, type);
    };
    const Both typed = runBoth(sides, false, draw);
    if (!typed.stopped.empty()) return;
    for (const std::string& name : sides.ports.outputs) {
      const std::vector<double>&a = typed.first.find(name)->second, &b = typed.second.find(name)->second;
      for (std::size_t e = 0; e < std::min(a.size(), b.size()); ++e) {
        if (std::isfinite(a[e]) == std::isfinite(b[e])) continue;
        if (std::fabs(std::isfinite(a[e]) ? a[e] : b[e]) > mostOf(sides.first->port(name)->type)) continue;
        note_ += fmt::format("; but with inputs of up to {}, {} is {} in {} and {} in {}", kLargeScale,
                             sides.first->port(name)->elementText(static_cast<i64>(e)), numberText(a[e]),
                             sides.first->name(), numberText(b[e]), secondName(sides));
        return;
      }
    }
  }

  // What the roundings of both sides explain.
  [[nodiscard]] static measure::Tolerance rounding(const Sides& sides, const std::string& name) {
    measure::Tolerance out{0, 0};
    for (const auto* side : {&sides.first, &sides.second}) {
      if (!*side) continue;
      const measure::Tolerance one =
          measure::toleranceOf((*side)->port(name)->type, measure::roundingOf((*side)->program()));
      out.relative += one.relative;
      out.element += one.element;
    }
    return out;
  }

  // ---- specifications

  // Equal definitions of all outputs, and both programs proved.
  void definedEqually(const TwoSizes& sizes) {
    verdict_.method = "specifications";
    if (!q_.second || !q_.where.empty())
      return open(q_.second ? "specifications are compared without `where`"
                            : "a reference is compared at numbers for all sizes");
    const auto one = sizedListing(q_.first, only(sizes.first, sizeNames(*q_.first.program)));
    const auto two = sizedListing(*q_.second, only(sizes.second, sizeNames(*q_.second->program)));
    if (!one || !two) return open((one ? two : one).error().message);
    const Listing &first = *one, &second = *two;
    Names symbols;
    for (const Listing* listing : {&first, &second}) symbols.merge(sizeNames(*listing->program));
    Definitions definitions;
    const auto a = definitions.of(*first.program), b = definitions.of(*second.program);
    if (!a || !b)
      return open(fmt::format("the specifications of {} cannot be compared: {}", a ? second.name : first.name,
                              a ? b.error().message : a.error().message));
    std::vector<std::string> outputs;
    for (const bool ofFirst : {true, false})
      for (const auto& [name, output] : ofFirst ? *a : *b) {
        const auto& other = ofFirst ? *b : *a;
        const auto found = other.find(name);
        if (found == other.end() && output.passed) continue;
        if (found == other.end() || !found->second.same(output))
          return open(fmt::format("their specifications {} %{}",
                                  found == other.end() ? "do not both write" : "state different forms of", name));
        if (ofFirst) outputs.push_back(name);
      }
    if (outputs.empty()) return open("their specifications write no tensor in common");
    const bool same = print(*first.program) == print(*second.program);
    const bool oneKernel = kernelsOf(*first.program) == 1 && kernelsOf(*second.program) == 1;
    std::string left[2];
    const ObligationVerdict* wrong[2] = {nullptr, nullptr};
    std::optional<CheckResult> results[2];
    for (const int k : {0, 1}) {
      const Listing* listing = k == 0 ? &first : &second;
      if (same && k == 1) break;
      CheckOptions options = options_;
      options.architecture = architectureOf(listing->text, q_.architecture);
      options.budgetSeconds = kCheckShare * options_.budgetSeconds;
      results[k] = checkProgram(*listing->program, options);
      left[k] = openObligation(*results[k]);
      wrong[k] = oneKernel ? wrongValue(*results[k]) : nullptr;
      if (!left[k].empty() && wrong[k] == nullptr)
        return open(fmt::format("both state the same, but {} is not proved: {}", listing->name, left[k]));
    }
    // One computes what both state, and a run of the other one does not.
    for (const int k : {0, 1})
      if (wrong[k] != nullptr && !same && left[1 - k].empty())
        return refuteByCheck(*wrong[k], k == 0 ? first : second, k == 0 ? second : first, k == 0);
    for (const int k : {0, 1})
      if (!left[k].empty())
        return open(
            fmt::format("both state the same, but {} is not proved: {}", k == 0 ? first.name : second.name, left[k]));
    verdict_.standing = Standing::Proved;
    verdict_.everySize = !symbols.empty();
    verdict_.reason =
        fmt::format("{} proved to compute the same definition of {} over the real numbers (rounding ignored){}",
                    same ? "they are the same program, which is" : "both are", listOf(outputs),
                    symbols.empty() ? at(verdict_.sizes) : fmt::format(", for every {}", fmt::join(symbols, ", ")));
  }
  static i64 kernelsOf(const Program& program) {
    return std::ranges::count_if(program.specs,
                                 [](const Statement& s) { return std::holds_alternative<Spec>(s.what); });
  }
  // The refuted value of the only kernel.
  static const ObligationVerdict* wrongValue(const CheckResult& result) {
    for (const SpecVerdict& spec : result.specs)
      for (const ObligationVerdict& o : spec.obligations)
        if (spec.depth == 0 && o.obligation == Obligation::Value && o.standing == Standing::Refuted && o.finding)
          return &o;
    return nullptr;
  }
  void refuteByCheck(const ObligationVerdict& wrong, const Listing& wrongOne, const Listing& right, bool first) {
    const Finding& f = *wrong.finding;
    verdict_.standing = Standing::Refuted;
    verdict_.output = f.tensor.starts_with('%') ? f.tensor.substr(1) : f.tensor;
    verdict_.coordinate = f.coordinate;
    const auto number = [](const std::string& text) {
      char* end = nullptr;
      const double value = std::strtod(text.c_str(), &end);
      return end != text.c_str() && *end == 0 ? value : std::nan("");
    };
    verdict_.first = number(first ? f.actual : f.expected);
    verdict_.second = number(first ? f.expected : f.actual);
    verdict_.reason = fmt::format("{} is proved to compute what both state, and {} does not: {}{}", right.name,
                                  wrongOne.name, f.message, at(verdict_.sizes));
  }
  // An obligation that does not hold, of a kernel also a value that is not stated.
  static std::string openObligation(const CheckResult& result) {
    for (const Standing wanted : {Standing::Refuted, Standing::Unknown, Standing::NotStated})
      for (const SpecVerdict& spec : result.specs)
        for (const ObligationVerdict& o : spec.obligations) {
          const bool value = spec.depth == 0 && !spec.leaf && o.obligation == Obligation::Value;
          if (o.standing == wanted && (wanted != Standing::NotStated || value))
            return fmt::format("{} {} of `{}` is {}: {}", label(o.obligation), graphene::name(o.obligation), spec.spec,
                               graphene::name(o.standing), o.reason);
        }
    return result.specs.empty() ? "it has no specification" : "";
  }

  // ---- terms

  struct Pair {
    std::string output;
    i64 element = 0;
    Terms::Value first = 0, second = 0;
  };

  void terms(const Sides& sides) {
    verdict_.reason.clear();
    verdict_.method = "terms";
    Terms terms;
    kernel::ValueTerms values(terms);
    const Symbols symbols(values);
    std::map<std::string, int, std::less<>> numbers;  // of inputs, by name
    for (const auto* side : {&sides.first, &sides.second})
      if (*side)
        for (const Port& p : (*side)->ports())
          if (const auto [known, fresh] = numbers.try_emplace(p.name, static_cast<int>(numbers.size())); fresh)
            terms.describe(known->second, p.type);
    const auto inputOf = [&](const Port& p, i64 e) {
      const i64 shared = p.alias.empty() ? e : p.alias[static_cast<std::size_t>(e)];
      return terms.input(numbers.find(p.name)->second, 0, shared);
    };
    const auto owned = [&](int side, const Port& p, i64 e) {
      return terms.input(kPrivateInput + 2 * numbers.find(p.name)->second + side, 0, e);
    };
    const std::set<std::string, std::less<>> common(sides.ports.outputs.begin(), sides.ports.outputs.end());
    // A common output that is not written keeps its value.
    const auto initial = [&](int side, const Port& p, i64 e) {
      return p.input || (common.count(p.name) != 0 && !p.passed) ? inputOf(p, e) : owned(side, p, e);
    };
    const auto first =
        sides.first->run<Terms>(terms, sides.first->exact(), [&](const Port& p, i64 e) { return initial(0, p, e); });
    if (!ranWell(*sides.first, first.finding, first.stopped)) return;
    Values<Terms::Value> second;
    const auto element = [&](const Port& p, i64 e) { return Symbols::element(initial(0, p, e)); };
    if (sides.second) {
      Arrays stated;
      if (!q_.where.empty()) {
        auto evaluated = evaluatedOn(*sides.first, q_.where, element);
        if (!evaluated) return open(evaluated.error().message);
        stated = *std::move(evaluated);
      }
      auto run = sides.second->run<Terms>(terms, sides.second->exact(), [&](const Port& p, i64 e) {
        const auto found = p.input ? stated.find(p.name) : stated.end();
        return found == stated.end() ? initial(1, p, e)
                                     : Symbols::current()->term(found->second.data[static_cast<std::size_t>(e)]);
      });
      if (!ranWell(*sides.second, run.finding, run.stopped)) return;
      second = std::move(run.values);
    } else {
      const auto evaluated = evaluatedOn(*sides.first, q_.reference, element);
      if (!evaluated) return open(evaluated.error().message);
      for (const std::string& name : sides.ports.outputs)
        for (const double x : evaluated->find(name)->second.data) second[name].push_back(Symbols::current()->term(x));
    }
    compare(sides, terms, numbers, first.values, second);
  }
  void open(const std::string& reason) {
    verdict_.standing = Standing::Unknown;
    verdict_.reason = reason;
  }
  bool ranWell(const Side& side, const std::string& finding, const std::string& stopped) {
    if (!finding.empty()) open(fmt::format("{} does not determine its outputs: {}", side.name(), finding));
    if (!stopped.empty()) open(fmt::format("{} was not run to its end: {}", side.name(), stopped));
    return finding.empty() && stopped.empty();
  }

  void compare(const Sides& sides, Terms& terms, const std::map<std::string, int, std::less<>>& numbers,
               const Values<Terms::Value>& first, const Values<Terms::Value>& second) {
    // Elements that share much are near each other. The algebra of all of them would take 100 bytes a monomial.
    std::optional<SameValue> same;
    std::vector<std::string> laws;
    bool gone = false;
    const auto take = [&] {
      if (same) addLaws(same->laws(), laws);
      gone = gone || (same && same->algebraGone());
    };
    i64 compared = 0;
    std::vector<Pair> open;
    for (const std::string& name : sides.ports.outputs) {
      const std::vector<Terms::Value>&a = first.find(name)->second, &b = second.find(name)->second;
      for (std::size_t e = 0; e < a.size() && std::ssize(open) < kMostOpenElements; ++e) {
        spend(8);
        if (compared++ % kElementsPerAlgebra == 0) {
          take();
          same.emplace(terms);
        }
        // Values that nothing wrote are equal only if they are the same initial value.
        if (a[e] != Terms::undefined() && b[e] != Terms::undefined() && same->equal(a[e], b[e])) continue;
        open.push_back({name, static_cast<i64>(e), a[e], b[e]});
      }
    }
    take();
    if (open.empty()) {
      verdict_.standing = Standing::Proved;
      verdict_.reason = fmt::format("{} elements of {} are equal over the real numbers ({}; rounding ignored){}",
                                    compared, listOf(sides.ports.outputs), fmt::join(laws, ", "), at(sides.sizes));
      return;
    }
    int replays = 0;
    bool differs = false;
    for (const Pair& pair : open) {
      for (const TermNumbers::Options& how : trials(terms, pair)) {
        TermNumbers evaluated(how);
        const double x = evaluated.of(terms, pair.first), y = evaluated.of(terms, pair.second);
        if (!apart(x, y, evaluated.most())) continue;
        differs = true;
        if (replays++ >= kMostReplays) break;
        if (replayed(sides, terms, numbers, how)) return;
      }
      if (replays >= kMostReplays) break;
    }
    const Pair& pair = open.front();
    verdict_.reason = fmt::format(
        "no known law makes {} of both equal ({}){}{}", sides.first->port(pair.output)->elementText(pair.element),
        fmt::join(laws, ", "), gone ? "; the algebra grew too large" : "",
        differs ? "; the terms differ on random inputs, but runs with these do not show it" : "");
  }
  static constexpr int kMostReplays = 4;
  static constexpr i64 kElementsPerAlgebra = 1024;
  // Adds those of "sums and products in any order, relu(x) = max(x, 0)" that are new.
  static void addLaws(std::string_view text, std::vector<std::string>& laws) {
    int depth = 0;
    std::size_t from = 0;
    for (std::size_t k = 0; k <= text.size(); ++k) {
      if (k < text.size() && text[k] == '(') ++depth;
      if (k < text.size() && text[k] == ')') --depth;
      if (k < text.size() && (text[k] != ',' || depth > 0)) continue;
      std::string law(text.substr(std::min(from, text.size()), k - std::min(from, k)));
      if (std::ranges::find(laws, law) == laws.end()) laws.push_back(std::move(law));
      from = k + 2;
    }
  }

  // Both differ by more than rounding, measured by the largest intermediate value.
  static bool apart(double a, double b, double most) {
    if (std::isnan(a) && std::isnan(b)) return false;
    if (!std::isfinite(a) || !std::isfinite(b)) return a != b && !(std::isnan(a) || std::isnan(b));
    return std::fabs(a - b) > 1e-9 * (1 + std::min(most, std::fabs(a) + std::fabs(b) + most));
  }

  // Inputs that may tell two terms apart: as solver/emulate/equality/same_value.h has them.
  static std::vector<TermNumbers::Options> trials(Terms& terms, const Pair& pair) {
    std::vector<TermNumbers::Options> out;
    for (int seed = 1; seed <= SameValue::kSeeds; ++seed) out.push_back({.seed = static_cast<u64>(seed)});
    std::set<Terms::Value> seen[2], inputs[2];
    const Terms::Value roots[2] = {pair.first, pair.second};
    for (int k = 0; k < 2; ++k)
      operandsFirst(
          terms, roots[k], [&](Terms::Value x) { return seen[k].count(x) != 0; },
          [&](Terms::Value x, const Terms::Sum&) {
            spend(1);
            seen[k].insert(x);
            if (terms.node(x).kind == Terms::Kind::Input) inputs[k].insert(x);
          });
    std::vector<Terms::Value> one;
    std::set_symmetric_difference(inputs[0].begin(), inputs[0].end(), inputs[1].begin(), inputs[1].end(),
                                  std::back_inserter(one));
    for (std::size_t k = 0; k < std::min(one.size(), kMostSpecials); ++k)
      for (const double value : {kSpecialValue, -kSpecialValue})
        out.push_back({.seed = 1, .special = one[k], .value = value});
    for (const double middle : {-kFarAway, kFarAway}) out.push_back({.seed = 1, .middle = middle});
    return out;
  }

  // Runs both sides without rounding on the inputs of these terms; refutes if they differ.
  bool replayed(const Sides& sides, Terms& terms, const std::map<std::string, int, std::less<>>& numbers,
                const TermNumbers::Options& how) {
    TermNumbers inputs(how);
    const Both both = runBoth(sides, true, [&](const std::string& name, i64 e, const NumberFormat&) {
      return inputs.of(terms, terms.input(numbers.find(name)->second, 0, e));
    });
    if (!both.stopped.empty()) return false;
    const Distance d = distance(sides, both, [](const std::string&) {
      return measure::Tolerance{kExactError, 100 * kExactError};
    });
    if (!d.differing) return false;
    std::string text = fmt::format("random inputs between -1 and 1, seed {}", how.seed);
    if (how.middle != 0) text = fmt::format("random inputs around {}, seed {}", how.middle, how.seed);
    if (how.special != Terms::absent()) text += fmt::format(", one of them {}", how.value);
    refute(sides, *d.differing, text + ", without rounding");
    return true;
  }

  const EqualQuestion& q_;
  const CheckOptions& options_;
  TwoSizes given_;
  Sizes atSizes_;  // that texts may name
  Names openSizes_;
  EqualVerdict verdict_;
  std::string note_;
  std::string finding_;  // of the runs on numbers
};

}  // namespace

double comparedInput(int seed, std::string_view name, i64 element, const NumberFormat& type) {
  u64 h = 1469598103934665603u;
  for (const char c : name) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return measure::drawn(static_cast<u64>(seed), static_cast<int>(h & 0xFFFF), element, type);
}

Result<EqualVerdict> equalPrograms(const EqualQuestion& question, const CheckOptions& options) {
  try {
    const WorkBudget limit({.seconds = options.budgetSeconds, .cancel = options.cancel});
    return Equality(question, options).run();
  } catch (const OutOfBudget& end) {
    EqualVerdict out;
    out.reason = end.what();
    return out;
  }
}

}  // namespace tessera::graphene
