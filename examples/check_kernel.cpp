// Checks a kernel: a transpose through shared memory, with its barrier and without. The reader's rows are another
// thread's; the finding names two threads that race, and the line.
#include <tessera/tessera.h>

#include <cstdio>

namespace ts = tessera::api;

namespace {

std::string kernel(const std::string& barrier) {
  return "%in:[32,32:32,1].fp32.GL  %out:[32,32:1,32].fp32.GL\n"
         "#b:[1].block  #t:[32,32:32,1].thread\n"
         "%out <- Move<<<#b,#t>>>(%in) {\n"
         "  (@i,@j) = #t.indices()\n"
         "  %s:[32,32:33,1].fp32.SH\n"
         "  %from = %in[@i,@j]  %to = %s[@i,@j]\n"
         "  %to <- Move(%from)\n" +
         barrier +
         "  %e = %s[@j,@i]  %o = %out[@j,@i]\n"
         "  %o <- Move(%e)\n"
         "}\n";
}

}  // namespace

int main() {
  for (const char* barrier : {"  sync\n", ""}) {
    const auto report = ts::checkKernel(kernel(barrier));
    if (!report) return std::puts(report.error().marked().c_str()), 1;
    std::printf("%s: %s\n", *barrier == '\0' ? "without a barrier" : "with its barrier", report->summary.c_str());
    for (const ts::Specification& specification : report->specifications)
      for (const ts::Obligation& o : specification.obligations)
        if (o.standing == "refuted")
          std::printf("  line %d: %s: %s\n", o.findingLine, o.name.c_str(), o.finding.c_str());
  }
}
