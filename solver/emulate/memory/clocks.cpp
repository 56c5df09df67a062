#include "solver/emulate/memory/clocks.h"

#include <algorithm>

namespace tessera::graphene {

void Clocks::begin(std::size_t threads, std::size_t barriers) {
  agents_ = threads + barriers;
  rows_.assign(threads, nothing());
  now_.assign(threads, 0);
}

void Clocks::join(Row& into, const Row& from) {
  for (std::size_t k = 0; k < into.size(); ++k) into[k] = std::max(into[k], from[k]);
}

void Clocks::release(std::size_t thread, Knowledge& into) {
  join(into.known, rows_[thread].known);
  join(into.async, rows_[thread].async);
  into.known[thread] = now_[thread] + 1;
  step(thread);
}

void Clocks::acquire(std::size_t thread, const Knowledge& from) {
  join(rows_[thread].known, from.known);
  join(rows_[thread].async, from.async);
}

void Clocks::fence(std::size_t thread) {
  Knowledge& mine = rows_[thread];
  join(mine.async, mine.known);
  mine.async[thread] = now_[thread] + 1;
  step(thread);
}

void Clocks::meet(const std::vector<std::size_t>& threads) {
  Knowledge all = nothing();
  for (const std::size_t t : threads) release(t, all);
  for (const std::size_t t : threads) rows_[t] = all;
}

}  // namespace tessera::graphene
