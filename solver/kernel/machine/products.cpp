#include "solver/kernel/machine/products.h"

#include <algorithm>
#include <cstring>

#include "solver/kernel/lanes/floating.h"
#include "solver/kernel/lanes/make.h"

namespace tessera::kernel {

using ptx::Type;

MatrixDescriptor MatrixDescriptor::of(u64 bits) {
  const auto field = [&](int from) { return (bits >> from & 0x3fff) << 4; };
  constexpr int kBytes[] = {16, 128, 64, 32};
  MatrixDescriptor out;
  out.start = field(0);
  out.leading = field(16);
  out.stride = field(32);
  out.swizzle = kBytes[bits >> 62];
  return out;
}

u64 MatrixDescriptor::swizzled(u64 address) const {
  const u64 mask = static_cast<u64>(swizzle / 16 - 1) << 4;
  return address ^ (address >> 3 & mask);
}

u64 MatrixDescriptor::kMajor(int row, int at) const {
  const auto r = static_cast<u64>(row), b = static_cast<u64>(at);
  if (swizzle == 16) return start + r / 8 * stride + b / 16 * leading + r % 8 * 16 + b % 16;
  return swizzled(start + r / 8 * stride + r % 8 * static_cast<u64>(swizzle) + b);
}

u64 MatrixDescriptor::mnMajor(int k, int at) const {
  const auto r = static_cast<u64>(k), b = static_cast<u64>(at), width = static_cast<u64>(swizzle);
  if (swizzle == 16) return start + b / 16 * stride + r / 8 * leading + r % 8 * 16 + b % 16;
  return swizzled(start + b / width * leading + r / 8 * stride + r % 8 * width + b % width);
}

namespace {

double elementValue(u64 bits, Type t) {
  if (t == Type::S8) return static_cast<double>(signedOf(bits, 8));
  if (t == Type::U8) return static_cast<double>(bits & 0xff);
  if (t == Type::S32) return static_cast<double>(signedOf(bits, 32));
  return unpack(bits, formatOf(t));
}

}  // namespace

std::string Products::execute(Block& block, Warp& w, int step, Mask mask) {
  const Step& s = program_.steps[static_cast<std::size_t>(step)];
  const ptx::Opcode& o = s.source->opcode;
  const std::string unsupported = o.text + " is not supported";
  const auto shape = shapeOf(o);
  const std::vector<Type> types = o.types();
  if (!shape || shape->m != 64 || types.size() != 3 || o.has("sp") || mask != ~Mask{0}) return unsupported;
  const Type d = types[0], a = types[1], b = types[2];
  const int n = shape->n, depth = shape->k, bytes = ptx::bitsOf(a) == 32 ? 4 : ptx::bitsOf(a) / 8;
  if (bytes == 0 || ptx::bitsOf(b) != ptx::bitsOf(a)) return unsupported;
  const bool half = d == Type::F16;
  const std::size_t held = static_cast<std::size_t>(half ? n / 4 : n / 2);
  // The results are also sources; A is a descriptor or four registers.
  const bool registers = s.source->operands[1].kind == ptx::Operand::Kind::Vector;
  const std::size_t bAt = registers ? 4 : 1;
  if (s.outs.size() != held || s.ins.size() < bAt + 2) return unsupported;
  const auto immediate = [&](std::size_t k, i64 otherwise) {
    return bAt + k < s.ins.size() ? signedOf(in(w, s, bAt + k)[0], 32) : otherwise;
  };
  bool accumulates = in(w, s, bAt + 1)[0] != 0;
  if ((s.inverted >> (bAt + 1) & 1) != 0) accumulates = !accumulates;
  const double signA = immediate(2, 1) < 0 ? -1 : 1, signB = immediate(3, 1) < 0 ? -1 : 1;
  // With A in registers there is no transposition of A.
  const bool transA = !registers && immediate(4, 0) != 0;
  const bool transB = immediate(registers ? 4 : 5, 0) != 0;

  Actor actor = memory_.actorAt(w, step, {w.firstThread, w.products++, step, Domain::Products, false, false});
  actor.async = true;
  std::map<u64, std::array<std::uint8_t, 16>> rows;
  const auto element = [&](u64 address, Type t) {
    const auto [at, made] = rows.try_emplace(address & ~u64{15});
    if (made) {
      const auto target = memory_.access(block, w, actor, ptx::Space::Shared, at->first, 16, nullptr);
      if (target) std::memcpy(at->second.data(), target->bytes, 16);
    }
    u64 bits = 0;
    std::memcpy(&bits, at->second.data() + (address & 15), static_cast<std::size_t>(bytes));
    return elementValue(bits, t);
  };

  const auto size = [](int x, int y) { return static_cast<std::size_t>(x) * static_cast<std::size_t>(y); };
  std::vector<double> x(size(16, depth)), y(size(depth, n)), z(size(16, n));
  const int firstRow = 16 * static_cast<int>(w.index % 4);
  if (registers) {
    const Fragment f{Tile::A, {16, 8, depth}, a, true, 4};
    for (int r = 0; r < 4; ++r)
      for (int l = 0; l < kLanes; ++l)
        for (int e = 0; e < f.perRegister(); ++e) {
          const TileElement at = f.at(l, r, e);
          const u64 bits = in(w, s, static_cast<std::size_t>(r))[static_cast<std::size_t>(l)] >>
                           (f.perRegister() == 1 ? 0 : e * 8 * bytes);
          x[size(at.row, depth) + static_cast<std::size_t>(at.column)] = elementValue(bits & maskOf(8 * bytes), a);
        }
  } else {
    const MatrixDescriptor m = MatrixDescriptor::of(in(w, s, 0)[0]);
    for (int i = 0; i < 16; ++i)
      for (int k = 0; k < depth; ++k)
        x[size(i, depth) + static_cast<std::size_t>(k)] =
            element(transA ? m.mnMajor(k, (firstRow + i) * bytes) : m.kMajor(firstRow + i, k * bytes), a);
  }
  const MatrixDescriptor m = MatrixDescriptor::of(in(w, s, bAt)[0]);
  for (int k = 0; k < depth; ++k)
    for (int j = 0; j < n; ++j)
      y[size(k, n) + static_cast<std::size_t>(j)] =
          element(transB ? m.mnMajor(k, j * bytes) : m.kMajor(j, k * bytes), b) * signB;

  const auto place = [&](std::size_t r, int lane, int e) {
    const int index = static_cast<int>(r) * (half ? 2 : 1) + e;
    return size(lane / 4 + 8 * (index / 2 % 2), n) +
           static_cast<std::size_t>(8 * (index / 4) + 2 * (lane % 4) + index % 2);
  };
  const int each = half ? 2 : 1, bits = half ? 16 : 32;
  for (std::size_t r = 0; r < held && accumulates; ++r)
    for (int l = 0; l < kLanes && s.outs[r] != kNoPlace; ++l)
      for (int e = 0; e < each; ++e)
        z[place(r, l, e)] = elementValue(w.lanes(s.outs[r])[static_cast<std::size_t>(l)] >> e * bits & maskOf(bits), d);
  for (int i = 0; i < 16; ++i)
    for (int k = 0; k < depth; ++k) {
      const double factor = signA * x[size(i, depth) + static_cast<std::size_t>(k)];
      for (int j = 0; j < n; ++j)
        z[size(i, n) + static_cast<std::size_t>(j)] += factor * y[size(k, n) + static_cast<std::size_t>(j)];
    }
  for (std::size_t r = 0; r < held; ++r) {
    if (s.outs[r] == kNoPlace) continue;
    for (int l = 0; l < kLanes; ++l) {
      u64 out = 0;
      for (int e = 0; e < each; ++e) {
        const double v = z[place(r, l, e)];
        const u64 packed = d == Type::S32 ? static_cast<u64>(static_cast<i64>(v)) & 0xffffffffu : fromDouble(v, d);
        out |= packed << e * bits;
      }
      w.lanes(s.outs[r])[static_cast<std::size_t>(l)] = out;
    }
  }
  return {};
}

void Products::control(Warp& w, const Step& s, Mask mask) {
  const ptx::Opcode& o = s.source->opcode;
  if (o.has("commit_group")) {
    w.productGroups.push_back(w.products);
    return;
  }
  if (!o.has("wait_group")) return;
  const auto pending = static_cast<std::size_t>(s.offset);
  if (w.productGroups.size() <= pending) return;
  const std::uint32_t time = w.productGroups[w.productGroups.size() - 1 - pending];
  eachLane(mask, [&](int l) {
    order_.learn(w.firstThread + static_cast<std::uint32_t>(l), Domain::Products, time, w.firstThread);
  });
}

}  // namespace tessera::kernel
