#include "app/gui/panes/start.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "app/files/assets.h"
#include "app/gui/sheets.h"
#include "app/session/gallery.h"
#include "app/widgets/ui.h"

namespace tessera::panes {
namespace {

namespace fs = std::filesystem;
using ui::px;

constexpr std::size_t kMostRecent = 5;
constexpr std::array kLevels = {"all", "first steps", "kernels", "compilers", "open"};

struct Lists {
  std::vector<GalleryItem> lessons = gallery(), templates = programTemplates();
};
const Lists& lists() {
  static const Lists kLists;
  return kLists;
}

bool isOpen(const GalleryItem& item) { return solvedOf(item.tasks) < item.tasks.size(); }

bool isListed(const GalleryItem& item, std::size_t level) {
  return level == 0 || (level + 1 == kLevels.size() ? isOpen(item) : item.level == kLevels[level]);
}

void drawThumbnail(const Thumbnail& thumbnail, ImVec2 at, ImVec2 size) {
  const float side = std::min(size.x / static_cast<float>(thumbnail.cols), size.y / static_cast<float>(thumbnail.rows));
  const float gap = std::max(1.0F, side * 0.08F);
  for (int r = 0; r < thumbnail.rows; ++r) {
    for (int c = 0; c < thumbnail.cols; ++c) {
      const Paint paint = thumbnail.paint(r, c);
      const ImVec2 a = {at.x + side * static_cast<float>(c), at.y + side * static_cast<float>(r)};
      const ImVec2 b = {a.x + side - gap, a.y + side - gap};
      if (paint.role == Role::None) {
        ui::fill(a, b, Role::Raised);
      } else {
        ImGui::GetWindowDrawList()->AddRectFilled(a, b, ui::color(resolve(paint, ui::look().theme)));
      }
    }
  }
}

// A row with a title, lines of text below it, words on the right and a picture on the left; returns true if clicked.
bool row(const std::string& name, std::string_view title, const std::string& about, const std::string& right, bool done,
         const Thumbnail* picture = nullptr, bool aligned = false) {
  const ui::Fonts& f = ui::look().fonts;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const float inset = (picture != nullptr || aligned) && width > px(260) ? px(84) : px(16);
  const auto lines = ui::wrapped(about, f.small, width - inset - px(16));
  const float h = std::max(px(36) + px(18) * static_cast<float>(lines.size()), inset > px(16) ? px(58) : 0);
  const bool pressed = ui::hitArea(name.c_str(), {width, h});
  ui::placeLast(name);
  if (ImGui::IsItemHovered()) ui::fill(at, {at.x + width, at.y + h}, Role::Raised);
  const float rightWidth = ui::width(f.small, right);
  const float room = width - inset - px(24) - rightWidth - (done ? px(18) : 0);
  if (picture != nullptr && inset > px(16)) drawThumbnail(*picture, {at.x + px(16), at.y + px(11)}, {px(57), px(38)});
  ui::text(f.sansMedium, {at.x + inset, at.y + px(8)}, Role::Text, ui::fitted(title, f.sansMedium, room));
  ui::text(f.small, {at.x + width - px(16) - rightWidth, at.y + px(9)}, Role::Muted, right);
  if (done) ui::sign({at.x + width - px(26) - rightWidth, at.y + px(16)}, px(11), ui::Sign::Proved);
  for (std::size_t k = 0; k < lines.size(); ++k)
    ui::text(f.small, {at.x + inset, at.y + px(28) + px(18) * static_cast<float>(k)}, Role::Muted, lines[k]);
  ui::hairline({at.x + px(16), at.y + h}, {at.x + width - px(16), at.y + h}, 0.6);
  return pressed;
}

void head(const std::string& words) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ui::text(ui::look().fonts.small, {at.x + px(16), at.y + px(16)}, Role::Accent, words);
  ImGui::Dummy({px(1), px(36)});
}

void item(Session& session, WindowState& state, const GalleryItem& shown) {
  const std::size_t solved = solvedOf(shown.tasks), all = shown.tasks.size();
  const std::string tasks = all == 0 ? "" : fmt::format("{} of {} tasks", solved, all);
  const Thumbnail* picture = shown.thumbnail ? &*shown.thumbnail : nullptr;
  const bool lesson = !shown.intro.empty();  // "3  The swizzle" is its heading
  if (row("gallery." + shown.title, lesson ? shown.about : shown.title, lesson ? shown.intro : shown.about, tasks,
          all > 0 && solved == all, picture, lesson))
    openSheet(session, state, shown.path, /*lesson=*/true);
}

// The lesson of that file.
const GalleryItem* lessonOf(const std::string& stem) {
  const auto& all = lists().lessons;
  const auto found = std::ranges::find_if(all, [&](const auto& l) { return fs::path(l.path).stem() == stem; });
  return found == all.end() ? nullptr : &*found;
}

void pasteYours(Session& session, WindowState& state) {
  guarded(session, state, [&session, &state] {
    session.newWorksheet();
    showSheet(session, state);
    paste(session, state.editor);
  });
}

void entries(Session& session, WindowState& state) {
  head("Begin");
  if (row("start.paste", "Paste what you have",
          "A layout, a line of a kernel, a dump of a compiler: it becomes a sheet that draws and proves it.", "Ctrl+V",
          false))
    pasteYours(session, state);
  const auto& all = lists().lessons;
  if (!all.empty() && row("start.lesson", "Lesson 1: what a layout is", all.front().intro, "", false))
    openSheet(session, state, all.front().path, /*lesson=*/true);
  const GalleryItem* kernel = lessonOf("29_run_a_kernel");
  if (kernel != nullptr &&
      row("start.kernel", "Run a kernel",
          "A program, its proof, and its result on this machine's GPU or on the emulator.", "", false))
    openSheet(session, state, kernel->path, /*lesson=*/true);
}

void recent(Session& session, WindowState& state) {
  std::size_t shown = 0;
  for (const std::string& path : recentSheets()) {
    if (path == session.document().path() || shown == kMostRecent) continue;
    if (shown++ == 0) head("Recent sheets");
    const fs::path file(path);
    if (row("recent." + path, file.filename().string(), file.parent_path().string(), "", false))
      openSheet(session, state, path, /*lesson=*/false);
  }
}

// The levels, of which one is chosen.
void levels(std::size_t& chosen) {
  const ui::Fonts& f = ui::look().fonts;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float right = at.x + ImGui::GetContentRegionAvail().x - px(12);
  float x = at.x + px(14), y = at.y + px(4);
  for (std::size_t k = 0; k < kLevels.size(); ++k) {
    const float w = ui::width(f.small, kLevels[k]) + px(18), h = px(22);
    if (x + w > right && k > 0) {
      x = at.x + px(14);
      y += px(26);
    }
    ImGui::SetCursorScreenPos({x, y});
    if (ui::area(fmt::format("level.{}", kLevels[k]), {w, h})) chosen = k;
    const bool lit = ImGui::IsItemHovered();
    if (k == chosen || lit) ui::fill({x, y}, {x + w, y + h}, Role::Accent, k == chosen ? 0.30 : 0.14, h / 2);
    ui::textInRow(f.small, {x + px(9), y}, h, k == chosen ? Role::Text : Role::Muted, kLevels[k]);
    x += w + px(4);
  }
  ImGui::SetCursorScreenPos({at.x, y + px(26)});
  ImGui::Dummy({px(1), px(1)});
}

void course(Session& session, WindowState& state) {
  std::size_t solved = 0, all = 0;
  for (const GalleryItem& l : lists().lessons) {
    solved += solvedOf(l.tasks);
    all += l.tasks.size();
  }
  head(fmt::format("Lessons: {} of {} tasks solved", solved, all));
  levels(state.shown.level);
  std::string section;
  bool any = false;
  for (const GalleryItem& l : lists().lessons) {
    if (!isListed(l, state.shown.level)) continue;
    any = true;
    if (l.section != section) head(section = l.section);
    item(session, state, l);
  }
  if (!any) head("Every task is solved.");
}

}  // namespace

void start(Session& session, WindowState& state) {
  ImGui::BeginChild("gallery");
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  if (lists().lessons.empty()) ImGui::TextWrapped("  The gallery folder is missing: %s", assetsFolder().c_str());
  entries(session, state);
  recent(session, state);
  course(session, state);
  if (!lists().templates.empty() && state.shown.level == 0) {
    head("Graphene programs");
    for (const GalleryItem& shown : lists().templates) item(session, state, shown);
  }
  ImGui::PopStyleVar();
  ImGui::EndChild();
}

}  // namespace tessera::panes
