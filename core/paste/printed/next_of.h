// NextOf: the position of the next of several words in a text, for a scan from its beginning to its end.
//
//     NextOf next(text, {"cute::Layout<", "cute::TiledMMA<"});
//     next.from(0), next.from(17), ..          npos: none is left
//
// Law: a whole scan reads the text once for each word, however often it asks. Requires: the places do not decrease.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

namespace tessera::paste {

class NextOf {
 public:
  template <typename Words>
  NextOf(std::string_view text, const Words& words) : text_(text) {
    for (const std::string_view word : words) places_.push_back({word, text.find(word)});
  }
  [[nodiscard]] std::size_t from(std::size_t at) {
    std::size_t next = std::string_view::npos;
    for (Place& place : places_) {
      if (place.at != std::string_view::npos && place.at < at) place.at = text_.find(place.word, at);
      next = std::min(next, place.at);
    }
    return next;
  }

 private:
  struct Place {
    std::string_view word;
    std::size_t at;
  };
  std::string_view text_;
  std::vector<Place> places_;
};

}  // namespace tessera::paste
