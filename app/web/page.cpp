// The window as a web page. page.js calls the exported functions: events as they come, and a frame when one is due.
// There is one thread: evaluation takes turns between the frames (app/engine/background.h).
#include <backends/imgui_impl_opengl3.h>
#include <emscripten.h>
#include <emscripten/html5.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string_view>
#include <utility>

#include "app/engine/background.h"
#include "app/engine/kernel/kernel_value.h"
#include "app/files/image_clipboard.h"
#include "app/gui/appearance.h"
#include "app/gui/dialogs/file_dialogs.h"
#include "app/gui/frame.h"
#include "app/gui/key_queue.h"
#include "app/gui/opening.h"
#include "app/gui/pace.h"
#include "app/gui/sheets.h"
#include "app/gui/state_dump.h"
#include "app/session/gallery.h"
#include "app/web/packed_fonts.h"
#include "core/worksheet/programs/programs.h"
#include "render/gl/gl.h"
#include "render/ink/ink.h"

// clang-format off
EM_JS(void, pageCopies, (const char* text), { tesseraPage.copy(UTF8ToString(text)); });
EM_JS(void, pageCopiesPicture, (const char* svg), { tesseraPage.copyPicture(UTF8ToString(svg)); });
EM_JS(void, pageReadsClipboard, (), { tesseraPage.read(); });
EM_JS(void, pageChoosesFile, (), { tesseraPage.choose(); });
EM_JS(void, pageShares, (const char* kind, const char* lesson, int lessonBytes, const char* text, int textBytes), {
  tesseraPage.share(UTF8ToString(kind), tesseraPage.text(lesson, lessonBytes), tesseraPage.text(text, textBytes));
});
EM_JS(void, pageTitled, (const char* title), { document.title = UTF8ToString(title); });
EM_JS(void, pageQuits, (), { tesseraPage.quit(); });
EM_JS(void, pagePoints, (const char* cursor), { tesseraPage.point(UTF8ToString(cursor)); });
// clang-format on

namespace tessera {
namespace {

// Work between two frames: half of a frame after a key or a movement, more when there was none lately.
constexpr std::chrono::milliseconds kSlice{8}, kIdleSlice{40}, kIdle{300};

// One thread: a claim that takes longer would keep the page from answering. The command line goes further.
EngineOptions optionsOfPage() {
  EngineOptions options;
  options.prove.budgetSeconds = 2;
  return options;
}

struct Mouse {
  std::array<bool, 3> down = {}, pressed = {};  // pressed: since the last frame
};

class Page {
 public:
  Page() : session_(optionsOfPage()), textures_(/*gl=*/true), appearance_(appearanceOnGl(ui::packedFonts())) {
    session_.evaluation().onPublish([this] { pace_.happened(); });
  }

  void begin(bool empty) {
    (void)tessera::begin(session_, state_, {});
    if (empty) session_.newWorksheet();  // the last sheet stays among the recovered ones
  }

  void key(const KeyEvent& e) {
    keys_.push(e);
    touched();
  }
  void move(double x, double y) {
    ImGui::GetIO().MousePos = {static_cast<float>(x), static_cast<float>(y)};
    touched();
  }
  void button(std::size_t which, bool down) {
    mouse_.down.at(which) = down;
    mouse_.pressed.at(which) = mouse_.pressed.at(which) || down;
    touched();
  }
  void wheel(double x, double y) {
    ImGui::GetIO().MouseWheelH += static_cast<float>(x);
    ImGui::GetIO().MouseWheel += static_cast<float>(y);
    touched();
  }
  void resize(int width, int height, double scale) {
    size_ = {width, height, scale};
    pace_.happened();
  }
  void leave() {
    ImGuiIO& io = ImGui::GetIO();
    std::fill(std::begin(io.KeysDown), std::end(io.KeysDown), false);
    io.KeyCtrl = io.KeyShift = io.KeyAlt = io.KeySuper = false;
    mouse_ = {};
    store(session_, state_);
  }
  void fontsCame() {
    appearance_ = appearanceOnGl(ui::packedFonts());
    pace_.happened();
  }
  void open(const std::string& path) {
    guarded(session_, state_, [this, path] {
      if (session_.open(path)) showSheet(session_, state_);
    });
    pace_.happened();
  }
  // kind, lesson and text of a link (app/web/page/link.js). Unsaved text of the sheet before stays among the recovered
  // sheets, so nothing is asked.
  void openLink(const std::string& kind, const std::string& lesson, const std::string& text) {
    const bool unsaved = session_.document().modified();
    if (kind == "task1") {
      session_.openLesson(text);
    } else if (kind == "answer1") {
      session_.openAnswer(lesson, text);
    } else {
      session_.openText(text);
    }
    if (unsaved && kind != "answer1") session_.tell("the sheet before this link is among File > Recovered sheets");
    showSheet(session_, state_);
    pace_.happened();
  }
  void tell(const std::string& text, bool problem) {
    session_.tell(text, problem);
    pace_.happened();
  }
  [[nodiscard]] std::string sheet() const { return session_.sheets().id(); }
  // The folder that gets frames now; empty: none.
  [[nodiscard]] std::string writes() const { return state_.present.open ? state_.present.frames : std::string(); }
  [[nodiscard]] TaskHelp& tasks() { return session_.tasks; }

  // Does what is due; the milliseconds until the next call, at most `most`.
  double frame(double now) {
    constexpr double kMost = 1000;
    const Background::Next next = Background::takeTurns(Background::now() < touched_ + kIdle ? kSlice : kIdleSlice);
    if (pace_.wait() <= 0 || now >= due_) draw(now);
    double wait = std::clamp(due_ - now, 0.0, kMost);
    if (pace_.wait() <= 0) wait = 0;
    if (next) wait = std::min(wait, std::chrono::duration<double, std::milli>(*next - Background::now()).count());
    return std::max(wait, 0.0);
  }

 private:
  void touched() {
    touched_ = Background::now();
    pace_.happened();
  }

  void draw(double at) {
    ImGuiIO& io = ImGui::GetIO();
    io.DeltaTime = std::clamp(static_cast<float>((at - last_) / 1000), 1e-4F, 1.0F);
    last_ = at;
    io.DisplaySize = {static_cast<float>(size_.width), static_cast<float>(size_.height)};
    appearance_.update(session_, state_.present.open ? size_.scale * kPresentScale : size_.scale);
    bool waiting = keys_.feed([&](const KeyEvent& e) { give(e); });
    for (std::size_t k = 0; k < mouse_.down.size(); ++k) {
      io.MouseDown[k] = mouse_.down[k] || mouse_.pressed[k];
      waiting = waiting || (mouse_.pressed[k] && !mouse_.down[k]);  // released in the next frame
      mouse_.pressed[k] = false;
    }
    ImGui_ImplOpenGL3_NewFrame();
    ImGui::NewFrame();
    drawFrame(session_, state_, textures_);
    ImGui::Render();
    point();
    glViewport(0, 0, size_.width, size_.height);
    const Rgba c = canvas(session_.preferences.theme);
    glClearColor(static_cast<float>(c.r) / 255, static_cast<float>(c.g) / 255, static_cast<float>(c.b) / 255, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
    pace_.drawn(ui::redrawIn());
    if (waiting) pace_.happened();
    due_ = at + 1000 * pace_.wait();
    if (std::exchange(state_.quit, false)) pageQuits();
    if (std::string now = windowTitle(session_.document()); now != title_) {
      title_ = std::move(now);
      pageTitled(title_.c_str());
    }
    dump_.write(session_, state_, keys_.pressed(), pace_.frames());
  }

  static void give(const KeyEvent& e) {
    ImGuiIO& io = ImGui::GetIO();
    if (e.character) return io.AddInputCharacter(static_cast<unsigned>(e.key));
    if (e.key < 0 || e.key >= static_cast<int>(std::size(io.KeysDown))) return;
    io.KeysDown[e.key] = e.action != GLFW_RELEASE;
    io.KeyCtrl = (e.modifiers & GLFW_MOD_CONTROL) != 0;
    io.KeyShift = (e.modifiers & GLFW_MOD_SHIFT) != 0;
    io.KeyAlt = (e.modifiers & GLFW_MOD_ALT) != 0;
  }

  // The mouse pointer's shape.
  void point() {
    constexpr const char* kCursors[] = {"default",     "text",        "move",    "ns-resize",  "ew-resize",
                                        "nesw-resize", "nwse-resize", "pointer", "not-allowed"};
    const ImGuiMouseCursor now = ImGui::GetMouseCursor();
    if (now == cursor_) return;
    cursor_ = now;
    pagePoints(now < 0 || now >= static_cast<int>(std::size(kCursors)) ? "none" : kCursors[now]);
  }

  Session session_;
  WindowState state_;
  GridTextures textures_;
  Appearance appearance_;
  StateDump dump_;
  KeyQueue keys_;
  Mouse mouse_;
  Pace pace_;
  struct Size {
    int width = 1, height = 1;
    double scale = 1;
  } size_;
  double last_ = 0, due_ = 0;              // milliseconds of the page's clock
  Background::Clock::time_point touched_;  // the last key or movement
  ImGuiMouseCursor cursor_ = ImGuiMouseCursor_Arrow;
  std::string title_;
};

std::unique_ptr<Page> page;
// The browser gives its clipboard in a paste event only, which comes as Ctrl+V with its text. Any other paste (a menu)
// asks the browser, which may ask the user; the answer comes in the same way.
struct {
  std::string text;
  bool fresh = false;  // of a paste event that nothing has taken yet
} clipboard;

void connectImGui() {
  ImGuiIO& io = ImGui::GetIO();
  io.BackendFlags |= ImGuiBackendFlags_HasMouseCursors;
  io.MousePos = {-1000, -1000};
  constexpr std::pair<ImGuiKey, int> kKeys[] = {{ImGuiKey_Tab, GLFW_KEY_TAB},
                                                {ImGuiKey_LeftArrow, GLFW_KEY_LEFT},
                                                {ImGuiKey_RightArrow, GLFW_KEY_RIGHT},
                                                {ImGuiKey_UpArrow, GLFW_KEY_UP},
                                                {ImGuiKey_DownArrow, GLFW_KEY_DOWN},
                                                {ImGuiKey_PageUp, GLFW_KEY_PAGE_UP},
                                                {ImGuiKey_PageDown, GLFW_KEY_PAGE_DOWN},
                                                {ImGuiKey_Home, GLFW_KEY_HOME},
                                                {ImGuiKey_End, GLFW_KEY_END},
                                                {ImGuiKey_Insert, GLFW_KEY_INSERT},
                                                {ImGuiKey_Delete, GLFW_KEY_DELETE},
                                                {ImGuiKey_Backspace, GLFW_KEY_BACKSPACE},
                                                {ImGuiKey_Space, GLFW_KEY_SPACE},
                                                {ImGuiKey_Enter, GLFW_KEY_ENTER},
                                                {ImGuiKey_Escape, GLFW_KEY_ESCAPE},
                                                {ImGuiKey_KeyPadEnter, GLFW_KEY_KP_ENTER},
                                                {ImGuiKey_A, GLFW_KEY_A},
                                                {ImGuiKey_C, GLFW_KEY_C},
                                                {ImGuiKey_V, GLFW_KEY_V},
                                                {ImGuiKey_X, GLFW_KEY_X},
                                                {ImGuiKey_Y, GLFW_KEY_Y},
                                                {ImGuiKey_Z, GLFW_KEY_Z}};
  for (const auto& [key, code] : kKeys) io.KeyMap[key] = code;
  io.GetClipboardTextFn = [](void*) {
    if (std::exchange(clipboard.fresh, false)) return clipboard.text.c_str();
    pageReadsClipboard();
    return "";
  };
  io.SetClipboardTextFn = [](void*, const char* text) { pageCopies(text); };
}

void share(const Session& session, const char* kind) {
  const std::string &lesson = session.tasks.lesson(), &text = session.document().text();
  pageShares(kind, lesson.data(), static_cast<int>(lesson.size()), text.data(), static_cast<int>(text.size()));
}

std::vector<Command> commandsOfPage() {
  const auto hasTasks = [](const Session& s, const WindowState&) { return !tasksIn(s.document().text()).empty(); };
  const auto answers = [](const Session& s, const WindowState&) { return !s.tasks.lesson().empty(); };
  return {{"file.computer", "File", "Open a file of this computer ...", "",
           [](const Session&, const WindowState&) { pageChoosesFile(); }},
          {"file.link", "File", "Copy a link to this sheet", "",
           [](const Session& s, const WindowState&) { share(s, "sheet1"); }},
          {"file.link_lesson", "File", "Copy a link to this lesson, its answers hidden", "",
           [](const Session& s, const WindowState&) { share(s, "task1"); }, hasTasks},
          {"file.link_answer", "File", "Copy a link with my answer", "",
           [](const Session& s, const WindowState&) { share(s, "answer1"); }, answers}};
}

}  // namespace
}  // namespace tessera

using tessera::page;

namespace {

std::string textOf(const char* text, int bytes) { return {text, static_cast<std::size_t>(bytes)}; }

}  // namespace

// Texts come with their number of bytes: a sheet may contain any character.
extern "C" {
EMSCRIPTEN_KEEPALIVE void tessera_key(int key, int action, int modifiers) {
  page->key({false, key, 0, action, modifiers});
}
EMSCRIPTEN_KEEPALIVE void tessera_character(int code) { page->key({true, code}); }
EMSCRIPTEN_KEEPALIVE void tessera_move(double x, double y) { page->move(x, y); }
EMSCRIPTEN_KEEPALIVE void tessera_button(int which, int down) {
  if (which >= 0 && which < 3) page->button(static_cast<std::size_t>(which), down != 0);
}
EMSCRIPTEN_KEEPALIVE void tessera_wheel(double x, double y) { page->wheel(x, y); }
EMSCRIPTEN_KEEPALIVE void tessera_resize(int width, int height, double scale) { page->resize(width, height, scale); }
EMSCRIPTEN_KEEPALIVE void tessera_leave() { page->leave(); }
EMSCRIPTEN_KEEPALIVE void tessera_fonts() { page->fontsCame(); }
EMSCRIPTEN_KEEPALIVE void tessera_clipboard(const char* text, int bytes) {
  tessera::clipboard = {textOf(text, bytes), true};
}

EMSCRIPTEN_KEEPALIVE void tessera_open(const char* path, int bytes) { page->open(textOf(path, bytes)); }
EMSCRIPTEN_KEEPALIVE void tessera_open_link(const char* kind, int kindBytes, const char* lesson, int lessonBytes,
                                            const char* text, int textBytes) {
  page->openLink(textOf(kind, kindBytes), textOf(lesson, lessonBytes), textOf(text, textBytes));
}
EMSCRIPTEN_KEEPALIVE void tessera_keep_lesson(const char* text, int bytes) { page->tasks().keep(textOf(text, bytes)); }
EMSCRIPTEN_KEEPALIVE const char* tessera_lesson() { return page->tasks().lesson().c_str(); }
EMSCRIPTEN_KEEPALIVE void tessera_tell(const char* text, int bytes, int problem) {
  page->tell(textOf(text, bytes), problem != 0);
}
EMSCRIPTEN_KEEPALIVE const char* tessera_sheet() {
  static std::string id;
  id = page->sheet();
  return id.c_str();
}
EMSCRIPTEN_KEEPALIVE const char* tessera_writes() {
  static std::string folder;
  folder = page->writes();
  return folder.c_str();
}
EMSCRIPTEN_KEEPALIVE double tessera_frame(double now) { return page->frame(now); }
}

int main(int argc, char** argv) {
  tessera::addPrograms();
  tessera::addKernels();
  EmscriptenWebGLContextAttributes wanted;
  emscripten_webgl_init_context_attributes(&wanted);
  wanted.majorVersion = 2;
  wanted.alpha = false;
  wanted.antialias = false;
  const EMSCRIPTEN_WEBGL_CONTEXT_HANDLE context = emscripten_webgl_create_context("#canvas", &wanted);
  if (context <= 0) return 3;
  emscripten_webgl_make_context_current(context);
  std::error_code failed;
  std::filesystem::create_directories("/files", failed);
  std::filesystem::current_path("/files", failed);
  tessera::beginImGui();
  tessera::connectImGui();
  ImGui_ImplOpenGL3_Init("#version 300 es");
  tessera::setTopFolder("/files");
  tessera::addCommands(tessera::commandsOfPage());
  // The page draws the SVG on a canvas when it hands the PNG out.
  tessera::setPngFromSvg(
      [](const std::string& svg, double scale) { return fmt::format("<!-- png {} -->\n{}", scale, svg); });
  tessera::setImageClipboard([](const std::string& png) -> tessera::Result<void> {
    pageCopiesPicture(png.c_str());
    return {};
  });
  page = std::make_unique<tessera::Page>();
  page->begin(argc > 1 && std::string_view(argv[1]) == "empty");
  return 0;  // the page calls on
}
