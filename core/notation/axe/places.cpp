#include "core/notation/axe/places.h"

#include <fmt/format.h>

#include "core/notation/axe/text.h"

namespace tessera::axe {

std::string print(const Places& places) {
  std::string out;
  for (const Place& place : places.places) out += (out.empty() ? "" : ", ") + print(place);
  return "[" + out + "]";
}

std::string print(const Coords& coords) {
  std::string out;
  for (const std::vector<i64>& coord : coords.coords) out += (out.empty() ? "" : ", ") + printShape(coord);
  return "[" + out + "]";
}

Result<Place> parsePlace(std::string_view text) {
  spelling::Scanner in(text);
  Place place;
  TESSERA_CHECKED(in.expect("{", "at the start of a place"));
  while (in.peek() != '}') {
    const std::size_t begin = in.position();
    TESSERA_TRY(const std::string axis, in.identifier("an axis name"));
    if (!in.accept(":")) TESSERA_CHECKED(in.expect("=", "after the axis name"));
    TESSERA_TRY(const i64 value, in.integer());
    if (!place.emplace(axis, value).second) return in.failFrom(begin, fmt::format("the axis {} stands twice", axis));
    if (!in.accept(",")) break;
  }
  TESSERA_CHECKED(in.expect("}", "at the end of a place"));
  if (!in.atEnd()) return in.fail("text after the end of the place", "the end");
  return place;
}

}  // namespace tessera::axe
