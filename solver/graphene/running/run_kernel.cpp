#include "solver/graphene/running/run_kernel.h"

#include <fmt/format.h>

#include <chrono>
#include <numeric>

#include "solver/graphene/running/translation.h"
#include "solver/graphene/values/equation_check.h"
#include "solver/graphene/z3/z3_kernel.h"

namespace tessera::graphene {
namespace {

constexpr i64 kMostPlaces = i64{1} << 28;  // over all blocks, checked one by one
constexpr std::size_t kMostOthers = 4096;  // limit on blocks that are run because they are not shifts of block 0
constexpr double kOthersShare = 0.25;      // their share of the work

class Run : public SpecRun {
 public:
  Run(const Plan& plan, int kernel, const KernelRun& how, const CheckOptions& options)
      : SpecRun(plan, kernel, options, how.witness), seconds_(options.budgetSeconds) {
    threads_.resize(static_cast<std::size_t>(spec_.threads));
    std::iota(threads_.begin(), threads_.end(), i64{0});
    holdInputs();
    // Sums and products are compared anyway, up to the first wrong one: a missing summand is O4, a repeated one O5.
    compares_ = how.values || !spec_.spec->meaning;
    if (!compares_) known_.open[Obligation::Value] = "a run in the program's own types refutes it";
    if (how.values && spec_.spec->meaning) equations_.emplace(*this);
  }

  // `alike`: the inner specifications, by plan.specs, that block 0 represents.
  Known kernel(std::set<int>& alike) {
    const Translation translation = translationOf(plan_, machine_, number_);
    alike = translation.alike;
    if (spec_.blocks > 1 && translation.holds() && machine_.guards() == nullptr) {
      machine_.runBlock(number_, 0);
      take();
      values(0);
      otherBlocks(translation);
      conclude(fmt::format("block 0 was run, the other {} are shifts of it", spec_.blocks - 1));
    } else {
      machine_.runKernel(number_);
      take();
      for (int k = 0; k < spec_.outputs; ++k) inside(spec_.operands[k], nullptr);
      const bool each = perBlock();
      for (i64 b = 0; b < spec_.blocks; ++b)
        if (b == 0 || each) values(b);
      conclude(spec_.blocks == 1 ? "every instance was run" : fmt::format("all {} blocks were run", spec_.blocks));
    }
    return std::move(known_);
  }
  void conclude(const std::string& how) {
    if (!machine_.stopped().empty()) known_.unknownAll(machine_.stopped());
    if (equations_) equations_->conclude();
    known_.provedAll(how);
    if (witness_ != nullptr) witness_->ended(terms_);
  }

 private:
  [[nodiscard]] bool perBlock() const {
    for (int k = 0; k < spec_.outputs; ++k)
      if (rootOf(spec_.operands[k].root).memory != Memory::Global) return true;
    for (i64 b = 1; b < spec_.blocks; ++b)
      for (const PlanOperand& op : spec_.operands)
        if (shiftOf(machine_, op, b).address != 0) return true;
    return false;
  }
  // Addresses of an output's elements, for one block or all; empty: they cannot be listed.
  [[nodiscard]] std::vector<i64> addressesOf(const PlanOperand& op, std::optional<i64> block) const {
    const auto k = static_cast<std::size_t>(&op - spec_.operands.data());
    std::vector<i64> out;
    for (i64 b = block.value_or(0); b < (block ? *block + 1 : spec_.blocks); ++b) {
      if (!block && b > 0 && shiftOf(machine_, op, b).address == 0) continue;
      const auto places = placesByShape(machine_, spec_, k, b, 0, {});
      if (!places) return {};
      for (const PlaceOf& p : places->place) out.push_back(p.address);
    }
    return out;
  }

  // Caller registers with `holds` start as the elements they hold.
  void holdInputs() {
    for (std::size_t r = 0; r < plan_.roots.size(); ++r) {
      const Root& root = plan_.roots[r];
      if (!root.operand || root.memory != Memory::Register || !root.tensor.holds) continue;
      machine_.fill(static_cast<int>(r), [&](i64 block, i64 thread, i64 address) {
        return initial(static_cast<int>(r), block, {thread, address});
      });
    }
  }
  void take() {
    for (const Finding& f : machine_.findings()) known_.refute(f);
  }

  // ---- O8 of one block

  bool prepare(i64 block) {
    if (function_) return true;
    if (functionOf(*spec_.spec) == SpecKind::Generic && !equations_)
      known_.notStated = "the specification states no function";
    if (functionOf(*spec_.spec) == SpecKind::Allocate) known_.notStated = "storage has no value";
    if (!known_.notStated.empty()) return false;
    // With guards, elements beyond the extents are zeros, which change no sum.
    if (machine_.guards() != nullptr && functionOf(*spec_.spec) == SpecKind::Reduction &&
        !spec_.spec->attribute.starts_with('+')) {
      known_.open[Obligation::Value] = "a maximum or minimum over a size that has several values in one run";
      return false;
    }
    operands_.clear();
    for (std::size_t k = 0; k < spec_.operands.size(); ++k) {
      auto e = elementsOf(plan_, machine_, spec_, k, block, threads_, {});
      if (!e) return known_.notStated = e.error().message, false;
      operands_.push_back(*std::move(e));
    }
    if (functionOf(*spec_.spec) == SpecKind::Shfl) {
      known_.open[Obligation::Value] = "an exchange between threads is decided only where it is a single instruction";
      return false;
    }
    if (auto function = Function::of(*spec_.spec, operands_)) {
      function_ = *std::move(function);
    } else {
      known_.refute({.span = spec_.span, .message = function.error().message});
      known_.open[Obligation::Value] = function.error().message;
    }
    return function_.has_value();
  }

  void values(i64 block) {
    if (!compares_) return;
    if (equations_) return equations_->outcome(block, threads_, {});
    if (!prepare(block)) return;
    const Elements& out = operands_[0];
    i64 compared = 0;
    // A product reads every element many times.
    std::vector<std::vector<Terms::Value>> known(operands_.size());
    for (std::size_t k = 0; k < known.size(); ++k) known[k].assign(operands_[k].place.size(), Terms::undefined());
    const Function::Read read = [&](std::size_t operand, i64 element) {
      const Elements& e = operands_[operand];
      Terms::Value& value = known[operand][element];
      if (value == Terms::undefined()) value = initial(e.root, block, e.place[element]);
      return value;
    };
    Function::Factors factors;
    const bool sums = functionOf(*spec_.spec) == SpecKind::MatMul;
    // Continues after an open comparison: another element may be wrong.
    const auto compare = [&](i64 element, const PlaceOf& place, bool unwritten) {
      if (!unwritten && !written(out.root, block, place)) return true;
      ++compared;
      return judge(out.root, block, place, function_->expected(terms_, element, read, factors));
    };
    for (std::size_t e = 0; e < out.place.size(); ++e)
      if (out.place[e].address >= 0 && out.place[e].thread >= 0 &&
          !compare(static_cast<i64>(e), out.place[e], sums && spec_.blocks == 1))
        return;
    for (const auto& [e, place] : out.replicas)
      if (!compare(e, place, false)) return;
    known_.proved.try_emplace(Obligation::Value, fmt::format("{} elements match the specification{}", compared, how()));
  }

  // ---- the other blocks

  // Runs one block; its findings count. Discards what was watched in earlier blocks.
  void runOther(i64 block) {
    watch_.clear();
    machine_.reset();
    holdInputs();
    machine_.runBlock(number_, block);
    take();
    if (!function_ && !equations_) return;
    function_.reset();
    values(block);
  }

  void otherBlocks(const Translation& t) {
    for (int k = 0; k < spec_.outputs; ++k) outputs(t, spec_.operands[k]);
    if (const auto b = beyond(t)) {
      runOther(*b);
      known_.open.try_emplace(Obligation::Bounds,
                              fmt::format("block {} leaves an extent, but running it does not reproduce this", *b));
    }
    if (!function_ && !equations_) return;
    std::vector<i64> others;
    for (i64 b = 1; b < spec_.blocks; ++b)
      if (!shifts(t, b)) others.push_back(b);
    runOthers(others);
  }

  // Runs each block that block 0 does not represent, while the budget lasts.
  void runOthers(const std::vector<i64>& blocks) {
    if (blocks.empty()) return;
    std::size_t done = 0;
    std::string why = "there are too many of them";
    try {
      const WorkBudget limit({.seconds = kOthersShare * seconds_});
      for (; done < blocks.size() && done < kMostOthers && !known_.findings.count(Obligation::Value); ++done)
        runOther(blocks[done]);
    } catch (const OutOfBudget& end) {
      if (!end.counted()) throw;
      why = end.what();
    }
    if (done < blocks.size())
      known_.open.try_emplace(Obligation::Value,
                              fmt::format("{} blocks are not shifts of block 0 for the specification, and running {} "
                                          "of them does not decide it: {}",
                                          blocks.size(), done, why));
  }

  // Whether the specification for block b is that of block 0, shifted like the block.
  [[nodiscard]] bool shifts(const Translation& t, i64 block) const {
    std::vector<std::vector<i64>> by;
    for (std::size_t k = 0; k < spec_.operands.size(); ++k) {
      const PlanOperand& op = spec_.operands[k];
      if (rootOf(op.root).memory != Memory::Global) {
        by.push_back(equations_ ? std::vector<i64>{} : std::vector<i64>(operands_[k].extents.size(), 0));
        continue;
      }
      std::vector<i64> beside = shift(t, op.root, block).coordinate;
      const Shift view = shiftOf(machine_, op, block);
      for (std::size_t d = 0; d < beside.size(); ++d) beside[d] -= view.coordinate[d];
      const auto one = viewShift(operandOf(*spec_.spec, k), rootOf(op.root).tensor, beside);
      if (!one) return false;
      by.push_back(*one);
    }
    return equations_ ? meaningShifts(*spec_.spec, by) : function_->shifts(by);
  }

  [[nodiscard]] Shift shift(const Translation& t, int root, i64 block) const {
    const auto at = t.shifts.find(root);
    if (at == t.shifts.end()) return {0, std::vector<i64>(rootOf(root).tensor.extents.size(), 0)};
    return at->second[block];
  }

  // A block in which some access leaves the extents of its tensor.
  std::optional<i64> beyond(const Translation& t) {
    for (const auto& [key, range] : watch_.ranges()) {
      const PlanOperand& op = plan_.leaves[key.first].operands[key.second];
      if (rootOf(op.root).memory != Memory::Global) continue;
      for (i64 b = 0; b < spec_.blocks; ++b) {
        const Shift s = shift(t, op.root, b);
        for (std::size_t d = 0; d < op.extents.size(); ++d)
          if (range.least[d] + s.coordinate[d] < 0 || range.most[d] + s.coordinate[d] >= op.extents[d]) return b;
      }
    }
    return std::nullopt;
  }

  // O4, O5, and O6 between blocks: finds the writers of each element from the writes of block 0.
  void outputs(const Translation& t, const PlanOperand& op) {
    const Root& root = rootOf(op.root);
    const auto& touched = watch_.touched(op.root);
    if (root.memory != Memory::Global) return perBlockOutput(op);
    std::vector<i64> writes, reads;
    for (std::size_t a = 0; a < touched.size(); ++a) {
      if ((touched[a] & 2) != 0) writes.push_back(static_cast<i64>(a));
      if ((touched[a] & 1) != 0) reads.push_back(static_cast<i64>(a));
    }
    if (static_cast<i64>(writes.size() + reads.size()) * spec_.blocks > kMostPlaces) {
      for (const Obligation o : {Obligation::Coverage, Obligation::Uniqueness, Obligation::Races})
        known_.open.try_emplace(o, "there are too many blocks to check every element");
      return;
    }
    std::vector<std::int32_t> owner(static_cast<std::size_t>(root.places), -1);
    const auto each = [&](const std::vector<i64>& places, const auto& visit) {
      for (i64 b = 0; b < spec_.blocks; ++b) {
        const i64 by = shift(t, op.root, b).address;
        spend(static_cast<i64>(places.size() / 16) + 1);
        for (const i64 a : places)
          if (a + by >= 0 && a + by < root.places) visit(b, a + by);
      }
    };
    const bool generic = functionOf(*spec_.spec) == SpecKind::Generic;
    each(writes, [&](i64 b, i64 a) {
      std::int32_t& o = owner[a];
      if (o >= 0 && o != b) {
        if (!generic) between(Obligation::Uniqueness, op, a, b, o, "is written by two blocks");
        between(Obligation::Races, op, a, b, o, "is written by two blocks");
      }
      o = static_cast<std::int32_t>(b);
    });
    each(reads, [&](i64 b, i64 a) {
      const std::int32_t o = owner[a];
      if (o >= 0 && o != b) between(Obligation::Races, op, a, b, o, "is read by one block and written by another");
    });
    inside(op, &owner);
    holes(op, owner);
  }

  // "%C[0,8]" and `what`
  void wrong(Obligation o, const PlanOperand& op, i64 address, const std::string& what,
             std::vector<Instance> instances = {}) {
    if (known_.findings.count(o) != 0) return;
    std::vector<i64> coordinate = coordinateOf(op.root, address);
    const std::string place = op.name + text(coordinate);
    known_.refute({.obligation = o,
                   .span = spec_.span,
                   .tensor = op.name,
                   .coordinate = std::move(coordinate),
                   .address = address,
                   .instances = std::move(instances),
                   .message = place + what});
  }
  void between(Obligation o, const PlanOperand& op, i64 address, i64 a, i64 b, const char* what) {
    const auto [least, most] = std::minmax(a, b);
    wrong(o, op, address, fmt::format(" {}: {} and {}", what, least, most),
          {{spec_.span, least, 0, {}}, {spec_.span, most, 0, {}}});
  }

  void holes(const PlanOperand& op, const std::vector<std::int32_t>& owner) {
    const std::vector<i64> places = addressesOf(op, std::nullopt);
    if (places.empty()) {
      known_.open.try_emplace(Obligation::Coverage, fmt::format("the elements of {} cannot be listed", op.name));
      return;
    }
    i64 missing = 0, first = -1;
    for (const i64 a : places)
      if (a >= 0 && a < static_cast<i64>(owner.size()) && owner[a] < 0 && missing++ == 0) first = a;
    if (missing == 0) {
      known_.proved.try_emplace(Obligation::Coverage,
                                fmt::format("{} elements of {}, each by one block", places.size(), op.name));
      return;
    }
    wrong(Obligation::Coverage, op, first,
          fmt::format(" is never written, the first of {} such elements out of {}", missing, places.size()));
  }

  // O3 within a tensor: every written element must belong to an output view, not to the rest of the tensor. `owner`:
  // the writer of each place; null: use the watched accesses.
  void inside(const PlanOperand& op, const std::vector<std::int32_t>* owner) {
    const Root& root = rootOf(op.root);
    if (root.memory != Memory::Global) return;
    std::vector<char> named(static_cast<std::size_t>(root.places), 0);
    for (int k = 0; k < spec_.outputs; ++k) {
      const PlanOperand& out = spec_.operands[k];
      if (out.root != op.root) continue;
      const std::vector<i64> places = addressesOf(out, std::nullopt);
      if (places.empty()) return;
      for (const i64 a : places)
        if (a >= 0 && a < root.places) named[a] = 1;
    }
    for (std::size_t a = 0; a < named.size(); ++a) {
      const bool wrote = owner != nullptr ? (*owner)[a] >= 0 : (watch_.touched(op.root)[a] & Watch::Written) != 0;
      if (!wrote || named[a] != 0) continue;
      return wrong(Obligation::Frame, op, static_cast<i64>(a),
                   " is written but lies outside the output, which is only a part of it");
    }
  }

  // The caller's registers and shared memory: one copy per block, all like block 0's.
  void perBlockOutput(const PlanOperand& op) {
    const Root& root = rootOf(op.root);
    const i64 threads = root.memory == Memory::Register ? spec_.threads : 1;
    const std::vector<i64> places = addressesOf(op, 0);
    for (i64 t = 0; t < threads; ++t)
      for (const i64 address : places) {
        if (written(op.root, 0, {t, address})) continue;
        return wrong(Obligation::Coverage, op, address, fmt::format(" of thread {} is never written", t),
                     {{spec_.span, 0, t, {}}});
      }
  }

  const double seconds_;
  std::vector<i64> threads_;
  std::vector<Elements> operands_;
  std::optional<Function> function_;
  std::optional<EquationCheck> equations_;
  bool compares_ = true;  // O8
};

}  // namespace

std::map<int, std::vector<ObligationVerdict>> runKernel(const Plan& plan, int kernel, const KernelRun& how,
                                                        const CheckOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  std::map<int, std::vector<ObligationVerdict>> out;
  Run run(plan, kernel, how, options);
  std::set<int> alike;
  out[kernel] = run.kernel(alike).verdicts();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  for (ObligationVerdict& v : out[kernel]) v.seconds = seconds;
  if (!how.inner) return out;
  try {
    runInner(plan, kernel, alike, how, options, out);
  } catch (const OutOfBudget& end) {
    if (!end.counted()) throw;
    for (std::size_t s = 0; s < plan.specs.size(); ++s) {
      if (plan.specs[s].kernel != kernel || out.count(static_cast<int>(s)) != 0) continue;
      Known known;
      known.unknownAll(end.what());
      out[static_cast<int>(s)] = known.verdicts();
    }
  }
  return out;
}

}  // namespace tessera::graphene
