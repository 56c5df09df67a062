#include "core/map/forms/f2.h"

#include <algorithm>

namespace tessera {
namespace f2_detail {

int leading(const F2Words& v) {
  for (std::size_t w = v.size(); w-- > 0;)
    if (v[w] != 0) return static_cast<int>(w) * 64 + leading(v[w]);
  return -1;
}

void add(F2Words& a, const F2Words& b) {
  a.resize(std::max(a.size(), b.size()), 0);
  for (std::size_t w = 0; w < b.size(); ++w) a[w] ^= b[w];
}

template <>
u64 unit<u64>(int k) {
  return u64{1} << k;
}
template <>
F2Words unit<F2Words>(int k) {
  F2Words mask(static_cast<std::size_t>(k / 64) + 1, 0);
  mask.back() = u64{1} << (k % 64);
  return mask;
}

}  // namespace f2_detail

u64 F2Matrix::apply(u64 x) const {
  u64 y = 0;
  for (; x != 0; x &= x - 1) {
    const auto k = static_cast<std::size_t>(std::countr_zero(x));
    if (k < columns.size()) y ^= columns[k];
  }
  return y;
}

F2Matrix operator*(const F2Matrix& a, const F2Matrix& b) {
  F2Matrix m{a.rows, {}};
  for (const u64 c : b.columns) m.columns.push_back(a.apply(c));
  return m;
}

int rank(const F2Matrix& m) { return F2Echelon<u64>(m.columns).rank(); }

std::optional<u64> kernelVector(const F2Matrix& m) {
  const F2Echelon<u64> e(m.columns);
  return e.kernel().empty() ? std::nullopt : std::optional(*std::ranges::min_element(e.kernel()));
}

F2Matrix pseudoInverse(const F2Matrix& m) {
  std::vector<F2Echelon<u64>::Row> rows = F2Echelon<u64>(m.columns).rows();
  // Clear every row's leading bit from the other rows; then output bit r.lead corresponds to input r.combination.
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < rows.size(); ++j)
      if (i != j && f2_detail::bit(rows[j].value, rows[i].lead)) {
        rows[j].value ^= rows[i].value;
        rows[j].combination ^= rows[i].combination;
      }
  F2Matrix inv{static_cast<int>(m.columns.size()), std::vector<u64>(static_cast<std::size_t>(m.rows), 0)};
  for (const auto& r : rows) inv.columns[static_cast<std::size_t>(r.lead)] = r.combination;
  return inv;
}

std::optional<F2Matrix> inverse(const F2Matrix& m) {
  if (rank(m) != static_cast<int>(m.columns.size())) return std::nullopt;
  return pseudoInverse(m);
}

std::vector<u64> spanBasis(const std::vector<u64>& vectors) {
  std::vector<u64> basis;
  for (u64 v : vectors) {
    for (const u64 b : basis)
      if ((v >> (std::bit_width(b) - 1)) & 1) v ^= b;
    if (v == 0) continue;
    for (u64& b : basis)
      if ((b >> (std::bit_width(v) - 1)) & 1) b ^= v;
    basis.push_back(v);
  }
  std::ranges::sort(basis);
  return basis;
}

std::vector<u64> kernelBasis(const F2Matrix& m) { return spanBasis(F2Echelon<u64>(m.columns).kernel()); }

std::string print(const F2Matrix& m) {
  std::string text;
  for (int r = m.rows - 1; r >= 0; --r) {
    for (int c = static_cast<int>(m.columns.size()) - 1; c >= 0; --c) text += m.bit(r, c) ? '1' : '0';
    if (r > 0) text += '\n';
  }
  return text;
}

}  // namespace tessera
