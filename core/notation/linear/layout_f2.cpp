#include "core/notation/linear/layout_f2.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace tessera {

namespace f2 {

int log2(i64 powerOfTwo) { return std::countr_zero(static_cast<u64>(powerOfTwo)); }

u64 pack(const LinearBasis& basis, const std::vector<LinearOut>& outs) {
  u64 packed = 0;
  int shift = 0;
  for (std::size_t k = 0; k < basis.size(); ++k) {
    packed |= static_cast<u64>(basis[k]) << shift;
    shift += log2(outs[k].size);
  }
  return packed;
}

std::vector<u64> columns(const LinearLayout& l) {
  std::vector<u64> all;
  for (const LinearIn& in : l.ins())
    for (const LinearBasis& basis : in.bases) all.push_back(pack(basis, l.outs()));
  return all;
}

Solver::Solver(const std::vector<u64>& columns) {
  for (std::size_t c = 0; c < columns.size(); ++c) {
    Row row{columns[c], u64{1} << c, 0};
    for (const Row& r : rows_)
      if ((row.value & r.pivot) != 0) row.value ^= r.value, row.combination ^= r.combination;
    if (row.value == 0) {
      dependent_ |= u64{1} << c;
      continue;
    }
    row.pivot = std::bit_floor(row.value);
    rows_.push_back(row);
  }
}

std::optional<u64> Solver::solve(u64 y) const {
  u64 x = 0;
  for (const Row& r : rows_)
    if ((y & r.pivot) != 0) y ^= r.value, x ^= r.combination;
  if (y != 0) return std::nullopt;
  return x;
}

int rank(const std::vector<u64>& columns) {
  const Solver solver(columns);
  return static_cast<int>(columns.size()) - std::popcount(solver.dependent());
}

}  // namespace f2

namespace {

Diag refuse(std::string message) { return Diag{std::move(message), {}, {}, {}}; }

bool contains(const std::vector<std::string>& names, const std::string& n) {
  return std::find(names.begin(), names.end(), n) != names.end();
}

std::vector<LinearOut> inputsAsOuts(const LinearLayout& l) {
  std::vector<LinearOut> outs;
  for (const LinearIn& in : l.ins()) outs.push_back({in.name, i64{1} << in.bases.size()});
  return outs;
}

LinearBasis unpack(u64 packed, const std::vector<LinearOut>& outs) {
  LinearBasis basis;
  for (const LinearOut& out : outs) {
    basis.push_back(static_cast<i64>(packed & (static_cast<u64>(out.size) - 1)));
    packed >>= f2::log2(out.size);
  }
  return basis;
}

// C with A(C(x)) = B(x); A's outs are B's, at least as large and in the same order.
Result<LinearLayout> leastSolution(const LinearLayout& b, const LinearLayout& a) {
  const f2::Solver solver(f2::columns(a));
  const std::vector<LinearOut> outs = inputsAsOuts(a);
  std::vector<LinearIn> ins;
  for (const LinearIn& in : b.ins()) {
    LinearIn solved{in.name, {}};
    for (std::size_t k = 0; k < in.bases.size(); ++k) {
      const auto x = solver.solve(f2::pack(in.bases[k], a.outs()));
      if (!x)
        return refuse(fmt::format("{} {} of the first layout reaches an element that the second one does not hold",
                                  in.name, i64{1} << k));
      solved.bases.push_back(unpack(*x, outs));
    }
    ins.push_back(std::move(solved));
  }
  return LinearLayout::create(std::move(ins), outs);
}

}  // namespace

Result<LinearLayout> compose(const LinearLayout& inner, const LinearLayout& outer) {
  for (const LinearOut& out : inner.outs()) {
    if (!outer.hasIn(out.name)) return refuse(fmt::format("the outer layout has no input {}", out.name));
    if (outer.inSize(out.name) < out.size)
      return refuse(fmt::format("{} has {} values in the inner layout, {} in the outer one", out.name, out.size,
                                outer.inSize(out.name)));
  }
  for (const LinearIn& in : outer.ins())
    if (!inner.hasOut(in.name)) return refuse(fmt::format("the inner layout has no output {}", in.name));
  std::vector<LinearIn> ins = inner.ins();
  for (LinearIn& in : ins)
    for (LinearBasis& basis : in.bases) {
      std::vector<i64> inputs;
      for (const LinearIn& o : outer.ins())
        for (std::size_t k = 0; k < inner.outs().size(); ++k)
          if (inner.outs()[k].name == o.name) inputs.push_back(basis[k]);
      basis = outer.at(inputs);
    }
  return LinearLayout::create(std::move(ins), outer.outs());
}

Result<LinearLayout> invert(const LinearLayout& l) {
  if (!l.isInjective())
    return refuse(fmt::format("the layout has no inverse: it is not injective ({} input bits, rank {})", l.inBits(),
                              f2::rank(f2::columns(l))));
  if (!l.isSurjective())
    return refuse(fmt::format("the layout has no inverse: it is not surjective ({} output bits, rank {})", l.outBits(),
                              f2::rank(f2::columns(l))));
  return pseudoinvert(l);
}

Result<LinearLayout> pseudoinvert(const LinearLayout& l) {
  if (!l.isSurjective())
    return refuse(fmt::format("the layout has no right inverse: it is not surjective ({} output bits, rank {})",
                              l.outBits(), f2::rank(f2::columns(l))));
  LinearLayout identity;
  for (const LinearOut& out : l.outs()) {
    TESSERA_TRY(identity, multiply(identity, LinearLayout::identity1D(out.size, out.name, out.name)));
  }
  return invertAndCompose(identity, l);
}

Result<LinearLayout> invertAndCompose(const LinearLayout& b, const LinearLayout& a) {
  TESSERA_TRY(const LinearLayout turned, transposeOuts(a, b.outNames()));
  for (const LinearOut& out : b.outs())
    if (turned.outSize(out.name) < out.size)
      return refuse(fmt::format("{} has {} values in the first layout, {} in the second", out.name, out.size,
                                turned.outSize(out.name)));
  // Dimensions on which both agree go through unchanged: Triton maps a broadcast onto itself that way.
  std::vector<std::string> same, restA, restB;
  for (const LinearIn& in : turned.ins()) {
    bool agrees = b.hasIn(in.name);
    if (agrees) {
      const auto pa = sublayout(turned, {in.name}, turned.outNames()), pb = sublayout(b, {in.name}, b.outNames());
      agrees = pa.ok() && pb.ok() && *pa == *pb;
    }
    (agrees ? same : restA).push_back(in.name);
  }
  for (const LinearIn& in : b.ins())
    if (!contains(same, in.name)) restB.push_back(in.name);
  TESSERA_TRY(const LinearLayout reducedA, sublayout(turned, restA, turned.outNames()));
  TESSERA_TRY(const LinearLayout reducedB, sublayout(b, restB, b.outNames()));
  auto solved = leastSolution(reducedB, reducedA);
  if (!solved) {  // what was set aside is needed after all
    TESSERA_TRY(const LinearLayout whole, leastSolution(b, turned));
    return transposeOuts(whole, a.inNames());
  }
  std::vector<LinearIn> ins;
  const std::vector<LinearOut> outs = inputsAsOuts(a);
  for (const LinearIn& in : b.ins()) {
    LinearIn full{in.name, {}};
    for (std::size_t k = 0; k < in.bases.size(); ++k) {
      LinearBasis basis(outs.size(), 0);
      for (std::size_t o = 0; o < outs.size(); ++o) {
        if (contains(same, in.name)) {
          if (outs[o].name == in.name) basis[o] = i64{1} << k;
          continue;
        }
        for (std::size_t s = 0; s < solved->outs().size(); ++s) {
          if (solved->outs()[s].name != outs[o].name) continue;
          for (const LinearIn& from : solved->ins())
            if (from.name == in.name) basis[o] = from.bases[k][s];
        }
      }
      full.bases.push_back(std::move(basis));
    }
    ins.push_back(std::move(full));
  }
  return LinearLayout::create(std::move(ins), outs);
}

namespace {

// A's outs with B's sizes divided out; nullopt when a size does not divide or B has a dimension that A has not.
std::optional<std::vector<LinearOut>> dividedOuts(const LinearLayout& a, const LinearLayout& b) {
  for (const LinearIn& in : b.ins())
    if (!a.hasIn(in.name) || a.inSize(in.name) < b.inSize(in.name)) return std::nullopt;
  for (const LinearOut& out : b.outs())
    if (!a.hasOut(out.name)) return std::nullopt;
  std::vector<LinearOut> outs = a.outs();
  for (LinearOut& out : outs) {
    if (out.size < b.outSize(out.name)) return std::nullopt;
    out.size /= b.outSize(out.name);
  }
  return outs;
}

// Splits A into low and high input bits an input and checks the product; the quotient's bases come from one half.
std::optional<LinearLayout> divide(const LinearLayout& a, const LinearLayout& b, bool left) {
  const auto outs = dividedOuts(a, b);
  if (!outs) return std::nullopt;
  std::vector<LinearIn> ins;
  for (const LinearIn& in : a.ins()) {
    const std::size_t bBits = static_cast<std::size_t>(f2::log2(b.inSize(in.name)));
    const std::size_t begin = left ? bBits : 0, end = left ? in.bases.size() : in.bases.size() - bBits;
    LinearIn part{in.name, {}};
    for (std::size_t k = begin; k < end; ++k) {
      LinearBasis basis = in.bases[k];
      if (left)
        for (std::size_t o = 0; o < basis.size(); ++o) basis[o] /= b.outSize(a.outs()[o].name);
      part.bases.push_back(std::move(basis));
    }
    ins.push_back(std::move(part));
  }
  auto candidate = LinearLayout::create(std::move(ins), *outs);
  if (!candidate) return std::nullopt;
  const auto again = left ? multiply(b, *candidate) : multiply(*candidate, b);
  if (!again) return std::nullopt;
  const auto ordered = transposeIns(*again, a.inNames());
  const auto same = ordered ? transposeOuts(*ordered, a.outNames()) : ordered;
  if (!same || *same != a) return std::nullopt;
  return *std::move(candidate);
}

}  // namespace

std::optional<LinearLayout> divideLeft(const LinearLayout& a, const LinearLayout& b) { return divide(a, b, true); }
std::optional<LinearLayout> divideRight(const LinearLayout& a, const LinearLayout& b) { return divide(a, b, false); }

std::optional<LinearLayout> quotient(const LinearLayout& l, const std::vector<std::string>& dims) {
  for (const std::string& d : dims)
    if (!l.hasIn(d) || !l.hasOut(d) || l.inSize(d) != l.outSize(d)) return std::nullopt;
  std::vector<std::string> ins, outs;
  for (const std::string& n : l.inNames())
    if (!contains(dims, n)) ins.push_back(n);
  for (const std::string& n : l.outNames())
    if (!contains(dims, n)) outs.push_back(n);
  for (const LinearIn& in : l.ins()) {
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

i64 numConsecutiveInOut(const LinearLayout& l) {
  if (l.ins().empty() || l.outs().empty()) return 1;
  const std::vector<LinearBasis>& first = l.ins()[0].bases;
  std::size_t run = 0;
  for (; run < first.size(); ++run) {
    LinearBasis want(l.outs().size(), 0);
    want[0] = i64{1} << run;
    if (first[run] != want) break;
  }
  i64 others = 0;
  for (std::size_t d = 0; d < l.ins().size(); ++d)
    for (std::size_t k = d == 0 ? run : 0; k < l.ins()[d].bases.size(); ++k) others |= l.ins()[d].bases[k][0];
  if (others != 0) run = std::min(run, static_cast<std::size_t>(std::countr_zero(static_cast<u64>(others))));
  return i64{1} << run;
}

NamedValues freeVariableMasks(const LinearLayout& l) {
  u64 dependent = f2::Solver(f2::columns(l)).dependent();
  NamedValues masks;
  for (const LinearIn& in : l.ins()) {
    masks.push_back({in.name, static_cast<i64>(dependent & ((u64{1} << in.bases.size()) - 1))});
    dependent >>= in.bases.size();
  }
  return masks;
}

}  // namespace tessera
