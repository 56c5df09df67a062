#include "solver/kernel/machine/products.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "solver/kernel/lanes/make.h"

namespace tessera::kernel {

using ptx::Type;

std::string Products::execute(Block& block, Warp& w, int step, Mask mask) {
  const Step& s = program_.steps[static_cast<std::size_t>(step)];
  const ptx::Opcode& o = s.source->opcode;
  const std::string unsupported = o.text + " is not supported";
  const auto shape = shapeOf(o);
  // A is a descriptor or registers.
  const bool registers = s.source->operands[1].kind == ptx::Operand::Kind::Vector;
  const auto row = rowOf(o, registers);
  const std::vector<Type> types = o.types();
  if (!row || !shape || types.size() != 3) return unsupported;
  const auto d = fragmentOf(*row, "C"), heldA = fragmentOf(*row, "A");
  const auto a = tileType(nameOf(types[1])), b = tileType(nameOf(types[2]));
  if (!d || !a || !b || registers != heldA.has_value()) return unsupported;
  const std::size_t bAt = registers ? static_cast<std::size_t>(heldA->registers) : 1;
  if (s.outs.size() != static_cast<std::size_t>(d->registers) || s.ins.size() < bAt + 2) return unsupported;
  const auto immediate = [&](std::size_t k, i64 otherwise) {
    return bAt + k < s.ins.size() ? signedOf(in(w, s, bAt + k)[0], 32) : otherwise;
  };
  const bool accumulates = (in(w, s, bAt + 1)[0] != 0) != ((s.inverted >> (bAt + 1) & 1) != 0);
  const double signA = immediate(2, 1) < 0 ? -1 : 1, signB = immediate(3, 1) < 0 ? -1 : 1;
  // With A in registers there is no transposition of A.
  const bool transA = !registers && immediate(4, 0) != 0, transB = immediate(registers ? 4 : 5, 0) != 0;
  // With A in registers there is no descriptor of A.
  const auto matrixB = MatrixDescriptorWord::ofWgmma(in(w, s, bAt)[0]);
  const auto matrixA = registers ? matrixB : MatrixDescriptorWord::ofWgmma(in(w, s, 0)[0]);
  if (!matrixA || !matrixB) return o.text + ": " + (matrixA ? matrixB : matrixA).error().message;

  takeOff(w, step, s, registers ? bAt : 0);
  Actor actor = memory_.actorAt(w, step, {w.firstThread, w.products++, step, Domain::Products, false, false});
  actor.async = true;
  Symbolic* const values = memory_.symbolic();
  SharedOperand shared(memory_, block, w, actor, block.rank);
  const auto element = [&](u64 address, const TileType& type) {
    return type.value(shared.bits(address, type.bits / 8));
  };

  // The rows of this warp; the others stay zero.
  TileMatrix x(shape->m, shape->k), y(shape->k, shape->n), z = d->tile();
  const int firstRow = 16 * static_cast<int>(w.index % 4), firstThread = 32 * static_cast<int>(w.index % 4);
  const int bytesA = a->bits / 8, bytesB = b->bits / 8;
  u64 held = 0;
  for (int l = 0; l < kLanes && registers; ++l)
    heldA->gather(
        firstThread + l,
        [&](int r) -> u64& { return held = in(w, s, static_cast<std::size_t>(r))[static_cast<std::size_t>(l)]; }, x);
  for (int i = firstRow; i < firstRow + 16; ++i)
    for (int k = 0; k < shape->k; ++k) {
      if (!registers)
        x.at(i, k) = element(transA ? matrixA->mnMajor(k, i * bytesA) : matrixA->kMajor(i, k * bytesA), *a);
      x.at(i, k) *= signA;
    }
  for (int k = 0; k < shape->k; ++k)
    for (int j = 0; j < shape->n; ++j)
      y.at(k, j) = element(transB ? matrixB->mnMajor(k, j * bytesB) : matrixB->kMajor(j, k * bytesB), *b) * signB;
  // A warp reads its rows of A; B is read once for the four warps.
  const i64 readA = registers ? 0 : i64{16} * shape->k * bytesA, readB = i64{shape->k} * shape->n * bytesB;
  memory_.record().add(step, {ptx::Space::Shared, false, readA + (w.index % 4 == 0 ? readB : 0)});
  const auto registersOf = [&](int l) {
    return [&w, &s, &held, l](int r) -> u64& {
      const Place p = s.outs[static_cast<std::size_t>(r)];
      return p == kNoPlace ? held : w.lanes(p)[static_cast<std::size_t>(l)];
    };
  };
  std::vector<Lanes> accumulators;  // before the product
  for (const Place p : values != nullptr ? s.outs : std::vector<Place>{})
    accumulators.push_back(p == kNoPlace ? Lanes{} : w.lanes(p));
  for (int l = 0; l < kLanes && accumulates; ++l) d->gather(firstThread + l, registersOf(l), z);
  multiplyAdd(x, y, z);
  for (int l = 0; l < kLanes; ++l) d->scatter(firstThread + l, registersOf(l), z, o.has("satfinite"));
  memory_.dependence().results(w, s, mask);
  if (values == nullptr) return {};
  const ptx::Type typeA = typeOf(*a), typeB = typeOf(*b);
  const auto termAt = [&](u64 address, const TileType& type, ptx::Type as) {
    const u64 bits = shared.bits(address, type.bits / 8);
    return values->valueOf(shared.slots(address), bits, as);
  };
  TermTile left(*shape, true), right(*shape, false);
  for (int i = 0; i < 16 && !registers; ++i)
    for (int k = 0; k < shape->k; ++k)
      left.at(i, k) = termAt(
          transA ? matrixA->mnMajor(k, (firstRow + i) * bytesA) : matrixA->kMajor(firstRow + i, k * bytesA), *a, typeA);
  for (int l = 0; l < kLanes && registers; ++l)
    for (int v = 0; v < heldA->values(); ++v) {
      const TileElement& at = heldA->at(firstThread + l, v);
      left.at(at.row - firstRow, at.column) =
          heldTerm(w, l, s.ins[static_cast<std::size_t>(v / heldA->type.perRegister())], *heldA, v, nullptr);
    }
  for (int j = 0; j < shape->n; ++j)
    for (int k = 0; k < shape->k; ++k)
      right.at(j, k) = termAt(transB ? matrixB->mnMajor(k, j * bytesB) : matrixB->kMajor(j, k * bytesB), *b, typeB);
  addTerms(w, s, *d, signA * signB, left, right, accumulates ? accumulators : std::vector<Lanes>{});
  return {};
}

// A value of a fragment in a register; `numbers`: those of the register, if it has changed since.
std::optional<graphene::Terms::Value> Products::heldTerm(Warp& w, int lane, Place p, const Fragment& f, int value,
                                                         const Lanes* numbers) {
  const int n = f.type.perRegister(), from = n == 1 ? 0 : value % n * f.type.bits / 8;
  const LaneSlots slots = memory_.symbolic()->registerSlots(w, lane, p);
  const Lanes& held = numbers != nullptr ? *numbers : sourceOf(program_, w, p);
  return memory_.symbolic()->valueOf(std::span(slots).subspan(static_cast<std::size_t>(from)),
                                     held[static_cast<std::size_t>(lane)] >> 8 * from, typeOf(f.type));
}

void Products::addTerms(Warp& w, const Step& s, const Fragment& d, double sign, TermTile& left, TermTile& right,
                        const std::vector<Lanes>& before) {
  Symbolic& symbolic = *memory_.symbolic();
  ValueTerms& values = symbolic.values();
  const graphene::Terms::Value none = symbolic.opaque(s);
  if (sign < 0)
    for (auto& term : left.terms)
      if (term) term = values.unary("neg", *term);
  const int firstRow = 16 * static_cast<int>(w.index % 4), firstThread = 32 * static_cast<int>(w.index % 4);
  std::vector<graphene::Terms::Product> products(static_cast<std::size_t>(left.depth));
  for (int l = 0; l < kLanes; ++l)
    for (int v = 0; v < d.values(); ++v) {
      const TileElement& at = d.at(firstThread + l, v);
      const auto r = static_cast<std::size_t>(v / d.type.perRegister());
      if (s.outs[r] == kNoPlace) continue;
      const auto sum = before.empty() ? values.constant(0) : heldTerm(w, l, s.outs[r], d, v, &before[r]);
      for (int k = 0; k < left.depth; ++k)
        products[static_cast<std::size_t>(k)] = {left.at(at.row - firstRow, k).value_or(none),
                                                 right.at(at.column, k).value_or(none)};
      const auto made = Symbolic::slotsOf(values.terms().add(sum.value_or(none), products), typeOf(d.type));
      symbolic.setRegister(w, l, s.outs[r], v % d.type.perRegister() * d.type.bits / 8, made);
    }
}

void Products::takeOff(Warp& w, int step, const Step& s, std::size_t registersOfA) {
  if (!w.fenced)
    findings_.report(
        Verdict::Race, step, w.firstThread,
        fmt::format("{} issues wgmma without a wgmma.fence before the first one", findings_.threadText(w.firstThread)));
  const auto add = [&](Place p, bool accumulator) {
    if (p == kNoPlace) return;
    std::erase_if(w.flying, [&](const Warp::Flight& f) { return f.place == p && f.accumulator == accumulator; });
    w.flying.push_back({p, w.products, step, accumulator});
  };
  for (const Place p : s.outs) add(p, true);
  for (std::size_t k = 0; k < registersOfA; ++k) add(s.ins[k], false);
}

void Products::touch(Warp& w, int step) {
  const Step& s = program_.steps[static_cast<std::size_t>(step)];
  if (s.kind == Step::Kind::Products || s.kind == Step::Kind::ProductsControl) return;
  // Compilers copy registers in flight at the end of a loop's turn; the assembler knows that they are the same.
  if (s.source->opcode.base() == "mov" && s.ins.size() == 1 && s.outs.size() == 1) {
    const auto from = std::find_if(w.flying.begin(), w.flying.end(),
                                   [&](const Warp::Flight& f) { return f.place == s.ins[0] && f.accumulator; });
    if (from != w.flying.end()) {
      const Warp::Flight copy{s.outs[0], from->product, from->step, true};
      std::erase_if(w.flying, [&](const Warp::Flight& f) { return f.place == copy.place && f.accumulator; });
      w.flying.push_back(copy);
      return;
    }
  }
  const auto has = [](const std::vector<Place>& places, Place p) {
    return std::find(places.begin(), places.end(), p) != places.end();
  };
  for (const Warp::Flight& f : w.flying) {
    const bool writes = has(s.outs, f.place), reads = f.accumulator && has(s.ins, f.place);
    if (!writes && !reads) continue;
    const int line = program_.steps[static_cast<std::size_t>(f.step)].source->line;
    findings_.report(
        Verdict::Race, step, w.firstThread,
        fmt::format("{} {} a register of {} of the wgmma at line {} of the PTX before its wgmma.wait_group",
                    findings_.threadText(w.firstThread), writes ? "writes" : "reads",
                    f.accumulator ? "the accumulator" : "A", line),
        f.step);
    return;
  }
}

void Products::control(Warp& w, const Step& s, Mask mask) {
  const ptx::Opcode& o = s.source->opcode;
  if (o.has("commit_group")) {
    w.productGroups.push_back(w.products);
    return;
  }
  if (o.has("fence")) w.fenced = true;
  if (!o.has("wait_group")) return;
  const auto pending = static_cast<std::size_t>(s.offset);
  if (w.productGroups.size() <= pending) return;
  const std::uint32_t time = w.productGroups[w.productGroups.size() - 1 - pending];
  std::erase_if(w.flying, [&](const Warp::Flight& f) { return f.product < time; });
  eachLane(mask, [&](int l) {
    order_.learn(w.firstThread + static_cast<std::uint32_t>(l), Domain::Products, time, w.firstThread);
  });
}

}  // namespace tessera::kernel
