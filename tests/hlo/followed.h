// Random tensors whose every element is traced, and the run-time values on which maps depend.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "core/hlo/compose/fusion.h"
#include "hlo/images.h"
#include "hlo/interpreter.h"

namespace tessera::testing {

inline Tensor parameterTensor(int number, const std::vector<i64>& sizes, std::mt19937_64& rng) {
  Tensor t = emptyOf(sizes);
  eachCoordinate(sizes, [&](const Element& c) {
    t[c].from.insert({number, c});
    t[c].number = static_cast<i64>(rng() % 9) - 2;
  });
  return t;
}

inline std::vector<Tensor> parametersOf(const hlo::Module& m, u64 seed) {
  std::mt19937_64 rng(seed);
  const hlo::Computation& c = m.computations.at(static_cast<std::size_t>(m.entry));
  std::vector<Tensor> all;
  for (std::size_t k = 0; k < c.parameters.size(); ++k)
    all.push_back(parameterTensor(
        static_cast<int>(k), m.shapeOf(c.instructions.at(static_cast<std::size_t>(c.parameters[k]))).sizes(), rng));
  return all;
}

inline Elements of(const Traced& value, int parameter) {
  Elements e;
  for (const auto& [p, at] : value.from)
    if (p == parameter) e.insert(at);
  return e;
}

// The run-time values at a coordinate: what the parameters hold there, clamped.
inline std::vector<i64> numbersAt(const Map& map, const std::vector<hlo::RuntimeValue>& runtime,
                                  const hlo::Computation& c, const std::vector<Tensor>& parameters, const Element& at,
                                  bool& known) {
  std::vector<i64> numbers;
  for (std::size_t k = 0; k < map.params().size(); ++k) {
    const hlo::Instruction& holder = c.instructions.at(static_cast<std::size_t>(runtime.at(k).operand));
    if (holder.opcode != "parameter" || !runtime[k].index.params().empty()) {
      known = false;
      return numbers;
    }
    const Elements where = elementsAt(runtime[k].index, at);
    if (where.size() != 1) {  // a point that is not asked for there
      numbers.push_back(map.params()[k].lo);
      continue;
    }
    const i64 value = parameters.at(std::stoul(std::string(holder.literal)))[*where.begin()].number;
    numbers.push_back(std::clamp(value, map.params()[k].lo, map.params()[k].hi));
  }
  return numbers;
}

}  // namespace tessera::testing
