// The expected results of the fused kernels of assets/graphene, computed plainly in double. Matrices are row-major
// lists.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace fused {

using Values = std::vector<double>;

// relu(x * w_l + bias_l) for each of `layers`, 128 wide; w has the matrices below each other.
inline Values mlp(Values x, const Values& w, const Values& bias, std::size_t layers) {
  const std::size_t n = 128, rows = x.size() / n;
  for (std::size_t l = 0; l < layers; ++l) {
    Values y(x.size());
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t c = 0; c < n; ++c) {
        double sum = bias[l * n + c];
        for (std::size_t k = 0; k < n; ++k) sum += x[r * n + k] * w[(l * n + k) * n + c];
        y[r * n + c] = std::max(0.0, sum);
      }
    x = y;
  }
  return x;
}

struct Cell {
  Values c, h;
};
// w [inputs + units, 4, units]: gates i, f, g, o.
inline Cell lstm(const Values& x, const Values& h0, const Values& w, const Values& bias, const Values& c0,
                 std::size_t inputs, std::size_t units) {
  const auto sigmoid = [](double v) { return 1 / (1 + std::exp(-v)); };
  Cell out{c0, c0};
  for (std::size_t r = 0; r < c0.size() / units; ++r)
    for (std::size_t u = 0; u < units; ++u) {
      double z[4];
      for (std::size_t gate = 0; gate < 4; ++gate) {
        z[gate] = bias[gate * units + u];
        for (std::size_t k = 0; k < inputs; ++k) z[gate] += x[r * inputs + k] * w[(k * 4 + gate) * units + u];
        for (std::size_t k = 0; k < units; ++k) z[gate] += h0[r * units + k] * w[((inputs + k) * 4 + gate) * units + u];
      }
      const double c = sigmoid(z[1]) * c0[r * units + u] + sigmoid(z[0]) * std::tanh(z[2]);
      out.c[r * units + u] = c;
      out.h[r * units + u] = sigmoid(z[3]) * std::tanh(c);
    }
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

// All tensors [batch, places, heads, 64].
inline Values attention(const Values& q, const Values& k, const Values& v, std::size_t batch, std::size_t places,
                        std::size_t heads) {
  Values out(q.size());
  const auto at = [&](std::size_t b, std::size_t p, std::size_t h) { return ((b * places + p) * heads + h) * 64; };
  for (std::size_t b = 0; b < batch; ++b)
    for (std::size_t h = 0; h < heads; ++h)
      for (std::size_t i = 0; i < places; ++i) {
        Values weight(places);
        double most = -1e300, total = 0;
        for (std::size_t j = 0; j < places; ++j) {
          for (std::size_t d = 0; d < 64; ++d) weight[j] += q[at(b, i, h) + d] * k[at(b, j, h) + d] / 8;
          most = std::max(most, weight[j]);
        }
        for (double& w : weight) total += w = std::exp(w - most);
        for (std::size_t j = 0; j < places; ++j)
          for (std::size_t d = 0; d < 64; ++d) out[at(b, i, h) + d] += weight[j] / total * v[at(b, j, h) + d];
      }
  return out;
}

}  // namespace fused
