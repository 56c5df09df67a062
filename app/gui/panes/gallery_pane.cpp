#include "app/gui/links.h"
#include "app/gui/parts.h"
#include "app/session/gallery.h"
#include "render/figure/text_metrics.h"

namespace tessera {

using ui::px;

namespace {

void galleryItem(Session& session, WindowState& state, const GalleryItem& item) {
  const ui::Fonts& f = ui::look().fonts;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const auto about = wrapped(item.about, Face::Sans, 12, static_cast<double>((width - px(32)) / ui::look().scale));
  const float h = px(36) + px(18) * static_cast<float>(about.size());
  ImGui::PushID(item.path.c_str());
  const bool pressed = ui::hitArea("item", {width, h});
  ImGui::PopID();
  ui::placeLast("gallery." + item.title);
  ImDrawList* list = ImGui::GetWindowDrawList();
  if (ImGui::IsItemHovered()) list->AddRectFilled(at, {at.x + width, at.y + h}, ui::color(Role::Raised));
  ui::text(list, f.sansMedium, {at.x + px(16), at.y + px(8)}, ui::color(Role::Text), item.title);
  for (std::size_t k = 0; k < about.size(); ++k)
    ui::text(list, f.small, {at.x + px(16), at.y + px(28) + px(18) * static_cast<float>(k)}, ui::color(Role::Muted),
             about[k]);
  list->AddLine({at.x + px(16), at.y + h}, {at.x + width - px(16), at.y + h}, ui::color(Role::Hairline, 0.6));
  if (pressed) openSheet(session, state, item.path, /*lesson=*/true);
}

void heading(const char* text) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ui::text(ImGui::GetWindowDrawList(), ui::look().fonts.small, {at.x + px(16), at.y + px(16)}, ui::color(Role::Accent),
           text);
  ImGui::Dummy({px(1), px(36)});
}

}  // namespace

void galleryPane(Session& session, WindowState& state) {
  static const std::vector<GalleryItem> kLessons = gallery(), kTemplates = programTemplates();
  ImGui::BeginChild("gallery");
  if (kLessons.empty()) ImGui::TextWrapped("  The gallery folder is missing: %s", assetsFolder().c_str());
  for (const auto& item : kLessons) galleryItem(session, state, item);
  if (!kTemplates.empty()) heading("Graphene programs");
  for (const auto& item : kTemplates) galleryItem(session, state, item);
  ImGui::EndChild();
}

}  // namespace tessera
