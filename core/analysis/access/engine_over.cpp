#include "core/analysis/access/engine_over.h"

#include <fmt/format.h>

namespace tessera {

bool EngineOver::operator==(const EngineOver& other) const {
  return engine == other.engine && what == other.what && type == other.type && memory == other.memory;
}

std::string print(const EngineOver& over) {
  std::string out = fmt::format("{} over {}, {}\n{}", over.what, over.tile.text(), over.type, over.form);
  if (over.blocks.empty()) return out;
  const EngineBlock& first = over.blocks.front();
  out += fmt::format("\n{} position{} of {}x{}", over.blocks.size(), over.blocks.size() == 1 ? "" : "s",
                     first.end.row - first.corner.row, first.end.column - first.corner.column);
  for (const auto& [name, value] : first.facts) out += fmt::format("\n{}: {}", name, value);
  return out;
}

LayoutFacts NotationOf<EngineOver>::facts(const EngineOver& over) {
  LayoutFacts facts = {{"access", over.what}, {"type", over.type}, {"over", over.tile.text()}, {"form", over.form}};
  facts.push_back({"positions", static_cast<i64>(over.blocks.size())});
  if (over.blocks.empty()) return facts;
  for (const auto& [name, value] : over.blocks.front().facts) facts.push_back({name, value});
  return facts;
}

}  // namespace tessera
