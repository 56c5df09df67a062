#include "solver/graphene/sizes/kernel_alone.h"

#include <algorithm>

#include "core/graphene/walk.h"

namespace tessera::graphene {

Program kernelAlone(const Sites& sites, int kernel) {
  Program out = *sites.program;
  int number = 0;
  std::erase_if(out.specs, [&](const Statement& s) {
    if (!std::holds_alternative<Spec>(s.what)) return false;
    const int own = number;
    ++number;
    for (Walk walk(std::get<Spec>(s.what).body); const Statement* inner = walk.next();)
      number += std::holds_alternative<Spec>(inner->what) ? 1 : 0;
    return own != kernel;
  });
  return out;
}

void eachSpec(Body& body, const std::function<void(Spec&)>& visit) {
  for (Statement& s : body) {
    if (auto* spec = std::get_if<Spec>(&s.what)) visit(*spec);
    for (Body* inner : bodiesOf(s)) eachSpec(*inner, visit);
  }
}

bool isOnlyRead(const Sites& sites, int kernel, int storage) {
  if (storage < 0) return false;
  const Storage& s = sites.of(storage);
  if (!s.operand || s.declared.memory != Memory::Global || !s.declared.swizzle.isIdentity()) return false;
  for (std::size_t k = 0; k < sites.specs.size(); ++k)
    if (sites.kernelOf(k) == static_cast<std::size_t>(kernel) &&
        std::ranges::any_of(sites.specs[k].outputs, [&](int node) { return sites.storageOf(node) == storage; }))
      return false;
  return true;
}

}  // namespace tessera::graphene
