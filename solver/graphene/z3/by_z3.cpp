#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "core/base/mapped.h"
#include "core/base/work_budget.h"
#include "solver/graphene/methods.h"
#include "solver/graphene/z3/z3_kernel.h"
#include "solver/prove/prove.h"

namespace tessera::graphene {

// By Z3: was a value written before it is read (O7)?

using prover::Answer;
using prover::Goal;

std::vector<Expr> instanceAxes(const Box& box, const Place& at, Memory memory, const std::vector<int>& loops) {
  std::vector<Expr> axes;
  for (int s = 0; s < box.sizes(); ++s) axes.push_back(Expr::digit(s));
  axes.insert(axes.end(), at.copy.blockDigits.begin(), at.copy.blockDigits.end());
  if (memory == Memory::Register) axes.push_back(at.copy.thread);
  for (const int loop : loops)
    for (const auto& [variable, digit] : at.copy.loopDigits)
      if (variable == loop) axes.push_back(digit);
  axes.insert(axes.end(), at.coordinate.begin(), at.coordinate.end());
  return axes;
}

namespace {

std::vector<int> commonLoops(const Site& a, const Site& b) {
  return {a.loops.begin(), std::ranges::mismatch(a.loops, b.loops).in1};
}

// Does `writer` write every place that `reader` reads, earlier in the same iteration of the loops around both?
Answer writtenBy(const Z3Kernel& kernel, const Site& reader, const Access& read, const Site& writer,
                 const Access& write) {
  const Storage& storage = kernel.sites().of(read);
  const std::vector<int> loops = commonLoops(reader, writer);
  Box from(kernel.sites(), kernel.kernel()), box(kernel.sites(), kernel.kernel());
  const Place w = kernel.place(from, writer, write), r = kernel.place(box, reader, read);
  const std::vector<Expr> axes = instanceAxes(from, w, storage.declared.memory, loops);
  const std::vector<Expr> places = instanceAxes(box, r, storage.declared.memory, loops);
  std::vector<Axis> all;
  for (const Expr& a : axes) {
    const std::size_t k = all.size(), located = axes.size() - w.coordinate.size();
    i64 extent = a.op() == Op::Digit ? from.digits[a.index()].extent : 1;
    if (k >= located) {
      const Expr& e = storage.declared.extents[k - located];
      if (!e.isConstant()) return prover::unknown("z3", "a temporary of symbolic size");
      extent = e.value();
    }
    all.push_back({fmt::format("p{}", k), a, extent});
  }
  const auto map = Map::create(from.digits, all, from.assumed);
  if (!map) return prover::unknown("z3", map.error().message);
  const auto digits = writerOf(*map);
  if (!digits) return prover::unknown("z3", "the digits of a place do not determine its writer");
  const auto there = [&](const Expr& e) { return substitute(substitute(e, digits->digits), places); };
  std::vector<Goal> goals = mapped<Goal>(digits->goals, [&](const Goal& g) { return prover::substituted(g, places); });
  if (writer.position < reader.position || storage.declared.memory == Memory::Register) {
    std::vector<Goal> same = goals;
    same.push_back(equals(there(w.copy.thread), r.copy.thread));
    if (writer.position < reader.position)
      if (const Answer answer = kernel.ask(box, same); answer.truth == Truth::Proved) return answer;
  }
  if (!writer.phase || !reader.phase)
    return prover::unknown("z3", "the number of barriers that a thread has passed depends on a condition");
  goals.push_back({box.in(r.copy, *reader.phase) - there(from.in(w.copy, *writer.phase)), std::nullopt, 1, Box::kFar});
  return kernel.ask(box, goals);
}

struct Row {
  Obligation obligation;
  ObligationVerdict (*decide)(const Z3Kernel&);
};
constexpr Row kRows[] = {
    {Obligation::Bounds, z3Bounds}, {Obligation::Coverage, z3Coverage},       {Obligation::Uniqueness, z3Uniqueness},
    {Obligation::Races, z3Races},   {Obligation::Definedness, z3Definedness}, {Obligation::Value, z3Value},
};

// A sum is right if each of its products is right and occurs (O4) exactly once (O5).
void sumIsAll(std::vector<ObligationVerdict>& verdicts) {
  ObligationVerdict& value = verdicts.back();
  for (const ObligationVerdict& v : verdicts) {
    const bool part = v.obligation == Obligation::Coverage || v.obligation == Obligation::Uniqueness;
    if (!part || v.standing == Standing::Proved || value.standing == Standing::Refuted) continue;
    if (v.standing == Standing::Unknown && value.standing != Standing::Proved) continue;
    value.standing = v.standing;
    value.reason = v.reason;
    value.finding = v.finding;
    if (value.finding) value.finding->obligation = Obligation::Value;
  }
}

}  // namespace

ObligationVerdict z3Definedness(const Z3Kernel& kernel) {
  if (kernel.sites().hasAsync)
    return verdict(Obligation::Definedness, Standing::Unknown, "asynchronous copies are decided by running");
  i64 reads = 0;
  for (const Site* reader : kernel.own())
    for (const Access& read : reader->accesses) {
      const Storage& storage = kernel.sites().of(read);
      if (!read.read || storage.operand) continue;
      ++reads;
      Answer last = prover::unknown("z3", "nothing writes it");
      for (const Site* writer : kernel.writers(read.storage)) {
        if (writer == reader) continue;
        last = writtenBy(kernel, *reader, read, *writer, *kernel.accessOf(*writer, read.storage, true));
        if (last.truth == Truth::Proved) break;
      }
      if (last.truth == Truth::Refuted)
        last.detail = "the writer that the digits determine does not exist or is not earlier";
      if (last.truth != Truth::Proved) return unknownBy(Obligation::Definedness, last, "%" + storage.declared.name);
    }
  return verdict(
      Obligation::Definedness, Standing::Proved,
      reads == 0 ? "no temporaries are read" : fmt::format("{} reads of temporaries, each after its writer", reads));
}

std::vector<ObligationVerdict> byZ3(const Sites& sites, int kernel, const std::vector<ObligationVerdict>& known,
                                    const prover::Budget& budget) {
  const Z3Kernel k(sites, kernel, budget);
  std::vector<ObligationVerdict> out;
  for (const Row& row : kRows) {
    const auto refuted = std::ranges::find_if(known, [&](const ObligationVerdict& v) {
      return v.obligation == row.obligation && v.standing == Standing::Refuted;
    });
    if (refuted != known.end()) {
      out.push_back(*refuted);
      continue;
    }
    const auto begin = std::chrono::steady_clock::now();
    ObligationVerdict v = verdict(row.obligation, Standing::Unknown, "");
    if (!haveZ3()) {
      v.reason = "this build has no Z3";
    } else if (budget.spent()) {
      v.reason = budget.reason();
    } else {
      try {
        v = row.decide(k);
      } catch (const OutOfBudget& end) {
        v.reason = end.what();
      }
    }
    v.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    out.push_back(std::move(v));
  }
  if (functionOf(*sites.specs[kernel].spec) == SpecKind::MatMul) sumIsAll(out);
  return out;
}

}  // namespace tessera::graphene
