// What device p reads, element and device together.
#pragma once

#include <catch2/catch.hpp>
#include <set>
#include <utility>

#include "core/hlo/ops/devices.h"
#include "hlo/images.h"

namespace tessera::testing {

using OnDevices = std::set<std::pair<i64, Element>>;  // of which device, and what

inline OnDevices readOn(const hlo::Reach& reach, const Element& at, i64 p) {
  OnDevices all;
  Element asked = at;
  asked.push_back(p);
  for (std::size_t k = 0; k < reach.maps.size(); ++k) {
    const Map* const position = hlo::positionOf(reach, k);
    if (position == nullptr) {
      for (const Element& e : elementsAt(reach.maps[k], at)) all.insert({p, e});
      continue;
    }
    // The map alone has the same elements, with p as its last parameter.
    std::vector<i64> numbers;
    for (const Param& param : reach.maps[k].params()) numbers.push_back(param.name == "p" ? p : param.lo);
    const Elements alone = elementsAt(reach.maps[k], at, numbers);
    bool inside = true;
    for (Element e : elementsAt(*position, asked)) {
      const i64 device = e.back();
      e.pop_back();
      inside = inside && (!position->params().empty() || alone.contains(e));
      all.insert({device, std::move(e)});
    }
    REQUIRE(inside);
  }
  return all;
}

}  // namespace tessera::testing
