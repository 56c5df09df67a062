// The words after a view's name, each a value of one of the view's choices.
//
//     show A as grid tile hex       colour Tile, label Hex
//
// One table per choice: it parses the word and lists the alternatives for the window's menu.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "render/figure/figure.h"

namespace tessera {

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
