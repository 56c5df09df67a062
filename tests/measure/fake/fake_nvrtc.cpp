// A fake run-time compiler that returns its text: see fake.h. A line with the word SYNTAX is an error.
#include <algorithm>
#include <cstring>
#include <string>

#include "measure/fake/fake.h"

namespace {

struct Program {
  std::string text, log;
};

Program* at(void* program) { return static_cast<Program*>(program); }

int compiled(Program& p) {
  int line = 1, errors = 0;
  for (std::size_t begin = 0; begin < p.text.size(); ++line) {
    const std::size_t end = std::min(p.text.find('\n', begin), p.text.size());
    const std::string text = p.text.substr(begin, end - begin);
    begin = end + 1;
    if (text.find("SYNTAX") != std::string::npos) {
      p.log +=
          "kernel.cu(" + std::to_string(line) + "): error: identifier \"SYNTAX\" is undefined\n    " + text + "\n\n";
      ++errors;
    }
    const std::size_t type = text.find("void "), bounds = text.find("__launch_bounds__(");
    const std::size_t name = bounds == std::string::npos ? type + 5 : text.find(')', bounds) + 2;
    const std::size_t open = type == std::string::npos ? type : text.find('(', name);
    if (errors == 0 && open != std::string::npos)
      p.log +=
          "ptxas info    : Compiling entry function '" + text.substr(name, open - name) +
          "' for 'sm_80'\nptxas info    : Function properties for x\n    0 bytes stack frame, 8 bytes spill stores, 4 "
          "bytes spill loads\nptxas info    : Used 24 registers, used 1 barriers, 128 bytes smem\n";
  }
  if (errors > 0) p.log += std::to_string(errors) + " errors detected in the compilation of \"kernel.cu\".\n";
  return errors > 0 ? 6 : 0;
}

}  // namespace

extern "C" {
int nvrtcVersion(int* major, int* minor) { return *major = std::stoi(fakeSetting("nvrtc", "12")), *minor = 4, 0; }
int nvrtcGetNumSupportedArchs(int* count) { return *count = 4, 0; }
int nvrtcGetSupportedArchs(int* list) {
  const int known[] = {75, 80, 86, 90};
  std::memcpy(list, known, sizeof known);
  return 0;
}
int nvrtcCreateProgram(void** program, const char* text, const char*, int, const char* const*, const char* const*) {
  return *program = new Program{text, ""}, 0;
}
int nvrtcDestroyProgram(void** program) {
  delete at(*program);
  return *program = nullptr, 0;
}
int nvrtcCompileProgram(void* program, int, const char* const*) {
  if (fakeIs("compiler-memory")) return 1;
  return compiled(*at(program));
}
int nvrtcGetProgramLogSize(void* program, std::size_t* size) { return *size = at(program)->log.size() + 1, 0; }
int nvrtcGetProgramLog(void* program, char* to) { return std::strcpy(to, at(program)->log.c_str()), 0; }
int nvrtcGetCUBINSize(void* program, std::size_t* size) { return *size = at(program)->text.size(), 0; }
int nvrtcGetCUBIN(void* program, char* to) {
  return std::memcpy(to, at(program)->text.data(), at(program)->text.size()), 0;
}
int nvrtcGetPTXSize(void* program, std::size_t* size) { return nvrtcGetCUBINSize(program, size); }
int nvrtcGetPTX(void* program, char* to) { return nvrtcGetCUBIN(program, to); }
const char* nvrtcGetErrorString(int result) { return result == 1 ? "NVRTC_ERROR_OUT_OF_MEMORY" : "NVRTC_ERROR"; }
}
