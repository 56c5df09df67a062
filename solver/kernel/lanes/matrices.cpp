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
#include <cmath>

#include "solver/kernel/lanes/fragments.h"
#include "solver/kernel/lanes/make.h"

namespace tessera::kernel {

using ptx::Type;

namespace {

struct Product : MatrixProduct {
  // The scale in operands from `first` on: a register, a byte and a thread.
  [[nodiscard]] double scaleAt(const LaneArguments& in, std::size_t first, int lane, int k) const {
    const auto at = static_cast<std::size_t>(lane);
    const u64 byte = (*in.in[first + 1])[at] + static_cast<u64>(k / block);
    const u64 x = (*in.in[first])[at] >> 8 * (byte & 3) & 0xff;
    if (ue4m3) return unpack(x & 0x7f, kE4m3);
    return x == 255 ? std::nan("") : std::ldexp(1.0, static_cast<int>(x) - 127);
  }
  void scale(const LaneArguments& in, TileMatrix& x, TileMatrix& y) const {
    const auto first = static_cast<std::size_t>(a.registers + b.registers + c.registers);
    const int threadA = static_cast<int>((*in.in[first + 2])[0] & 1),
              threadB = static_cast<int>((*in.in[first + 5])[0] & 3);
    for (int k = 0; k < x.columns; ++k) {
      for (int m = 0; m < x.rows; ++m) x.at(m, k) *= scaleAt(in, first, 4 * (m % 8) + 2 * threadA + m / 8, k);
      for (int n = 0; n < y.columns; ++n) y.at(k, n) *= scaleAt(in, first + 3, 4 * n + threadB, k);
    }
  }
  void run(const LaneArguments& in) const {
    std::array<u64, 4> scratch{};
    for (int g = 0; g < groups; ++g) {
      TileMatrix x = a.tile(), y = b.tile(), z = c.tile();
      std::size_t first = 0;
      const auto gather = [&](const Fragment& f, TileMatrix& tile) {
        for (int t = 0; t < f.threads; ++t) {
          const auto lane = static_cast<std::size_t>(laneOf(g, t));
          f.gather(
              t, [&](int r) -> u64& { return scratch[0] = (*in.in[first + static_cast<std::size_t>(r)])[lane]; }, tile);
        }
        first += static_cast<std::size_t>(f.registers);
      };
      gather(a, x);
      gather(b, y);
      gather(c, z);
      if (block != 0) scale(in, x, y);
      multiplyAdd(x, y, z, exclusive);
      for (int t = 0; t < d.threads; ++t) {
        const auto lane = static_cast<std::size_t>(laneOf(g, t));
        d.scatter(
            t, [&](int r) -> u64& { return (*in.out[r])[lane]; }, z, saturates);
      }
    }
  }
};

Operation operationOfProduct(Product product) {
  Operation op;
  op.results = product.d.registers;
  op.together = true;
  for (const Fragment* f : {&product.a, &product.b, &product.c})
    op.sources.insert(op.sources.end(), static_cast<std::size_t>(f->registers),
                      f->type.bits == 64 ? Type::F64 : Type::B32);
  if (product.block != 0)
    for (int k = 0; k < 2; ++k) op.sources.insert(op.sources.end(), {Type::B32, Type::B32, Type::B32});
  op.bound = "the order in which the hardware adds the products is not specified (PTX ISA, mma)";
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
  return operationOfProduct({*std::move(product)});
}

}  // namespace tessera::kernel
