#include "solver/graphene/equal/equal.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "core/base/work_budget.h"
#include "solver/graphene/equal/by_bounds.h"
#include "solver/graphene/equal/by_numbers.h"
#include "solver/graphene/equal/by_specifications.h"
#include "solver/graphene/equal/by_terms.h"

namespace tessera::graphene {
namespace {

constexpr i64 kDefaultSize = 2;  // of a symbol without a number or a line // small:

class Equality {
 public:
  Equality(const EqualQuestion& question, const CheckOptions& options) : q_(question), options_(options) {}

  Result<EqualVerdict> run() {
    TESSERA_CHECKED(readSizes());
    if (q_.within && !(*q_.within >= 0 && *q_.within < HUGE_VAL))
      return Diag{"the error must be a number of at least 0", "within 1e-3"};
    if (!q_.within && !q_.ranges.empty())
      return Diag{"ranges of inputs are for a bound on the error", "within 1e-3 for |X| <= 4"};
    // A symbol without a number: only the specifications cover every size.
    const bool symbolic = !openSizes_.empty();
    if (!symbolic || q_.small) {
      const TwoSizes sizes = q_.small ? withSmallSizes(q_, given_) : given_;
      TESSERA_TRY(Sides sides, sidesAt(q_, sizes));
      return answered(sides, sizes);
    }
    if (!q_.within) bySpecifications(q_, options_, given_, verdict_);
    if (verdict_.standing != Standing::Unknown) return std::move(verdict_);
    const std::string open = q_.within ? "a bound is for the sizes that were run" : std::exchange(verdict_.reason, "");
    TwoSizes sizes = withSmallSizes(q_, given_);
    for (const std::string& name : openSizes_) {
      sizes.first.try_emplace(name, kDefaultSize);
      sizes.second.try_emplace(name, kDefaultSize);
    }
    TESSERA_TRY(Sides sides, sidesAt(q_, sizes));
    TESSERA_TRY(EqualVerdict small, answered(sides, sizes));
    if (small.standing == Standing::Refuted) return small;
    small.reason =
        fmt::format("{}{}, but not for every {}: {}", small.standing == Standing::Proved ? "proved" : small.reason,
                    atSizes(sides.sizes), fmt::join(openSizes_, ", "), open);
    small.standing = Standing::Unknown;
    return small;
  }

 private:
  Result<void> readSizes() {
    const SizeNames first = sizeNames(*q_.first.program),
                    second = q_.second ? sizeNames(*q_.second->program) : SizeNames();
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

  Result<EqualVerdict> answered(const Sides& sides, const TwoSizes& sizes) {
    if (!q_.within) return decided(sides, sizes);
    for (const InputRange& range : q_.ranges)
      if (!range.name.empty() && std::ranges::find(sides.ports.inputs, range.name) == sides.ports.inputs.end()) {
        return Diag{fmt::format("%{} is no input of {}", range.name, q_.first.name),
                    sides.ports.inputs.empty() ? "" : listOf(sides.ports.inputs)};
      }
    return within(sides, sizes);
  }

  // |first - second| <= within: refuted by a run, or proved by equality over the real numbers and the bounds of both
  // rounding errors.
  EqualVerdict within(const Sides& sides, const TwoSizes& sizes) {
    verdict_.sizes = sides.sizes;
    const double measured = apartInTypes(sides, *q_.within, verdict_);
    if (verdict_.standing == Standing::Refuted) return verdict_;
    EqualVerdict real = decided(sides, sizes);
    if (real.method == "same program") return real;
    EqualVerdict out;
    out.sizes = sides.sizes;
    out.method = "bounds";
    const std::string seen = measured < 0 ? "" : fmt::format("; the largest difference in runs was {:.2g}", measured);
    if (real.standing != Standing::Proved) {
      out.reason = fmt::format("{}: {}{}",
                               real.standing == Standing::Refuted
                                   ? "they differ over the real numbers, and bounds are of rounding errors only"
                                   : "equality over the real numbers is not proved, and bounds are of rounding errors",
                               real.reason, seen);
      return out;
    }
    const OutputBounds bounds = boundsOf(sides);
    if (!bounds.reason.empty()) {
      out.reason = fmt::format("{} ({}){}", bounds.reason, inputsText(sides), seen);
      return out;
    }
    out.bound = bounds.most;
    out.error = real.error;
    out.reason = fmt::format("in their types {}{}", bounds.text, seen);
    if (bounds.most > *q_.within) {
      out.reason = fmt::format("the bound exceeds {}: {}", *q_.within, out.reason);
      return out;
    }
    out.standing = Standing::Proved;
    out.reason += "; " + real.reason;
    return out;
  }

  EqualVerdict decided(const Sides& sides, const TwoSizes& sizes) {
    verdict_.sizes = sides.sizes;
    // A program that is quick to run is quicker to compare by terms than to prove.
    const RandomRuns runs = onRandomInputs(sides, !q_.within, verdict_);
    const bool quick = runs.ended;
    if (verdict_.standing == Standing::Refuted) return verdict_;
    // Without findings a program's results depend on its inputs only (solver/emulate/machine.h).
    if (quick && runs.finding.empty() && sides.second && q_.where.empty() && sizes.first == sizes.second &&
        print(sides.first->program()) == print(sides.second->program())) {
      verdict_.standing = Standing::Proved;
      verdict_.method = "same program";
      verdict_.reason = fmt::format("both are the same program, and its runs determine {}{}",
                                    listOf(sides.ports.outputs), atSizes(sides.sizes));
      return verdict_;
    }
    std::string open;
    for (const bool onTerms : {quick, !quick}) {
      verdict_.reason.clear();
      if (onTerms)
        byTerms(sides, verdict_);
      else
        bySpecifications(q_, options_, sizes, verdict_);
      if (verdict_.standing != Standing::Unknown) break;
      open += (open.empty() ? "" : "; ") + verdict_.reason;
      verdict_.reason = open;
    }
    if (verdict_.standing == Standing::Proved) {
      for (const std::string& note : sides.ports.notes) verdict_.reason += "; " + note;
      if (!runs.note.empty()) verdict_.reason += "; " + runs.note;
    }
    return verdict_;
  }

  const EqualQuestion& q_;
  const CheckOptions& options_;
  TwoSizes given_;
  SizeNames openSizes_;  // without a number
  EqualVerdict verdict_;
};

}  // namespace

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
