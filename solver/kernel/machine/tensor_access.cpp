#include "solver/kernel/machine/tensor_access.h"

#include <fmt/format.h>

#include "core/atlas/atlas.h"

namespace tessera::kernel {

// ---- checks

Finding* TensorAccess::report(Verdict kind, int lane, int column, int other) {
  const TensorOp& op = order_.last();
  Finding* f = findings_.add(kind, op.step, other, 0);
  if (f == nullptr) return nullptr;
  f->at = findings_.point(actorOf(op), op.step);
  f->space = ptx::Space::Special;
  f->address = static_cast<u64>(lane) << 16 | static_cast<u64>(column);
  f->bytes = 4;
  f->element = fmt::format("lane {}, column {} of tensor memory", lane, column);
  return f;
}

void TensorAccess::race(std::uint32_t first, int lane, int column, const char* does, bool firstWrites) {
  const TensorOp &op = order_.last(), &other = order_[first];
  Finding* f = report(Verdict::Race, lane, column, other.step);
  if (f == nullptr) return;
  f->other = findings_.point(actorOf(other), other.step);
  const char* missing = other.domain == Domain::TensorLoads    ? "tcgen05.wait::ld"
                        : other.domain == Domain::TensorStores ? "tcgen05.wait::st"
                                                               : "tcgen05.commit and wait for its mbarrier";
  f->message = fmt::format("{} {} {}, which the {} of {} may still {}: no {} and synchronization order them",
                           findings_.threadText(actorOf(op)), does, f->element,
                           program_.steps[static_cast<std::size_t>(other.step)].source->opcode.text,
                           findings_.threadText(actorOf(other)), firstWrites ? "write" : "read", missing);
}

void TensorAccess::noteRace(TensorMemory& memory, TensorMemory::Cell& c, int lane, int column, bool writes) {
  const std::uint32_t me = order_.lastNumber();
  const char* does = order_.last().domain == Domain::Thread ? "deallocates" : writes ? "writes" : "reads";
  if (c.write != 0 && !order_.ordered(c.write)) race(c.write, lane, column, does, true);
  if (!writes) {
    if (c.read == 0 || c.read == me || order_.covers(me, c.read)) {
      c.read = me;
      return;
    }
    auto& more = memory.reads(lane, column);
    std::erase_if(more, [&](std::uint32_t r) { return order_.covers(me, r); });
    more.push_back(me);
    c.moreReads = true;
    return;
  }
  if (c.read != 0 && !order_.ordered(c.read)) race(c.read, lane, column, does, false);
  if (c.moreReads) {
    auto& more = memory.reads(lane, column);
    for (const std::uint32_t r : more)
      if (!order_.ordered(r)) race(r, lane, column, does, false);
    more.clear();
  }
  c.read = 0;
  c.moreReads = false;
  c.write = me;
}

TensorMemory::Cell* TensorAccess::access(Block& block, int lane, int column, const How& how) {
  TensorMemory::Cell* c = block.tensor != nullptr ? block.tensor->cell(lane, column) : nullptr;
  if (c == nullptr) {
    const std::uint32_t freed = block.tensor != nullptr ? block.tensor->freedBy(column) : 0;
    if (freed != 0 && !order_.ordered(freed)) {
      const TensorOp& other = order_[freed];
      if (Finding* f = report(Verdict::Race, lane, column, other.step)) {
        f->other = findings_.point(actorOf(other), other.step);
        f->message =
            fmt::format("{} accesses {}, which {} deallocates: no synchronization orders them",
                        findings_.threadText(actorOf(order_.last())), f->element, findings_.threadText(actorOf(other)));
      }
      return nullptr;
    }
    if (Finding* f = report(Verdict::Bounds, lane, column))
      f->message = fmt::format("{} accesses {}, which is not allocated", findings_.threadText(actorOf(order_.last())),
                               f->element);
    return nullptr;
  }
  noteRace(*block.tensor, *c, lane, column, how.writes);
  if (how.reads && (c->defined & how.halves) != how.halves) {
    c->defined |= how.halves;  // once
    const std::string who = findings_.threadText(actorOf(order_.last()));
    if (memory_.memories().arbitrary())
      memory_.found().note(
          order_.last().step,
          fmt::format("{} reads lane {}, column {} of tensor memory, which was never written: any value", who, lane,
                      column));
    else if (Finding* f = report(Verdict::Uninitialised, lane, column))
      f->message = fmt::format("{} reads {}, which was never written", who, f->element);
  }
  if (how.writes) c->defined |= how.halves;
  return c;
}

void TensorAccess::finish(TensorMemory& memory, const TensorMemory::Allocation& columns) {
  for (int column = columns.column; column < columns.column + columns.columns; ++column)
    for (int lane = 0; lane < kTmemRows; ++lane)
      noteRace(memory, *memory.cell(lane, column), lane, column, /*writes=*/true);
}

// ---- tcgen05.ld, tcgen05.st

const TensorAccess::Shape* TensorAccess::shapeOf(const ptx::Opcode& o) {
  std::string name;
  for (const std::string_view part : o.parts)
    if (part.starts_with("16x") || part.starts_with("32x") || part.starts_with("x")) name += "." + std::string(part);
  const bool load = o.has("ld");
  const auto [at, made] = shapes_.try_emplace(name);
  Shape& s = at->second;
  if (!made) return s.registers > 0 ? &s : nullptr;
  const auto row = findInstruction(std::string("tcgen05.") + (load ? "ld" : "st") + name);
  const auto operand = row ? findOperand(*row, load ? "dst" : "src") : Result<AtlasOperand>(row.error());
  if (!operand) return nullptr;
  const auto layout = threadValue(*operand);
  if (!layout) return nullptr;
  const i64 width = rowsOf(*operand);  // bits of a lane of tensor memory
  s.registers = static_cast<int>(layout->size() / kLanes / 32);
  for (int r = 0; r < s.registers; ++r)
    for (int l = 0; l < kLanes; ++l) {
      const i64 bit = (*layout)(l + i64{kLanes} * 32 * r);
      s.at.emplace_back(static_cast<int>(bit / width), static_cast<int>(bit % width / 32));
    }
  return &s;
}

std::string TensorAccess::move(Block& block, Warp& w, int step, Mask mask) {
  const Step& s = program_.steps[static_cast<std::size_t>(step)];
  const ptx::Opcode& o = s.source->opcode;
  const bool load = o.has("ld"), split = o.has("16x32bx2"), pack = o.has("pack::16b") || o.has("unpack::16b");
  const Shape* shape = o.has("red") ? nullptr : shapeOf(o);
  const std::size_t first = split ? 1 : 0, held = load ? s.outs.size() : s.ins.size() - std::min(first, s.ins.size());
  if (shape == nullptr || held != static_cast<std::size_t>(shape->registers) || s.ins.size() < first)
    return o.text + " is not supported";
  const Lanes& base = sourceOf(program_, w, s.addresses[0].first);
  const auto addressOf = [&](int l) { return (base[l] + static_cast<u64>(s.addresses[0].second)) & 0xffffffffu; };
  const TensorAddress from(addressOf(__builtin_ctz(mask)));
  const int second = split ? static_cast<int>(sourceOf(program_, w, s.ins[0])[0] & 0xffff) : 0;
  order_.issue({load ? Domain::TensorLoads : Domain::TensorStores, w.firstThread, 0, w.firstThread, mask, step, 0});
  eachLane(mask, [&](int l) {
    const std::uint32_t thread = w.firstThread + static_cast<std::uint32_t>(l);
    if (addressOf(l) != addressOf(__builtin_ctz(mask)))
      findings_.report(Verdict::Divergence, step, thread,
                       fmt::format("{} gives this {} another address than the other lanes of its warp",
                                   findings_.threadText(thread), o.text));
  });
  const int firstOwn = 32 * static_cast<int>(w.index % 4), span = shape->registers;
  for (int r = 0; r < shape->registers; ++r) {
    const Place p = load ? s.outs[static_cast<std::size_t>(r)] : s.ins[first + static_cast<std::size_t>(r)];
    eachLane(mask, [&](int l) {
      const auto [row, at] = shape->at[static_cast<std::size_t>(r * kLanes + l)];
      const int lane = from.lane + row;
      const int column = from.column + (pack ? 2 : 1) * (split ? at % span : at) + (split && l >= 16 ? second : 0);
      if (lane < firstOwn || lane >= firstOwn + 32) {
        if (Finding* f = report(Verdict::Bounds, lane, column))
          f->message = fmt::format("{} accesses lane {} of tensor memory; its warp, {}, may access lanes {} to {}",
                                   findings_.threadText(w.firstThread + static_cast<std::uint32_t>(l)), lane, w.index,
                                   firstOwn, firstOwn + 31);
        return;
      }
      const auto index = static_cast<std::size_t>(l);
      const u64 given = load ? 0 : sourceOf(program_, w, p)[index];
      u64 got = 0;
      for (int half = 0; half < (pack ? 2 : 1); ++half) {
        const auto halves = static_cast<std::uint8_t>(pack ? 1 : 3);
        TensorMemory::Cell* c = access(block, lane, column + half, {load, !load, halves});
        if (c == nullptr) continue;
        if (load)
          got |= u64{pack ? c->value & 0xffffu : c->value} << 16 * half;
        else if (pack)
          c->value = (c->value & 0xffff0000u) | static_cast<std::uint32_t>(given >> 16 * half & 0xffff);
        else
          c->value = static_cast<std::uint32_t>(given);
      }
      if (load && p != kNoPlace) w.lanes(p)[index] = got;
    });
  }
  if (load) memory_.dependence().results(w, s, mask);
  return {};
}

}  // namespace tessera::kernel
