#include "solver/graphene/run_kernel.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <optional>

#include "core/base/patience.h"
#include "solver/emulate/slots.h"
#include "solver/graphene/functions.h"
#include "solver/graphene/translation.h"
#include "solver/graphene/z3_kernel.h"

namespace tessera::graphene {
namespace {

constexpr Obligation kDecided[] = {Obligation::Bounds, Obligation::Coverage,    Obligation::Uniqueness,
                                   Obligation::Races,  Obligation::Definedness, Obligation::Value};
constexpr i64 kMostPlaces = i64{1} << 28;  // of all blocks, looked at one by one

// What is known so far about one specification.
struct Known {
  std::map<Obligation, Finding> findings;
  std::map<Obligation, std::string> open, proved;
  std::string notStated;  // O8
  bool generic = false;   // no O5

  void refute(Finding f) {
    const Obligation o = f.obligation;
    findings.try_emplace(o, std::move(f));
  }
  void unknownAll(const std::string& reason) {
    for (const Obligation o : kDecided) open.try_emplace(o, reason);
  }
  [[nodiscard]] std::vector<ObligationVerdict> verdicts() const {
    std::vector<ObligationVerdict> out;
    if (const auto at = findings.find(Obligation::Static); at != findings.end())
      out.push_back({Obligation::Static, Standing::Refuted, "running", at->second.message, at->second, 0});
    if (const auto at = findings.find(Obligation::Frame); at != findings.end())
      out.push_back({Obligation::Frame, Standing::Refuted, "running", at->second.message, at->second, 0});
    for (const Obligation o : kDecided) {
      if (const auto at = findings.find(o); at != findings.end()) {
        out.push_back({o, Standing::Refuted, "running", at->second.message, at->second, 0});
      } else if (o == Obligation::Value && !notStated.empty()) {
        out.push_back({o, Standing::NotStated, "running", notStated, std::nullopt, 0});
      } else if (o == Obligation::Uniqueness && generic) {
        out.push_back({o, Standing::NotStated, "running", "a generic specification may write as often as it likes",
                       std::nullopt, 0});
      } else if (const auto why = open.find(o); why != open.end()) {
        out.push_back({o, Standing::Unknown, "running", why->second, std::nullopt, 0});
      } else {
        const auto text = proved.find(o);
        out.push_back({o, Standing::Proved, "running", text == proved.end() ? "every instance was run" : text->second,
                       std::nullopt, 0});
      }
    }
    return out;
  }
};

// Which places of the kernel's global tensors and outputs a run touched.
class Watch : public Observer {
 public:
  struct Range {
    std::vector<i64> least, most;
    int leaf = 0;
  };
  Watch(const Plan& plan, const PlanSpec& kernel)
      : plan_(plan), watched_(plan.roots.size(), 0), touched(plan.roots.size()) {
    for (std::size_t r = 0; r < plan.roots.size(); ++r)
      if (plan.roots[r].operand && plan.roots[r].memory == Memory::Global) watched_[r] = 1;
    for (int k = 0; k < kernel.outputs; ++k) {
      const auto r = static_cast<std::size_t>(kernel.operands[static_cast<std::size_t>(k)].root);
      watched_[r] = 2;
      touched[r].assign(static_cast<std::size_t>(plan.roots[r].places * plan.roots[r].copies), 0);
    }
  }
  [[nodiscard]] bool wants(int root) const override { return watched_[static_cast<std::size_t>(root)] != 0; }
  void touch(const Touch& t) override {
    spend(1);
    const auto r = static_cast<std::size_t>(t.root);
    auto [at, first] = ranges.try_emplace(
        {t.leaf, t.operand},
        Range{{t.coordinate.begin(), t.coordinate.end()}, {t.coordinate.begin(), t.coordinate.end()}, t.leaf});
    if (!first)
      for (std::size_t d = 0; d < t.coordinate.size(); ++d) {
        at->second.least[d] = std::min(at->second.least[d], t.coordinate[d]);
        at->second.most[d] = std::max(at->second.most[d], t.coordinate[d]);
      }
    if (watched_[r] != 2) return;
    const Root& root = plan_.roots[r];
    const i64 copy = root.memory == Memory::Global   ? 0
                     : root.memory == Memory::Shared ? t.block
                                                     : t.block * plan_.threads + t.thread;
    const i64 place = copy * root.places + t.address;
    if (place >= 0 && place < static_cast<i64>(touched[r].size()))
      touched[r][static_cast<std::size_t>(place)] |= t.write ? 2 : 1;
  }

 private:
  const Plan& plan_;
  std::vector<char> watched_;  // 2: an output

 public:
  std::vector<std::vector<std::uint8_t>> touched;  // 1 read, 2 written
  std::map<std::pair<int, int>, Range> ranges;     // by leaf and operand
};

class Run {
 public:
  Run(const Plan& plan, int kernel, const CheckOptions& options)
      : plan_(plan),
        number_(kernel),
        kernel_(plan.specs[static_cast<std::size_t>(kernel)]),
        watch_(plan, kernel_),
        machine_(plan, terms_, {.maxSteps = INT64_MAX, .count = false, .observer = &watch_, .cancel = options.cancel}) {
    threads_.resize(static_cast<std::size_t>(kernel_.threads));
    std::iota(threads_.begin(), threads_.end(), i64{0});
    holdInputs();
  }

  Known kernel() {
    known_.generic = functionOf(*kernel_.spec) == SpecKind::Generic;
    const Translation translation = translationOf(plan_, machine_, number_);
    if (kernel_.blocks > 1 && translation.holds()) {
      machine_.runBlock(number_, 0);
      take();
      values(0);
      otherBlocks(translation);
      for (const Obligation o : kDecided)
        known_.proved.try_emplace(o, fmt::format("block 0 was run, the other {} are shifts of it", kernel_.blocks - 1));
    } else {
      machine_.runKernel(number_);
      take();
      for (i64 b = 0; b < kernel_.blocks; ++b)
        if (b == 0 || perBlock()) values(b);
      for (const Obligation o : kDecided)
        known_.proved.try_emplace(
            o, kernel_.blocks == 1 ? "every instance was run" : fmt::format("all {} blocks were run", kernel_.blocks));
    }
    if (!machine_.stopped().empty()) known_.unknownAll(machine_.stopped());
    return std::move(known_);
  }

 private:
  static constexpr i64 kElement = -1;  // the copy of a register input that is an element of what it holds

  [[nodiscard]] const Root& rootOf(int root) const { return plan_.roots[static_cast<std::size_t>(root)]; }
  [[nodiscard]] bool perBlock() const {
    for (int k = 0; k < kernel_.outputs; ++k)
      if (rootOf(kernel_.operands[static_cast<std::size_t>(k)].root).memory != Memory::Global) return true;
    return false;
  }

  // Registers of the caller that say what they hold are those elements.
  void holdInputs() {
    for (std::size_t r = 0; r < plan_.roots.size(); ++r) {
      const Root& root = plan_.roots[r];
      if (!root.operand || root.memory != Memory::Register || !root.tensor.holds) continue;
      machine_.fill(static_cast<int>(r),
                    [&](i64, i64 thread, i64 address) { return held(static_cast<int>(r), thread, address); });
    }
  }
  Terms::Value held(int root, i64 thread, i64 address) {
    const Holds& holds = rootOf(root).tensor.holds;
    const i64 e = holds->at(thread, address);
    return e < 0 ? terms_.input(root, thread, address) : terms_.input(root, kElement, e);
  }
  // What a place held in the beginning.
  Terms::Value initial(int root, i64 block, const PlaceOf& at) {
    const Root& r = rootOf(root);
    if (r.memory == Memory::Global) return terms_.input(root, 0, at.address);
    if (r.memory == Memory::Shared) return terms_.input(root, block, at.address);
    return r.tensor.holds ? held(root, at.thread, at.address)
                          : terms_.input(root, block * plan_.threads + at.thread, at.address);
  }

  void take() {
    for (const Finding& f : machine_.findings()) known_.refute(f);
  }

  [[nodiscard]] std::string nameOf(int root, i64 copy, i64 element) const {
    const Root& r = rootOf(root);
    if (copy == kElement)
      return fmt::format("%{}{}", r.tensor.name, text(delinearize(element, r.tensor.holds->extents, LinearOrder::Lex)));
    const std::string who = r.memory == Memory::Register ? fmt::format(" of thread {}", copy % plan_.threads) : "";
    return fmt::format("%{}{}{}", r.tensor.name, text(coordinateOf(root, element)), who);
  }
  static std::string text(const std::vector<i64>& values) { return fmt::format("[{}]", fmt::join(values, ",")); }
  // Of an operand's address, in its declared dimensions.
  [[nodiscard]] std::vector<i64> coordinateOf(int root, i64 address) const {
    const auto slots = slotsOf(rootOf(root).tensor);
    if (!slots) return {address};
    for (std::size_t s = 0; s < slots->count; ++s)
      if (rootOf(root).tensor.swizzle(slots->addresses[s]) == address)
        return {slots->coordinates.begin() + static_cast<std::ptrdiff_t>(s * slots->dims),
                slots->coordinates.begin() + static_cast<std::ptrdiff_t>((s + 1) * slots->dims)};
    return {address};
  }

  // ---- O8 of one block

  [[nodiscard]] bool written(int root, i64 block, const PlaceOf& at) const {
    const Root& r = rootOf(root);
    const i64 copy = r.memory == Memory::Global   ? 0
                     : r.memory == Memory::Shared ? block
                                                  : block * plan_.threads + at.thread;
    const auto& touched = watch_.touched[static_cast<std::size_t>(root)];
    const i64 place = copy * r.places + at.address;
    return place >= 0 && place < static_cast<i64>(touched.size()) &&
           (touched[static_cast<std::size_t>(place)] & 2) != 0;
  }

  bool prepare(i64 block) {
    if (function_) return true;
    if (functionOf(*kernel_.spec) == SpecKind::Generic)
      known_.notStated = "the specification has no function of its own";
    if (functionOf(*kernel_.spec) == SpecKind::Allocate) known_.notStated = "storage has no value";
    if (!known_.notStated.empty()) return false;
    std::string why;
    operands_.clear();
    for (std::size_t k = 0; k < kernel_.operands.size(); ++k) {
      auto e = elementsOf(plan_, machine_, kernel_, k, block, threads_, {}, why);
      if (!e) {
        known_.notStated = why;
        return false;
      }
      operands_.push_back(*std::move(e));
    }
    std::vector<const Elements*> all;
    for (const Elements& e : operands_) all.push_back(&e);
    if (functionOf(*kernel_.spec) == SpecKind::Shfl) {
      known_.open[Obligation::Value] = "an exchange is decided where it is one instruction";
      return false;
    }
    function_ = Function::of(*kernel_.spec, all, why);
    if (!function_) {
      Finding f;
      f.obligation = Obligation::Static;
      f.span = kernel_.span;
      f.message = why;
      known_.refute(std::move(f));
      known_.open[Obligation::Value] = why;
    }
    return function_.has_value();
  }

  void values(i64 block) {
    if (!prepare(block)) return;
    const Elements& out = operands_[0];
    i64 compared = 0;
    const Function::Read read = [&](std::size_t operand, i64 element) {
      const Elements& e = operands_[operand];
      return initial(e.root, block, e.place[static_cast<std::size_t>(element)]);
    };
    const bool sums = functionOf(*kernel_.spec) == SpecKind::MatMul;
    for (std::size_t e = 0; e < out.place.size(); ++e) {
      if (out.place[e].address < 0 || (out.place[e].thread < 0)) continue;
      if (!written(out.root, block, out.place[e]) && !(sums && kernel_.blocks == 1)) continue;
      const Terms::Value expected = function_->expected(terms_, static_cast<i64>(e), read);
      if (!compare(block, static_cast<i64>(e), out.place[e], expected)) return;
      ++compared;
    }
    for (const auto& [e, place] : out.replicas) {
      if (!written(out.root, block, place)) continue;
      if (!compare(block, e, place, function_->expected(terms_, e, read))) return;
      ++compared;
    }
    known_.proved.try_emplace(Obligation::Value,
                              fmt::format("{} elements, each what the specification says", compared));
  }

  bool compare(i64 block, i64 element, const PlaceOf& place, Terms::Value expected) {
    spend(8);
    const int root = operands_[0].root;
    const auto actual = machine_.value(root, block, place.thread, place.address);
    if (actual && terms_.equal(expected, *actual)) return true;
    const Terms::Names names = [&](int r, i64 copy, i64 e) { return nameOf(r, copy, e); };
    Finding f;
    f.obligation = Obligation::Value;
    f.span = kernel_.span;
    f.tensor = "%" + rootOf(root).tensor.name;
    f.address = place.address;
    f.expected = terms_.print(expected, names);
    f.actual = actual ? terms_.print(*actual, names) : "nothing";
    f.coordinate = coordinateOf(root, place.address);
    f.instances.push_back({kernel_.span, block, place.thread, {}});
    const bool reg = rootOf(root).memory == Memory::Register;
    f.message =
        fmt::format("{}{}: {}", f.tensor,
                    reg ? fmt::format(" register {} of thread {}", place.address, place.thread) : text(f.coordinate),
                    actual ? terms_.difference(expected, *actual, names) : "nothing arrives");
    contributions(f, expected, actual ? *actual : Terms::undefined());
    known_.refute(std::move(f));
    (void)element;
    return false;
  }

  // A sum that lacks something that belongs to it, or has it twice, is also O4 or O5.
  void contributions(const Finding& value, Terms::Value expected, Terms::Value actual) {
    const SpecKind kind = functionOf(*kernel_.spec);
    if ((kind != SpecKind::MatMul && kind != SpecKind::Reduction) || actual == Terms::undefined()) return;
    const Terms::Sum a = terms_.sum(expected), b = terms_.sum(actual);
    const auto count = [](const auto& list, const auto& what) {
      const auto at = std::find_if(list.begin(), list.end(), [&](const auto& x) { return x.first == what; });
      return at == list.end() ? u64{0} : at->second;
    };
    bool missing = false, twice = false;
    for (const auto& [p, n] : a.products)
      missing = missing || count(b.products, p) < n, twice = twice || count(b.products, p) > n;
    for (const auto& [t, n] : a.terms)
      missing = missing || count(b.terms, t) < n, twice = twice || count(b.terms, t) > n;
    Finding f = value;
    f.obligation = Obligation::Coverage;
    if (missing) known_.refute(f);
    f.obligation = Obligation::Uniqueness;
    if (twice) known_.refute(f);
  }

  // ---- the other blocks

  // Runs one block for real; what it finds stands.
  void really(i64 block) {
    for (auto& touched : watch_.touched) std::fill(touched.begin(), touched.end(), std::uint8_t{0});
    machine_.reset();
    holdInputs();
    machine_.runBlock(number_, block);
    take();
    if (function_) values(block);
  }

  void otherBlocks(const Translation& t) {
    if (const auto b = beyond(t)) {
      really(*b);
      known_.open.try_emplace(Obligation::Bounds,
                              fmt::format("block {} leaves an extent, and running it does not show it", *b));
    }
    if (function_) {
      for (i64 b = 1; b < kernel_.blocks; ++b) {
        std::vector<std::vector<i64>> by;
        for (const Elements& e : operands_) by.push_back(shift(t, e.root, b).coordinate);
        if (function_->shifts(by)) continue;
        really(b);
        known_.open.try_emplace(Obligation::Value,
                                fmt::format("block {} is shifted otherwise, and running it does not show it", b));
        break;
      }
    }
    for (int k = 0; k < kernel_.outputs; ++k) outputs(t, kernel_.operands[static_cast<std::size_t>(k)]);
  }

  [[nodiscard]] Shift shift(const Translation& t, int root, i64 block) const {
    const auto at = t.shifts.find(root);
    if (at == t.shifts.end()) return {0, std::vector<i64>(rootOf(root).tensor.extents.size(), 0)};
    return at->second[static_cast<std::size_t>(block)];
  }

  // A block some access of which leaves the extents of its tensor.
  std::optional<i64> beyond(const Translation& t) {
    for (const auto& [key, range] : watch_.ranges) {
      const PlanOperand& op =
          plan_.leaves[static_cast<std::size_t>(key.first)].operands[static_cast<std::size_t>(key.second)];
      if (rootOf(op.root).memory != Memory::Global) continue;
      for (i64 b = 0; b < kernel_.blocks; ++b) {
        const Shift s = shift(t, op.root, b);
        for (std::size_t d = 0; d < op.extents.size(); ++d)
          if (range.least[d] + s.coordinate[d] < 0 || range.most[d] + s.coordinate[d] >= op.extents[d]) return b;
      }
    }
    return std::nullopt;
  }

  // O4, O5, and O6 between blocks: who writes each element, from what block 0 wrote.
  void outputs(const Translation& t, const PlanOperand& op) {
    const Root& root = rootOf(op.root);
    const auto& touched = watch_.touched[static_cast<std::size_t>(op.root)];
    if (root.memory != Memory::Global) return perBlockOutput(op);
    std::vector<i64> writes, reads;
    for (std::size_t a = 0; a < touched.size(); ++a) {
      if ((touched[a] & 2) != 0) writes.push_back(static_cast<i64>(a));
      if ((touched[a] & 1) != 0) reads.push_back(static_cast<i64>(a));
    }
    if (static_cast<i64>(writes.size() + reads.size()) * kernel_.blocks > kMostPlaces) {
      for (const Obligation o : {Obligation::Coverage, Obligation::Uniqueness, Obligation::Races})
        known_.open.try_emplace(o, "there are too many blocks to look at every element");
      return;
    }
    std::vector<std::int32_t> owner(static_cast<std::size_t>(root.places), -1);
    const auto each = [&](const std::vector<i64>& places, const auto& visit) {
      for (i64 b = 0; b < kernel_.blocks; ++b) {
        const i64 by = shift(t, op.root, b).address;
        spend(static_cast<i64>(places.size() / 16) + 1);
        for (const i64 a : places)
          if (a + by >= 0 && a + by < root.places) visit(b, a + by);
      }
    };
    const bool generic = functionOf(*kernel_.spec) == SpecKind::Generic;
    each(writes, [&](i64 b, i64 a) {
      std::int32_t& o = owner[static_cast<std::size_t>(a)];
      if (o >= 0 && o != b) {
        if (!generic) between(Obligation::Uniqueness, op, a, b, o, "is written by two blocks");
        between(Obligation::Races, op, a, b, o, "is written by two blocks");
      }
      o = static_cast<std::int32_t>(b);
    });
    each(reads, [&](i64 b, i64 a) {
      const std::int32_t o = owner[static_cast<std::size_t>(a)];
      if (o >= 0 && o != b) between(Obligation::Races, op, a, b, o, "is read by one block and written by another");
    });
    holes(op, owner);
  }

  void between(Obligation o, const PlanOperand& op, i64 address, i64 a, i64 b, const char* what) {
    if (known_.findings.count(o) != 0) return;
    Finding f;
    f.obligation = o;
    f.span = kernel_.span;
    f.tensor = op.name;
    f.address = address;
    f.coordinate = coordinateOf(op.root, address);
    f.instances = {{kernel_.span, std::min(a, b), 0, {}}, {kernel_.span, std::max(a, b), 0, {}}};
    f.message = fmt::format("{}{} {}: {} and {}", f.tensor, text(f.coordinate), what, std::min(a, b), std::max(a, b));
    known_.refute(std::move(f));
  }

  void holes(const PlanOperand& op, const std::vector<std::int32_t>& owner) {
    const auto slots = slotsOf(rootOf(op.root).tensor);
    if (!slots) return;
    i64 missing = 0, first = -1;
    for (std::size_t s = 0; s < slots->count; ++s)
      if (const i64 a = slots->addresses[s]; owner[static_cast<std::size_t>(a)] < 0 && missing++ == 0) first = a;
    if (missing == 0) {
      known_.proved.try_emplace(Obligation::Coverage,
                                fmt::format("{} elements of {}, each by one block", slots->count, op.name));
      return;
    }
    Finding f;
    f.obligation = Obligation::Coverage;
    f.span = kernel_.span;
    f.tensor = op.name;
    f.address = first;
    f.coordinate = coordinateOf(op.root, first);
    f.message = fmt::format("{}{} is never written, and {} of {} elements in all", f.tensor, text(f.coordinate),
                            missing, slots->count);
    known_.refute(std::move(f));
  }

  // Registers and shared memory of the caller: every block has its own, and all are like block 0's.
  void perBlockOutput(const PlanOperand& op) {
    const Root& root = rootOf(op.root);
    const auto slots = slotsOf(root.tensor);
    const i64 threads = root.memory == Memory::Register ? kernel_.threads : 1;
    if (!slots) return;
    for (i64 t = 0; t < threads; ++t)
      for (std::size_t s = 0; s < slots->count; ++s) {
        const i64 address = root.tensor.swizzle(slots->addresses[s]);
        if (written(op.root, 0, {t, address})) continue;
        Finding f;
        f.obligation = Obligation::Coverage;
        f.span = kernel_.span;
        f.tensor = op.name;
        f.address = address;
        f.coordinate = coordinateOf(op.root, address);
        f.instances.push_back({kernel_.span, 0, t, {}});
        f.message = fmt::format("{}{} of thread {} is never written", f.tensor, text(f.coordinate), t);
        return known_.refute(std::move(f));
      }
  }

  const Plan& plan_;
  int number_;
  const PlanSpec& kernel_;
  Terms terms_;
  Watch watch_;
  Machine<Terms> machine_;
  std::vector<i64> threads_;
  std::vector<Elements> operands_;
  std::optional<Function> function_;
  Known known_;
};

}  // namespace

std::map<int, std::vector<ObligationVerdict>> runKernel(const Plan& plan, int kernel, const CheckOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  std::map<int, std::vector<ObligationVerdict>> out;
  out[kernel] = Run(plan, kernel, options).kernel().verdicts();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  for (ObligationVerdict& v : out[kernel]) v.seconds = seconds;
  return out;
}

}  // namespace tessera::graphene
