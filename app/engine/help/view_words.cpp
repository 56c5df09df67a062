#include "app/engine/help/view_words.h"

#include <sstream>

namespace tessera {

std::pair<std::string, std::vector<std::string>> viewWords(const std::string& view) {
  std::istringstream words(view);
  std::pair<std::string, std::vector<std::string>> said;
  std::string word;
  while (words >> word) {
    while (word.ends_with(',')) word.pop_back();
    if (word.empty()) continue;
    (said.first.empty() ? said.first : said.second.emplace_back()) = word;
  }
  return said;
}

}  // namespace tessera
