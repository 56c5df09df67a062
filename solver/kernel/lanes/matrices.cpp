// Products of matrices that a warp holds in registers: mma.sync and wmma.mma.
//
// Products are exact, and so are their sums up to the precision of double; the sum with the accumulator is rounded
// once.
// The hardware's order and width of the sum are not specified.
#include <algorithm>

#include "solver/kernel/lanes/floating.h"
#include "solver/kernel/lanes/fragments.h"
#include "solver/kernel/lanes/make.h"

namespace tessera::kernel {

using ptx::Type;

namespace {

double valueOf(u64 bits, Type t) {
  const int width = ptx::bitsOf(t);
  switch (t) {
    case Type::S8:
    case Type::S32:
      return static_cast<double>(signedOf(bits, width));
    case Type::U8:
      return static_cast<double>(bits & 0xff);
    default:
      return unpack(bits, formatOf(t));
  }
}

Operation matrixProduct(const Fragment& a, const Fragment& b, const Fragment& c, const Fragment& d, bool saturates) {
  Operation op;
  op.results = d.registers;
  op.together = true;
  for (const Fragment* f : {&a, &b, &c})
    op.sources.insert(op.sources.end(), static_cast<std::size_t>(f->registers),
                      ptx::bitsOf(f->type) == 64 ? Type::F64 : Type::B32);
  const TileShape s = a.shape;
  const bool integer = d.type == Type::S32;
  op.run = [=](const LaneArguments& in) {
    const auto size = [](int x, int y) { return static_cast<std::size_t>(x) * static_cast<std::size_t>(y); };
    std::vector<double> x(size(s.m, s.k)), y(size(s.k, s.n)), z(size(s.m, s.n));
    std::size_t next = 0;
    const auto gather = [&](const Fragment& f, std::vector<double>& tile) {
      const int n = f.perRegister(), bits = ptx::bitsOf(f.type);
      for (int r = 0; r < f.registers; ++r, ++next)
        for (int l = 0; l < kLanes; ++l)
          for (int e = 0; e < n; ++e) {
            const TileElement at = f.at(l, r, e);
            const u64 held = (*in.in[next])[static_cast<std::size_t>(l)] >> (n == 1 ? 0 : e * bits);
            tile[size(at.row, f.shape.columns(f.tile)) + static_cast<std::size_t>(at.column)] =
                valueOf(held & maskOf(bits), f.type);
          }
    };
    gather(a, x);
    gather(b, y);
    gather(c, z);
    for (int i = 0; i < s.m; ++i)
      for (int k = 0; k < s.k; ++k) {
        const double factor = x[size(i, s.k) + static_cast<std::size_t>(k)];
        for (int j = 0; j < s.n; ++j)
          z[size(i, s.n) + static_cast<std::size_t>(j)] += factor * y[size(k, s.n) + static_cast<std::size_t>(j)];
      }
    const int n = d.perRegister(), bits = ptx::bitsOf(d.type);
    for (int r = 0; r < d.registers; ++r)
      for (int l = 0; l < kLanes; ++l) {
        u64 out = 0;
        for (int e = 0; e < n; ++e) {
          const TileElement at = d.at(l, r, e);
          double v = z[size(at.row, s.n) + static_cast<std::size_t>(at.column)];
          u64 held = 0;
          if (integer) {
            if (saturates) v = std::clamp<double>(v, INT32_MIN, INT32_MAX);
            held = static_cast<u64>(static_cast<i64>(v)) & 0xffffffffu;
          } else {
            held = fromDouble(v, d.type);
          }
          out |= (held & maskOf(bits)) << (n == 1 ? 0 : e * bits);
        }
        (*in.out[r])[static_cast<std::size_t>(l)] = out;
      }
  };
  op.bound = "the order in which the hardware adds the products is not specified (PTX ISA, mma)";
  return op;
}

}  // namespace

Found matrixOperation(const ptx::Opcode& o) {
  const bool warp = o.base() == "wmma" && o.has("mma");
  if (o.base() != "mma" && !warp) return std::nullopt;
  const Result<Operation> unknown = Diag{"the instruction " + o.text + " is not supported"};
  const auto shape = shapeOf(o);
  std::vector<Type> types = o.types();
  if (!shape || o.has("sp") || o.has("block_scale")) return unknown;
  // mma: d a b c; wmma of f16: d c.
  if (warp && types.size() == 2) types = {types[0], Type::F16, Type::F16, types[1]};
  if (types.size() != 4) return unknown;
  for (Type& t : types)
    if (t == Type::B16) t = Type::F16;
  const auto fragment = warp ? wmmaFragment : mmaFragment;
  const auto a = fragment(*shape, Tile::A, types[1]), b = fragment(*shape, Tile::B, types[2]);
  const auto c = fragment(*shape, Tile::C, types[3]), d = fragment(*shape, Tile::C, types[0]);
  if (!a || !b || !c || !d) return unknown;
  // Columns of A and rows of B exist in memory only; the registers hold the tile.
  if (!warp && !(o.has("row") && o.has("col"))) return unknown;
  return matrixProduct(*a, *b, *c, *d, o.has("satfinite"));
}

}  // namespace tessera::kernel
