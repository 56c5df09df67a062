#include "app/cli/io/signals.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <ctime>

namespace tessera {
namespace {

// State of the handler: lock-free atomics, and a timer created before the handler is installed.
std::atomic<bool> gInterrupted{false};
std::atomic<int> gSignal{SIGINT};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);
timer_t gTimer{};
bool gHasTimer = false;
itimerspec gTimeToEnd = {};

constexpr double kSecondsToEnd = 0.7;
constexpr std::string_view kCancelled = "tessera: cancelled; the answer is not complete\n";

extern "C" void onStop(int number) {
  const int error = errno;
  gSignal.store(number);
  gInterrupted.store(true);
  interruptFlag().raise();  // made by installSignals()
  if (gHasTimer) {
    (void)::timer_settime(gTimer, 0, &gTimeToEnd, nullptr);
  } else {
    (void)::alarm(1);
  }
  errno = error;
}

extern "C" void onTimeIsUp(int) {
  (void)!::write(STDERR_FILENO, kCancelled.data(), kCancelled.size());  // one of the few calls allowed in a handler
  ::_exit(128 + gSignal.load());
}

void handle(int number, void (*handler)(int), int flags) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = flags;  // no SA_RESTART: a blocking read returns
  ::sigemptyset(&action.sa_mask);
  ::sigaction(number, &action, nullptr);
}

// open() returns the lowest free descriptor. Opened in the wrong direction, so that reading (or writing) still fails.
void takeClosedDescriptors() {
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(standard, F_GETFD) >= 0 || errno != EBADF) continue;
    (void)!::open("/dev/null", standard == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

}  // namespace

const std::atomic<bool>& interrupted() { return gInterrupted; }
const api::CancelFlag& interruptFlag() {
  static const api::CancelFlag kFlag;
  return kFlag;
}
int interruptedExit() { return 128 + gSignal.load(); }
std::string_view cancelledText() { return kCancelled.substr(0, kCancelled.size() - 1); }

void installSignals() {
  (void)interruptFlag();
  takeClosedDescriptors();
  setSecondsToEnd(kSecondsToEnd);
  sigevent event = {};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGALRM;
  gHasTimer = ::timer_create(CLOCK_MONOTONIC, &event, &gTimer) == 0;
  handle(SIGALRM, onTimeIsUp, 0);
  handle(SIGINT, onStop, SA_RESETHAND);  // a second one ends the process
  handle(SIGTERM, onStop, SA_RESETHAND);
  struct sigaction hangUp = {};
  if (::sigaction(SIGHUP, nullptr, &hangUp) == 0 && hangUp.sa_handler != SIG_IGN)  // nohup
    handle(SIGHUP, onStop, SA_RESETHAND);
  ::signal(SIGPIPE, SIG_IGN);
}

void setSecondsToEnd(double seconds) {
  if (const char* given = std::getenv("TESSERA_SECONDS_TO_END"))
    if (const double asked = std::atof(given); asked > 0 && asked < 1e6) seconds = asked;
  gTimeToEnd.it_value.tv_sec = static_cast<time_t>(seconds);
  gTimeToEnd.it_value.tv_nsec = static_cast<long>((seconds - static_cast<double>(gTimeToEnd.it_value.tv_sec)) * 1e9);
}

}  // namespace tessera
