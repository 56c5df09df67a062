#include "app/gui/panes/present.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>

#include "app/engine/help/method_info.h"
#include "app/views/pictures/picture.h"
#include "app/views/present/path_pictures.h"
#include "app/views/present/slides.h"
#include "app/widgets/ui.h"

namespace tessera::panes {
namespace {

using ui::px;
namespace fs = std::filesystem;

constexpr i64 kMostFrames = 320;
constexpr double kFrameScale = 1.2;       // pixels of a point of a frame
constexpr double kPerCell = 0.6;          // seconds of a cell while it plays in one picture
constexpr double kPerStop = 0.9;          // and of a stop while the path leads through several
constexpr std::size_t kMostCode = 12;     // lines of a slide
constexpr float kLarge = 21, kCode = 17;  // points

// Large text, wrapped; returns its height.
float slideBlock(ImFont* font, double points, ImVec2 at, float width, Role role, const std::string& words) {
  const float size = px(points);
  ImGui::GetWindowDrawList()->AddText(font, size, at, ui::color(role), words.data(), words.data() + words.size(),
                                      width);
  return font->CalcTextSizeA(size, 1e9F, width, words.data(), words.data() + words.size()).y;
}

void slideWords(const FrameWords& slide, ImVec2 at, float width, float bottom) {
  const ui::Fonts& f = ui::look().fonts;
  ImGui::GetWindowDrawList()->PushClipRect(at, {at.x + width, bottom}, true);
  float y = at.y;
  if (!slide.heading.empty())
    y += slideBlock(f.figure[2], kLarge * 1.4, {at.x, y}, width, Role::Text, slide.heading) + px(22);
  for (const std::string& paragraph : slide.paragraphs)
    y += slideBlock(f.figure[2], kLarge, {at.x, y}, width, Role::Text, paragraph) + px(16);
  y += px(6);
  for (const std::string& line : slide.code)
    y += slideBlock(f.cells[3], kCode, {at.x, y}, width, Role::Muted, line) + px(5);
  ImGui::GetWindowDrawList()->PopClipRect();
}

// Whether they need a second line.
bool chipsWrap(const std::vector<PathStop>& stops, float width) {
  float all = -px(24);
  for (const PathStop& s : stops) all += ui::width(ui::look().fonts.sansMedium, s.text) + px(48);
  return all > width;
}

// The path's stops, of which the first `lit` are lit.
void pathChips(const std::vector<PathStop>& stops, std::size_t lit, ImVec2 at, float width) {
  const ui::Fonts& f = ui::look().fonts;
  float x = at.x, y = at.y;
  const float h = px(30);
  for (std::size_t k = 0; k < stops.size(); ++k) {
    const float w = ui::width(f.sansMedium, stops[k].text) + px(24);
    if (x + w > at.x + width && x > at.x) {
      x = at.x;
      y += h + px(6);
    }
    ui::fill({x, y}, {x + w, y + h}, k < lit ? Role::Accent : Role::Raised, k < lit ? 0.35 : 1, px(6));
    ui::textInRow(f.sansMedium, {x + px(12), y}, h, k < lit ? Role::Text : Role::Muted, stops[k].text);
    ui::place(fmt::format("present.path.{}", k), {x, y}, {x + w, y + h});
    x += w;
    if (k + 1 < stops.size()) ui::textInRow(f.sansMedium, {x + px(7), y}, h, Role::Faint, ">");
    x += px(24);
  }
}

bool stepKey(ImGuiKey key) { return ui::keyboard().pressed(ui::Owner::Present, key); }

// Starts at the beginning of the cell's path; at the end of a counterexample, at its beginning.
void playPath(PresentState& p) {
  p.playing = !p.playing;
  p.clock = 0;
  if (!p.playing) return;
  const i64 places = p.shown.places, all = routesOf(p.shown.scene) * places;
  if (p.claim.empty()) p.time = p.time / places * places;
  if (!p.claim.empty() && p.time + 1 >= all) p.time = 0;
}

// The next cell, or the one before, with its whole path.
void toCell(PresentState& p, i64 by) {
  const i64 places = p.shown.places, cells = routesOf(p.shown.scene);
  const i64 cell = std::clamp<i64>(p.time / places + by, 0, std::max<i64>(0, cells - 1));
  p.time = cell * places + places - 1;
}

void presentKeys(PresentState& p, std::size_t slides) {
  const std::size_t before = p.slide;
  const i64 time = p.time;
  const bool sheet = p.claim.empty();
  const int by = (stepKey(ImGuiKey_RightArrow) || stepKey(ImGuiKey_PageDown) ? 1 : 0) -
                 (stepKey(ImGuiKey_LeftArrow) || stepKey(ImGuiKey_PageUp) ? 1 : 0);
  if (!sheet) p.time += by;
  if (sheet && (by > 0 || p.slide > 0)) p.slide += static_cast<std::size_t>(by);
  if (stepKey(ImGuiKey_Home) && sheet) p.slide = 0;
  if (stepKey(ImGuiKey_Home) && !sheet) p.time = 0;
  if (stepKey(ImGuiKey_End) && sheet) p.slide = slides;
  if (stepKey(ImGuiKey_End) && !sheet) p.time = routesOf(p.shown.scene) * p.shown.places;
  if (stepKey(ImGuiKey_Enter)) playPath(p);
  for (const ImWchar c : ui::keyboard().typed(ui::Owner::Present)) {
    if (c == ' ' && sheet) ++p.slide;
    if (c == ' ' && !sheet) playPath(p);
    if (c == '.') ++p.time;
    if (c == ',') --p.time;
  }
  p.slide = std::min(p.slide, slides - 1);
  if (stepKey(ImGuiKey_DownArrow)) toCell(p, 1);
  if (stepKey(ImGuiKey_UpArrow)) toCell(p, -1);
  const i64 last = std::max<i64>(1, routesOf(p.shown.scene) * p.shown.places) - 1;
  p.time = std::clamp<i64>(p.time, 0, last);
  if (p.time != time) p.clock = 0;
  if (p.slide == before) return;
  p.time = 0;
  p.playing = false;
  p.frames.clear();
}

// A folder that does not exist yet, beside the sheet.
std::string freshFolder(const Session& session) {
  const fs::path base = fs::path(session.document().path()).parent_path();
  std::error_code failed;
  for (int k = 1; k < 1000; ++k) {
    fs::path folder = base / fmt::format("frames-{}", k);
    if (!fs::exists(folder, failed)) return folder.string();
  }
  return (base / "frames").string();
}

// The pictures of a slide, else those of the last one before it.
const std::vector<std::size_t>& picturesOf(const std::vector<Slide>& slides, std::size_t slide) {
  while (slide > 0 && slides[slide].pictures.empty()) --slide;
  return slides[slide].pictures;
}

// One frame in each frame of the window, which stays usable.
void writeFrame(Session& session, PresentState& p, const FrameWords& words) {
  if (p.frames.empty()) return;
  const bool written = exportFrame(session, p.shown.scene, words, p.shown.places, p.frames, p.written++);
  if (written && p.written < framesOf(p.shown.scene, p.shown.places)) return;
  if (written) session.tell(fmt::format("{} frames are in {}", p.written, p.frames));
  p.frames.clear();
}

// The time line below the pictures: play, the slider, the number of the cell, and the export of frames.
void timeLine(const Session& session, PresentState& p, ImVec2 at, float width) {
  const i64 all = routesOf(p.shown.scene) * p.shown.places;
  ImGui::SetCursorScreenPos(at);
  if (ui::rowButton("present.play", p.playing ? "stop" : "play")) playPath(p);
  if (ui::slider("present.time", p.time, std::max<i64>(1, all - 1), std::max(px(60), width - px(280)))) {
    p.playing = false;
    p.clock = 0;
  }
  ImGui::SameLine();
  if (ui::rowButton("present.frames", p.frames.empty() ? "frames" : "stop")) {
    if (p.frames.empty()) p.written = 0;
    p.frames = p.frames.empty() ? freshFolder(session) : std::string();
  }
  ui::label(
      fmt::format("{}{} of {}", p.claim.empty() ? "" : "path ", p.shown.moment.route + 1, routesOf(p.shown.scene)),
      Role::Muted, ui::look().fonts.small);
  p.time = std::clamp<i64>(p.time, 0, all - 1);
}

// Advances the time while it plays.
void tickPath(PresentState& p, bool& animating) {
  const i64 all = routesOf(p.shown.scene) * p.shown.places;
  if (!p.frames.empty()) animating = true;
  if (!p.playing || all == 0) return;
  animating = true;
  const bool several = p.shown.scene.pictures.size() > 1;
  const double each = several || !p.claim.empty() ? kPerStop : kPerCell / static_cast<double>(p.shown.places);
  p.clock += static_cast<double>(ImGui::GetIO().DeltaTime);
  while (p.clock >= each && p.playing) {
    p.clock -= each;
    if (!p.claim.empty() && p.time + 1 >= all) p.playing = false;
    if (p.playing) p.time = (p.time + 1) % all;
  }
}

// The moment of the time, computed once.
void updateMoment(PresentState::Shown& shown, i64 time) {
  if (shown.time == time) return;
  shown.moment = momentAt(*shown.from, shown.scene, shown.places, time);
  shown.time = time;
}

std::size_t claimIn(const Snapshot& now, const std::string& statement) {
  for (std::size_t k = 0; k < now.outcomes.size(); ++k)
    if (now.outcomes[k]->statement.text == statement && now.outcomes[k]->verdict) return k;
  return SIZE_MAX;
}

FrameWords wordsOfClaim(const Outcome& o) {
  FrameWords words;
  words.heading = fmt::format("{} is refuted", o.verdict->claim);
  if (o.verdict->counterexample) words.paragraphs.push_back(o.verdict->counterexample->text + ".");
  for (std::string& sentence : words.paragraphs)
    sentence.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(sentence.front())));
  if (const std::string info = methodInfo(*o.verdict); !info.empty()) words.paragraphs.push_back(info);
  if (!o.learner.corrections.empty()) words.paragraphs.emplace_back("It holds with");
  for (const Correction& c : o.learner.corrections) words.code.push_back(c.label);
  return words;
}

FrameWords wordsOfSlide(const Slide& slide) {
  FrameWords words{slide.heading, slide.paragraphs, slide.code};
  if (words.code.size() <= kMostCode) return words;
  words.code.resize(kMostCode);
  words.code.back() = "...";
  return words;
}

// What is on the screen: the words and the scene, in state.shown. Returns false if there is nothing.
bool readStep(const Session& session, PresentState& p, FrameWords& words, std::size_t& slides) {
  const auto now = session.evaluation().snapshot();
  PresentState::Shown& s = p.shown;
  if (!p.claim.empty()) {
    const std::size_t claim = claimIn(*now, p.claim);
    if (claim == SIZE_MAX) return false;
    words = wordsOfClaim(*now->outcomes[claim]);
    slides = 1;
    if (s.from == now && s.claim == p.claim) return true;
    auto scene = counterexampleScene(*now, claim);
    if (!scene) return false;
    s = {now, 0, p.claim, *std::move(scene), 1, -1, {}};
    s.places = placesOf(*now, s.scene);
    return true;
  }
  const std::vector<Slide> all = slidesOf(*now, session.tasks);
  if (all.empty()) return false;
  slides = all.size();
  p.slide = std::min(p.slide, slides - 1);
  words = wordsOfSlide(all[p.slide]);
  if (s.from == now && s.claim.empty() && s.slide == p.slide) return true;
  s = {now, p.slide, "", {}, 1, -1, {}};
  for (const std::size_t k : picturesOf(all, p.slide)) s.scene.pictures.push_back({now->outcomes[k], k});
  s.places = placesOf(*now, s.scene);
  return true;
}

}  // namespace

i64 framesOf(const PathScene& scene, i64 places) { return std::min(routesOf(scene) * places, kMostFrames); }

bool exportFrame(Session& session, const PathScene& scene, const FrameWords& words, i64 places,
                 const std::string& folder, i64 time) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) return session.fail(Diag{fmt::format("cannot create {}: {}", folder, failed.message())});
  const auto now = session.evaluation().snapshot();
  const Figure frame = frameOf(scene, words, momentAt(*now, scene, places, time));
  const std::string path = (fs::path(folder) / fmt::format("frame-{:04}.png", time + 1)).string();
  return exportFigure(session, frame, path, {.theme = session.preferences.theme, .scale = kFrameScale});
}

bool presentCounterexample(Session& session, WindowState& state, std::size_t claim) {
  const auto now = session.evaluation().snapshot();
  if (!counterexampleScene(*now, claim)) {
    session.tell("the counterexample has no coordinate that a picture shows");
    return false;
  }
  state.present = {};
  state.present.open = true;
  state.present.playing = true;
  state.present.claim = now->outcomes[claim]->statement.text;
  return true;
}

void present(Session& session, WindowState& state, GridTextures& textures) {
  PresentState& p = state.present;
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  beginPane("##present", {{0, 0}, screen}, Role::Panel);
  FrameWords words;
  std::size_t slides = 1;
  if (!readStep(session, p, words, slides)) {
    const char* const none = p.claim.empty() ? "The sheet is empty." : "The claim is not refuted any more.";
    ui::text(ui::look().fonts.sansMedium, {px(48), px(48)}, Role::Muted, none);
    return endPane();
  }
  const std::size_t before = p.slide;
  presentKeys(p, slides);
  if (p.slide != before && !readStep(session, p, words, slides)) return endPane();
  const auto now = p.shown.from;
  const PathScene& scene = p.shown.scene;
  const bool picture = !scene.pictures.empty() && screen.x > px(500);
  const bool single = p.claim.empty() && scene.pictures.size() == 1;
  const float margin = px(48), foot = screen.y - px(44);
  const float share = single ? 0.36F : 0.28F;
  const float column = picture ? screen.x * share : std::min(px(900), screen.x - 2 * margin);
  slideWords(words, {margin, margin}, column - (picture ? margin / 2 : 0), foot - px(8));
  session.hover.reset();
  if (picture) {
    tickPath(p, state.canvas.animating);
    updateMoment(p.shown, p.time);
    const PathMoment& moment = p.shown.moment;
    const bool timed = routesOf(scene) > 0;
    const float x = margin + column, width = screen.x - x - margin / 2;
    const float bar = !timed ? 0 : chipsWrap(moment.stops, width) ? px(124) : px(88);
    const ImVec2 at = {x, px(24)}, size = {std::max(1.0F, width), std::max(1.0F, foot - bar - px(24))};
    session.pinned.reset();
    if (p.claim.empty() && moment.of) session.pinned = moment.of->from;
    if (single) {
      if (session.pinned) state.canvas.asked = originOf(*session.pinned);
      state.canvas.lights.look(session, *now, state.canvas.asked);
      const PathPicture& only = scene.pictures.front();
      ImGui::SetCursorScreenPos(at);
      ImGui::BeginChild("present.picture", size, false, ImGuiWindowFlags_NoScrollbar);
      figurePane(session, state.canvas, textures, only.outcome, only.index, paneKey(*now, only.index),
                 std::max(px(80), size.y - px(86)));
      ImGui::EndChild();
    } else {
      const double moving = p.playing ? std::min(1.0, p.clock / (kPerStop * 0.6)) : 1;
      const auto clicked = pathPictures(scene, moment, {moving, session.preferences.theme}, textures, at, size);
      if (clicked && p.claim.empty()) {
        p.time = *clicked * p.shown.places + p.shown.places - 1;
        p.playing = false;
      }
    }
    if (timed) {
      const std::size_t reached = moment.stops.empty() ? 0 : moment.stop + 1;
      pathChips(moment.stops, reached, {x, foot - bar + px(4)}, width);
      writeFrame(session, p, words);
      timeLine(session, p, {x, foot - px(42)}, width);
    }
  }
  const ui::Fonts& f = ui::look().fonts;
  const std::string keys =
      p.claim.empty()
          ? fmt::format(
                "{} of {}     Left and Right: step     Down and Up: cell     . and ,: stop     Enter: play     "
                "Esc: back",
                p.slide + 1, slides)
          : "Right and Left: stop     Down and Up: path     Space: play     Esc: back";
  ui::text(f.small, {margin, foot + px(12)}, Role::Muted, ui::fitted(keys, f.small, screen.x - 2 * margin));
  const float done = screen.x * static_cast<float>(p.slide + 1) / static_cast<float>(slides);
  ui::fill({0, screen.y - px(3)}, {done, screen.y}, Role::Accent);
  endPane();
}

}  // namespace tessera::panes
