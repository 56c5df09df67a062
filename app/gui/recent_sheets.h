// recent_sheets: the paths of the sheets that were opened or saved last, newest first, kept beside the session's state.
#pragma once

#include <string>
#include <vector>

namespace tessera {

[[nodiscard]] const std::vector<std::string>& recentSheets();
// Called each frame: cheap while the path is the newest one.
void noteRecent(const std::string& path);

}  // namespace tessera
