// The words after a view's name, each a value of one of the view's choices.
//
//     show A as grid tile hex       colour Tile, label Hex
//
// One table per choice: it parses the word and lists the alternatives for the window's menu.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "render/figure/figure.h"

namespace tessera {

// A word that is a number.
[[nodiscard]] std::optional<i64> numberIn(std::string_view word);
// A Diag that names the first word, for a view that knows none.
[[nodiscard]] Result<void> expectNoWords(const std::vector<std::string>& words, std::string_view view,
                                         std::string hint = "");

template <class E, std::size_t N>
using Words = std::array<std::pair<std::string_view, E>, N>;

// Sets `into` and returns true if `given` is one of the words.
template <class E, std::size_t N>
bool takeWord(const Words<E, N>& words, std::string_view given, E& into) {
  for (const auto& [word, value] : words) {
    if (word != given) continue;
    into = value;
    return true;
  }
  return false;
}

template <class E, std::size_t N>
[[nodiscard]] FigureChoice choiceOf(std::string name, const Words<E, N>& words, E now) {
  FigureChoice choice{std::move(name), {}, ""};
  for (const auto& [word, value] : words) {
    choice.words.emplace_back(word);
    if (value == now) choice.now = word;
  }
  return choice;
}

}  // namespace tessera
