#include "core/hlo/cost/why.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "core/base/arith.h"
#include "core/base/chars.h"
#include "core/base/work_budget.h"
#include "core/hlo/compose/fusion.h"
#include "core/hlo/cost/operations.h"
#include "core/hlo/cost/plan.h"
#include "core/hlo/cost/thread_map.h"
#include "core/hlo/ops/op.h"
#include "core/hlo/text/kept.h"

namespace tessera::hlo {
namespace {

constexpr double kNotable = 1.25, kWhySeconds = 2;
constexpr std::size_t kMostPermuted = 4;    // ranks of which every layout is tried
constexpr std::size_t kMostExamined = 256;  // instructions of a fusion
constexpr i64 kSectorOfBytes = 32, kCached = 64 * 1024;

double ratio(i64 a, i64 b) { return b > 0 ? static_cast<double>(a) / static_cast<double>(b) : 1; }

// The factors of the reads that one instruction inside the fusion does of a parameter.
struct Factors {
  double repeats = 1, spread = 1;
};

class Causes {
 public:
  Causes(const Module& module, Where fusion, std::size_t operand)
      : module_(module), fusion_(fusion), operand_(operand) {}

  // The instruction where each factor first exceeds those of its operands.
  void find(OperandWhy& why) {
    const auto body = module_.at(fusion_).opcode == "fusion" ? bodyOf(module_, fusion_) : Result<int>(Diag{""});
    if (!body) {
      if (why.repeats > kNotable) why.repeatedBy = fusion_;
      if (why.spread > kNotable) why.scatteredBy = fusion_;
      return;
    }
    const Computation& c = module_.computation(*body);
    std::vector<Factors> factors(c.instructions.size());
    Factors most{kNotable, kNotable};
    for (std::size_t i = 0; i < std::min(c.instructions.size(), kMostExamined); ++i) {
      const Where inside{*body, static_cast<int>(i)};
      factors[i] = factorsAt(inside);
      Factors before;
      for (const int o : c.instructions[i].operands)
        if (o >= 0) {
          before.repeats = std::max(before.repeats, factors[n(o)].repeats);
          before.spread = std::max(before.spread, factors[n(o)].spread);
        }
      const Factors jump{factors[i].repeats / before.repeats, factors[i].spread / before.spread};
      if (why.repeats > kNotable && jump.repeats > most.repeats) {
        most.repeats = jump.repeats;
        why.repeatedBy = inside;
      }
      if (why.spread > kNotable && jump.spread > most.spread) {
        most.spread = jump.spread;
        why.scatteredBy = inside;
      }
    }
    if (why.spread > kNotable && why.scatteredBy.computation < 0) why.scatteredBy = fusion_;  // by the layouts alone
  }

 private:
  [[nodiscard]] Factors factorsAt(Where inside) const {
    Factors f;
    const xla::Shape& shape = module_.shapeOf(module_.at(inside));
    const auto reads = readsFromInside(module_, fusion_, inside);
    if (!reads || operand_ >= reads->size() || !shape.isArray()) return f;
    const Reach& reach = (*reads)[operand_];
    if (reach.soundness == Soundness::Unknown || reach.maps.empty()) return f;
    const int at = module_.at(fusion_).operands.at(operand_);
    if (at < 0) return f;
    const xla::Shape& operand = module_.shapeOf(module_.computation(fusion_.computation).at(at));
    const Usage usage = usageOf(reach.maps, operand.sizes());
    if (usage.reads && usage.distinct) f.repeats = std::max(1.0, ratio(*usage.reads, *usage.distinct));
    if (const auto threads = threadsInOrder(shape))
      if (const auto warps = warpReads(reach, *threads, operand); warps && warps->ideal > 0)
        f.spread = std::max(1.0, ratio(warps->sectors, warps->ideal));
    return f;
  }

  const Module& module_;
  Where fusion_;
  std::size_t operand_;
};

// Every layout of a small array, or those with another minor dimension.
std::vector<std::vector<i64>> layoutsOf(const xla::Shape& shape) {
  std::vector<i64> order(shape.rank());
  std::iota(order.begin(), order.end(), 0);
  std::vector<std::vector<i64>> all;
  if (order.size() <= kMostPermuted) {
    do all.push_back(order);
    while (std::next_permutation(order.begin(), order.end()));
    return all;
  }
  for (std::size_t k = 0; k < shape.rank(); ++k) {
    std::vector<i64> one = shape.layout().minorToMajor;
    const auto at = std::ranges::find(one, static_cast<i64>(k));
    std::rotate(one.begin(), at, at + 1);
    all.push_back(std::move(one));
  }
  return all;
}

std::optional<Relayout> relayoutOf(const PlannedReads& planned, const xla::Shape& shape, i64 asked) {
  std::optional<Relayout> best;
  if (!shape.layout().tiles.empty()) return best;
  for (std::vector<i64>& order : layoutsOf(shape)) {
    xla::Layout layout = shape.layout();
    layout.minorToMajor = std::move(order);
    const auto other = xla::Shape::array(shape.type().name, shape.dims(), layout);
    if (!other) continue;
    const auto warps = warpReads(planned, *other);
    if (!warps || warps->verdict == WarpVerdict::Unknown) continue;
    const auto bytes = checkedMul(warps->sectors, kSectorOfBytes);
    if (bytes && *bytes < asked && ratio(asked, *bytes) > kNotable && (!best || *bytes < best->asked))
      best = Relayout{*other, *bytes};
  }
  return best;
}

// The operand of the cause on the way to the parameter: what is computed again.
std::optional<Where> recomputedBy(const Module& module, Where cause) {
  const Computation& c = module.computation(cause.computation);
  for (const int o : c.at(cause.instruction).operands)
    if (o >= 0 && !c.at(o).operands.empty()) return Where{cause.computation, o};
  return std::nullopt;
}

std::optional<Split> splitFor(const Module& module, Where fusion, std::optional<Where> at, i64 asked) {
  if (!at || at->computation == fusion.computation) return std::nullopt;
  const auto text = splitAt(module, fusion, *at);
  if (!text) return std::nullopt;
  const Module two = readModule(*text);
  if (!two.problems.empty() || two.entry < 0) return std::nullopt;
  Split split{*at, *text, 0, static_cast<i64>(bytesOf(module.shapeOf(module.at(*at))))};
  for (const KernelWaste& k : rankingOf(two).kernels) split.asked = plusAtMost(split.asked, k.asked());
  if (split.asked + split.written >= asked) return std::nullopt;
  return split;
}

// The instructions that `from` needs, without those beyond `stop`.
std::set<int> neededBy(const Computation& c, int from, int stop) {
  std::set<int> needed{from};
  std::vector<int> open{from};
  while (!open.empty()) {
    const int at = open.back();
    open.pop_back();
    if (at == stop) continue;
    for (const int o : c.at(at).operands)
      if (o >= 0 && needed.insert(o).second) open.push_back(o);
  }
  return needed;
}

std::string lineOf(const Module& module, const Instruction& i, bool root) {
  std::string text = module.text->substr(i.span.begin, i.span.end - i.span.begin);
  if (text.starts_with("ROOT ")) text.erase(0, 5);
  return fmt::format("  {}{}\n", root ? "ROOT " : "", text);
}

// A computation of those instructions; its parameters, in the order of their numbers in `from`, and `given` last.
struct Half {
  std::string text;
  std::vector<int> parameters;
};
Half halfOf(const Module& module, const Computation& c, const std::set<int>& needed, int root, int given,
            const std::string& name) {
  Half half;
  std::string body;
  const auto parameter = [&](int i) {
    body += fmt::format("  %{} = {} parameter({})\n", c.at(i).name, xla::print(module.shapeOf(c.at(i))),
                        half.parameters.size());
    half.parameters.push_back(i);
  };
  for (const int p : c.parameters)
    if (needed.contains(p)) parameter(p);
  if (given >= 0) parameter(given);
  for (const int i : needed)
    if (i != given && c.at(i).opcode != "parameter") body += lineOf(module, c.at(i), i == root);
  half.text = fmt::format("%{} {{\n{}}}\n\n", name, body);
  return half;
}

std::string nameIn(const Module& module, Where where) {
  const Instruction& i = module.at(where);
  const std::string source = sourceOf(module, i);
  return fmt::format("%{} ({}{}{})", i.name, i.opcode, source.empty() ? "" : ", ", source);
}

// Whether both modules have an instruction of that name there.
bool sameThere(const Module& a, const Module& b, Where where) {
  const auto in = [where](const Module& m) -> const Instruction* {
    const auto c = static_cast<std::size_t>(where.computation), i = static_cast<std::size_t>(where.instruction);
    return c < m.computations.size() && i < m.computations[c].instructions.size() ? &m.computations[c].instructions[i]
                                                                                  : nullptr;
  };
  return in(a) != nullptr && in(b) != nullptr && in(a)->name == in(b)->name;
}

std::string timesText(double n) { return n < 1000 ? fmt::format("{:.4g} times", n) : fmt::format("{:.0f} times", n); }

}  // namespace

Result<std::string> splitAt(const Module& whole, Where fusion, Where inside) {
  const auto needs = [](std::string message) {
    return Diag{std::move(message), "an operation inside a fusion, before its root"};
  };
  const Module module = readModule(print(whole));  // each instruction on a line of its own
  // Lines that could not be read are not printed, so other lines may mean something else.
  for (const Where where : {fusion, inside})
    if (!sameThere(whole, module, where)) return needs("a line of the module could not be read");
  TESSERA_TRY(const int body, bodyOf(module, fusion));
  const Computation& c = module.computation(body);
  const int at = inside.instruction;
  if (inside.computation != body || at < 0 || at >= static_cast<int>(c.instructions.size()) || c.root < 0 ||
      at == c.root || c.at(at).operands.empty())
    return needs("the fusion has no split there");
  const std::set<int> first = neededBy(c, at, -1), rest = neededBy(c, c.root, at);
  if (!rest.contains(at)) return needs("the fusion's result does not need it");
  const Half one = halfOf(module, c, first, at, -1, "split_first"),
             two = halfOf(module, c, rest, c.root, at, "split_rest");
  std::string text = "HloModule split\n\n", entry = "ENTRY %split_main {\n";
  const std::vector<int>& operands = module.at(fusion).operands;
  const Computation& outer = module.computation(fusion.computation);
  for (std::size_t k = 0; k < operands.size(); ++k)
    entry += fmt::format("  %operand.{} = {} parameter({})\n", k,
                         operands[k] < 0 ? "f32[]" : xla::print(module.shapeOf(outer.at(operands[k]))), k);
  const auto numbered = [&](const std::vector<int>& parameters) {
    std::vector<std::string> names;
    for (const int p : parameters) {
      const auto k = std::ranges::find(c.parameters, p) - c.parameters.begin();
      names.push_back(p == at ? "%first" : fmt::format("%operand.{}", k));
    }
    return fmt::format("{}", fmt::join(names, ", "));
  };
  entry += fmt::format("  %first = {} fusion({}), kind=kLoop, calls=%split_first\n",
                       xla::print(module.shapeOf(c.at(at))), numbered(one.parameters));
  entry += fmt::format("  ROOT %rest = {} fusion({}), kind=kLoop, calls=%split_rest\n}}\n",
                       xla::print(module.shapeOf(c.at(c.root))), numbered(two.parameters));
  // What either half applies.
  std::set<int> called;
  std::vector<int> open;
  for (const Instruction& i : c.instructions)
    for (const int k : calledBy(module, i)) open.push_back(k);
  while (!open.empty()) {
    const int k = open.back();
    open.pop_back();
    if (!called.insert(k).second) continue;
    for (const Instruction& i : module.computation(k).instructions)
      for (const int further : calledBy(module, i)) open.push_back(further);
  }
  for (const int k : called) {
    const Computation& one_ = module.computation(k);
    text += fmt::format("%{} {{\n", one_.name);
    for (std::size_t i = 0; i < one_.instructions.size(); ++i)
      text += lineOf(module, one_.instructions[i], static_cast<int>(i) == one_.root);
    text += "}\n\n";
  }
  return text + one.text + two.text + entry;
}

static KernelWhy whyOfKernel(const Module& module, const KernelWaste& kernel) {
  const Where where = kernel.where;
  KernelWhy why{kernel, false, {}};
  const auto plan = planOf(module, where, 0);
  const auto planned = plan ? readsOfPlan(module, where, 0, *plan) : Result<std::vector<PlannedReads>>(plan.error());
  why.tiles = plan && plan->kind == Plan::Kind::Tiles;
  for (const OperandWaste& w : why.waste.operands) {
    OperandWhy one{.operand = w.operand, .name = w.name};
    if (!w.needed || !w.asked) {
      one.why = w.usage.distinct ? w.warps.why : w.usage.why.empty() ? w.why : w.usage.why;
      why.operands.push_back(std::move(one));
      continue;
    }
    one.needed = *w.needed;
    one.asked = *w.asked;
    if (w.warps.verdict != WarpVerdict::Unknown && w.warps.ideal > 0) {
      one.spread = ratio(w.warps.sectors, w.warps.ideal);
      one.repeats = ratio(one.asked, one.needed) / one.spread;
    } else {
      one.repeats = ratio(one.asked, one.needed);
    }
    const auto slot = n(w.operand);
    if (!why.tiles && (one.repeats > kNotable || one.spread > kNotable)) Causes(module, where, slot).find(one);
    const int at = module.at(where).operands.at(slot);
    if (one.spread > kNotable && planned && slot < planned->size() && at >= 0)
      one.relayout =
          relayoutOf((*planned)[slot], module.shapeOf(module.computation(where.computation).at(at)), one.asked);
    if (one.repeatedBy.computation >= 0)
      one.split = splitFor(module, where, recomputedBy(module, one.repeatedBy), why.waste.asked());
    if (one.scatteredBy.computation >= 0)
      if (auto other = splitFor(module, where, one.scatteredBy, why.waste.asked()))
        if (!one.split || other->asked + other->written < one.split->asked + one.split->written)
          one.split = std::move(other);
    why.operands.push_back(std::move(one));
  }
  return why;
}

Result<KernelWhy> whyOf(const Module& module, Where where) {
  const auto waste = wasteOf(module, where);
  if (!waste)
    return Diag{fmt::format("{} reads no memory as a kernel of its own", module.at(where).name),
                "a fusion or another kernel (tessera hlo FILE --worst lists them)"};
  return whyOfKernel(module, *waste);
}

std::shared_ptr<const KernelWhy> keptWhy(const Module& module, const KernelWaste& kernel) {
  const std::pair<int, int> at{kernel.where.computation, kernel.where.instruction};
  if (module.kept != nullptr) {
    const std::lock_guard lock(module.kept->guard);
    if (const auto found = module.kept->whys.find(at); found != module.kept->whys.end())
      return std::static_pointer_cast<const KernelWhy>(found->second);
  }
  std::shared_ptr<const KernelWhy> why;
  try {
    const WorkBudget limit({.seconds = kWhySeconds});
    why = std::make_shared<const KernelWhy>(whyOfKernel(module, kernel));
  } catch (const OutOfBudget& end) {
    if (end.what() != outOfBudget(workOf(kWhySeconds))) throw;  // an outer budget, or the user
  }
  if (module.kept != nullptr) {
    const std::lock_guard lock(module.kept->guard);
    module.kept->whys[at] = why;
  }
  return why;
}

std::vector<std::string> sentencesOf(const Module& module, const KernelWhy& why) {
  const Instruction& kernel = module.at(why.waste.where);
  const std::string source = sourceOf(module, kernel);
  std::vector<std::string> out;
  out.push_back(fmt::format("%{}: {}{}", kernel.name, textOf(why.waste), source.empty() ? "" : "   " + source));
  if (!why.waste.plan.empty()) out.push_back(fmt::format("It is assumed to run as {}.", why.waste.plan));
  for (const OperandWhy& w : why.operands) {
    if (!w.why.empty()) {
      out.push_back(fmt::format("%{}: not known: {}.", w.name, w.why));
      continue;
    }
    const std::string bytes =
        fmt::format("%{}: {} requested, {} needed", w.name, bytesText(w.asked), bytesText(w.needed));
    if (w.repeats <= kNotable && w.spread <= kNotable) {
      out.push_back(bytes + "; there is nothing to gain.");
      continue;
    }
    out.push_back(bytes + ".");
    if (w.repeats > kNotable && why.tiles)
      out.push_back(
          fmt::format("  Repeated {}: blocks that share a row or column of tiles load it again. Larger tiles "
                      "load less; caches serve a part.",
                      timesText(w.repeats)));
    else if (w.repeats > kNotable)
      out.push_back(fmt::format("  Repeated: each element is requested {} on average{}.", timesText(w.repeats),
                                w.repeatedBy.computation < 0 ? "" : ", because of " + nameIn(module, w.repeatedBy)));
    if (w.repeats > kNotable && w.needed <= kCached)
      out.push_back(
          fmt::format("  Its {} stay in the cache of a multiprocessor, so repeated loads of them cost little.",
                      bytesText(w.needed)));
    if (w.spread > kNotable)
      out.push_back(fmt::format("  Scattered: {} as many sectors as its bytes fill{}.", timesText(w.spread),
                                w.scatteredBy.computation < 0      ? ""
                                : w.scatteredBy == why.waste.where ? ", because of its layout"
                                                                   : ", because of " + nameIn(module, w.scatteredBy)));
    if (w.relayout)
      out.push_back(fmt::format("  With the layout {} of %{}, {} would be requested.",
                                xla::print(w.relayout->shape.layout()), w.name, bytesText(w.relayout->asked)));
    if (w.split)
      out.push_back(fmt::format("  As two kernels, split at {}, {} would be requested, and {} written between them.",
                                nameIn(module, w.split->at), bytesText(w.split->asked), bytesText(w.split->written)));
    if (!w.relayout && !w.split && !why.tiles && w.needed > kCached)
      out.push_back("  No layout of it and no split of the kernel asks for less.");
  }
  return out;
}

}  // namespace tessera::hlo
