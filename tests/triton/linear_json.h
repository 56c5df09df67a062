// The JSON form of linear layouts in the case files: {"bases": [[name, [[..], ..]], ..], "out": [[name, size], ..]}.
#pragma once

#include <nlohmann/json.hpp>

#include "core/notation/linear/layout.h"

namespace tessera {

inline std::vector<linear::In> insOf(const nlohmann::json& bases) {
  std::vector<linear::In> ins;
  for (const auto& in : bases) ins.push_back({in[0].get<std::string>(), in[1].get<std::vector<linear::Basis>>()});
  return ins;
}
inline std::vector<linear::Out> outsOf(const nlohmann::json& list) {
  std::vector<linear::Out> outs;
  for (const auto& out : list) outs.push_back({out[0].get<std::string>(), out[1].get<i64>()});
  return outs;
}
inline linear::Layout linearOf(const nlohmann::json& j) {
  auto made = linear::Layout::create(insOf(j.at("bases")), outsOf(j.at("out")));
  if (!made) throw std::runtime_error(made.error().message);
  return *made;
}

}  // namespace tessera
