#include "solver/graphene/sizes/split_tensors.h"

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>

#include "core/base/work_budget.h"
#include "core/expr/linear_sum.h"
#include "core/expr/walk.h"
#include "core/graphene/meaning.h"
#include "solver/graphene/sizes/kernel_alone.h"

namespace tessera::graphene {
namespace {

constexpr i64 kMostCoefficient = i64{1} << 20;

bool isLarge(i64 v) { return v > kMostCoefficient || v < -kMostCoefficient; }

// The coefficient of the size, and the rest. nullopt: the index is not linear in it, or has large numbers.
std::optional<std::pair<Linear, Linear>> coefficientOf(const Expr& index, int size) {
  const auto sum = linearSum(index);
  if (!sum) return std::nullopt;
  Linear of, rest{{}, sum->constant};
  for (const Term& t : sum->terms) {
    if (!mentionsParam(t.part, size)) {
      rest.terms.push_back(t);
      continue;
    }
    const auto product = factorsOf(t.part);
    if (!product) return std::nullopt;
    const auto others = without(product->factors, {Expr::param(size)});
    if (!others) return std::nullopt;
    const Expr part = productOf(*others);
    if (mentionsParam(part, size)) return std::nullopt;
    if (isLarge(t.coefficient) || isLarge(product->coefficient)) return std::nullopt;
    const i64 times = t.coefficient * product->coefficient;
    if (part.isConstant()) {
      if (!part.isConstant(1)) return std::nullopt;  // a constant is in the coefficient
      of.constant += times;
    } else if (!addTerm(of, part, times)) {
      return std::nullopt;
    }
  }
  return std::pair{std::move(of), std::move(rest)};
}

struct Split {
  int storage, dim, size;  // size: a param
  i64 part, parts;         // part * size * parts is the extent
};

class Splitter {
 public:
  Splitter(const Sites& sites, int kernel) : sites_(sites), kernel_(kernel) {}

  std::optional<Program> run() {
    find();
    if (splits_.empty()) return std::nullopt;
    Program out = kernelAlone(sites_, kernel_);
    int operand = 0;  // operands are the first storages
    for (Tensor& t : out.operands) tensor(t, operand++);
    auto node = sites_.specs.begin() + kernel_;
    eachSpec(out.specs, [&](Spec& spec) { specification(spec, *node++); });
    if (failed_) return std::nullopt;
    return out;
  }

 private:
  // ---- what to split

  void find() {
    const Spec& spec = *sites_.specs[kernel_].spec;
    if (!spec.meaning) return;
    for (const MeaningNode& n : spec.meaning->nodes) {
      if (n.kind != MeaningNode::Kind::Operand || n.what < static_cast<int>(spec.outputs.size())) continue;
      const int storage =
          sites_.storageOf(sites_.specs[kernel_].inputs[static_cast<std::size_t>(n.what) - spec.outputs.size()]);
      if (splits_.contains(storage) || !isOnlyRead(sites_, kernel_, storage)) continue;
      const std::vector<Expr>& extents = sites_.of(storage).declared.extents;
      if (n.at.size() != extents.size()) continue;
      for (std::size_t d = 0; d < extents.size() && !splits_.contains(storage); ++d) consider(storage, d, n.at[d]);
    }
  }
  void consider(int storage, std::size_t dim, const Expr& index) {
    const auto& variables = sites_.program->variables;
    for (int v = 0; v < std::ssize(variables); ++v) {
      if (variables[v].kind != Variable::Kind::Size || !mentionsParam(index, v)) continue;
      spend(16);
      const auto extent = coefficientOf(sites_.of(storage).declared.extents[dim], v), of = coefficientOf(index, v);
      if (!extent || !of || !extent->first.terms.empty() || !extent->second.terms.empty() ||
          extent->second.constant != 0)
        continue;
      i64 part = of->first.constant;
      for (const Term& t : of->first.terms) part = std::gcd(part, t.coefficient);
      const i64 whole = extent->first.constant;
      if (part <= 0 || whole <= part || whole % part != 0) continue;
      splits_[storage] = {storage, static_cast<int>(dim), v, part, whole / part};
      return;
    }
  }

  // ---- splitting

  [[nodiscard]] const Split* splitOf(int storage) const {
    const auto at = splits_.find(storage);
    return at == splits_.end() ? nullptr : &at->second;
  }

  void indices(std::vector<Expr>& all, const Split& s) {
    const auto split = splitIndex(all[s.dim], s.size, s.part);
    if (!split) {
      failed_ = true;
      return;
    }
    all[s.dim] = split->rest;
    all.insert(all.begin() + s.dim, split->quotient);
  }

  // Whether it has the whole dimension.
  bool tensor(Tensor& t, int storage) {
    const Split* s = splitOf(storage);
    if (s == nullptr) return false;
    const Expr extent = t.extents[s->dim], part = Expr::param(s->size) * s->part;
    bool whole = false;
    for (Level& level : t.levels)
      for (std::size_t d = 0; d < level.dims.size(); ++d) {
        Dim& dim = level.dims[d];
        const bool all = t.levels.size() == 1 && dim.size() == 1 && dim[0].dim == s->dim && dim[0].size == extent &&
                         dim[0].step.isConstant(1);
        for (Mode& m : dim) {
          if (m.dim == s->dim && !all && !m.size.isConstant()) failed_ = true;
          if (m.dim >= s->dim) ++m.dim;
        }
        if (!all) continue;
        if (std::exchange(whole, true)) failed_ = true;
        Mode outer = dim[0];
        outer.size = Expr::constant(s->parts);
        outer.stride = part * outer.stride;
        outer.dim = s->dim;
        dim[0].size = part;
        level.dims.insert(level.dims.begin() + static_cast<std::ptrdiff_t>(d), Dim{outer});
        ++d;
      }
    t.extents[s->dim] = part;
    t.extents.insert(t.extents.begin() + s->dim, Expr::constant(s->parts));
    indices(t.origin, *s);
    return whole;
  }

  void specification(Spec& spec, const SpecNode& node) {
    std::vector<const Split*> whole;  // by operand
    const auto each = [&](std::vector<Tensor>& all, const std::vector<int>& nodes) {
      for (std::size_t k = 0; k < all.size(); ++k) {
        const int storage = sites_.storageOf(nodes[k]);
        whole.push_back(tensor(all[k], storage) ? splitOf(storage) : nullptr);
      }
    };
    each(spec.outputs, node.outputs);
    each(spec.inputs, node.inputs);
    if (std::ranges::all_of(whole, [](const Split* s) { return s == nullptr; })) return;
    if (!spec.meaning) {
      failed_ = true;
      return;
    }
    auto meaning = std::make_shared<Meaning>(*spec.meaning);
    for (MeaningNode& n : meaning->nodes)
      if (n.kind == MeaningNode::Kind::Operand && whole[n.what] != nullptr) indices(n.at, *whole[n.what]);
    spec.meaning = std::move(meaning);
  }

  const Sites& sites_;
  const int kernel_;
  std::map<int, Split> splits_;  // by storage
  bool failed_ = false;
};

}  // namespace

std::optional<SplitIndex> splitIndex(const Expr& index, int size, i64 part) {
  auto split = coefficientOf(index, size);
  if (!split || split->first.constant % part != 0) return std::nullopt;
  split->first.constant /= part;
  for (Term& t : split->first.terms) {
    if (t.coefficient % part != 0) return std::nullopt;
    t.coefficient /= part;
  }
  return SplitIndex{built(std::move(split->first)), built(std::move(split->second))};
}

std::optional<Program> withSplitTensors(const Sites& sites, int kernel) { return Splitter(sites, kernel).run(); }

}  // namespace tessera::graphene
