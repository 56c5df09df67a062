// Matching: compares a leaf with every pattern of its kind; gives the first that fits, or the nearest and what differs.
#include "core/graphene/atoms/atom.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "core/atlas/cutlass.h"
#include "core/atlas/scalar_operation.h"
#include "core/graphene/atoms/atom_pattern.h"

namespace tessera::graphene {
namespace {

// How far a leaf is from a pattern: conditions that do not hold, by weight, and the first of them.
struct Miss : Mismatch {
  int cost = 0;
};

class Fitting {
 public:
  Fitting(const Spec& leaf, const Pattern& pattern) : pattern_(pattern) {
    for (std::size_t k = 0; k < leaf.outputs.size() + leaf.inputs.size(); ++k) operands_.push_back(&operandOf(leaf, k));
    threads_ = leaf.threads.empty() ? nullptr : &leaf.threads.front();
  }

  // nullopt: the leaf is this instruction.
  [[nodiscard]] std::optional<Miss> run(std::string_view architecture) {
    if (operands_.size() != pattern_.operands.size()) {
      miss_.cost = 1000;
      return miss_;
    }
    hold(pattern_.group.empty() ? 4 : 2, group());
    for (std::size_t k = 0; k < operands_.size(); ++k) {
      hold(3, memory(k));
      hold(3, element(k));
      hold(pattern_.operands[k].flat ? 1 : 2, shape(k));
    }
    if (!ok_) return miss_;
    for (std::size_t k = 0; k < operands_.size(); ++k) hold(1, layout(k));
    if (!pattern_.differs.empty()) hold(1, differ(pattern_.differs, pattern_.legal));
    if (!runsOn(pattern_.atom.architecture, architecture))
      hold(1, differ(fmt::format("needs {}, but the target is {}", pattern_.atom.architecture, architecture),
                     pattern_.atom.architecture));
    return ok_ ? std::nullopt : std::optional(miss_);
  }

 private:
  void hold(int weight, bool holds) {
    if (holds) return;
    miss_.cost += weight;
    ok_ = false;
  }
  bool differ(std::string what, std::string legal) { return ok_ = miss_.refuse(std::move(what), std::move(legal)); }

  // The threads as sizes and strides, fastest first, contiguous modes joined.
  [[nodiscard]] std::optional<std::vector<std::pair<i64, i64>>> threadModes() const {
    std::vector<std::pair<i64, i64>> modes;
    for (const Mode& m : modesOf(*threads_)) {
      if (m.size.isConstant(1)) continue;
      if (!m.size.isConstant() || !m.stride.isConstant()) return std::nullopt;
      modes.emplace_back(m.size.value(), m.stride.value());
    }
    std::ranges::sort(modes, [](const auto& a, const auto& b) { return a.second < b.second; });
    std::vector<std::pair<i64, i64>> joined;
    for (const auto& mode : modes) {
      if (!joined.empty() && joined.back().first * joined.back().second == mode.second)
        joined.back().first *= mode.first;
      else
        joined.push_back(mode);
    }
    return joined;
  }

  bool group() {
    const std::vector<std::pair<i64, i64>>& wanted = pattern_.group;
    std::string text = "one thread, [].thread";
    if (wanted.size() == 1)
      text = fmt::format("{} threads in a row, [{}:{}].thread", wanted[0].first, wanted[0].first, wanted[0].second);
    if (wanted.size() == 2)
      text = fmt::format("the threads [({},{}):({},{})].thread", wanted[0].first, wanted[1].first, wanted[0].second,
                         wanted[1].second);
    if (threads_ == nullptr)
      return wanted.empty() || differ(fmt::format("must be executed by {}; here every thread executes it alone", text),
                                      "<<<#blocks, " + text + ">>>");
    const auto have = threadModes();
    const std::string hint = wanted.empty() ? nameOf(*threads_) + ".scalar()" : text;
    if (!have || *have != wanted)
      return differ(fmt::format("must be executed by {}; here it is executed by {}", text, print(*threads_)), hint);
    if (wanted.empty() || !threads_->offset.isConstant()) return true;
    const bool warpgroup = pattern_.atom.together == 128;
    const i64 first = threads_->offset.value() % (warpgroup ? 128 : 32);
    if (wanted.size() == 1 ? first != 0 : first % wanted[0].first != 0 || first >= 16)
      return differ(
          fmt::format("is executed by {}; {} begins at thread {}", text, nameOf(*threads_), threads_->offset.value()),
          warpgroup ? "threads that begin at a multiple of 128" : "threads that begin at a warp");
    return true;
  }

  bool memory(std::size_t k) {
    const unsigned wanted = pattern_.operands[k].memories;
    const Tensor& t = *operands_[k];
    if ((memoryBit(t.memory) & wanted) != 0) return true;
    std::vector<std::string> names;
    if (wanted & kGlobal) names.emplace_back("global memory");
    if (wanted & kShared) names.emplace_back("shared memory");
    if (wanted & kRegister) names.emplace_back("registers");
    const std::string where = fmt::format("{}", fmt::join(names, " or "));
    return differ(fmt::format("wants {} in {}; it is {}", nameOf(t), where, print(t)), nameOf(t) + " in " + where);
  }

  bool element(std::size_t k) {
    const std::string& wanted = pattern_.operands[k].element;
    const Tensor& t = *operands_[k];
    if (canonicalElement(t) == wanted) return true;
    return differ(
        fmt::format("wants {} of {}; it is {}", wanted, nameOf(t), t.element.empty() ? "of no type" : t.element),
        fmt::format("{} in {}", wanted, nameOf(t)));
  }

  bool shape(std::size_t k) {
    const OperandPattern& wanted = pattern_.operands[k];
    const Tensor& t = *operands_[k];
    std::vector<i64> levels;
    i64 all = 1;
    for (const Level& level : t.levels) {
      const Expr size = sizeOf(level);
      if (!size.isConstant(1)) levels.push_back(size.value());
      all *= size.value();
    }
    i64 places = 1;
    for (const i64 n : wanted.levels) places *= n;
    if (wanted.flat ? all == places : levels == wanted.levels) return true;
    return differ(fmt::format("wants {} of {}; it is {}", wanted.shape, nameOf(t), print(t)),
                  fmt::format("{} as {}", nameOf(t), wanted.shape));
  }

  // Runs are contiguous and aligned, unless that depends on indices; output registers are distinct.
  bool layout(std::size_t k) {
    const i64 run = pattern_.operands[k].run;
    const Tensor& t = *operands_[k];
    const bool registers = t.memory == Memory::Register;
    if (run == 1 && !(registers && k == 0)) return true;
    for (const Mode& m : modesOf(t))
      if (!m.size.isConstant(1) && !m.stride.isConstant())
        return differ(fmt::format("wants {} contiguous elements of {}; its stride is not a number", run, nameOf(t)),
                      "strides that are numbers");
    return runs(t, run) && (!registers || k != 0 || distinct(t));
  }

  bool runs(const Tensor& t, i64 run) {
    if (run == 1) return true;
    const std::string what = fmt::format("{} contiguous {}", run, t.element);
    const std::vector<i64> at = flatSlots(t).addresses;
    for (std::size_t s = 0; s < at.size(); ++s) {
      const std::size_t first = s - s % static_cast<std::size_t>(run);
      const i64 want = at[first] + static_cast<i64>(s - first);
      if (at[s] != want)
        return differ(fmt::format("wants {}; {} has stride {}", what, nameOf(t), at[s] - at[s - 1]),
                      fmt::format("{} with contiguous elements", nameOf(t)));
      if (s == first && at[s] % run != 0)
        return differ(
            fmt::format("wants {}, aligned; element {} of {} is {} after the first", what, s, nameOf(t), at[s]),
            fmt::format("steps that are a multiple of {}", run));
    }
    if (t.swizzle.bits() > 0 && (i64{1} << t.swizzle.base()) < run)
      return differ(fmt::format("wants {}; {} of {} keeps {} together", what, print(t.swizzle), nameOf(t),
                                i64{1} << t.swizzle.base()),
                    fmt::format("a swizzle Sw<B,M,S> with 2^M >= {}", run));
    if (t.offset.isConstant() && t.offset.value() % run != 0)
      return differ(fmt::format("wants {}, aligned; {} begins at {}", what, nameOf(t), t.offset.value()),
                    fmt::format("an offset that is a multiple of {}", run));
    return true;
  }

  bool distinct(const Tensor& t) {
    const std::vector<i64> at = flatSlots(t).addresses;
    if (std::set<i64>(at.begin(), at.end()).size() == at.size()) return true;
    return differ(
        fmt::format("writes each register of {} once; two of its elements are in the same register", nameOf(t)),
        "distinct registers");
  }

  const Pattern& pattern_;
  std::vector<const Tensor*> operands_;
  const Tensor* threads_ = nullptr;
  bool ok_ = true;
  Miss miss_;
};

constexpr std::pair<SpecKind, Patterns (*)(const Spec&)> kPatterns[] = {
    {SpecKind::Move, movePatterns},
    {SpecKind::Move, matrixMovePatterns},
    {SpecKind::Move, bulkPatterns},
    {SpecKind::MatMul, matmulPatterns},
    {SpecKind::MatMul, warpgroupPatterns},
    {SpecKind::UnaryPointwise, pointwisePatterns},
    {SpecKind::BinaryPointwise, pointwisePatterns},
    {SpecKind::Init, initPatterns},
    {SpecKind::Shfl, shufflePatterns},
};

Patterns patternsFor(const Spec& leaf) {
  Patterns out;
  for (const auto& [kind, of] : kPatterns)
    if (kind == leaf.kind) std::ranges::move(of(leaf), std::back_inserter(out));
  return out;
}

// The accesses of operands in memory, all slots of a thread at once.
std::vector<AtomAccess> plainAccesses(const Spec& leaf, const Atom& atom) {
  std::vector<AtomAccess> out;
  const auto add = [&](const Tensor& t, std::size_t k, AccessDirection direction) {
    const i64 bytes = std::max<i64>(1, atom.slots[k] * bitsOf(t) / 8);
    if (const auto access = vectorAccessOf(t.memory, direction, bytes)) out.push_back({static_cast<int>(k), *access});
  };
  for (std::size_t k = 0; k < leaf.inputs.size(); ++k)
    add(leaf.inputs[k], leaf.outputs.size() + k, AccessDirection::Read);
  if (atom.function == AtomFunction::MultiplyAdd) add(leaf.outputs[0], 0, AccessDirection::Read);
  add(leaf.outputs[0], 0, AccessDirection::Write);
  return out;
}

// One term per slot: slot s has slot s of each input.
std::vector<std::vector<AtomTerm>> slotwise(i64 slots) {
  std::vector<std::vector<AtomTerm>> out;
  for (int s = 0; s < slots; ++s) out.push_back({{s, s}});
  return out;
}

Atom completed(const Spec& leaf, const Pattern& pattern) {
  Atom out = pattern.atom;
  for (std::size_t k = 0; k < pattern.operands.size(); ++k) {
    const OperandPattern& p = pattern.operands[k];
    i64 count = 1;
    for (const i64 n : p.levels) count *= n;
    out.slots.push_back(static_cast<int>(count));
    if (p.run > 1) out.alignment.push_back({static_cast<int>(k), p.run});
  }
  out.terms = pattern.terms ? pattern.terms() : slotwise(out.slots.front());
  out.accesses = pattern.accesses.empty() && !out.deferred && !out.box ? plainAccesses(leaf, out) : pattern.accesses;
  for (const AtomAccess& a : out.accesses) {
    if (out.access && (out.access->space == MemorySpace::Shared || a.access.space != MemorySpace::Shared)) continue;
    out.access = a.access;
    out.accessOperand = a.operand;
  }
  return out;
}

// The Diag for a pointwise operation on a type that no instruction computes with: + of s8.
std::optional<Diag> uncomputable(const Spec& leaf) {
  if (leaf.kind != SpecKind::UnaryPointwise && leaf.kind != SpecKind::BinaryPointwise) return std::nullopt;
  const Tensor& out = leaf.outputs[0];
  const std::string element = canonicalElement(out);
  std::vector<std::string> types;
  for (const Pattern& p : pointwisePatterns(leaf)) {
    if (p.operands[0].element == element) return std::nullopt;
    if (std::ranges::find(types, p.operands[0].element) == types.end()) types.push_back(p.operands[0].element);
  }
  return Diag{
      fmt::format("no instruction computes {} in {}", leaf.attribute, out.element.empty() ? "no type" : out.element),
      fmt::format("%{} in {}", out.name, fmt::join(types, ", ")),
      fmt::format("convert first: %w:[].{}.RF  %w <- Move(...)", types.empty() ? "f32" : types.back())};
}

// The Diag for a leaf that cannot match any pattern.
std::optional<Diag> unmatchable(const Spec& leaf) {
  if (leaf.kind == SpecKind::Reduction)
    return Diag{"no instruction implements a Reduction", "a decomposition",
                "BinaryPointwise in a loop for what a thread holds, Shfl<bfly 16> .. <bfly 1> across a warp"};
  if (leaf.kind == SpecKind::Generic)
    return Diag{"no instruction implements a Spec: it needs a decomposition, or one of the kinds", "Spec(...) { ... }",
                "Move MatMul UnaryPointwise BinaryPointwise Shfl Init"};
  if (leaf.kind == SpecKind::UnaryPointwise && scalarOperation(leaf.attribute, 1) == nullptr)
    return Diag{fmt::format("'{}' is not an operation on one value", leaf.attribute), scalarNames(1)};
  if (leaf.kind == SpecKind::BinaryPointwise && scalarOperation(leaf.attribute, 2) == nullptr)
    return Diag{fmt::format("'{}' is not an operation on two values", leaf.attribute), scalarNames(2)};
  for (const auto* tensors : {&leaf.outputs, &leaf.inputs})
    for (const Tensor& t : *tensors) {
      if (bitsOf(t) == 0)
        return Diag{fmt::format("the element type '{}' is unknown", t.element),
                    "fp64 fp32 tf32 fp16 bf16 e4m3 e5m2 or an integer, i8 to i64, u8 to u32"};
      if (!slotCount(t))
        return Diag{fmt::format("%{} has no fixed number of elements: an instruction moves a constant number", t.name),
                    "a tile of constant size", fmt::format("%{}.tile(...)[...]", t.name)};
    }
  return uncomputable(leaf);
}

// Allocate: the storage of its tensor is new.
Atom allocation(const Spec& leaf) {
  Atom out = instruction("allocate", "", "sm_20", "a declaration").atom;
  out.function = AtomFunction::Constant;
  out.operation = "undefined";
  const i64 slots = slotCount(leaf.outputs.front()).value_or(1);
  out.slots = {static_cast<int>(slots)};
  out.terms.resize(static_cast<std::size_t>(slots));
  return out;
}

}  // namespace

const AtomMatrix* matrixOf(const Atom& atom, std::size_t operand) {
  for (const AtomMatrix& m : atom.matrices)
    if (static_cast<std::size_t>(m.operand) == operand) return &m;
  return nullptr;
}

Pattern instruction(std::string name, std::string ptx, std::string architecture, std::string source) {
  Pattern out;
  out.atom.name = std::move(name);
  out.atom.ptx = std::move(ptx);
  out.atom.architecture = std::move(architecture);
  out.atom.source = std::move(source);
  return out;
}

unsigned memoryBit(Memory memory) {
  if (memory == Memory::Global) return kGlobal;
  if (memory == Memory::Shared) return kShared;
  return memory == Memory::Register ? kRegister : 0;
}

std::string canonicalElement(const Tensor& tensor) {
  const auto type = elementType(tensor.element);
  return type ? std::string(type->name) : tensor.element;
}

int bitsOf(const Tensor& tensor) {
  const auto type = elementType(tensor.element);
  return type ? type->bits : 0;
}

std::optional<AtlasAccess> vectorAccessOf(Memory memory, AccessDirection direction, i64 bytes) {
  if (memory != Memory::Global && memory != Memory::Shared) return std::nullopt;
  const bool shared = memory == Memory::Shared;
  constexpr std::pair<i64, const char*> kSuffixes[] = {{1, "u8"}, {2, "u16"}, {4, "v1"},
                                                       {8, "v2"}, {16, "v4"}, {INT64_MAX, "v8"}};
  const char* suffix = std::ranges::find_if(kSuffixes, [&](const auto& s) { return bytes <= s.first; })->second;
  const auto row = findInstruction(
      fmt::format("{}.{}.{}", direction == AccessDirection::Read ? "ld" : "st", shared ? "shared" : "global", suffix));
  if (!row) return std::nullopt;
  const AtlasAccess* access = accessOf(*row, shared ? MemorySpace::Shared : MemorySpace::Global);
  return access == nullptr ? std::nullopt : std::optional(*access);
}

OperandPattern flatOperand(unsigned memories, std::string element, i64 count, i64 run) {
  return {memories, std::move(element), {count}, true, count == 1 ? "[]" : fmt::format("[{}]", count), run};
}

Result<Atom> matchAtom(const Spec& leaf, std::string_view architecture) {
  if (auto diag = unmatchable(leaf)) return *std::move(diag);
  if (leaf.kind == SpecKind::Allocate) return allocation(leaf);
  const Patterns patterns = patternsFor(leaf);
  std::optional<Miss> nearest;
  const Pattern* which = nullptr;
  for (const Pattern& pattern : patterns) {
    const std::optional<Miss> miss = Fitting(leaf, pattern).run(architecture);
    if (!miss) return completed(leaf, pattern);
    if (nearest && nearest->cost <= miss->cost) continue;
    nearest = miss;
    which = &pattern;
  }
  if (which == nullptr)
    return Diag{fmt::format("no instruction matches this {}<{}>", name(leaf.kind), leaf.attribute),
                leaf.kind == SpecKind::Init ? initialNumbers(leaf.outputs[0])
                                            : "an operation on fp16, bf16, fp32, fp64 or i32"};
  return Diag{fmt::format("no instruction matches this {}: {} {}", name(leaf.kind), which->atom.name, nearest->differs),
              nearest->legal, "a decomposition, { ... }, into instructions"};
}

}  // namespace tessera::graphene
