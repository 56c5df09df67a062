#include "solver/kernel/machine/tensor_products.h"

#include <fmt/format.h>

#include <cmath>

namespace tessera::kernel {

namespace {

// An element in shared memory; `at`: its place in the row, in elements.
u64 elementAt(SharedOperand& shared, const TensorInstruction& t, u64 address, int at, const TileType& type) {
  if (t.packed()) return shared.bits(address, 1) >> 4 * (at % 2);
  if (type.bits >= 8) return shared.bits(address, type.bits / 8);
  const u64 bit = (address & 15) * static_cast<u64>(type.bits);
  return shared.bits((address & ~u64{15}) + bit / 8, 2) >> bit % 8;
}

}  // namespace

Result<const TensorProducts::Places*> TensorProducts::placesOf(int ctas, int m, int n, int bits, bool packed) {
  const auto [at, made] = places_.try_emplace({ctas, m, n, bits, packed ? 1 : 0});
  Places& p = at->second;
  if (!made && !p.at.empty()) return &p;
  TmemFragment f;
  f.ctas = ctas;
  // Two elements of 4 bits are one of 8 for the atlas.
  const int pairs = packed && bits == 4 ? 2 : 1;
  f.elementBits = packed ? bits * pairs : 32;
  f.m = m;
  f.n = n / pairs;
  TESSERA_TRY(const cute::Layout layout, tmemLayout(f));
  p.perCell = 32 / f.elementBits * pairs;
  const i64 lane = i64{65536} * p.perCell / pairs;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      const i64 x = layout(i + i64{m} * (j / pairs));
      p.at.emplace_back(static_cast<int>(x / lane), static_cast<int>(x % lane) * pairs + j % pairs);
    }
  return &p;
}

std::vector<Block*> TensorProducts::pairOf(Block& block, int ctas) {
  if (ctas == 1) return {&block};
  const auto& all = block.cluster->blocks;
  const std::size_t even = block.rank & ~std::uint32_t{1};
  if (even + 1 >= all.size()) return {};
  return {all[even].get(), all[even + 1].get()};
}

Actor TensorProducts::reader(Warp& w, int step, int lane) {
  Actor a = memory_.actorAt(w, step, {w.firstThread, order_.last().time, step, Domain::Tensor, false, false});
  a.lane = lane;
  a.async = true;
  return a;
}

// ---- tcgen05.mma

std::string TensorProducts::multiply(Block& block, Warp& w, int step, Mask mask) {
  std::string why;
  eachLane(mask, [&](int l) {
    if (why.empty()) why = multiplyOne(block, w, step, l);
  });
  return why;
}

std::string TensorProducts::multiplyOne(Block& block, Warp& w, int step, int lane) {
  const Step& s = program_.steps[static_cast<std::size_t>(step)];
  const ptx::Opcode& o = s.source->opcode;
  const auto& operands = s.source->operands;
  if (o.has("ws") || o.has("sp") || o.has("ashift") || operands.size() < 5) return o.text + " is not supported";
  const int ctas = o.has("cta_group::2") ? 2 : 1;
  const bool tensorA = operands[1].kind == ptx::Operand::Kind::Address;
  const bool masked = operands[4].kind == ptx::Operand::Kind::Vector;
  const std::size_t bAt = tensorA ? 0 : 1, masks = masked ? operands[4].parts.size() : 0, pAt = bAt + 2 + masks;
  if (s.ins.size() <= pAt) return o.text + " is not supported";
  const auto descriptor = static_cast<std::uint32_t>(in(w, s, bAt + 1, lane));
  const auto read = TensorInstruction::of(descriptor, o, ctas, tensorA);
  if (!read) return o.text + ": " + read.error().message;
  const TensorInstruction& t = *read;
  if (s.addresses.size() < (tensorA ? 2u : 1u) + (t.block != 0 ? 2u : 0u)) return o.text + " is not supported";
  if (tensorA && ctas == 2 && t.m == 128) return o.text + " with M = 128 and A in tensor memory is not supported";
  const std::vector<Block*> blocks = pairOf(block, ctas);
  if (blocks.empty()) return o.text + " needs a cluster of an even number of blocks";
  const bool accumulates = (in(w, s, pAt, lane) != 0) != ((s.inverted >> pAt & 1) != 0);
  const double scale = s.ins.size() > pAt + 1 ? std::ldexp(1.0, -static_cast<int>(in(w, s, pAt + 1, lane) & 15)) : 1;
  const auto b = MatrixDescriptorWord::ofTcgen05(in(w, s, bAt, lane));
  const auto a = tensorA ? b : MatrixDescriptorWord::ofTcgen05(in(w, s, 0, lane));
  if (!a || !b) return o.text + ": " + (a ? b : a).error().message;
  if ((!t.b.transposed && b->wideAtoms()) || (!tensorA && !t.a.transposed && a->wideAtoms()))
    return o.text + ": a K-major matrix with a swizzle in atoms of 32 bytes is not supported";
  const int rows = t.m / ctas, columns = t.n / ctas;  // of one block's A and B
  // In tensor memory A has elements of 4 and 6 bits in bytes, unless two are packed in one.
  const TileType typeA = tensorA && t.a.type.bits < 8 && !t.packed() ? t.a.type.inByte() : t.a.type;
  const auto placesD = placesOf(ctas, rows, t.n, 32, false);
  const auto placesA = placesOf(ctas, rows, t.k, tensorA ? typeA.bits : 32, true);
  if (!placesD || !placesA) return o.text + ": " + (placesD ? placesA : placesD).error().message;
  const TensorAddress to = addressOf(w, s, 0, lane), from = tensorA ? addressOf(w, s, 1, lane) : to;
  const std::uint32_t thread = w.firstThread + static_cast<std::uint32_t>(lane);
  const u64 pipeline = u64{1} << 63 | static_cast<u64>(t.m) << 48 | static_cast<u64>(t.n) << 38 |
                       static_cast<u64>(t.kind) << 34 | static_cast<u64>(ctas) << 32 | static_cast<u64>(to.lane) << 16 |
                       static_cast<u64>(to.column);
  order_.issue({Domain::Tensor, thread, 0, w.firstThread, Mask{1} << lane, step, pipeline});

  std::vector<TileMatrix> parts;  // A, by block
  TileMatrix y(t.k, t.n);
  for (int c = 0; c < ctas; ++c) {
    Block& at = *blocks[static_cast<std::size_t>(c)];
    SharedOperand shared(memory_, block, w, reader(w, step, lane), at.rank);
    const auto address = [&](const MatrixDescriptorWord& d, const TileType& type, int mn, int k, bool transposed) {
      return transposed ? d.mnMajor(k, t.bytes(type, mn)) : d.kMajor(mn, t.bytes(type, k));
    };
    TileMatrix& x = parts.emplace_back(rows, t.k);
    for (int i = 0; i < rows; ++i)
      for (int k = 0; k < t.k; ++k) {
        u64 bits = 0;
        if (tensorA) {
          const auto [row, column] = (*placesA)->at[static_cast<std::size_t>(i * t.k + k)];
          const int n = (*placesA)->perCell;
          const auto* cell = access_.access(at, from.lane + row, from.column + column / n, {.reads = true});
          bits = cell != nullptr ? cell->value >> column % n * typeA.bits : 0;
        } else {
          bits = elementAt(shared, t, address(*a, t.a.type, i, k, t.a.transposed), t.a.transposed ? i : k, t.a.type);
        }
        x.at(i, k) = typeA.value(bits) * (t.a.negated ? -1 : 1);
      }
    for (int k = 0; k < t.k; ++k)
      for (int j = 0; j < columns; ++j)
        y.at(k, c * columns + j) = t.b.type.value(elementAt(shared, t, address(*b, t.b.type, j, k, t.b.transposed),
                                                            t.b.transposed ? j : k, t.b.type)) *
                                   (t.b.negated ? -1 : 1);
    memory_.record().add(step, {ptx::Space::Shared, false, shared.bytesRead()});
  }
  // D: the lanes that the mask names are not written.
  const auto disabled = [&](int c, int row) {
    const auto bit = static_cast<std::size_t>(128 * c + row);
    return bit / 32 < masks && (in(w, s, bAt + 2 + bit / 32, lane) >> bit % 32 & 1) != 0;
  };
  for (int c = 0; c < ctas; ++c) {
    Block& at = *blocks[static_cast<std::size_t>(c)];
    TileMatrix& x = parts[static_cast<std::size_t>(c)];
    TileMatrix z(rows, t.n), scaledB = y;
    if (t.block != 0) {
      scaleRows(at, addressOf(w, s, tensorA ? 2 : 1, lane), t, t.a.scales, x, false);
      scaleRows(at, addressOf(w, s, tensorA ? 3 : 2, lane), t, t.b.scales, scaledB, true);
    }
    std::vector<TensorMemory::Cell*> cells(z.values.size(), nullptr);
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < t.n; ++j) {
        const auto index = static_cast<std::size_t>(i * t.n + j);
        const auto [row, column] = (*placesD)->at[index];
        if (disabled(c, to.lane + row)) continue;
        cells[index] = access_.access(at, to.lane + row, to.column + column, {.reads = accumulates, .writes = true});
        if (cells[index] != nullptr && accumulates) z.at(i, j) = t.d.value(cells[index]->value) * scale;
      }
    multiplyAdd(x, scaledB, z);
    for (std::size_t k = 0; k < cells.size(); ++k)
      if (cells[k] != nullptr) cells[k]->value = static_cast<std::uint32_t>(t.d.held(z.values[k], t.saturates));
  }
  return {};
}

void TensorProducts::scaleRows(Block& at, const TensorAddress& from, const TensorInstruction& t, int first,
                               TileMatrix& tile, bool columns) {
  for (int r = 0; r < (columns ? tile.columns : tile.rows); ++r) {
    // Two bits above the lane are the number of a byte, which the descriptor has, too.
    const auto* cell = access_.access(at, (from.lane & 0x3fff) + r % 32, from.column + r / 32, {.reads = true});
    for (int k = 0; cell != nullptr && k < t.k; ++k)
      (columns ? tile.at(k, r) : tile.at(r, k)) *= t.scale(cell->value, first, k);
  }
}

// ---- tcgen05.cp

std::string TensorProducts::copy(Block& block, Warp& w, int step, Mask mask) {
  const Step& s = program_.steps[static_cast<std::size_t>(step)];
  const ptx::Opcode& o = s.source->opcode;
  struct Form {
    std::string_view shape, multicast;
    int rows, bytes;
    std::vector<int> (*lanes)(int row);
  };
  static const Form kForms[] = {
      {"128x256b", "", 128, 32, [](int r) { return std::vector{r}; }},
      {"128x128b", "", 128, 16, [](int r) { return std::vector{r}; }},
      {"4x256b", "", 4, 32, [](int r) { return std::vector{32 * r}; }},
      {"64x128b", "warpx2::02_13", 64, 16,
       [](int r) {
         return std::vector{r, r + 64};
       }},
      {"64x128b", "warpx2::01_23", 64, 16,
       [](int r) {
         return std::vector{64 * (r / 32) + r % 32, 64 * (r / 32) + r % 32 + 32};
       }},
      {"32x128b", "warpx4", 32, 16,
       [](int r) {
         return std::vector{r, r + 32, r + 64, r + 96};
       }},
  };
  const Form* form = nullptr;
  for (const Form& f : kForms)
    if (o.has(f.shape) && (f.multicast.empty() || o.has(f.multicast))) form = &f;
  if (form == nullptr || o.has("b8x16") || s.ins.empty()) return o.text + " is not supported";
  const std::vector<Block*> blocks = pairOf(block, o.has("cta_group::2") ? 2 : 1);
  if (blocks.empty()) return o.text + " needs a cluster of an even number of blocks";
  std::string why;
  eachLane(mask, [&](int l) {
    const auto from = MatrixDescriptorWord::ofTcgen05(in(w, s, 0, l));
    if (!from || from->wideAtoms()) {
      why = o.text + ": " + (from ? "a swizzle in atoms of 32 bytes is not supported" : from.error().message);
      return;
    }
    const TensorAddress to = addressOf(w, s, 0, l);
    const std::uint32_t thread = w.firstThread + static_cast<std::uint32_t>(l);
    order_.issue({Domain::Tensor, thread, 0, w.firstThread, Mask{1} << l, step, TensorOrder::kCopy});
    for (Block* at : blocks) {
      SharedOperand shared(memory_, block, w, reader(w, step, l), at->rank);
      for (int r = 0; r < form->rows; ++r)
        for (int k = 0; k < form->bytes; k += 4) {
          const u64 bits = shared.bits(from->kMajor(r, k), 4);
          for (const int lane : form->lanes(r))
            if (TensorMemory::Cell* cell = access_.access(*at, to.lane + lane, to.column + k / 4, {.writes = true}))
              cell->value = static_cast<std::uint32_t>(bits);
        }
      memory_.record().add(step, {ptx::Space::Shared, false, shared.bytesRead()});
    }
  });
  return why;
}

}  // namespace tessera::kernel
