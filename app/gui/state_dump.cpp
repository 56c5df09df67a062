#include "app/gui/state_dump.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "app/gui/parts.h"

namespace tessera {

void StateDump::write(const Session& session, const WindowState& window, long keys, long frames) {
  if (path_ == nullptr) return;
  nlohmann::json state = {{"session", nlohmann::json::parse(dump(session))}, {"places", nlohmann::json::object()}};
  state["owner"] = name(ui::keyboard().owner());
  for (const auto& [owner, seen] : partsOf(session, window)) state["parts"][name(owner)] = seen;
  state["keys"] = keys;
  for (const auto& [name, p] : ui::places())
    state["places"][name] = {std::lround(p.x), std::lround(p.y), std::lround(p.w), std::lround(p.h)};
  constexpr auto kReplace = nlohmann::json::error_handler_t::replace;
  if (std::string text = state.dump(-1, ' ', false, kReplace); text != last_) {
    last_ = std::move(text);
    state["frames"] = frames;
    (void)writeFileAtomically(path_, state.dump(1, ' ', false, kReplace) + "\n");
  }
}

}  // namespace tessera
