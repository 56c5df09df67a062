// recent_sheets: the paths of recently opened or saved sheets, newest first, stored beside the session's state.
#pragma once

#include <string>
#include <vector>

namespace tessera {

[[nodiscard]] const std::vector<std::string>& recentSheets();
// Called each frame; cheap if the path is the newest one.
void noteRecent(const std::string& path);

}  // namespace tessera
