// A CSV reader for tests: RFC 4180, and bare \n line ends. It drops an apostrophe that csvField added.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tessera {

inline std::string csvPlain(std::string cell) {
  const std::size_t first = cell.find_first_not_of('\'');
  const bool added = cell.starts_with('\'') && first != std::string::npos &&
                     std::string("=+-@\t\r").find(cell[first]) != std::string::npos;
  return added ? cell.substr(1) : cell;
}

inline std::vector<std::vector<std::string>> readCsv(std::string_view text) {
  std::vector<std::vector<std::string>> lines;
  std::size_t at = 0;
  const auto sees = [&](std::string_view what) { return text.substr(at, what.size()) == what; };
  while (at < text.size()) {
    lines.emplace_back();
    for (bool more = true; more; more = sees(",") && ++at > 0) {
      std::string field;
      if (sees("\"")) {
        for (++at; at < text.size() && (!sees("\"") || sees("\"\"")); ++at) {
          if (sees("\"\"")) ++at;
          field += text[at];
        }
        ++at;
      }
      while (at < text.size() && !sees(",") && !sees("\r\n") && !sees("\n")) field += text[at++];
      lines.back().push_back(csvPlain(field));
    }
    at += sees("\r\n") ? 2 : 1;
  }
  return lines;
}

}  // namespace tessera
