// Products of matrices that a warp holds in registers: mma.sync and wmma.mma (fragments.h).
//
// The hardware's order and width of the sum are not specified. Here the accumulator and the products are added in
// double, in the order of k, and the sum is rounded to the accumulator's type: exact while it fits 53 bits, as sums of
// integers and of fp16 products of like size do.
#include "solver/kernel/lanes/fragments.h"
#include "solver/kernel/lanes/make.h"

namespace tessera::kernel {

using ptx::Type;

namespace {

struct Product : MatrixProduct {
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

std::optional<MatrixProduct> mmaProduct(const ptx::Opcode& o) {
  const auto row = rowOf(o);
  if (!row || o.has("sp") || o.has("sp::ordered_metadata") || o.has("block_scale")) return std::nullopt;
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
