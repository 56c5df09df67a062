// Products of matrices that a warp holds in registers: mma.sync and wmma.mma (fragments.h).
//
// The hardware's order and width of the sum are not specified. Here the accumulator and the products are added in
// double, in the order of k, and the sum is rounded to the accumulator's type: exact while it fits 53 bits, as sums of
// integers and of fp16 products of like size do.
//
// Of kind::mxf8f6f4, mxf4 and mxf4nvf4 each `block` elements along k of a row of A, and of a column of B, have a scale:
//
//     {scale-a, {byte-id, thread-id}}   row m: lane 4*(m%8) + 2*thread-id + m/8, byte byte-id + k/block
//     {scale-b, {byte-id, thread-id}}   column n: lane 4*n + thread-id, the same byte
//
// PTX ISA 9.0, 9.7.14.5.2 (block scaling) shows the places in figures; others have measured them for 1X on sm_120.
#include <algorithm>
#include <cmath>

#include "solver/kernel/lanes/fragments.h"
#include "solver/kernel/lanes/make.h"

namespace tessera::kernel {

using ptx::Type;

namespace {

// The largest tiles: mma.m16n8k256 of bits, and the accumulators of wmma.
constexpr std::size_t kMostA = 16 * 256, kMostB = 8 * 256, kMostC = 512;

// A fragment as a table: for register r, element e of it and thread t, the place of the value in the tile by rows.
struct PlaceTable {
  PlaceTable() = default;
  explicit PlaceTable(const Fragment& f)
      : type(f.type), rows(f.rows), columns(f.columns), threads(f.threads), registers(f.registers) {
    for (int v = 0; v < f.values(); ++v)
      for (int t = 0; t < threads; ++t)
        places.push_back(static_cast<std::uint16_t>(f.at(t, v).row * columns + f.at(t, v).column));
    std::vector<char> owned(size(), 0);
    for (const std::uint16_t place : places) owned[place] = 1;
    complete = std::find(owned.begin(), owned.end(), 0) == owned.end();
  }
  TileType type;
  int rows = 0, columns = 0, threads = 0, registers = 0;
  bool complete = false;  // every element has an owner
  std::vector<std::uint16_t> places;
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(rows * columns); }

  // visit(register, first bit, places of the threads) for each value of a thread.
  template <class Visit>
  void eachValue(const Visit& visit) const {
    const int n = type.perRegister();
    const std::uint16_t* at = places.data();
    for (int r = 0; r < registers; ++r)
      for (int e = 0; e < n; ++e, at += threads) visit(static_cast<std::size_t>(r), n == 1 ? 0 : e * type.bits, at);
  }
  template <class Decode>
  void gather(const Lanes* const* in, const std::uint8_t* lanes, double* tile, const Decode& decode) const {
    eachValue([&](std::size_t r, int bit, const std::uint16_t* at) {
      const Lanes& held = *in[r];
      for (int t = 0; t < threads; ++t) tile[at[t]] = decode(held[lanes[t]] >> bit);
    });
  }
  void gather(const Lanes* const* in, const std::uint8_t* lanes, double* tile) const {
    if (!complete) std::fill_n(tile, size(), 0.0);
    if (!type.integer && type.format == kF16) {
      static const std::vector<float> kValues = [] {  // of all numbers of the format
        std::vector<float> out;
        for (u64 x = 0; x < 65536; ++x) out.push_back(static_cast<float>(unpack(x, kF16)));
        return out;
      }();
      const float* const values = kValues.data();
      return gather(in, lanes, tile, [values](u64 x) { return double{values[x & 0xffff]}; });
    }
    if (!type.integer && (type.format == kF32 || type.format == kBf16 || type.format == kTf32)) {
      const int up = type.format == kBf16 ? 16 : 0;
      const std::uint32_t keep = type.format == kTf32 ? 0xffffe000u : 0xffffffffu;
      return gather(in, lanes, tile,
                    [=](u64 x) { return double{std::bit_cast<float>(static_cast<std::uint32_t>(x) << up & keep)}; });
    }
    gather(in, lanes, tile, [&](u64 x) { return type.value(x); });
  }
  template <class Encode>
  void scatter(Lanes* const* out, const std::uint8_t* lanes, const double* tile, const Encode& encode) const {
    eachValue([&](std::size_t r, int bit, const std::uint16_t* at) {
      Lanes& held = *out[r];
      for (int t = 0; t < threads; ++t) {
        const u64 value = encode(tile[at[t]]) << bit;
        held[lanes[t]] = bit == 0 ? value : held[lanes[t]] | value;
      }
    });
  }
};

// c += a * b where products are exact in double: of all types but f64. N: the columns.
template <int N>
__attribute__((always_inline)) inline void addExactly(const double* __restrict a, const double* __restrict b,
                                                      double* __restrict c, int m, int k) {
  for (int i = 0; i < m; ++i) {
    std::array<double, N> sums;
    for (std::size_t j = 0; j < N; ++j) sums[j] = c[static_cast<std::size_t>(i * N) + j];
    for (int p = 0; p < k; ++p) {
      const double x = a[i * k + p];
      for (std::size_t j = 0; j < N; ++j) sums[j] += x * b[static_cast<std::size_t>(p * N) + j];
    }
    for (std::size_t j = 0; j < N; ++j) c[static_cast<std::size_t>(i * N) + j] = sums[j];
  }
}
#if defined(__x86_64__)
template <int N>
__attribute__((target("avx2"))) void addExactWide(const double* a, const double* b, double* c, int m, int k) {
  addExactly<N>(a, b, c, m, k);
}
template <int N>
void addExact(const double* a, const double* b, double* c, int m, int k) {
  static const bool wide = __builtin_cpu_supports("avx2");
  wide ? addExactWide<N>(a, b, c, m, k) : addExactly<N>(a, b, c, m, k);
}
#else
template <int N>
void addExact(const double* a, const double* b, double* c, int m, int k) {
  addExactly<N>(a, b, c, m, k);
}
#endif

struct Product {
  explicit Product(const MatrixProduct& p)
      : a(p.a),
        b(p.b),
        c(p.c),
        d(p.d),
        groups(p.groups),
        block(p.block),
        saturates(p.saturates),
        exclusive(p.exclusive),
        ue4m3(p.ue4m3) {}
  PlaceTable a, b, c, d;
  int groups = 1;
  int block = 0;
  bool saturates = false, exclusive = false, ue4m3 = false;
  // The scale in operands from `first` on: a register, a byte and a thread.
  [[nodiscard]] double scaleAt(const LaneArguments& in, std::size_t first, int lane, int k) const {
    const auto at = static_cast<std::size_t>(lane);
    const u64 byte = (*in.in[first + 1])[at] + static_cast<u64>(k / block);
    const u64 x = (*in.in[first])[at] >> 8 * (byte & 3) & 0xff;
    if (ue4m3) return unpack(x & 0x7f, kE4m3);
    return x == 255 ? std::nan("") : std::ldexp(1.0, static_cast<int>(x) - 127);
  }
  void scale(const LaneArguments& in, double* x, double* y) const {
    const auto first = static_cast<std::size_t>(a.registers + b.registers + c.registers);
    const int threadA = static_cast<int>((*in.in[first + 2])[0] & 1),
              threadB = static_cast<int>((*in.in[first + 5])[0] & 3);
    for (int k = 0; k < a.columns; ++k) {
      for (int m = 0; m < a.rows; ++m) x[m * a.columns + k] *= scaleAt(in, first, 4 * (m % 8) + 2 * threadA + m / 8, k);
      for (int n = 0; n < b.columns; ++n) y[k * b.columns + n] *= scaleAt(in, first + 3, 4 * n + threadB, k);
    }
  }
  [[nodiscard]] int laneOf(int group, int thread) const {
    return groups == 1 ? thread : 4 * group + thread % 4 + 16 * (thread / 4);
  }
  [[nodiscard]] bool fits() const { return a.size() <= kMostA && b.size() <= kMostB && c.size() <= kMostC; }
  void run(const LaneArguments& in) const {
    std::array<double, kMostA> x;
    std::array<double, kMostB> y;
    std::array<double, kMostC> z;
    for (int g = 0; g < groups; ++g) {
      std::array<std::uint8_t, kLanes> lanes{};
      for (int t = 0; t < a.threads; ++t) lanes[static_cast<std::size_t>(t)] = static_cast<std::uint8_t>(laneOf(g, t));
      a.gather(in.in, lanes.data(), x.data());
      b.gather(in.in + a.registers, lanes.data(), y.data());
      c.gather(in.in + a.registers + b.registers, lanes.data(), z.data());
      if (block != 0) scale(in, x.data(), y.data());
      multiply(x.data(), y.data(), z.data());
      if (!d.type.integer && d.type.format == kF32)
        d.scatter(in.out, lanes.data(), z.data(), [](double value) -> u64 {
          return value != value ? canonicalNan(kF32) : std::bit_cast<std::uint32_t>(static_cast<float>(value));
        });
      else
        d.scatter(in.out, lanes.data(), z.data(), [&](double value) { return d.type.held(value, saturates); });
    }
  }
  void multiply(const double* x, const double* y, double* z) const {
    const int m = c.rows, n = c.columns, k = a.columns;
    const bool exact = !exclusive && (a.type.integer || a.type.format != kF64);
    if (exact && n == 8) return addExact<8>(x, y, z, m, k);
    if (exact && n == 16) return addExact<16>(x, y, z, m, k);
    for (int i = 0; i < m; ++i)
      for (int p = 0; p < k; ++p)
        for (int j = 0; j < n; ++j) {
          const double u = x[i * k + p], v = y[p * n + j];
          double& sum = z[i * n + j];
          sum = exclusive ? sum + u + v - 2 * u * v : std::fma(u, v, sum);
        }
  }
};

Operation operationOfProduct(Product product) {
  Operation op;
  op.results = product.d.registers;
  op.together = true;
  for (const PlaceTable* f : {&product.a, &product.b, &product.c})
    op.sources.insert(op.sources.end(), static_cast<std::size_t>(f->registers),
                      f->type.bits == 64 ? Type::F64 : Type::B32);
  if (product.block != 0)
    for (int k = 0; k < 2; ++k) op.sources.insert(op.sources.end(), {Type::B32, Type::B32, Type::B32});
  op.bound = "the order in which the hardware adds the products is not specified (PTX ISA, mma)";
  op.inPlace = true;
  op.run = [product = std::move(product)](const LaneArguments& in) { product.run(in); };
  return op;
}

std::optional<MatrixProduct> wmmaProduct(const ptx::Opcode& o) {
  const auto shape = shapeOf(o);
  std::vector<Type> types = o.types();
  // d a b c; of f16 only d c.
  if (types.size() == 2) types = {types[0], Type::F16, Type::F16, types[1]};
  if (!shape || types.size() != 4) return std::nullopt;
  auto a = wmmaFragment(*shape, 'a', nameOf(types[1])), b = wmmaFragment(*shape, 'b', nameOf(types[2]));
  auto c = wmmaFragment(*shape, 'c', nameOf(types[3])), d = wmmaFragment(*shape, 'c', nameOf(types[0]));
  if (!a || !b || !c || !d) return std::nullopt;
  return MatrixProduct{*std::move(a), *std::move(b), *std::move(c), *std::move(d)};
}

// Products of Blackwell's consumer GPUs; their modifiers come in two orders.
std::optional<MatrixProduct> kindProduct(const ptx::Opcode& o, std::string_view kind) {
  const auto shape = shapeOf(o);
  if (!shape) return std::nullopt;
  std::string types, scale;
  for (const std::string_view part : o.parts)
    if (part.starts_with("ue"))
      types += "." + std::string(part);
    else if (tileType(part))
      types += "." + std::string(part);
  const bool scaled = o.has("block_scale");
  const int block = kind == "mxf4nvf4" && o.has("scale_vec::4X") ? 16 : 32;
  if (scaled) scale = ".block_scale.scale_vec::" + std::to_string(shape->k / block) + "X";
  const auto row =
      findInstruction("mma.m16n8k" + std::to_string(shape->k) + ".kind::" + std::string(kind) + scale + types);
  for (const std::string_view part : o.parts)  // it may be left out
    if (part.starts_with("scale_vec::") && !scale.ends_with(part)) return std::nullopt;
  if (!row) return std::nullopt;
  const bool inBytes = kind == "f8f6f4" || kind == "mxf8f6f4";
  auto a = fragmentOf(*row, "A", inBytes), b = fragmentOf(*row, "B", inBytes), c = fragmentOf(*row, "C");
  if (!a || !b || !c) return std::nullopt;
  MatrixProduct out{*std::move(a), *std::move(b), *c, *c};
  if (scaled) out.block = block;
  out.ue4m3 = o.has("ue4m3");
  return out;
}

std::optional<MatrixProduct> mmaProduct(const ptx::Opcode& o) {
  if (o.has("sp") || o.has("sp::ordered_metadata")) return std::nullopt;
  for (const std::string_view part : o.parts)
    if (part.starts_with("kind::")) return kindProduct(o, part.substr(6));
  const auto row = rowOf(o);
  if (!row) return std::nullopt;
  auto a = fragmentOf(*row, "A"), b = fragmentOf(*row, "B"), c = fragmentOf(*row, "C");
  if (!a || !b || !c) return std::nullopt;
  // D has C's places, and the first type of the opcode.
  Fragment d = *c;
  const std::vector<Type> types = o.types();
  if (types.empty()) return std::nullopt;
  if (const auto type = tileType(nameOf(types.front())); type && type->bits == c->type.bits) d.type = *type;
  MatrixProduct out{*std::move(a), *std::move(b), *std::move(c), std::move(d)};
  out.groups = 32 / out.a.threads;
  return out;
}

}  // namespace

std::optional<MatrixProduct> productOf(const ptx::Opcode& o) {
  auto product = o.base() == "wmma" ? wmmaProduct(o) : mmaProduct(o);
  if (!product || o.has("rz") || o.has("rm") || o.has("rp")) return std::nullopt;
  product->saturates = o.has("satfinite");
  product->exclusive = o.has("xor");
  return product;
}

Found matrixOperation(const ptx::Opcode& o) {
  if (o.base() != "mma" && !(o.base() == "wmma" && o.has("mma"))) return std::nullopt;
  auto product = productOf(o);
  if (!product) return Result<Operation>(Diag{"the instruction " + o.text + " is not supported"});
  Product made(*product);
  if (!made.fits()) return Result<Operation>(Diag{"the instruction " + o.text + " is not supported"});
  return operationOfProduct(std::move(made));
}

}  // namespace tessera::kernel
