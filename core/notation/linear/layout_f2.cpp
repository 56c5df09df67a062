// Compositions, inverses and quotients, by linear algebra over GF(2) on packed bases.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "core/base/mapped.h"
#include "core/map/forms/f2.h"
#include "core/notation/linear/layout.h"

namespace tessera::linear {

namespace f2 {

int log2(i64 powerOfTwo) { return std::countr_zero(static_cast<u64>(powerOfTwo)); }

u64 pack(const Basis& basis, const std::vector<Out>& outs) {
  u64 packed = 0;
  int shift = 0;
  for (std::size_t k = 0; k < basis.size(); ++k) {
    packed |= static_cast<u64>(basis[k]) << shift;
    shift += log2(outs[k].size);
  }
  return packed;
}

Basis unpack(u64 packed, const std::vector<Out>& outs) {
  Basis basis;
  for (const Out& out : outs) {
    basis.push_back(static_cast<i64>(packed & (static_cast<u64>(out.size) - 1)));
    packed >>= log2(out.size);
  }
  return basis;
}

// One column per input bit, in order.
std::vector<u64> columns(const Layout& l) {
  std::vector<u64> all;
  for (const In& in : l.ins())
    for (const Basis& basis : in.bases) all.push_back(pack(basis, l.outs()));
  return all;
}

int rank(const Layout& l) { return F2Echelon<u64>(columns(l)).rank(); }

}  // namespace f2

namespace {

// C with A(C(x)) = B(x). A's outputs are B's, in the same order and at least as large.
Result<Layout> leastSolution(const Layout& b, const Layout& a) {
  const F2Echelon<u64> solver(f2::columns(a));
  const std::vector<Out> outs = a.insAsOuts();
  std::vector<In> ins;
  for (const In& in : b.ins()) {
    In solved{in.name, {}};
    for (std::size_t k = 0; k < in.bases.size(); ++k) {
      const auto x = solver.solve(f2::pack(in.bases[k], a.outs()));
      if (!x)
        return Diag{fmt::format("{} {} of the first layout reaches an element that the second one does not hold",
                                in.name, i64{1} << k)};
      solved.bases.push_back(f2::unpack(*x, outs));
    }
    ins.push_back(std::move(solved));
  }
  return Layout::create(std::move(ins), outs);
}

}  // namespace

Result<Layout> compose(const Layout& inner, const Layout& outer) {
  for (const Out& out : inner.outs()) {
    if (!outer.hasIn(out.name)) return Diag{fmt::format("the outer layout has no input {}", out.name)};
    if (outer.inSize(out.name) < out.size)
      return Diag{fmt::format("{} has {} values in the inner layout, {} in the outer one", out.name, out.size,
                              outer.inSize(out.name))};
  }
  for (const In& in : outer.ins())
    if (!inner.hasOut(in.name)) return Diag{fmt::format("the inner layout has no output {}", in.name)};
  const auto positions = mapped<std::size_t>(outer.ins(), [&](const In& in) { return indexOf(inner.outs(), in.name); });
  return Layout::create(withBases(inner.ins(), [&](const Basis& basis) { return outer.at(picked(basis, positions)); }),
                        outer.outs());
}

Result<Layout> invert(const Layout& l) {
  if (!l.isInjective())
    return Diag{fmt::format("the layout has no inverse: it is not injective ({} input bits, rank {})", l.inBits(),
                            f2::rank(l))};
  if (!l.isSurjective())
    return Diag{fmt::format("the layout has no inverse: it is not surjective ({} output bits, rank {})", l.outBits(),
                            f2::rank(l))};
  return pseudoinvert(l);
}

Result<Layout> pseudoinvert(const Layout& l) {
  if (!l.isSurjective())
    return Diag{fmt::format("the layout has no right inverse: it is not surjective ({} output bits, rank {})",
                            l.outBits(), f2::rank(l))};
  Layout identity;
  for (const Out& out : l.outs()) {
    TESSERA_TRY(identity, multiply(identity, Layout::identity1D(out.size, out.name, out.name)));
  }
  return invertAndCompose(identity, l);
}

Result<Layout> invertAndCompose(const Layout& b, const Layout& a) {
  TESSERA_TRY(const Layout turned, transposeOuts(a, b.outNames()));
  for (const Out& out : b.outs())
    if (turned.outSize(out.name) < out.size)
      return Diag{fmt::format("{} has {} values in the first layout, {} in the second", out.name, out.size,
                              turned.outSize(out.name))};
  // Dimensions on which both agree are passed through; that is how Triton maps a broadcast onto itself.
  std::vector<std::string> same, restA, restB;
  for (const In& in : turned.ins()) {
    bool agrees = b.hasIn(in.name);
    if (agrees) {
      const auto pa = sublayout(turned, {in.name}, turned.outNames()), pb = sublayout(b, {in.name}, b.outNames());
      agrees = pa.ok() && pb.ok() && *pa == *pb;
    }
    (agrees ? same : restA).push_back(in.name);
  }
  for (const In& in : b.ins())
    if (!contains(same, in.name)) restB.push_back(in.name);
  TESSERA_TRY(const Layout reducedA, sublayout(turned, restA, turned.outNames()));
  TESSERA_TRY(const Layout reducedB, sublayout(b, restB, b.outNames()));
  auto solved = leastSolution(reducedB, reducedA);
  if (!solved) {  // the dimensions set aside are needed after all
    TESSERA_TRY(const Layout whole, leastSolution(b, turned));
    return transposeOuts(whole, a.inNames());
  }
  std::vector<In> ins;
  const std::vector<Out> outs = a.insAsOuts();
  for (const In& in : b.ins()) {
    In full{in.name, {}};
    for (std::size_t k = 0; k < in.bases.size(); ++k) {
      Basis basis(outs.size(), 0);
      for (std::size_t o = 0; o < outs.size(); ++o) {
        const std::size_t s = indexOf(solved->outs(), outs[o].name);
        if (contains(same, in.name)) {
          if (outs[o].name == in.name) basis[o] = i64{1} << k;
        } else if (s < solved->outs().size()) {
          basis[o] = solved->ins()[indexOf(solved->ins(), in.name)].bases[k][s];
        }
      }
      full.bases.push_back(std::move(basis));
    }
    ins.push_back(std::move(full));
  }
  return Layout::create(std::move(ins), outs);
}

namespace {

// A's outs with B's sizes divided out; nullopt if a size does not divide, or B has a dimension that A lacks.
std::optional<std::vector<Out>> dividedOuts(const Layout& a, const Layout& b) {
  for (const In& in : b.ins())
    if (!a.hasIn(in.name) || a.inSize(in.name) < b.inSize(in.name)) return std::nullopt;
  for (const Out& out : b.outs())
    if (!a.hasOut(out.name)) return std::nullopt;
  std::vector<Out> outs = a.outs();
  for (Out& out : outs) {
    if (out.size < b.outSize(out.name)) return std::nullopt;
    out.size /= b.outSize(out.name);
  }
  return outs;
}

// Splits A's bits into low and high per input and checks the product; the quotient's bases come from one half.
std::optional<Layout> divide(const Layout& a, const Layout& b, bool left) {
  const auto outs = dividedOuts(a, b);
  if (!outs) return std::nullopt;
  std::vector<In> ins;
  for (const In& in : a.ins()) {
    const int bBits = f2::log2(b.inSize(in.name));
    const auto begin = in.bases.begin() + (left ? bBits : 0), end = in.bases.end() - (left ? 0 : bBits);
    ins.push_back({in.name, {begin, end}});
    for (Basis& basis : ins.back().bases)
      for (std::size_t o = 0; left && o < basis.size(); ++o) basis[o] /= b.outSize(a.outs()[o].name);
  }
  auto candidate = Layout::create(std::move(ins), *outs);
  if (!candidate) return std::nullopt;
  const auto again = left ? multiply(b, *candidate) : multiply(*candidate, b);
  if (!again) return std::nullopt;
  const auto ordered = transposeIns(*again, a.inNames());
  const auto same = ordered ? transposeOuts(*ordered, a.outNames()) : ordered;
  if (!same || *same != a) return std::nullopt;
  return *std::move(candidate);
}

}  // namespace

std::optional<Layout> divideLeft(const Layout& a, const Layout& b) { return divide(a, b, true); }
std::optional<Layout> divideRight(const Layout& a, const Layout& b) { return divide(a, b, false); }

std::optional<Layout> quotient(const Layout& l, const std::vector<std::string>& dims) {
  for (const std::string& d : dims)
    if (!l.hasIn(d) || !l.hasOut(d) || l.inSize(d) != l.outSize(d)) return std::nullopt;
  std::vector<std::string> ins = l.inNames(), outs = l.outNames();
  for (auto* names : {&ins, &outs}) std::erase_if(*names, [&](const std::string& n) { return contains(dims, n); });
  for (const In& in : l.ins()) {
    for (std::size_t k = 0; k < in.bases.size(); ++k) {
      for (std::size_t o = 0; o < l.outs().size(); ++o) {
        const std::string& out = l.outs()[o].name;
        const i64 want = in.name == out ? i64{1} << k : 0;
        if ((contains(dims, in.name) || contains(dims, out)) && in.bases[k][o] != want) return std::nullopt;
      }
    }
  }
  auto rest = sublayout(l, ins, outs);
  return rest ? std::optional(*std::move(rest)) : std::nullopt;
}

i64 numConsecutiveInOut(const Layout& l) {
  if (l.ins().empty() || l.outs().empty()) return 1;
  const std::vector<Basis>& first = l.ins()[0].bases;
  std::size_t run = 0;
  while (run < first.size() && first[run] == unitBasis(l.outs().size(), 0, i64{1} << run)) ++run;
  i64 others = 0;
  for (std::size_t d = 0; d < l.ins().size(); ++d)
    for (std::size_t k = d == 0 ? run : 0; k < l.ins()[d].bases.size(); ++k) others |= l.ins()[d].bases[k][0];
  if (others != 0) run = std::min(run, static_cast<std::size_t>(std::countr_zero(static_cast<u64>(others))));
  return i64{1} << run;
}

NamedValues freeVariableMasks(const Layout& l) {
  u64 dependent = 0;
  const F2Echelon<u64> echelon(f2::columns(l));
  for (const u64 vector : echelon.kernel()) dependent |= std::bit_floor(vector);
  NamedValues masks;
  for (const In& in : l.ins()) {
    masks.push_back({in.name, static_cast<i64>(dependent & ((u64{1} << in.bases.size()) - 1))});
    dependent >>= in.bases.size();
  }
  return masks;
}

}  // namespace tessera::linear
