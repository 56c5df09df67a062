#include "core/map/f2.h"

#include <algorithm>
#include <bit>

namespace tessera {
namespace {

// Column echelon form: reduced columns with the combination of original columns that gives each.
struct Echelon {
  struct Row {
    u64 value;        // reduced image
    u64 combination;  // which input bits
  };
  std::vector<Row> pivots;  // distinct leading bits
  std::vector<u64> kernel;  // combinations that vanish
};

Echelon echelonOf(const F2Matrix& m) {
  Echelon e;
  for (std::size_t k = 0; k < m.columns.size(); ++k) {
    u64 value = m.columns[k], combination = u64{1} << k;
    for (const auto& p : e.pivots)
      if ((value >> (std::bit_width(p.value) - 1)) & 1) {
        value ^= p.value;
        combination ^= p.combination;
      }
    if (value == 0) {
      e.kernel.push_back(combination);
    } else {
      e.pivots.push_back({value, combination});
    }
  }
  return e;
}

}  // namespace

F2Matrix F2Matrix::identity(int bits) {
  F2Matrix m{bits, {}};
  for (int k = 0; k < bits; ++k) m.columns.push_back(u64{1} << k);
  return m;
}

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

int rank(const F2Matrix& m) { return static_cast<int>(echelonOf(m).pivots.size()); }

std::optional<u64> kernelVector(const F2Matrix& m) {
  const Echelon e = echelonOf(m);
  if (e.kernel.empty()) return std::nullopt;
  u64 best = e.kernel[0];
  for (const u64 k : e.kernel) best = std::min(best, k);
  return best;
}

F2Matrix pseudoInverse(const F2Matrix& m) {
  Echelon e = echelonOf(m);
  // Clear every pivot's leading bit from the other pivots; then output bit lead(p) corresponds to input p.combination.
  for (std::size_t i = 0; i < e.pivots.size(); ++i)
    for (std::size_t j = 0; j < e.pivots.size(); ++j)
      if (i != j && ((e.pivots[j].value >> (std::bit_width(e.pivots[i].value) - 1)) & 1)) {
        e.pivots[j].value ^= e.pivots[i].value;
        e.pivots[j].combination ^= e.pivots[i].combination;
      }
  F2Matrix inv{static_cast<int>(m.columns.size()), std::vector<u64>(static_cast<std::size_t>(m.rows), 0)};
  for (const auto& p : e.pivots) inv.columns[static_cast<std::size_t>(std::bit_width(p.value) - 1)] = p.combination;
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
  std::sort(basis.begin(), basis.end());
  return basis;
}

std::vector<u64> kernelBasis(const F2Matrix& m) { return spanBasis(echelonOf(m).kernel); }

std::string print(const F2Matrix& m) {
  std::string text;
  for (int r = m.rows - 1; r >= 0; --r) {
    for (int c = static_cast<int>(m.columns.size()) - 1; c >= 0; --c) text += m.bit(r, c) ? '1' : '0';
    if (r > 0) text += '\n';
  }
  return text;
}

}  // namespace tessera
