#include "solver/kernel/machine/matrix_access.h"

#include <cstring>

#include "solver/kernel/lanes/fragments.h"

namespace tessera::kernel {

namespace {

// The row and the element of it that half `half` of register `r` of lane `lane` holds.
std::pair<int, int> placeOf(int r, int lane, int half, bool trans) {
  const int a = lane / 4, b = 2 * (lane % 4) + half;
  return trans ? std::pair(8 * r + b, a) : std::pair(8 * r + a, b);
}

bool supported(const ptx::Opcode& o) { return o.has("m8n8") && o.type() == ptx::Type::B16; }

}  // namespace

void MatrixAccess::access(Block& block, Warp& w, int step, Mask mask, Rows& rows, bool write) {
  const Step& s = program_.steps[static_cast<std::size_t>(step)];
  const Place p = s.ins[static_cast<std::size_t>(s.address)];
  const Lanes& base = sourceOf(program_, w, p);
  const Actor a = memory_.actor(w, step, write);
  WarpTargets targets;
  const int lanes = 8 * s.count;
  mask &= lanes >= kLanes ? ~Mask{0} : (Mask{1} << lanes) - 1;
  if (mask == 0) return;
  const auto rowOf = [&](int l) { return rows[static_cast<std::size_t>(l)].data(); };
  memory_.eachTarget(
      block, w, a, {ptx::Space::Shared, &base, s.offset, 16, mask}, [&](int l) { return write ? rowOf(l) : nullptr; },
      [&](int l, const Target* t) {
        targets.add(l, t);
        if (t == nullptr) return;
        std::memcpy(write ? t->bytes : rowOf(l), write ? rowOf(l) : t->bytes, 16);
        if (write) memory_.dependence().carry(w, l, nullptr, *t, 16);
        Symbolic* const values = memory_.symbolic();
        if (values != nullptr && write) values->setSlots(w, l, *t, slots_[static_cast<std::size_t>(l)]);
        if (values != nullptr && !write) slots_[static_cast<std::size_t>(l)] = values->slotsAt(w, l, *t, 16);
      });
  memory_.record().add(step, block, w, ptx::Space::Shared,
                       matrixAccess(write ? AccessDirection::Write : AccessDirection::Read, s.count, 8, 16,
                                    s.source->opcode.has("trans")),
                       targets.offsets, -1);
}

std::string MatrixAccess::load(Block& block, Warp& w, int step, Mask mask) {
  const Step& s = program_.steps[static_cast<std::size_t>(step)];
  if (!supported(s.source->opcode)) return s.source->opcode.text + " is not supported";
  Rows rows{};
  if (memory_.symbolic() != nullptr) {
    slots_.fill(std::vector<Slot>(16));
    memory_.symbolic()->clear(w, s, mask);
  }
  access(block, w, step, mask, rows, false);
  const bool trans = s.source->opcode.has("trans");
  for (std::size_t r = 0; r < s.outs.size(); ++r) {
    if (s.outs[r] == kNoPlace) continue;
    Lanes& out = w.lanes(s.outs[r]);
    eachLane(mask, [&](int l) {
      for (int half = 0; half < 2 && memory_.symbolic() != nullptr; ++half) {
        const auto [row, element] = placeOf(static_cast<int>(r), l, half, trans);
        memory_.symbolic()->setRegister(w, l, s.outs[r], 2 * half,
                                        std::span(slots_[static_cast<std::size_t>(row)]).subspan(2 * element, 2));
      }
      u64 value = 0;
      if (!trans) {  // both halves are in one row
        const auto [row, element] = placeOf(static_cast<int>(r), l, 0, false);
        std::memcpy(&value, rows[static_cast<std::size_t>(row)].data() + 2 * element, 4);
        out[static_cast<std::size_t>(l)] = value;
        return;
      }
      for (int half = 0; half < 2; ++half) {
        const auto [row, element] = placeOf(static_cast<int>(r), l, half, true);
        std::uint16_t x = 0;
        std::memcpy(&x, rows[static_cast<std::size_t>(row)].data() + 2 * element, 2);
        value |= u64{x} << 16 * half;
      }
      out[static_cast<std::size_t>(l)] = value;
    });
  }
  memory_.dependence().results(w, s, mask);
  return {};
}

std::string MatrixAccess::store(Block& block, Warp& w, int step, Mask mask) {
  const Step& s = program_.steps[static_cast<std::size_t>(step)];
  if (!supported(s.source->opcode)) return s.source->opcode.text + " is not supported";
  Rows rows{};
  if (memory_.symbolic() != nullptr) slots_.fill(std::vector<Slot>(16));
  const bool trans = s.source->opcode.has("trans");
  for (int r = 0; r < s.count; ++r) {
    const std::size_t k = static_cast<std::size_t>(s.address) + 1 + static_cast<std::size_t>(r);
    if (k >= s.ins.size()) break;
    const Lanes& in = sourceOf(program_, w, s.ins[k]);
    eachLane(mask, [&](int l) {
      for (int half = 0; half < 2; ++half) {
        const auto [row, element] = placeOf(r, l, half, trans);
        const auto x = static_cast<std::uint16_t>(in[static_cast<std::size_t>(l)] >> 16 * half);
        std::memcpy(rows[static_cast<std::size_t>(row)].data() + 2 * element, &x, 2);
        if (memory_.symbolic() == nullptr) continue;
        const LaneSlots held = memory_.symbolic()->registerSlots(w, l, s.ins[k]);
        std::copy_n(held.begin() + 2 * half, 2, slots_[static_cast<std::size_t>(row)].begin() + 2 * element);
      }
    });
  }
  access(block, w, step, mask, rows, true);
  return {};
}

std::string MatrixAccess::tile(Block& block, Warp& w, int step, Mask mask) {
  const Step& s = program_.steps[static_cast<std::size_t>(step)];
  const ptx::Opcode& o = s.source->opcode;
  const bool load = s.kind == Step::Kind::TileLoad, byRow = o.has("row");
  const auto shape = shapeOf(o);
  const auto f = shape ? wmmaFragment(*shape, o.has("a") ? 'a' : o.has("b") ? 'b' : 'c', nameOf(s.type)) : std::nullopt;
  const std::size_t first = static_cast<std::size_t>(s.address) + 1;
  const std::size_t held = load ? s.outs.size() : s.ins.size() - first - 1;
  if (!f || held != static_cast<std::size_t>(f->registers) || s.width == 0) return o.text + " is not supported";
  const Lanes& base = sourceOf(program_, w, s.ins[static_cast<std::size_t>(s.address)]);
  const int n = f->type.perRegister();
  const Place strideAt = s.ins.back();
  Actor a = memory_.actor(w, step, !load);
  if (load && memory_.symbolic() != nullptr) memory_.symbolic()->clear(w, s, mask);
  WholeAccess whole{s.space, !load};
  eachLane(mask, [&](int l) {
    const auto lane = static_cast<std::size_t>(l);
    a.lane = l;
    const i64 stride = strideAt != kNoPlace ? static_cast<i64>(sourceOf(program_, w, strideAt)[lane] & 0xffffffffu)
                                            : (byRow ? f->columns : f->rows);
    for (int v = 0; v < f->values(); ++v) {
      const TileElement& at = f->at(l, v);
      const int from = n == 1 ? 0 : v % n * f->type.bits;
      const i64 index = byRow ? at.row * stride + at.column : at.column * stride + at.row;
      const auto r = static_cast<std::size_t>(v / n);
      u64 piece = load ? 0 : sourceOf(program_, w, s.ins[first + r])[lane] >> from;
      std::array<std::uint8_t, 8> bytes{};
      std::memcpy(bytes.data(), &piece, 8);
      const auto t = memory_.access(block, w, a, s.space, base[lane] + static_cast<u64>(s.offset + index * s.width),
                                    s.width, load ? nullptr : bytes.data());
      whole.bytes += s.width;
      if (t) whole.space = t->space;
      if (t && t->space == ptx::Space::Global) whole.add(t->offset, s.width);
      if (!load && t) {
        std::memcpy(t->bytes, bytes.data(), static_cast<std::size_t>(s.width));
        memory_.dependence().carry(w, l, nullptr, *t, s.width);
        if (memory_.symbolic() != nullptr) {
          const LaneSlots all = memory_.symbolic()->registerSlots(w, l, s.ins[first + r]);
          memory_.symbolic()->setSlots(w, l, *t, std::span(all).subspan(static_cast<std::size_t>(from / 8), s.width));
        }
      }
      if (!load || s.outs[r] == kNoPlace) continue;
      if (t && memory_.symbolic() != nullptr)
        memory_.symbolic()->setRegister(w, l, s.outs[r], from / 8, memory_.symbolic()->slotsAt(w, l, *t, s.width));
      if (t) std::memcpy(&piece, t->bytes, static_cast<std::size_t>(s.width));
      u64& out = w.lanes(s.outs[r])[lane];
      out = from == 0 ? piece : out | piece << from;
    }
  });
  memory_.record().add(step, std::move(whole));
  if (load) memory_.dependence().results(w, s, mask);
  return {};
}

}  // namespace tessera::kernel
