#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <set>

#include "core/base/work_budget.h"
#include "solver/graphene/methods.h"
#include "solver/graphene/z3/z3_kernel.h"
#include "solver/measure/emulated.h"

namespace tessera::graphene {
namespace {

using measure::Comparison;
using measure::Inputs;
using measure::Trial;

constexpr i64 kMostElements = i64{1} << 23;  // over all operands
constexpr i64 kMostSteps = 400'000;          // warp steps of one run
constexpr i64 kMostWork = 40'000'000;        // of the random run (Trial::work) over all blocks: about a second
constexpr i64 kMostStressWork = 8'000'000;   // of all other runs together
constexpr i64 kMostUnits = 2'000'000;        // steps for this method
constexpr double kShare = 0.5;               // share of the time
constexpr i64 kMostCompared = i64{1} << 12;
constexpr double kLarge = 100, kOffset = 1000;
const NumberFormat kSingle{32, 24, -126, 127}, kUnbounded{64, 24, -1022, 1023}, kExact{64, 53, -1022, 1023};

// Inputs unlike ordinary ones.
struct Stress {
  std::string inputs;     // "all inputs 1"
  bool integers = false;  // only if an input is an integer
  double (*draw)(int operand, i64 element, const NumberFormat& type);
};

double uniform(int operand, i64 element) {  // -1 to 1, from another seed than the first run's
  return measure::drawn(2, operand, element, kExact);
}
double within(double value, const NumberFormat& type) { return std::clamp(value, leastOf(type), mostOf(type)); }

const Stress kStress[] = {
    {"all inputs 1", false, [](int, i64, const NumberFormat&) { return 1.0; }},
    {"random inputs up to 100", false,
     [](int o, i64 e, const NumberFormat& t) { return within(kLarge * uniform(o, e), t); }},
    {"all inputs 0", false, [](int, i64, const NumberFormat&) { return 0.0; }},
    {"random inputs around 1000", false,
     [](int o, i64 e, const NumberFormat& t) { return within(kOffset + uniform(o, e), t); }},
    {"integers at the ends of their types", true,
     [](int o, i64 e, const NumberFormat& t) {
       const double u = uniform(o, e);
       return t.precision > 0 ? u : u > 0 ? mostOf(t) - std::floor(4 * u) : leastOf(t) + std::floor(-4 * u);
     }},
};

std::string text(double v) {
  return std::isnan(v)   ? "NaN"
         : std::isinf(v) ? (v < 0 ? "-infinity" : "infinity")
                         : fmt::format("{:.6g}", v == 0 ? 0.0 : v);
}

class Numeric {
 public:
  Numeric(const Sites& sites, const CheckOptions& options)
      : sites_(sites),
        options_(options),
        program_(std::shared_ptr<const Program>(), sites.program),
        out_(sites.specs.size()) {}

  std::vector<ByNumbers> run() {
    auto plan = makePlan(*sites_.program, {{}, options_.architecture});
    if (!plan || plan->kernels.empty()) return std::move(out_);
    plan_ = &*plan;
    auto operands = measure::operandsOf(*sites_.program, {}, plan_->blocks, plan_->threads);
    if (!operands) return std::move(out_);
    i64 elements = 0;
    for (const measure::Operand& o : *operands) elements += o.elements;
    if (elements > kMostElements) return std::move(out_);
    operands_ = *std::move(operands);
    rounding_ = measure::roundingOf(*sites_.program);
    try {
      random();
      if (!stopped_ && !known()) stress();
    } catch (const OutOfBudget& end) {  // keep the results so far
      if (!end.counted()) throw;
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] const PlanSpec& kernel(std::size_t k) const { return plan_->specs[plan_->kernels[k]]; }
  [[nodiscard]] bool known() const {
    return std::ranges::any_of(out_, [](const ByNumbers& n) { return !n.refuted.empty(); });
  }
  // The last kernel that writes an output; -1 if there is none or it states no function.
  [[nodiscard]] i64 writerOf(const std::string& output) const {
    for (std::size_t k = plan_->kernels.size(); k-- > 0;) {
      const Spec& spec = *kernel(k).spec;
      const bool writes = std::ranges::any_of(spec.outputs, [&](const Tensor& t) { return t.name == output; });
      if (!writes) continue;
      const bool states = spec.meaning || (functionOf(spec) != SpecKind::Generic && functionOf(spec) != SpecKind::Shfl);
      return states ? sites_.numberOf(&spec) : -1;
    }
    return -1;
  }

  [[nodiscard]] measure::Reference reference(bool single) const {
    return measure::referenceOf(
        program_,
        {.architecture = options_.architecture, .maxSteps = kMostSteps, .cancel = options_.cancel, .single = single});
  }
  // The reference is not the emulator, which would have to run all blocks.
  [[nodiscard]] bool hasEquations() const {
    return measure::statedReference(*sites_.program) || measure::equationReference(program_, {});
  }

  using Further = std::function<std::vector<i64>(const Trial&)>;
  std::optional<Trial> tried(const Plan& plan, const Inputs::Draw& draw, std::vector<i64> blocks, bool representable,
                             const Further& further = {}) {
    auto inputs = Inputs::of(operands_, draw);
    if (!inputs) return std::nullopt;
    return measure::trial(plan, *inputs,
                          {.blocks = std::move(blocks),
                           .further = further,
                           .maxSteps = kMostSteps,
                           .reference = reference(/*single=*/false),
                           .rounding = rounding_,
                           .mostCompared = kMostCompared,
                           .onlyRepresentable = representable,
                           .cancel = options_.cancel});
  }

  // ---- random inputs, as `measure` draws them

  void random() {
    const auto draw = [](int operand, i64 e, const NumberFormat& type) { return measure::drawn(1, operand, e, type); };
    const bool one = plan_->kernels.size() == 1 && kernel(0).blocks > 1;
    // Block 0 gives the cost of a block, and so the number that the budget allows.
    const auto further = [&](const Trial& t) {
      const i64 room = kMostWork / std::max<i64>(t.work, 1), blocks = kernel(0).blocks;
      work_ = t.work;
      const bool several = room >= blocks || (hasEquations() && room > 1);
      std::vector<i64> out =
          several ? spread(blocks, room >= blocks ? blocks : std::min<i64>(room, kMostBlocks)) : std::vector<i64>();
      std::erase(out, 0);
      return out;
    };
    const auto t = one ? tried(*plan_, draw, {0}, /*representable=*/false, further)
                       : tried(*plan_, draw, {}, /*representable=*/false);
    if (t && !one) work_ = t->work;
    stopped_ = !t || !t->stopped.empty();
    if (!t) return;
    for (const Finding& f : t->findings) take(f);
    if (stopped_) return;
    for (const Comparison& c : t->checks) {
      const i64 node = writerOf(c.output);
      if (node < 0 || c.compared == 0) continue;
      if (c.good) {
        error_[node] = std::max(error_[node], c.relativeError);
        out_[node].note = rightOf(c, error_[node]);
      } else {
        refute(node, c, *t, "random inputs, seed 1, in these types");
      }
    }
  }

  [[nodiscard]] const measure::Operand& operandOf(const std::string& name) const {
    return *std::ranges::find_if(operands_, [&](const auto& o) { return o.name == name; });
  }
  [[nodiscard]] std::string rightOf(const Comparison& c, double error) const {
    const measure::Operand& o = operandOf(c.output);
    if (o.type.precision == 0)
      return fmt::format("exact on random inputs in these types; values beyond the range of {} wrap", o.element);
    if (error == 0) return "exact on random inputs in these types";
    return fmt::format("a relative error of {:.1e} on random inputs in these types", error);
  }

  static constexpr i64 kMostBlocks = 8;
  static std::vector<i64> spread(i64 blocks, i64 count) {
    std::set<i64> out;
    for (i64 k = 0; k < count; ++k) out.insert(k * (blocks - 1) / std::max<i64>(count - 1, 1));
    return {out.begin(), out.end()};
  }

  // ---- inputs that may exceed the types

  void stress() {
    const bool one = plan_->kernels.size() == 1 && kernel(0).blocks > 1;
    if (one && !hasEquations() && work_ * kernel(0).blocks > kMostWork) return;
    const std::vector<i64> blocks = one ? std::vector<i64>{0} : std::vector<i64>{};
    const bool integers =
        std::ranges::any_of(operands_, [](const measure::Operand& o) { return o.input && o.type.precision == 0; });
    i64 left = kMostStressWork;
    for (const Stress& s : kStress) {
      if (s.integers && !integers) continue;
      if (work_ > left) return;
      left -= work_;
      const auto t = tried(*plan_, s.draw, blocks, true);
      if (!t || !t->stopped.empty()) continue;
      for (const Comparison& c : t->checks)
        if (!c.good) judge(s, blocks, c, *t);
      if (known()) return;
    }
  }

  // The plan with `least` as the type of all narrower floating tensors, or of all floating tensors if `least` is
  // double.
  [[nodiscard]] Plan withTypes(const NumberFormat& least) const {
    Plan out = *plan_;
    for (Root& r : out.roots)
      if (r.type.precision > 0 && (r.type.precision < least.precision || least.bits == 64)) r.type = least;
    return out;
  }

  void judge(const Stress& s, const std::vector<i64>& blocks, const Comparison& c, const Trial& t) {
    const i64 node = writerOf(c.output);
    if (node < 0 || noted_.count(node) != 0) return;
    const auto wrongIn = [&](const NumberFormat& type) {
      const auto again = tried(withTypes(type), s.draw, blocks, true);
      return again && again->stopped.empty() &&
             std::ranges::any_of(again->checks, [&](const Comparison& x) { return x.output == c.output && !x.good; });
    };
    if (wrongIn(kExact)) return refute(node, c, t, fmt::format("{}; the same without any rounding", s.inputs));
    if (wrongIn(kSingle) && !wrongIn(kUnbounded) && equationsStay(s, c))
      return refute(
          node, c, t,
          fmt::format(
              "{}: right over the real numbers, but intermediate values overflow fp32, where the equations do not",
              s.inputs));
    noted_.insert(node);
    out_[node].note = fmt::format("not for all inputs in these types: with {}, %{}{} is {} instead of {}{}", s.inputs,
                                  c.output, place(c), text(c.actual), text(c.expected), cause());
  }

  // The equations' value of the worst element is the same with every operation rounded to fp32.
  [[nodiscard]] bool equationsStay(const Stress& s, const Comparison& c) const {
    const auto inputs = Inputs::of(operands_, s.draw);
    if (!inputs) return false;
    const auto single = reference(true)(*inputs, c.output, {c.worst});
    return single && single->size() == 1 && std::fabs((*single)[0] - c.expected) <= 1e-2 * std::fabs(c.expected);
  }

  [[nodiscard]] std::string cause() const {
    std::set<std::string> narrow;
    for (const Root& r : plan_->roots)
      if (r.type.precision < 24 && !r.tensor.element.empty() && r.barriers < 0) narrow.insert(r.tensor.element);
    return narrow.empty() ? "" : fmt::format(" ({} overflows, wraps or stops)", fmt::join(narrow, " or "));
  }

  static std::string place(const Comparison& c) { return fmt::format("[{}]", fmt::join(c.coordinate, ",")); }

  void take(const Finding& f) {
    for (std::size_t k = 0; k < plan_->kernels.size(); ++k) {
      const i64 node = sites_.numberOf(kernel(k).spec);
      if (node < 0) continue;
      const Span all = sites_.specs[node].span;
      const bool inside = f.span.begin >= all.begin && f.span.end <= all.end;
      if (inside || plan_->kernels.size() == 1) return add(node, f);  // a definition may be elsewhere in the text
    }
  }
  void add(i64 node, Finding f) {
    auto& list = out_[node].refuted;
    for (const ObligationVerdict& v : list)
      if (v.obligation == f.obligation) return;
    list.push_back(refuted("running", std::move(f)));
  }

  void refute(i64 node, const Comparison& c, const Trial& t, const std::string& inputs) {
    const Span span = sites_.specs[node].span;
    const measure::Operand& o = operandOf(c.output);
    add(node, {.obligation = Obligation::Value,
               .span = span,
               .tensor = "%" + c.output,
               .coordinate = c.coordinate,
               .address = o.address(c.worst) % (o.places / o.copies),
               .instances = {{span, t.worstBlock, t.worstThread, {}}},
               .expected = text(c.expected),
               .actual = text(c.actual),
               .message = fmt::format("%{}{} is {}, but the specification gives {} ({})", c.output, place(c),
                                      text(c.actual), text(c.expected), inputs)});
  }

  const Sites& sites_;
  const CheckOptions& options_;
  std::shared_ptr<const Program> program_;
  Plan* plan_ = nullptr;
  std::vector<measure::Operand> operands_;
  measure::Rounding rounding_;
  std::vector<ByNumbers> out_;
  std::map<i64, double> error_;
  std::set<i64> noted_;
  i64 work_ = 0;  // of a block, or of everything if the kernel has one block or there are several kernels
  bool stopped_ = false;
};

}  // namespace

std::vector<ByNumbers> byNumbers(const Sites& sites, const CheckOptions& options) {
  const WorkBudget limit({.seconds = kShare * options.budgetSeconds, .cancel = options.cancel, .steps = kMostUnits});
  return Numeric(sites, options).run();
}

}  // namespace tessera::graphene
