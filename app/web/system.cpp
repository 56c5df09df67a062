// Functions of Linux that the engine calls and a page does not have. Their callers handle the failure.
#include <sys/random.h>
#include <unistd.h>

#include <cerrno>

extern "C" {

void* dlopen(const char* /*name*/, int /*flags*/) { return nullptr; }
void* dlsym(void* /*handle*/, const char* /*name*/) { return nullptr; }
int dlclose(void* /*handle*/) { return 0; }
int dlinfo(void* /*handle*/, int /*request*/, void* /*info*/) { return -1; }

int memfd_create(const char* /*name*/, unsigned /*flags*/) {
  errno = ENOSYS;
  return -1;
}

ssize_t getrandom(void* bytes, size_t size, unsigned /*flags*/) {
  return getentropy(bytes, size) == 0 ? static_cast<ssize_t>(size) : -1;
}

}  // extern "C"
