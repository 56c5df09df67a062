#include "core/paste/paste.h"

#include "core/paste/dialects.h"

namespace tessera::paste {

const std::string* Given::let(std::string_view key) const {
  for (const auto& [written, value] : lets)
    if (written == key) return &value;
  return nullptr;
}

Result<Reading> read(std::string_view text, const Given& given) {
  std::optional<Diag> first;
  for (const int sure : {2, 1})
    for (const Dialect* dialect : dialects()) {
      if (dialect->recognizes(text) != sure) continue;
      Result<Reading> reading = dialect->read(text, given);
      if (reading) return reading;
      if (!first) first = reading.error();
    }
  if (first) return *std::move(first);
  return Diag{"this is no format that Tessera knows"};
}

std::string_view dialectOf(std::string_view text) {
  for (const int sure : {2, 1})
    for (const Dialect* dialect : dialects())
      if (dialect->recognizes(text) == sure) return dialect->name;
  return {};
}

}  // namespace tessera::paste
