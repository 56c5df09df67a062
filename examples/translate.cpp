// One layout in every notation that can express it, and where its elements are. Links only tessera::layout.
#include <tessera/layout.h>

#include <cstdio>

namespace ts = tessera::api;

int main(int argc, char** argv) {
  const auto layout = ts::layout(argc > 1 ? argv[1] : "bf16[16,64]{1,0:T(8,32)}");
  if (!layout) return std::puts(layout.error().marked().c_str()), 1;
  std::printf("%-9s %s\n", "read", layout->text().c_str());
  for (const std::string& notation : ts::notations()) {
    const auto other = layout->to(notation);
    std::printf("%-9s %s\n", notation.c_str(), other ? other->text().c_str() : other.error().message.c_str());
  }
  const auto place = layout->at({3, 33});
  if (!place) return std::puts(place.error().message.c_str()), 1;
  const auto back = layout->backward(place->front());
  std::printf("element (3,33) is at %lld, and back from there: (%lld,%lld)\n", static_cast<long long>(place->front()),
              static_cast<long long>(back->front()[0]), static_cast<long long>(back->front()[1]));
}
