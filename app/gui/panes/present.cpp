#include "app/gui/panes/present.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include "app/views/inspector/inspector.h"
#include "app/views/pictures/picture.h"
#include "app/views/present/slides.h"
#include "app/widgets/ui.h"

namespace tessera::panes {
namespace {

using ui::px;
namespace fs = std::filesystem;

constexpr i64 kMostTimes = 4096;
constexpr i64 kMostFrames = 64;
constexpr double kPerCell = 0.6;          // seconds of a cell while it plays
constexpr std::size_t kMostCode = 12;     // lines of a slide
constexpr float kLarge = 21, kCode = 17;  // points

// Large text, wrapped; returns its height.
float slideBlock(ImFont* font, double points, ImVec2 at, float width, Role role, const std::string& words) {
  const float size = px(points);
  ImGui::GetWindowDrawList()->AddText(font, size, at, ui::color(role), words.data(), words.data() + words.size(),
                                      width);
  return font->CalcTextSizeA(size, 1e9F, width, words.data(), words.data() + words.size()).y;
}

void slideWords(const Slide& slide, ImVec2 at, float width, float bottom) {
  const ui::Fonts& f = ui::look().fonts;
  ImGui::GetWindowDrawList()->PushClipRect(at, {at.x + width, bottom}, true);
  float y = at.y;
  if (!slide.heading.empty())
    y += slideBlock(f.figure[2], kLarge * 1.4, {at.x, y}, width, Role::Text, slide.heading) + px(22);
  for (const std::string& paragraph : slide.paragraphs)
    y += slideBlock(f.figure[2], kLarge, {at.x, y}, width, Role::Text, paragraph) + px(16);
  y += px(6);
  for (std::size_t k = 0; k < std::min(slide.code.size(), kMostCode); ++k) {
    const bool rest = k + 1 == kMostCode && slide.code.size() > kMostCode;
    y += slideBlock(f.cells[3], kCode, {at.x, y}, width, Role::Muted, rest ? "..." : slide.code[k]) + px(5);
  }
  ImGui::GetWindowDrawList()->PopClipRect();
}

// The path's steps, of which the first `lit` are lit.
void pathChips(const std::vector<std::string>& steps, std::size_t lit, ImVec2 at, float right) {
  const ui::Fonts& f = ui::look().fonts;
  float x = at.x;
  for (std::size_t k = 0; k < steps.size(); ++k) {
    const float w = ui::width(f.sansMedium, steps[k]) + px(24), h = px(30);
    if (x + w > right) return;
    ui::fill({x, at.y}, {x + w, at.y + h}, k < lit ? Role::Accent : Role::Raised, k < lit ? 0.35 : 1, px(6));
    ui::textInRow(f.sansMedium, {x + px(12), at.y}, h, k < lit ? Role::Text : Role::Muted, steps[k]);
    ui::place(fmt::format("present.path.{}", k), {x, at.y}, {x + w, at.y + h});
    x += w;
    if (k + 1 < steps.size()) ui::textInRow(f.sansMedium, {x + px(7), at.y}, h, Role::Faint, ">");
    x += px(24);
  }
}

bool stepKey(ImGuiKey key) { return ui::keyboard().pressed(ui::Owner::Present, key); }

void presentKeys(PresentState& p, std::size_t slides, i64 times) {
  const std::size_t before = p.slide;
  if (stepKey(ImGuiKey_RightArrow) || stepKey(ImGuiKey_PageDown)) ++p.slide;
  for (const ImWchar c : ui::keyboard().typed(ui::Owner::Present)) p.slide += c == ' ' ? 1U : 0U;
  if ((stepKey(ImGuiKey_LeftArrow) || stepKey(ImGuiKey_PageUp)) && p.slide > 0) --p.slide;
  if (stepKey(ImGuiKey_Home)) p.slide = 0;
  if (stepKey(ImGuiKey_End)) p.slide = slides;
  p.slide = std::min(p.slide, slides - 1);
  if (p.slide != before) {
    p.time = 0;
    p.playing = false;
    p.frames.clear();
  }
  if (stepKey(ImGuiKey_Enter)) p.playing = !p.playing;
  if (stepKey(ImGuiKey_DownArrow)) ++p.time;
  if (stepKey(ImGuiKey_UpArrow)) --p.time;
  p.time = std::clamp<i64>(p.time, 0, std::max<i64>(0, times - 1));
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

// The picture of a slide, else the last one before it.
std::size_t pictureOf(const std::vector<Slide>& slides, std::size_t slide) {
  while (slide > 0 && slides[slide].picture == SIZE_MAX) --slide;
  return slides[slide].picture;
}

// One frame in each frame of the window, which stays usable.
void writeFrame(Session& session, PresentState& p, const std::shared_ptr<const Outcome>& outcome, std::size_t index,
                i64 times) {
  if (p.frames.empty()) return;
  const bool written = exportFrame(session, outcome, index, p.frames, p.written++);
  if (written && p.written < std::min(times, kMostFrames)) return;
  if (written) session.tell(fmt::format("{} frames are in {}", p.written, p.frames));
  p.frames.clear();
}

// The time line below the picture: play, the slider, the number of the cell, and the export of frames.
void timeLine(const Session& session, PresentState& p, i64 times, ImVec2 at, float width) {
  ImGui::SetCursorScreenPos(at);
  if (ui::rowButton("present.play", p.playing ? "stop" : "play")) p.playing = !p.playing;
  if (ui::slider("present.time", p.time, std::max<i64>(1, times - 1), std::max(px(60), width - px(260))))
    p.playing = false;
  ImGui::SameLine();
  if (ui::rowButton("present.frames", p.frames.empty() ? "frames" : "stop")) {
    p.frames = p.frames.empty() ? freshFolder(session) : std::string();
    p.written = 0;
  }
  ui::label(fmt::format("{} of {}", p.time + 1, times), Role::Muted, ui::look().fonts.small);
  p.time = std::clamp<i64>(p.time, 0, times - 1);
}

}  // namespace

i64 timesOf(const Outcome& outcome) {
  if (!outcome.figure) return 0;
  for (const Grid& g : outcome.figure->grids)
    if (g.cells && g.rows > 0 && g.cols > 0) return g.rows > kMostTimes / g.cols ? kMostTimes : g.rows * g.cols;
  return 0;
}

std::optional<Hover> cellAt(const std::shared_ptr<const Outcome>& outcome, std::size_t index, i64 time) {
  if (time < 0 || time >= timesOf(*outcome)) return std::nullopt;
  for (const Grid& g : outcome->figure->grids) {
    if (!g.cells || g.rows <= 0 || g.cols <= 0) continue;
    const i64 row = time / g.cols, col = time % g.cols;
    const Cell cell = g.cells->cell(row, col);
    if (!cell.point.real()) return std::nullopt;
    return Hover{cell.point, index, g.name, row, col, cell.label, outcome, pointsOf(cell)};
  }
  return std::nullopt;
}

std::vector<std::string> pathOf(const Snapshot& now, const Hover& cell) {
  constexpr std::array<std::string_view, 5> kSteps = {"coordinate", "offset", "byte", "bank", "goes to lane"};
  const Facts facts = factsAt(now, cell);
  std::vector<std::string> path;
  for (const std::string_view step : kSteps) {
    const auto fact = std::ranges::find(facts, step, &Fact::name);
    if (fact == facts.end()) continue;
    const std::size_t equals = fact->value.rfind("= ");  // "4 * 2 = 8"
    const std::string value = equals == std::string::npos ? fact->value : fact->value.substr(equals + 2);
    path.push_back(fmt::format("{} {}", step == "goes to lane" ? "lane" : step, value));
  }
  return path;
}

bool exportFrame(Session& session, const std::shared_ptr<const Outcome>& outcome, std::size_t index,
                 const std::string& folder, i64 time) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) return session.fail(Diag{fmt::format("cannot create {}: {}", folder, failed.message())});
  Figure frame = *outcome->figure;
  if (const auto cell = cellAt(outcome, index, time)) frame.lit = cell->points;
  const std::string path = (fs::path(folder) / fmt::format("frame-{:04}.png", time + 1)).string();
  return exportFigure(session, frame, path, {.theme = session.preferences.theme, .scale = 1});
}

void present(Session& session, WindowState& state, GridTextures& textures) {
  PresentState& p = state.present;
  const auto now = session.evaluation().snapshot();
  const std::vector<Slide> slides = slidesOf(*now, session.tasks);
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  beginPane("##present", {{0, 0}, screen}, Role::Panel);
  if (slides.empty()) {
    ui::text(ui::look().fonts.sansMedium, {px(48), px(48)}, Role::Muted, "The sheet is empty.");
    return endPane();
  }
  p.slide = std::min(p.slide, slides.size() - 1);
  const std::size_t before = pictureOf(slides, p.slide);
  presentKeys(p, slides.size(), before == SIZE_MAX ? 0 : timesOf(*now->outcomes[before]));
  const Slide& slide = slides[p.slide];
  const std::size_t shown = pictureOf(slides, p.slide);
  const bool picture = shown < now->outcomes.size() && screen.x > px(500);
  const float margin = px(48), foot = screen.y - px(44);
  const float column = picture ? screen.x * 0.36F : std::min(px(900), screen.x - 2 * margin);
  slideWords(slide, {margin, margin}, column - (picture ? margin / 2 : 0), foot - px(8));
  session.hover.reset();
  if (picture) {
    const auto& outcome = now->outcomes[shown];
    const i64 times = timesOf(*outcome);
    const float x = margin + column, width = screen.x - x - margin / 2, bar = times > 0 ? px(88) : 0;
    if (p.playing && times > 0) {
      p.clock += static_cast<double>(ImGui::GetIO().DeltaTime);
      if (p.clock >= kPerCell) {
        p.clock = 0;
        p.time = (p.time + 1) % times;
      }
      state.canvas.animating = true;
    }
    if (!p.frames.empty()) state.canvas.animating = true;
    session.pinned = cellAt(outcome, shown, p.time);
    if (session.pinned) state.canvas.asked = originOf(*session.pinned);
    state.canvas.lights.look(session, *now, state.canvas.asked);
    ImGui::SetCursorScreenPos({x, px(24)});
    ImGui::BeginChild("present.picture", {std::max(1.0F, width), std::max(1.0F, foot - bar - px(24))}, false,
                      ImGuiWindowFlags_NoScrollbar);
    figurePane(session, state.canvas, textures, outcome, shown, paneKey(*now, shown),
               std::max(px(80), foot - bar - px(110)));
    ImGui::EndChild();
    if (times > 0) {
      const std::vector<std::string> steps =
          session.pinned ? pathOf(*now, *session.pinned) : std::vector<std::string>{};
      const double share = p.playing ? p.clock / kPerCell : 1;
      const auto lit = static_cast<std::size_t>(std::ceil(share * static_cast<double>(steps.size())));
      pathChips(steps, lit, {x, foot - bar + px(4)}, x + width);
      writeFrame(session, p, outcome, shown, times);
      timeLine(session, p, times, {x, foot - bar + px(46)}, width);
    }
  }
  const ui::Fonts& f = ui::look().fonts;
  ui::text(f.small, {margin, foot + px(12)}, Role::Muted,
           fmt::format("{} of {}     Left and Right: step     Down and Up: cell     Enter: play     Esc: back",
                       p.slide + 1, slides.size()));
  const float done = screen.x * static_cast<float>(p.slide + 1) / static_cast<float>(slides.size());
  ui::fill({0, screen.y - px(3)}, {done, screen.y}, Role::Accent);
  endPane();
}

}  // namespace tessera::panes
