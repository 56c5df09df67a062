// References: the expected results of programs of the library, computed plainly in double. Matrices are row-major
// lists.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace tessera::host_check {

using Values = std::vector<double>;

// c + a * b; a is m x k, b is k x n.
inline Values product(const Values& a, const Values& b, Values c, std::size_t m, std::size_t n, std::size_t k) {
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t x = 0; x < k; ++x) c[i * n + j] += a[i * k + x] * b[x * n + j];
  return c;
}

// relu(a * b + bias), 64 x 64 x 64.
inline Values layer(const Values& a, const Values& b, const Values& bias) {
  Values out = product(a, b, Values(4096), 64, 64, 64);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = std::max(0.0, out[i] + bias[i % 64]);
  return out;
}

inline Values rowSums(const Values& in, std::size_t columns) {
  Values out(in.size() / columns);
  for (std::size_t i = 0; i < in.size(); ++i) out[i / columns] += in[i];
  return out;
}

inline Values layernorm(const Values& x, const Values& gamma, const Values& beta) {
  const std::size_t n = gamma.size();
  Values out(x.size());
  for (std::size_t r = 0; r < x.size() / n; ++r) {
    double mean = 0, variance = 0;
    for (std::size_t c = 0; c < n; ++c) mean += x[r * n + c] / static_cast<double>(n);
    for (std::size_t c = 0; c < n; ++c) variance += std::pow(x[r * n + c] - mean, 2) / static_cast<double>(n);
    for (std::size_t c = 0; c < n; ++c)
      out[r * n + c] = (x[r * n + c] - mean) / std::sqrt(variance + 1e-5) * gamma[c] + beta[c];
  }
  return out;
}

inline Values softmax(Values x, std::size_t n) {
  for (std::size_t r = 0; r < x.size() / n; ++r) {
    double sum = 0, most = x[r * n];
    for (std::size_t c = 0; c < n; ++c) most = std::max(most, x[r * n + c]);
    for (std::size_t c = 0; c < n; ++c) sum += std::exp(x[r * n + c] - most);
    for (std::size_t c = 0; c < n; ++c) x[r * n + c] = std::exp(x[r * n + c] - most) / sum;
  }
  return x;
}

// softmax(q * k^T / 8) * v, all 64 x 64.
inline Values attention(const Values& q, const Values& k, const Values& v) {
  Values across(4096);
  for (std::size_t i = 0; i < 64; ++i)
    for (std::size_t j = 0; j < 64; ++j) across[64 * i + j] = k[64 * j + i];
  Values scores = product(q, across, Values(4096), 64, 64, 64);
  for (double& s : scores) s /= 8;
  return product(softmax(scores, 64), v, Values(4096), 64, 64, 64);
}

struct Cell {
  Values c, h;
};
inline Cell lstm(const Values& xh, const Values& w, const Values& bias, const Values& c0) {
  const auto sigmoid = [](double v) { return 1 / (1 + std::exp(-v)); };
  Cell out{Values(512), Values(512)};
  for (std::size_t row = 0; row < 16; ++row)
    for (std::size_t unit = 0; unit < 32; ++unit) {
      double z[4];
      for (std::size_t gate = 0; gate < 4; ++gate) {
        z[gate] = bias[gate * 32 + unit];
        for (std::size_t k = 0; k < 64; ++k) z[gate] += xh[row * 64 + k] * w[(gate * 64 + k) * 32 + unit];
      }
      const std::size_t i = row * 32 + unit;
      out.c[i] = sigmoid(z[1]) * c0[i] + sigmoid(z[0]) * std::tanh(z[2]);
      out.h[i] = sigmoid(z[3]) * std::tanh(out.c[i]);
    }
  return out;
}

}  // namespace tessera::host_check
