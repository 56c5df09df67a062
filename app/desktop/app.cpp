#include "app/desktop/app.h"

#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <epoxy/gl.h>
#include <unistd.h>

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "app/desktop/offscreen.h"
#include "app/desktop/system_fonts.h"
#include "app/gui/appearance.h"
#include "app/gui/frame.h"
#include "app/gui/key_queue.h"
#include "app/gui/opening.h"
#include "app/gui/pace.h"
#include "app/gui/state_dump.h"
#include "core/worksheet/language/place.h"
#include "render/ink/ink.h"

namespace tessera {
namespace {

int complain(const std::string& what) {
  std::fprintf(stderr, "tessera: %s\n", cleaned(what).c_str());
  return 2;
}

// The frame on its background.
void paint(Theme theme) {
  const Rgba c = canvas(theme);
  glClearColor(static_cast<float>(c.r) / 255, static_cast<float>(c.g) / 255, static_cast<float>(c.b) / 255, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

int screenshot(const AppOptions& options) {
  const int width = options.width > 0 ? options.width : 1920, height = options.height > 0 ? options.height : 1080;
  auto offscreen = Offscreen::create(width, height);
  if (!offscreen.ok()) return complain(offscreen.error().message + ". " + offscreen.error().expected);
  if (const std::string problem = openGlProblem(); !problem.empty()) return complain(problem);
  beginImGui();
  int status = 0;
  {
    Session session;
    WindowState state;
    GridTextures textures(/*gl=*/true);
    if (!begin(session, state, {options.file, options.theme, /*restore=*/false})) {
      status = complain(session.message);
    } else {
      session.waitUntilEvaluated(60);
      session.tell("");
      state.isPicture = true;
      if (!options.file.empty()) state.shown.left = ShownPanes::Left::Worksheet;
      ImGui_ImplOpenGL3_Init("#version 330");
      Appearance appearance = appearanceOnGl(ui::systemFonts());
      ImGuiIO& io = ImGui::GetIO();
      io.DisplaySize = {static_cast<float>(width), static_cast<float>(height)};
      io.MousePos = {-1000, -1000};
      appearance.update(session, options.scale > 0 ? options.scale : 1);
      // The first frames settle the layout; the last one is the picture.
      for (int frame = 0; frame < 4; ++frame) {
        io.DeltaTime = 1.0F / 60;
        ImGui_ImplOpenGL3_NewFrame();
        ImGui::NewFrame();
        drawFrame(session, state, textures);
        ImGui::Render();
        (*offscreen)->bind();
        paint(session.preferences.theme);
      }
      glFinish();
      const std::vector<unsigned char> pixels = (*offscreen)->pixels();
      const bool plain = options.screenshot.ends_with(".ppm");
      const auto png = plain ? encodePpm(width, height, pixels.data()) : encodePng(width, height, pixels.data());
      const auto written = png.ok() ? writeFileAtomically(options.screenshot, *png) : Result<void>(png.error());
      if (!written.ok()) status = complain(written.error().message);
      ImGui_ImplOpenGL3_Shutdown();
    }
  }
  ImGui::DestroyContext();
  return status;
}

KeyQueue keyQueue;

void give(GLFWwindow* window, const KeyEvent& e) {
  if (e.character) return ImGui_ImplGlfw_CharCallback(window, static_cast<unsigned>(e.key));
  ImGui_ImplGlfw_KeyCallback(window, e.key, e.scancode, e.action, e.modifiers);
}

// Counts what happens: input, changes of the window, published results. Only these end a wait before its time.
std::atomic<int> events{0};

void listen(GLFWwindow* window) {
  glfwSetWindowFocusCallback(window, [](GLFWwindow* w, int focused) {
    ++events;
    ImGui_ImplGlfw_WindowFocusCallback(w, focused);
  });
  glfwSetCursorEnterCallback(window, [](GLFWwindow* w, int entered) {
    ++events;
    ImGui_ImplGlfw_CursorEnterCallback(w, entered);
  });
  glfwSetCursorPosCallback(window, [](GLFWwindow*, double, double) { ++events; });
  glfwSetWindowCloseCallback(window, [](GLFWwindow*) { ++events; });
  glfwSetWindowRefreshCallback(window, [](GLFWwindow*) { ++events; });
  glfwSetFramebufferSizeCallback(window, [](GLFWwindow*, int, int) { ++events; });
  glfwSetWindowContentScaleCallback(window, [](GLFWwindow*, float, float) { ++events; });
  glfwSetMouseButtonCallback(window, [](GLFWwindow* w, int button, int action, int modifiers) {
    ++events;
    ImGui_ImplGlfw_MouseButtonCallback(w, button, action, modifiers);
  });
  glfwSetScrollCallback(window, [](GLFWwindow* w, double x, double y) {
    ++events;
    ImGui_ImplGlfw_ScrollCallback(w, x, y);
  });
  glfwSetCharCallback(window, [](GLFWwindow*, unsigned code) {
    ++events;
    keyQueue.push({true, static_cast<int>(code)});
  });
  glfwSetKeyCallback(window, [](GLFWwindow*, int key, int scancode, int action, int modifiers) {
    ++events;
    keyQueue.push({false, key, scancode, action, modifiers});
  });
}

GLFWwindow* openWindow(const AppOptions& options) {
  glfwSetErrorCallback([](int, const char* what) { std::fprintf(stderr, "tessera: display: %s\n", what); });
  if (glfwInit() == GLFW_FALSE) return nullptr;
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
  glfwWindowHintString(GLFW_X11_CLASS_NAME, "tessera");
  // No larger than the screen, which not every window manager ensures.
  int width = 1600, height = 1000, x = 0, y = 0, wide = 0, high = 0;
  if (GLFWmonitor* const monitor = glfwGetPrimaryMonitor(); monitor != nullptr)
    glfwGetMonitorWorkarea(monitor, &x, &y, &wide, &high);
  if (wide > 0 && high > 0) {
    width = std::min(width, wide);
    height = std::min(height, high);
  }
  return glfwCreateWindow(options.width > 0 ? options.width : width, options.height > 0 ? options.height : height,
                          "Tessera", nullptr, nullptr);
}

// Sleeps until the next frame is due: something happened, or the last frame asked for another one.
void sleep(Pace& pace, const std::function<bool()>& stopped) {
  constexpr double kStopped = 0.5;  // a signal ends no wait, so look for it twice a second
  const int before = events;
  const double due = glfwGetTime() + pace.wait();
  for (glfwPollEvents(); events == before && glfwGetTime() < due && !stopped();)
    glfwWaitEventsTimeout(std::clamp(due - glfwGetTime(), 0.001, kStopped));
  if (events != before) pace.happened();
}

// The event loop; sleeps while nothing happens.
void loop(GLFWwindow* window, Session& session, WindowState& state, const AppOptions& options) {
  GridTextures textures(/*gl=*/true);
  Appearance appearance = appearanceOnGl(ui::systemFonts());
  StateDump dump;
  bool focused = true;
  Pace pace;
  std::string title;
  const auto stopped = [&] { return options.stop != nullptr && options.stop->load(); };
  while (glfwWindowShouldClose(window) == GLFW_FALSE && !state.quit && !stopped()) {
    if (const std::string now = windowTitle(session.document()); now != title)
      glfwSetWindowTitle(window, (title = now).c_str());
    sleep(pace, stopped);
    const bool hadFocus = std::exchange(focused, glfwGetWindowAttrib(window, GLFW_FOCUSED) == GLFW_TRUE);
    if (focused && !hadFocus) session.lookAtDisk();  // another program may have written the file meanwhile
    float sx = 1, sy = 1;
    glfwGetWindowContentScale(window, &sx, &sy);
    const double scale = options.scale > 0 ? options.scale : static_cast<double>(sx);
    appearance.update(session, state.present.open ? scale * kPresentScale : scale);
    const bool waiting = keyQueue.feed([&](const KeyEvent& e) { give(window, e); });
    ImGui_ImplOpenGL3_NewFrame();
    ImGui_ImplGlfw_NewFrame();
    ImGui::NewFrame();
    drawFrame(session, state, textures);
    ImGui::Render();
    int width = 0, height = 0;
    glfwGetFramebufferSize(window, &width, &height);
    glViewport(0, 0, width, height);
    paint(session.preferences.theme);
    glfwSwapBuffers(window);
    pace.drawn(ui::redrawIn());
    if (waiting) pace.happened();
    dump.write(session, state, keyQueue.pressed(), pace.frames());
    noteRecent(session.document().path());
  }
}

// LeaveWatch: ends a process that has nothing more to lose, even if computations are still running.
//
//     session.storeState();                               // everything that must not be lost is on the disk
//     LeaveWatch watch(0.3, [] { return 0; });            // exit within this time
//     ...                                                 // destructors: jobs are cancelled, most end at once
//
// If it is not destroyed in time, it ends the process with that exit code, without destructors.
// Why not only cancel flags: Z3 and the drawing libraries poll no flag in their inner loops, and freeing half a
// gigabyte of outcomes takes time.
class LeaveWatch {
 public:
  LeaveWatch(double seconds, std::function<int()> exitCode)
      : thread_([this, seconds, code = std::move(exitCode)](const std::stop_token& stop) {
          std::unique_lock lock(mutex_);
          wake_.wait_for(lock, stop, std::chrono::duration<double>(seconds), [] { return false; });
          if (!stop.stop_requested()) ::_exit(code());
        }) {}
  ~LeaveWatch() {
    thread_.request_stop();
    wake_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread thread_;  // last, because it uses the other members
};

}  // namespace

int runApp(const AppOptions& options) {
  if (!options.screenshot.empty()) return screenshot(options);
  GLFWwindow* window = openWindow(options);
  if (window == nullptr) {
    glfwTerminate();
    return complain(
        "cannot open a window: there is no display, or it has no OpenGL 3.3. The command line works without a window: "
        "tessera --help");
  }
  glfwMakeContextCurrent(window);
  glfwSwapInterval(1);
  if (const std::string problem = openGlProblem(); !problem.empty()) {
    glfwDestroyWindow(window);
    glfwTerminate();
    return complain(problem);
  }
  beginImGui();
  ImGui_ImplGlfw_InitForOpenGL(window, /*install_callbacks=*/false);
  listen(window);
  ImGui_ImplOpenGL3_Init("#version 330");
  int status = 0;
  std::optional<LeaveWatch> leave;  // from the storing of the state to the end
  {
    Session session;
    WindowState state;
    session.evaluation().onPublish([] {
      ++events;
      glfwPostEmptyEvent();
    });
    if (!begin(session, state, {options.file, options.theme})) {
      status = complain(session.message);
    } else {
      loop(window, session, state, options);
      glfwHideWindow(window);
      store(session, state);
      leave.emplace(0.3, [&options, status] { return options.exitCode ? options.exitCode(status) : status; });
    }
    session.evaluation().onPublish({});
  }
  ImGui_ImplOpenGL3_Shutdown();
  ImGui_ImplGlfw_Shutdown();
  ImGui::DestroyContext();
  glfwDestroyWindow(window);
  glfwTerminate();
  return status;
}

}  // namespace tessera
