#include "app/engine/help/method_info.h"

#include <array>
#include <string_view>

namespace tessera {
namespace {

struct MethodRow {
  std::string_view method;  // a part of Verdict::method
  std::string_view how;
};
// The first that fits.
constexpr std::array<MethodRow, 9> kMethods = {{
    {"simplify", "Both sides simplify to one expression, by rules that hold for all integers."},
    {"strided", "The layout is a sum of strides: comparing strides and extents decides for all points."},
    {"F2", "Addresses are linear over bits: the rank of their matrix decides for all points."},
    {"exhaustive", "Points were tried one by one."},
    {"Z3 QF_BV", "The solver Z3 decided it in bit vectors that are wide enough for every value."},
    {"Z3", "The solver Z3 decided it over the integers."},
    {"table", "The table of all values decides."},
    {"running", "The program ran in the emulator, for the sizes of the sheet and every order of its threads."},
    {"computed", "Both sides are numbers, which were computed."},
}};

}  // namespace

std::string methodInfo(const Verdict& verdict) {
  std::string out;
  for (const MethodRow& row : kMethods) {
    // Z3's logics: one sentence.
    if (verdict.method.find(row.method) == std::string::npos) continue;
    if (row.method == "Z3" && out.find("Z3") != std::string::npos) continue;
    out += (out.empty() ? "" : " ") + std::string(row.how);
  }
  if (out.empty()) return out;
  switch (verdict.truth) {
    case Truth::Proved:
      return out + (verdict.method.find("Z3") != std::string::npos ? " It is as certain as Z3; "
                                                                     "--smt2 writes it for another solver."
                                                                   : " It is exact.");
    case Truth::Refuted:
      return out + (verdict.counterexample ? " The counterexample was evaluated again, and is wrong as shown." : "");
    case Truth::Unknown:
      return out + " It did not decide.";
  }
  return out;
}

}  // namespace tessera
