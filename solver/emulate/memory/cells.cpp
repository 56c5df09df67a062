#include "solver/emulate/memory/cells.h"

#include <algorithm>

namespace tessera::graphene {

const Tag* clash(const Clocks& clocks, Cells& cells, i64 place, const Tag& me) {
  Shadow& shadow = cells.shadow.at(place);
  if (!clocks.active()) return shadow.writeClash(me);
  if (apart(clocks, shadow.write, me)) return &shadow.write;
  const auto readers = cells.readers.find(place);
  if (readers == cells.readers.end()) return nullptr;
  const auto found = std::find_if(readers->second.begin(), readers->second.end(),
                                  [&](const Tag& reader) { return apart(clocks, reader, me); });
  const bool any = found != readers->second.end();
  if (any) shadow.read = *found;  // where the report is read from
  cells.readers.erase(readers);
  return any ? &shadow.read : nullptr;
}

// With clocks, keeps every reader that no later one is ordered after, since a counting barrier may order any subset of
// them.
void noteReader(const Clocks& clocks, Cells& cells, i64 place, const Tag& me) {
  if (!clocks.active()) return cells.shadow.at(place).noteRead(me);
  std::vector<Tag>& readers = cells.readers[place];
  std::erase_if(readers, [&](const Tag& other) { return !apart(clocks, other, me); });
  readers.push_back(me);
}

}  // namespace tessera::graphene
