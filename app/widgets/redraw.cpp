#include "app/widgets/redraw.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>

#include "app/widgets/keyboard.h"

namespace tessera::ui {
namespace {

constexpr double kBlink = 1.06, kLit = 0.6;  // seconds: a turn, and the visible part of it
constexpr double kFieldBlink = 0.2;          // ImGui's own carets change at multiples of this
constexpr double kFrame = 1.0 / 60;
// A float sum of frame times may fall short of the time that was asked for.
constexpr double kAfter = 0.002;

double wanted = kNever;  // of ImGui's clock
double lastInput = 0;    // a key or a click
bool nothingYet = true;  // the clock starts again with each context

}  // namespace

void redrawAt(double time) { wanted = std::min(wanted, time + kAfter); }
void redrawSoon() { wanted = std::min(wanted, ImGui::GetTime() + kFrame); }
double redrawIn() { return wanted >= kNever ? kNever : std::max(0.0, wanted - ImGui::GetTime()); }

void beginRedraws() {
  wanted = kNever;
  ImGuiIO& io = ImGui::GetIO();
  const double now = ImGui::GetTime();
  if (nothingYet || now < lastInput || keyboard().anyInput()) lastInput = now;
  nothingYet = false;
  const ImGuiContext& g = *ImGui::GetCurrentContext();
  const bool field = g.ActiveId != 0 && g.ActiveId == g.InputTextState.ID;
  io.ConfigInputTextCursorBlink = now - lastInput < kBlinkSeconds;
  if (field && io.ConfigInputTextCursorBlink) redrawAt(now + kFieldBlink);
}

bool caretLit() {
  const double since = ImGui::GetTime() - lastInput;
  if (since >= kBlinkSeconds) return true;
  const double phase = std::fmod(since, kBlink), turn = since - phase;
  redrawAt(lastInput + std::min(phase < kLit ? turn + kLit : turn + kBlink, kBlinkSeconds));
  return phase < kLit;
}

}  // namespace tessera::ui
