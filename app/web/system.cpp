// Functions of Linux that the engine calls and a page does not have. Their callers handle the failure.
#include <sys/random.h>
#include <unistd.h>

#include <cstdlib>

extern "C" {

void* dlopen(const char* /*name*/, int /*flags*/) { return nullptr; }
void* dlsym(void* /*handle*/, const char* /*name*/) { return nullptr; }
int dlclose(void* /*handle*/) { return 0; }
int dlinfo(void* /*handle*/, int /*request*/, void* /*info*/) { return -1; }

// A file of the page's own memory, without a name.
int memfd_create(const char* /*name*/, unsigned /*flags*/) {
  char path[] = "/tmp/memfd-XXXXXX";
  const int file = mkstemp(path);
  if (file >= 0) unlink(path);
  return file;
}

ssize_t getrandom(void* bytes, size_t size, unsigned /*flags*/) {
  return getentropy(bytes, size) == 0 ? static_cast<ssize_t>(size) : -1;
}

}  // extern "C"
