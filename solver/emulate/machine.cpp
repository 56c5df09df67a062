#include "solver/emulate/machine.h"

#include <algorithm>
#include <numeric>

namespace tessera::graphene {

template <class D>
Machine<D>::Machine(const Plan& plan, D& domain, MachineOptions options)
    : plan_(plan),
      options_(options),
      findings_(plan, now_, options_),
      store_(plan, domain),
      products_(plan, findings_, now_, store_.cells()),
      barriers_(plan, findings_, now_),
      leaves_(plan, domain, options_, findings_, now_, store_, products_, barriers_),
      scheduler_(plan, options_, findings_, now_, store_.cells(), products_, barriers_, leaves_) {}

template <class D>
void Machine<D>::run() {
  for (const int k : plan_.kernels) {
    if (findings_.halted()) return;
    runKernel(k);
  }
}

template <class D>
void Machine<D>::runKernel(int kernel) {
  beginKernel(store_.cells());
  std::vector<i64> blocks(static_cast<std::size_t>(plan_.specs[kernel].blocks));
  std::iota(blocks.begin(), blocks.end(), i64{0});
  if (options_.seed != 0) std::shuffle(blocks.begin(), blocks.end(), std::mt19937_64(options_.seed));
  for (const i64 b : blocks) {
    if (findings_.halted()) return;
    runBlock(kernel, b);
  }
  if (!findings_.halted()) checkCoverage(plan_, kernel, store_.cells(), findings_);
}

template class Machine<Numbers>;
template class Machine<Terms>;

}  // namespace tessera::graphene
