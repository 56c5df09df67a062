// Random HLO computations, small enough to trace every element.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "core/hlo/text/attributes.h"

namespace tessera::testing {

using Sizes = std::vector<i64>;

class RandomComputation {
 public:
  explicit RandomComputation(u64 seed) : rng_(seed) {}

  // `operations` of them, the last the root; the text of a module whose entry it is, or that has it as a fusion.
  std::string text(int operations, bool fused) {
    const Value first = parameter(randomSizes());
    (void)first;
    for (int k = 0; k < operations; ++k) operation();
    std::string body;
    for (const std::string& line : lines_) body += "  " + line + "\n";
    const std::string root = "  ROOT root = " + shape(values_.back().sizes) + " negate(" + values_.back().name + ")\n";
    if (!fused) return "HloModule m\nENTRY e {\n" + body + root + "}\n";
    std::string parameters, names;
    for (std::size_t k = 0; k < parameters_.size(); ++k) {
      parameters +=
          "  q" + std::to_string(k) + " = " + shape(parameters_[k].sizes) + " parameter(" + std::to_string(k) + ")\n";
      names += (k > 0 ? ", q" : "q") + std::to_string(k);
    }
    return "HloModule m\nf {\n" + body + root + "}\nENTRY e {\n" + parameters +
           "  ROOT r = " + shape(values_.back().sizes) + " fusion(" + names + "), kind=kLoop, calls=f\n}\n";
  }

 private:
  struct Value {
    std::string name;
    Sizes sizes;
  };
  std::mt19937_64 rng_;
  std::vector<std::string> lines_;
  std::vector<Value> values_, parameters_;

  i64 draw(i64 n) { return static_cast<i64>(rng_() % static_cast<u64>(n)); }
  Sizes randomSizes(std::size_t least = 0) {
    Sizes s;
    const std::size_t rank = least + static_cast<std::size_t>(draw(3));
    for (std::size_t k = 0; k < rank; ++k) s.push_back(1 + draw(4));
    return s;
  }
  static std::string list(const Sizes& s) {
    std::string out;
    for (std::size_t k = 0; k < s.size(); ++k) out += (k > 0 ? "," : "") + std::to_string(s[k]);
    return out;
  }
  static std::string shape(const Sizes& s) { return "f32[" + list(s) + "]"; }
  Sizes shuffled(std::size_t n) {
    Sizes p;
    for (std::size_t k = 0; k < n; ++k) p.push_back(static_cast<i64>(k));
    for (std::size_t k = n; k > 1; --k) std::swap(p[k - 1], p[static_cast<std::size_t>(draw(static_cast<i64>(k)))]);
    return p;
  }
  Value parameter(const Sizes& sizes) {
    const Value v{"p" + std::to_string(parameters_.size()), sizes};
    lines_.push_back(v.name + " = " + shape(sizes) + " parameter(" + std::to_string(parameters_.size()) + ")");
    parameters_.push_back(v);
    values_.push_back(v);
    return v;
  }
  // One that is there, of at least that rank, or a new parameter.
  Value any(std::size_t least = 0) {
    for (int k = 0; k < 6; ++k) {
      const Value v = values_[static_cast<std::size_t>(draw(static_cast<i64>(values_.size())))];
      if (v.sizes.size() >= least && v.sizes.size() < 5) return v;
    }
    return parameter(randomSizes(least));
  }
  Value like(const Sizes& sizes) {
    for (int k = 0; k < 4; ++k) {
      const Value v = values_[static_cast<std::size_t>(draw(static_cast<i64>(values_.size())))];
      if (v.sizes == sizes) return v;
    }
    return parameter(sizes);
  }
  void make(const Sizes& sizes, const std::string& rest, const std::string& layout = "") {
    const Value v{"v" + std::to_string(lines_.size()), sizes};
    lines_.push_back(v.name + " = " + shape(sizes) + layout + " " + rest);
    values_.push_back(v);
  }
  static i64 elements(const Sizes& s) {
    i64 n = 1;
    for (const i64 k : s) n *= k;
    return n;
  }

  void operation() {
    switch (draw(15)) {
      case 0:
        return binary();
      case 1:
        return broadcast();
      case 2:
        return transpose();
      case 3:
        return reverse();
      case 4:
      case 5:
        return reshape();
      case 6:
        return slice();
      case 7:
        return concatenate();
      case 8:
        return pad();
      case 9:
      case 10:
        return reduce();
      case 11:
        return reduceWindow();
      case 12:
        return dot();
      case 13:
        return convolution();
      default:
        return gather();
    }
  }
  void binary() {
    const Value a = any();
    const Value b = like(a.sizes);
    make(a.sizes, "add(" + a.name + ", " + b.name + ")");
  }
  void broadcast() {
    const Value a = any();
    Sizes out = a.sizes, dims;
    std::vector<bool> old(out.size(), true);
    for (i64 k = draw(3); k > 0 && out.size() < 4; --k) {
      const auto at = static_cast<std::ptrdiff_t>(draw(static_cast<i64>(out.size()) + 1));
      out.insert(out.begin() + at, 1 + draw(3));
      old.insert(old.begin() + at, false);
    }
    for (std::size_t k = 0; k < out.size(); ++k)
      if (old[k]) dims.push_back(static_cast<i64>(k));
    make(out, "broadcast(" + a.name + "), dimensions={" + list(dims) + "}");
  }
  void transpose() {
    const Value a = any(1);
    const Sizes p = shuffled(a.sizes.size());
    Sizes out;
    for (const i64 k : p) out.push_back(a.sizes[static_cast<std::size_t>(k)]);
    make(out, "transpose(" + a.name + "), dimensions={" + list(p) + "}");
  }
  void reverse() {
    const Value a = any(1);
    Sizes dims = shuffled(a.sizes.size());
    dims.resize(static_cast<std::size_t>(1 + draw(static_cast<i64>(dims.size()))));
    make(a.sizes, "reverse(" + a.name + "), dimensions={" + list(dims) + "}");
  }
  // Prime factors of the sizes joined again.
  void reshape() {
    const Value a = any();
    Sizes factors;
    for (i64 n : a.sizes)
      for (i64 p = 2; n > 1; ++p)
        for (; n % p == 0; n /= p) factors.push_back(p);
    Sizes out;
    for (const i64 f : factors) {
      if (!out.empty() && draw(2) == 0)
        out.back() *= f;
      else
        out.push_back(f);
      if (draw(5) == 0) out.push_back(1);
    }
    const bool bitcast = draw(3) == 0 && !out.empty();
    if (!bitcast) return make(out, "reshape(" + a.name + ")");
    make(out, "bitcast(" + a.name + ")", "{" + list(shuffled(out.size())) + "}");
    make(out, "copy(" + values_.back().name + ")");  // what follows takes the plain layout to be there
  }
  void slice() {
    const Value a = any(1);
    Sizes out;
    std::string ranges;
    for (const i64 n : a.sizes) {
      const i64 start = draw(n), limit = start + 1 + draw(n - start), stride = 1 + draw(3);
      out.push_back((limit - start + stride - 1) / stride);
      ranges += (ranges.empty() ? "[" : ", [") + std::to_string(start) + ":" + std::to_string(limit) + ":" +
                std::to_string(stride) + "]";
    }
    make(out, "slice(" + a.name + "), slice={" + ranges + "}");
  }
  void concatenate() {
    const Value a = any(1);
    const auto d = static_cast<std::size_t>(draw(static_cast<i64>(a.sizes.size())));
    Sizes other = a.sizes, out = a.sizes;
    other[d] = 1 + draw(3);
    const Value b = like(other);
    out[d] += other[d];
    make(out, "concatenate(" + a.name + ", " + b.name + "), dimensions={" + std::to_string(d) + "}");
  }
  void pad() {
    const Value a = any(1);
    const Value v = like({});
    Sizes out;
    std::string padding;
    for (const i64 n : a.sizes) {
      const i64 low = draw(3) - (n > 1 ? 1 : 0), high = draw(3), interior = draw(3);
      out.push_back(std::max<i64>(0, n + low + high + (n - 1) * interior));
      if (out.back() == 0) return;
      padding += (padding.empty() ? "" : "x") + std::to_string(low) + "_" + std::to_string(high) + "_" +
                 std::to_string(interior);
    }
    make(out, "pad(" + a.name + ", " + v.name + "), padding=" + padding);
  }
  void reduce() {
    const Value a = any(1);
    const Value v = like({});
    Sizes dims = shuffled(a.sizes.size()), out;
    dims.resize(static_cast<std::size_t>(draw(static_cast<i64>(dims.size()) + 1)));
    for (std::size_t k = 0; k < a.sizes.size(); ++k)
      if (std::count(dims.begin(), dims.end(), static_cast<i64>(k)) == 0) out.push_back(a.sizes[k]);
    make(out, "reduce(" + a.name + ", " + v.name + "), dimensions={" + list(dims) + "}");
  }
  struct Window {
    std::string text;
    Sizes out;
    bool good = true;
  };
  Window window(const Sizes& in, const Sizes& taps, bool reversal) {
    Window w;
    std::string size, stride, pad, base, dilation, reversed;
    for (std::size_t k = 0; k < in.size(); ++k) {
      const i64 s = 1 + draw(2), low = draw(2), high = draw(2), b = 1 + draw(2), d = 1 + draw(2);
      const std::string x = k > 0 ? "x" : "";
      size += x + std::to_string(taps[k]);
      stride += x + std::to_string(s);
      pad += x + std::to_string(low) + "_" + std::to_string(high);
      base += x + std::to_string(b);
      dilation += x + std::to_string(d);
      reversed += x + std::to_string(reversal ? draw(2) : 0);
      const i64 padded = (in[k] - 1) * b + 1 + low + high, reach = (taps[k] - 1) * d + 1;
      w.good = w.good && padded >= reach;
      w.out.push_back(padded < reach ? 0 : (padded - reach) / s + 1);
    }
    w.text = "window={size=" + size + " stride=" + stride + " pad=" + pad + " lhs_dilate=" + base +
             " rhs_dilate=" + dilation + " rhs_reversal=" + reversed + "}";
    return w;
  }
  void reduceWindow() {
    const Value a = any(1);
    const Value v = like({});
    Sizes taps;
    for (std::size_t k = 0; k < a.sizes.size(); ++k) taps.push_back(1 + draw(2));
    const Window w = window(a.sizes, taps, false);
    if (w.good) make(w.out, "reduce-window(" + a.name + ", " + v.name + "), " + w.text);
  }
  void dot() {
    const Value a = any(1);
    const Sizes p = shuffled(a.sizes.size());
    const auto batch = static_cast<std::size_t>(draw(2)), contracted = static_cast<std::size_t>(draw(2));
    Sizes lb, lc, rb, rc, other, out, left;
    for (std::size_t k = 0; k < p.size(); ++k) (k < batch ? lb : k < batch + contracted ? lc : left).push_back(p[k]);
    std::sort(left.begin(), left.end());
    if (draw(2) == 0) other.push_back(1 + draw(3));
    for (const i64 k : lc) {
      rc.push_back(static_cast<i64>(other.size()));
      other.push_back(a.sizes[static_cast<std::size_t>(k)]);
    }
    for (const i64 k : lb) {
      rb.push_back(static_cast<i64>(other.size()));
      other.push_back(a.sizes[static_cast<std::size_t>(k)]);
    }
    for (const i64 k : lb) out.push_back(a.sizes[static_cast<std::size_t>(k)]);
    for (const i64 k : left) out.push_back(a.sizes[static_cast<std::size_t>(k)]);
    if (other.size() > lb.size() + lc.size()) out.push_back(other[0]);
    if (out.size() > 4) return;
    const Value b = like(other);
    make(out, "dot(" + a.name + ", " + b.name + "), lhs_batch_dims={" + list(lb) + "}, rhs_batch_dims={" + list(rb) +
                  "}, lhs_contracting_dims={" + list(lc) + "}, rhs_contracting_dims={" + list(rc) + "}");
  }
  void convolution() {
    const i64 features = draw(3) == 0 ? 2 : 1, batches = features == 1 && draw(3) == 0 ? 2 : 1;
    const i64 inputs = 1 + draw(2), outputs = features * batches * (1 + draw(2)), batch = batches * (1 + draw(2)),
              taps = 1 + draw(3), size = 2 + draw(3);
    const Value a = like({batch, size, inputs * features}), b = like({taps, inputs, outputs});
    const Window w = window({size}, {taps}, true);
    if (!w.good) return;
    make({batch / batches, w.out[0], outputs},
         "convolution(" + a.name + ", " + b.name + "), " + w.text + ", dim_labels=b0f_0io->b0f, feature_group_count=" +
             std::to_string(features) + ", batch_group_count=" + std::to_string(batches));
  }
  // General: index vectors in any dimension, some dimensions collapsed.
  void gather() {
    const Value a = any(1);
    const std::size_t rank = a.sizes.size();
    Sizes map = shuffled(rank), slices, collapsed, kept;
    map.resize(1 + static_cast<std::size_t>(draw(static_cast<i64>(rank))));
    for (std::size_t k = 0; k < rank; ++k) {
      slices.push_back(1 + draw(a.sizes[k]));
      if (slices[k] == 1 && draw(2) == 0)
        collapsed.push_back(static_cast<i64>(k));
      else
        kept.push_back(slices[k]);
    }
    const i64 count = 1 + draw(3);
    const bool first = draw(2) == 0;
    const Value indices =
        parameter(first ? Sizes{static_cast<i64>(map.size()), count} : Sizes{count, static_cast<i64>(map.size())});
    const i64 at = draw(static_cast<i64>(kept.size()) + 1);
    Sizes out = kept, offsets;
    out.insert(out.begin() + at, count);
    for (std::size_t k = 0; k < out.size(); ++k)
      if (static_cast<i64>(k) != at) offsets.push_back(static_cast<i64>(k));
    make(out, "gather(" + a.name + ", " + indices.name + "), offset_dims={" + list(offsets) +
                  "}, collapsed_slice_dims={" + list(collapsed) + "}, start_index_map={" + list(map) +
                  "}, index_vector_dim=" + (first ? "0" : "1") + ", slice_sizes={" + list(slices) + "}");
  }
};

}  // namespace tessera::testing
