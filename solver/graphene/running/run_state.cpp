#include "solver/graphene/running/run_state.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/work_budget.h"
#include "core/map/map.h"
#include "solver/graphene/z3/z3_kernel.h"

namespace tessera::graphene {

// ---- Known

void Known::unknownAll(const std::string& reason) {
  for (const Obligation o : kDynamic) open.try_emplace(o, reason);
}
void Known::provedAll(const std::string& reason) {
  for (const Obligation o : kDynamic) proved.try_emplace(o, reason);
}

std::vector<ObligationVerdict> Known::verdicts() const {
  std::vector<ObligationVerdict> out;
  const auto say = [&](Obligation o, Standing s, const std::string& reason) {
    out.push_back({o, s, "running", reason, std::nullopt, 0});
  };
  for (const Obligation o : {Obligation::Static, Obligation::Frame})
    if (const auto at = findings.find(o); at != findings.end()) out.push_back(refuted("running", at->second));
  for (const Obligation o : kDynamic) {
    const auto finding = findings.find(o);
    const auto why = open.find(o), how = proved.find(o);
    if (finding != findings.end()) {
      out.push_back(refuted("running", finding->second));
    } else if (o == Obligation::Value && !notStated.empty()) {
      say(o, Standing::NotStated, notStated);
    } else if (o == Obligation::Uniqueness && generic) {
      say(o, Standing::NotStated, "a generic specification may write an element more than once");
    } else if (why != open.end()) {
      say(o, Standing::Unknown, why->second);
    } else {
      say(o, Standing::Proved, how == proved.end() ? "every instance was run" : how->second);
    }
  }
  return out;
}

// ---- Watch

Watch::Watch(const Plan& plan, const PlanSpec& spec, Observer* beside)
    : plan_(plan), beside_(beside), watched_(plan.roots.size(), 0), touched_(plan.roots.size()) {
  for (std::size_t r = 0; r < plan.roots.size(); ++r) {
    if (plan.roots[r].operand && plan.roots[r].memory == Memory::Global) watched_[r] = 1;
    besideWants_.push_back(beside != nullptr && beside->wants(static_cast<int>(r)));
  }
  for (int k = 0; k < spec.outputs; ++k) {
    const auto r = static_cast<std::size_t>(spec.operands[k].root);
    watched_[r] = 2;
    touched_[r].assign(static_cast<std::size_t>(plan.roots[r].places * plan.roots[r].copies), 0);
  }
}

void Watch::touch(const Touched& t) {
  const auto r = static_cast<std::size_t>(t.root);
  if (beside(t.root)) beside_->touch(t);
  if (watched_[r] == 0) return;
  spend(1);
  if (plan_.roots[r].memory == Memory::Global) {
    if (last_ == nullptr || lastOf_ != std::pair(t.leaf, t.operand)) {
      lastOf_ = {t.leaf, t.operand};
      last_ = &ranges_[lastOf_];  // stays valid until clear()
    }
    if (last_->least.empty()) {
      last_->least.assign(t.coordinate.begin(), t.coordinate.end());
      last_->most = last_->least;
    }
    for (std::size_t d = 0; d < t.coordinate.size(); ++d) {
      last_->least[d] = std::min(last_->least[d], t.coordinate[d]);
      last_->most[d] = std::max(last_->most[d], t.coordinate[d]);
    }
  }
  if (watched_[r] != 2) return;
  const i64 place = placeIn(plan_, plan_.roots[r], t.block, t.thread, t.address);
  if (place < 0) return;
  std::uint8_t& bits = touched_[r][place];
  if (t.write && (bits & Written) != 0) bits |= WrittenTwice;
  bits |= t.write ? Written : Read;
}

void Watch::clear() {
  for (auto& t : touched_) std::ranges::fill(t, std::uint8_t{0});
  ranges_.clear();
  last_ = nullptr;
}

std::uint8_t Watch::at(int root, i64 block, const PlaceOf& at) const {
  const i64 place = placeIn(plan_, plan_.roots[root], block, at.thread, at.address);
  return place < 0 || place >= std::ssize(touched(root)) ? std::uint8_t{0} : touched(root)[place];
}

// ---- SpecRun

SpecRun::SpecRun(const Plan& plan, int number, const CheckOptions& options, Witness* witness)
    : plan_(plan),
      number_(number),
      spec_(plan.specs[number]),
      watch_(plan, spec_, witness),
      machine_(plan, terms_, {.maxSteps = INT64_MAX, .count = false, .observer = &watch_, .cancel = options.cancel}),
      witness_(witness) {
  if (witness != nullptr) witness->begins(machine_);
  known_.generic = functionOf(*spec_.spec) == SpecKind::Generic;
}

Terms::Value SpecRun::initial(int root, i64 block, const PlaceOf& at) {
  const Root& r = rootOf(root);
  const bool holds = r.memory == Memory::Register && r.operand && r.tensor.holds;
  const i64 element = holds ? r.tensor.holds->at(at.thread, at.address) : -1;
  if (element >= 0) return terms_.input(root, kElement, element);
  return terms_.input(root, copyOf(plan_, r, block, at.thread), at.address);
}

std::string SpecRun::text(const std::vector<i64>& values) { return fmt::format("[{}]", fmt::join(values, ",")); }

std::string SpecRun::nameOf(int root, i64 copy, i64 element) const {
  const Root& r = rootOf(root);
  if (copy == kElement)
    return fmt::format("%{}{}", r.tensor.name, text(delinearize(element, r.tensor.holds->extents, LinearOrder::Lex)));
  const std::string who = r.memory == Memory::Register ? fmt::format(" of thread {}", copy % plan_.threads) : "";
  return fmt::format("%{}{}{}", r.tensor.name, text(coordinateOf(root, element)), who);
}

std::string SpecRun::placeText(int root, const PlaceOf& place) const {
  const Root& r = rootOf(root);
  if (r.memory == Memory::Register)
    return fmt::format("%{} register {} of thread {}", r.tensor.name, place.address, place.thread);
  return fmt::format("%{}{}", r.tensor.name, text(coordinateOf(root, place.address)));
}

std::vector<i64> SpecRun::coordinateOf(int root, i64 address) const {
  const auto slots = slotsOf(rootOf(root).tensor);
  if (!slots) return {address};
  for (std::size_t s = 0; s < slots->count; ++s)
    if (rootOf(root).tensor.swizzle(slots->addresses[s]) == address)
      return {slots->coordinates.begin() + static_cast<std::ptrdiff_t>(s * slots->dims),
              slots->coordinates.begin() + static_cast<std::ptrdiff_t>((s + 1) * slots->dims)};
  return {address};
}

namespace {

template <typename List, typename What>
u64 countIn(const List& list, const What& what) {
  const auto at =
      std::lower_bound(list.begin(), list.end(), what, [](const auto& x, const What& w) { return x.first < w; });
  return at == list.end() || at->first != what ? u64{0} : at->second;
}

}  // namespace

Finding SpecRun::finding(int root, i64 block, const PlaceOf& place, Terms::Value expected) {
  const auto actual = machine_.value(root, block, place.thread, place.address);
  const Terms::Names names = [&](int r, i64 copy, i64 e) { return nameOf(r, copy, e); };
  std::string wanted = terms_.print(expected, names), got = actual ? terms_.print(*actual, names) : "nothing";
  Finding f = findingAt(Obligation::Value, root, block, place,
                        actual ? terms_.difference(expected, *actual, names) : "nothing arrives", ": ");
  f.expected = std::move(wanted);
  f.actual = std::move(got);
  return f;
}

Finding SpecRun::findingAt(Obligation o, int root, i64 block, const PlaceOf& place, const std::string& what,
                           std::string_view between) const {
  return {.obligation = o,
          .span = spec_.span,
          .tensor = "%" + rootOf(root).tensor.name,
          .coordinate = coordinateOf(root, place.address),
          .address = place.address,
          .instances = {{spec_.span, block, place.thread, {}}},
          .message = placeText(root, place) + std::string(between) + what};
}

bool SpecRun::judge(int root, i64 block, const PlaceOf& place, Terms::Value expected) {
  spend(8);
  const auto actual = machine_.value(root, block, place.thread, place.address);
  if (actual && isEqual(expected, *actual)) return true;
  const bool defined = actual && *actual != Terms::undefined() && expected != Terms::undefined();
  if (defined && !same_.differ(expected, *actual)) {
    known_.open.try_emplace(
        Obligation::Value,
        fmt::format("the value agrees with the specification on {} random inputs, but {}", SameValue::kSeeds,
                    same_.algebraGone() ? "comparing both as terms takes too long"
                                        : fmt::format("no known law makes them equal ({})", same_.laws())));
    return true;
  }
  Finding found = finding(root, block, place, expected);
  known_.refute(found);
  const SpecKind kind = functionOf(*spec_.spec);
  if ((kind != SpecKind::MatMul && kind != SpecKind::Reduction) || !actual) return false;
  const Terms::Sum a = terms_.sum(expected), b = terms_.sum(*actual);
  bool missing = false, twice = false;
  const auto look = [&](const auto& wanted, const auto& got) {
    for (const auto& [what, n] : wanted) {
      missing = missing || countIn(got, what) < n;
      twice = twice || countIn(got, what) > n;
    }
  };
  if (terms_.node(expected).kind == Terms::Kind::Set) {
    const std::vector<Terms::Value> wanted = terms_.set(expected), got = terms_.set(*actual);
    missing = !std::includes(got.begin(), got.end(), wanted.begin(), wanted.end());
  } else {
    look(a.products, b.products);
    look(a.terms, b.terms);
  }
  found.obligation = Obligation::Coverage;
  if (missing) known_.refute(found);
  found.obligation = Obligation::Uniqueness;
  if (twice) known_.refute(found);
  return false;
}

std::string SpecRun::how() const {
  return same_.usedAlgebra() ? fmt::format(" over the real numbers ({}; rounding ignored)", same_.laws()) : "";
}

}  // namespace tessera::graphene
