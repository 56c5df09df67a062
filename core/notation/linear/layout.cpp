#include "core/notation/linear/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/base/arith.h"
#include "core/base/chars.h"
#include "core/base/check.h"
#include "core/base/mapped.h"

namespace tessera::linear {

bool isZero(const Basis& basis) {
  return std::ranges::all_of(basis, [](i64 c) { return c == 0; });
}

Basis picked(const Basis& basis, const std::vector<std::size_t>& positions) {
  return mapped<i64>(positions, [&](std::size_t k) { return basis[k]; });
}

Basis unitBasis(std::size_t rank, std::size_t k, i64 value) {
  Basis basis(rank, 0);
  if (value != 0) basis[k] = value;
  return basis;
}

std::vector<Out> dimOuts(const std::vector<i64>& shape) {
  std::vector<Out> outs;
  for (const i64 size : shape) outs.push_back({fmt::format("dim{}", outs.size()), size});
  return outs;
}

std::vector<std::string> dimNames(std::size_t rank) {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < rank; ++k) names.push_back(fmt::format("dim{}", k));
  return names;
}

namespace {

std::string joined(const std::vector<std::string>& names) { return fmt::format("[{}]", fmt::join(names, ", ")); }

template <typename Dims>
Result<void> distinctNames(const Dims& dims, const char* side) {
  std::set<std::string> seen;
  for (const auto& d : dims)
    if (!seen.insert(d.name).second) return Diag{fmt::format("the {} {} is named twice", side, d.name)};
  return {};
}

Result<void> powersOfTwo(const std::vector<Out>& dims) {
  for (const Out& d : dims)
    if (!isPowerOfTwo(d.size)) return Diag{fmt::format("the size {} of {} is not a power of two", d.size, d.name)};
  return {};
}

// The least order that contains both; ties go to a.
Result<std::vector<std::string>> supremum(const std::vector<std::string>& a, const std::vector<std::string>& b,
                                          const char* side) {
  const auto in = [](const std::vector<std::string>& list, std::size_t from, const std::string& name) {
    return std::find(list.begin() + static_cast<std::ptrdiff_t>(from), list.end(), name) != list.end();
  };
  std::vector<std::string> merged;
  std::size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    if (i < a.size() && j < b.size() && a[i] == b[j]) {
      merged.push_back(a[i]);
      ++i, ++j;
    } else if (i < a.size() && !in(b, j, a[i])) {
      merged.push_back(a[i++]);
    } else if (j < b.size() && !in(a, i, b[j])) {
      merged.push_back(b[j++]);
    } else {
      return Diag{fmt::format("the {} {} and {} are in conflicting orders", side, joined(a), joined(b))};
    }
  }
  return merged;
}

}  // namespace

Result<Layout> Layout::create(std::vector<In> ins, std::vector<Out> outs, bool requireSurjective) {
  TESSERA_CHECKED(distinctNames(ins, "input"));
  TESSERA_CHECKED(distinctNames(outs, "output"));
  TESSERA_CHECKED(powersOfTwo(outs));
  for (const In& in : ins) {
    for (const Basis& basis : in.bases) {
      if (basis.size() != outs.size())
        return Diag{fmt::format("a basis of {} has {}, but the layout has {}", in.name,
                                counted(basis.size(), "coordinate"), counted(outs.size(), "output"))};
      for (std::size_t k = 0; k < basis.size(); ++k)
        if (basis[k] < 0 || basis[k] >= outs[k].size)
          return Diag{fmt::format("a basis of {} goes to {} {}, which is not in [0, {})", in.name, outs[k].name,
                                  basis[k], outs[k].size)};
    }
  }
  Layout l;
  l.ins_ = std::move(ins);
  l.outs_ = std::move(outs);
  if (l.inBits() > 62 || l.outBits() > 62)
    return Diag{fmt::format("{} input and {} output bits; at most 62 of each are supported", l.inBits(), l.outBits())};
  if (requireSurjective && !l.isSurjective())
    return Diag{"the layout is not surjective: some output coordinate is never reached",
                "bases whose xors reach every coordinate"};
  return l;
}

Result<Layout> Layout::createInferred(std::vector<In> ins, std::vector<std::string> outs) {
  std::vector<Out> sized;
  for (std::size_t k = 0; k < outs.size(); ++k) {
    i64 size = 1;
    for (const In& in : ins)
      for (const Basis& basis : in.bases)
        while (k < basis.size() && size <= basis[k] && size < (i64{1} << 61)) size *= 2;
    sized.push_back({outs[k], size});
  }
  return create(std::move(ins), std::move(sized), true);
}

Layout Layout::identity1D(i64 size, const std::string& in, const std::string& out) {
  LAYOUT_CHECK(isPowerOfTwo(size), "identity1D takes a power of two");
  Layout l;
  l.outs_ = {{out, size}};
  l.ins_ = {{in, {}}};
  for (i64 b = 1; b < size; b *= 2) l.ins_[0].bases.push_back({b});
  return l;
}

Layout Layout::zeros1D(i64 size, const std::string& in, const std::string& out) {
  Layout l = identity1D(size, in, out);
  l.outs_[0].size = 1;
  for (Basis& basis : l.ins_[0].bases) basis = {0};
  return l;
}

std::vector<std::string> Layout::inNames() const { return mapped<std::string>(ins_, &In::name); }
std::vector<std::string> Layout::outNames() const { return mapped<std::string>(outs_, &Out::name); }
bool Layout::hasIn(const std::string& name) const { return indexOf(ins_, name) < ins_.size(); }
bool Layout::hasOut(const std::string& name) const { return indexOf(outs_, name) < outs_.size(); }
i64 Layout::inSize(const std::string& name) const {
  return hasIn(name) ? i64{1} << ins_[indexOf(ins_, name)].bases.size() : 1;
}
i64 Layout::outSize(const std::string& name) const { return hasOut(name) ? outs_[indexOf(outs_, name)].size : 1; }
int Layout::inBits() const {
  std::size_t bits = 0;
  for (const In& in : ins_) bits += in.bases.size();
  return static_cast<int>(bits);
}
int Layout::outBits() const {
  int bits = 0;
  for (const Out& out : outs_) bits += f2::log2(out.size);
  return bits;
}

std::vector<Out> Layout::insAsOuts() const {
  return mapped<Out>(ins_, [](const In& in) { return Out{in.name, i64{1} << in.bases.size()}; });
}

std::vector<i64> Layout::at(const std::vector<i64>& inputs) const {
  std::vector<i64> out(outs_.size(), 0);
  for (std::size_t d = 0; d < ins_.size(); ++d)
    for (std::size_t b = 0; b < ins_[d].bases.size(); ++b)
      if ((inputs[d] >> b & 1) != 0)
        for (std::size_t k = 0; k < out.size(); ++k) out[k] ^= ins_[d].bases[b][k];
  return out;
}

Result<NamedValues> Layout::apply(const NamedValues& inputs) const {
  std::vector<i64> values(ins_.size(), -1);
  for (const auto& [name, value] : inputs) {
    if (!hasIn(name)) return Diag{fmt::format("the layout has no input {}; it has {}", name, joined(inNames()))};
    if (value < 0 || value >= inSize(name))
      return Diag{fmt::format("{} {} is not in [0, {})", name, value, inSize(name))};
    values[indexOf(ins_, name)] = value;
  }
  for (std::size_t d = 0; d < ins_.size(); ++d)
    if (values[d] < 0) return Diag{fmt::format("no value for the input {}", ins_[d].name)};
  const std::vector<i64> out = at(values);
  NamedValues named;
  for (std::size_t k = 0; k < out.size(); ++k) named.push_back({outs_[k].name, out[k]});
  return named;
}

bool Layout::isSurjective() const { return f2::rank(*this) == outBits(); }
bool Layout::isInjective() const { return f2::rank(*this) == inBits(); }

Result<Layout> multiply(const Layout& a, const Layout& b) {
  TESSERA_TRY(const auto inNames, supremum(a.inNames(), b.inNames(), "inputs"));
  TESSERA_TRY(const auto outNames, supremum(a.outNames(), b.outNames(), "outputs"));
  std::vector<Out> outs;
  for (const std::string& name : outNames) {
    const std::optional<i64> size = checkedMul(a.outSize(name), b.outSize(name));
    if (!size) return Diag{fmt::format("the product has more than 62 bits of {}", name)};
    outs.push_back({name, *size});
  }
  const auto placed = [&](const Layout& l, const Basis& basis, bool second) {
    Basis wide(outs.size(), 0);
    for (std::size_t j = 0; j < l.outs().size(); ++j) {
      const std::string& name = l.outs()[j].name;
      wide[indexOf(outs, name)] = second ? basis[j] * a.outSize(name) : basis[j];
    }
    return wide;
  };
  std::vector<In> ins;
  for (const std::string& name : inNames) {
    In in{name, {}};
    for (const Layout* l : {&a, &b})
      for (const In& from : l->ins())
        if (from.name == name)
          for (const Basis& basis : from.bases) in.bases.push_back(placed(*l, basis, l == &b));
    ins.push_back(std::move(in));
  }
  return Layout::create(std::move(ins), std::move(outs));
}

namespace {

Result<std::vector<std::size_t>> permutation(const std::vector<std::string>& have, const std::vector<std::string>& want,
                                             const char* side) {
  std::vector<std::string> a = have, b = want;
  std::ranges::sort(a);
  std::ranges::sort(b);
  if (a != b) return Diag{fmt::format("{} is not a permutation of the {} {}", joined(want), side, joined(have))};
  std::vector<std::size_t> order;
  for (const std::string& name : want)
    order.push_back(static_cast<std::size_t>(std::ranges::find(have, name) - have.begin()));
  return order;
}

}  // namespace

Result<Layout> transposeIns(const Layout& l, const std::vector<std::string>& names) {
  TESSERA_TRY(const auto order, permutation(l.inNames(), names, "inputs"));
  return Layout::create(mapped<In>(order, [&](std::size_t k) { return l.ins()[k]; }), l.outs());
}

Result<Layout> transposeOuts(const Layout& l, const std::vector<std::string>& names) {
  TESSERA_TRY(const auto order, permutation(l.outNames(), names, "outputs"));
  return Layout::create(withBases(l.ins(), [&](const Basis& basis) { return picked(basis, order); }),
                        mapped<Out>(order, [&](std::size_t k) { return l.outs()[k]; }));
}

Result<Layout> reshapeIns(const Layout& l, const std::vector<Out>& dims) {
  TESSERA_CHECKED(powersOfTwo(dims));
  std::vector<Basis> all;
  for (const In& in : l.ins()) all.insert(all.end(), in.bases.begin(), in.bases.end());
  std::vector<In> ins;
  std::size_t at = 0;
  for (const Out& d : dims) {
    In in{d.name, {}};
    for (int b = f2::log2(d.size); b > 0; --b) {
      if (at == all.size()) return Diag{fmt::format("the new inputs have more bits than the old ones, {}", all.size())};
      in.bases.push_back(all[at++]);
    }
    ins.push_back(std::move(in));
  }
  if (at != all.size()) return Diag{fmt::format("the new inputs have {} bits, the old ones {}", at, all.size())};
  return Layout::create(std::move(ins), l.outs());
}

Result<Layout> reshapeOuts(const Layout& l, const std::vector<Out>& dims) {
  TESSERA_CHECKED(powersOfTwo(dims));
  int bits = 0;
  for (const Out& d : dims) bits += f2::log2(d.size);
  if (bits != l.outBits()) return Diag{fmt::format("the new outputs have {} bits, the old ones {}", bits, l.outBits())};
  return Layout::create(
      withBases(l.ins(), [&](const Basis& basis) { return f2::unpack(f2::pack(basis, l.outs()), dims); }), dims);
}

Result<Layout> sublayout(const Layout& l, const std::vector<std::string>& ins, const std::vector<std::string>& outs) {
  for (const std::string& n : ins)
    if (!l.hasIn(n)) return Diag{fmt::format("the layout has no input {}; it has {}", n, joined(l.inNames()))};
  for (const std::string& n : outs)
    if (!l.hasOut(n)) return Diag{fmt::format("the layout has no output {}; it has {}", n, joined(l.outNames()))};
  std::vector<std::size_t> positions;
  for (std::size_t k = 0; k < l.outs().size(); ++k)
    if (contains(outs, l.outs()[k].name)) positions.push_back(k);
  std::vector<In> kept = l.ins();
  std::erase_if(kept, [&](const In& in) { return !contains(ins, in.name); });
  return Layout::create(withBases(std::move(kept), [&](const Basis& basis) { return picked(basis, positions); }),
                        mapped<Out>(positions, [&](std::size_t k) { return l.outs()[k]; }));
}

}  // namespace tessera::linear
