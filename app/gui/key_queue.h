// KeyQueue: keys and characters of a window, in order, for its frames.
//
// ImGui 1.86 samples key states once per frame instead of reading events: a key pressed and released between two frames
// would be lost, and releasing Ctrl in the frame of a Q would turn Ctrl+Q into Q. So keys and characters are queued in
// order, and each frame gets only as many as its states can represent; the rest waits for the next frame.
#pragma once

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <algorithm>
#include <deque>
#include <vector>

namespace tessera {

// Keys, actions and modifiers are GLFW's numbers.
struct KeyEvent {
  bool character = false;  // `key` is a code point
  int key = 0, scancode = 0, action = 0, modifiers = 0;
};

class KeyQueue {
 public:
  void push(const KeyEvent& e) { events_.push_back(e); }
  // Keys that frames have received so far.
  [[nodiscard]] long pressed() const { return pressed_; }

  // Gives one frame its events, in order; returns true if events remain.
  template <class Give>
  bool feed(const Give& give) {
    std::vector<int> pressed, released;
    bool characters = false, command = false;
    while (!events_.empty()) {
      const KeyEvent e = events_.front();
      const bool types = !e.character && e.key >= GLFW_KEY_SPACE && e.key <= GLFW_KEY_GRAVE_ACCENT &&
                         (e.modifiers & (GLFW_MOD_CONTROL | GLFW_MOD_ALT | GLFW_MOD_SUPER)) == 0;
      const bool modifier = !e.character && e.key >= GLFW_KEY_LEFT_SHIFT && e.key <= GLFW_KEY_RIGHT_SUPER;
      const bool mine = contains(pressed, e.key);
      if (e.character && command) return true;
      if (!e.character && e.action == GLFW_RELEASE && ((mine && !types) || (modifier && !pressed.empty()))) return true;
      if (!e.character && e.action != GLFW_RELEASE && !types &&
          (mine || contains(released, e.key) || (characters && !modifier)))
        return true;
      events_.pop_front();
      give(e);
      if (e.character) {
        characters = true;
        continue;
      }
      if (e.action != GLFW_RELEASE) {
        ++pressed_;
        pressed.push_back(e.key);
        command |= !types && !modifier;
      } else {
        released.push_back(e.key);
      }
    }
    return false;
  }

 private:
  static bool contains(const std::vector<int>& keys, int key) { return std::ranges::find(keys, key) != keys.end(); }

  std::deque<KeyEvent> events_;
  long pressed_ = 0;
};

KeyQueue keyQueue;

}  // namespace tessera
