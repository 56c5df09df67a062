// Programs with symbolic sizes, for tests of proofs for every size.
#pragma once

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>
#include <string>

#include "core/graphene/reader/sized.h"
#include "verdicts.h"

namespace tessera::sized_programs {

using namespace graphene;

inline const CheckOptions kHow = {.budgetSeconds = 60};

// A dot product for each thread, of K tiles that pass through a ring of stages. A thread reads what its neighbour has
// copied.
struct Ring {
  int stages = 3, rows = 1, threads = 32;
  std::string epilogue = "id";
  bool bias = false, synchronous = false;

  [[nodiscard]] std::string text() const {
    const std::string result = bias ? "%bias[t] + s[r,t]" : "s[r,t]";
    const auto f = [&](const char* form, auto... values) { return fmt::format(fmt::runtime(form), values...); };
    std::string out =
        f("%x:[{0}*R,{1}*K].fp32.GL  %w:[{1}*K].fp32.GL  %bias:[{1}].fp32.GL  %y:[{0}*R,{1}].fp32.GL\n", rows, threads);
    out += f("#b:[R].block  #t:[{}].thread\n%y <- Spec<ring><<<#b,#t>>>(%x,%w,%bias) means {{\n", threads);
    out += f("  s[r,t] = sum(k < K) %x[r,{0}*k + (t + 1)%{0}] * %w[{0}*k + t]\n", threads);
    out += f("  %y[r,t] = {}({})\n}} {{\n  @b = #b.indices()  @t = #t.indices()\n", epilogue, result);
    out += f("  %sx:[{0},{1},{2}].fp32.SH  %sw:[{0},{2}].fp32.SH  %acc:[{1}].fp32.RF\n  %acc <- Init<0>()\n", stages,
             rows, threads);
    const auto fetch = [&](const std::string& tile, const std::string& stage) {
      std::string lines = f("    %g = %w[{0}*({1}) + @t]  %s = %sw[{2},@t]  %s <- Move{3}(%g)\n", threads, tile, stage,
                            synchronous ? "" : "<async>");
      lines += f(
          "    for (r = 0; r < {0}; r += 1) {{ %gx = %x[{0}*@b + r,{1}*({2}) + @t]  %tx = %sx[{3},r,@t]  %tx <- Move{4}"
          "(%gx) }}\n",
          rows, threads, tile, stage, synchronous ? "" : "<async>");
      return lines;
    };
    out += f("  for (st = 0; st < {}; st += 1) {{\n    if (st < K) {{\n{}    }}\n{}  }}\n", stages - 1,
             fetch("st", "st"), synchronous ? "" : "    commit\n");
    out += "  for (kt = 0; kt < K; kt += 1) {\n";
    if (!synchronous) out += f("    wait {}\n", stages - 2);
    out += f("    sync\n    if (kt + {0} < K) {{\n{1}    }}\n{2}", stages - 1,
             fetch(f("kt + {}", stages - 1), f("(kt + {})%{}", stages - 1, stages)), synchronous ? "" : "    commit\n");
    out += f(
        "    for (r = 0; r < {0}; r += 1) {{\n      %a = %sx[kt%{1},r,(@t + 1)%{2}]  %c = %sw[kt%{1},@t]  %o = "
        "%acc[r]\n"
        "      %u:[].fp32.RF  %v:[].fp32.RF  %u <- Move(%a)  %v <- Move(%c)\n      %o <- MatMul(%u,%v)\n    }}\n  }}\n",
        rows, stages, threads);
    out += f("  for (r = 0; r < {0}; r += 1) {{\n    %e = %acc[r]  %to = %y[{0}*@b + r,@t]\n", rows);
    if (bias) out += "    %h:[].fp32.RF  %from = %bias[@t]  %h <- Move(%from)\n    %e <- BinaryPointwise<+>(%e,%h)\n";
    if (epilogue != "id") out += f("    %e <- UnaryPointwise<{}>(%e)\n", epilogue);
    return out + "    %to <- Move(%e)\n  }\n}\n";
  }
};

// Softmax of a column with weights, in one pass: a larger maximum scales the sums so far.
inline std::string online() {
  return R"(%x:[R,32*K].fp32.GL  %v:[R,32*K].fp32.GL  %y:[R,32].fp32.GL
#b:[R].block  #t:[32:1].thread
%y <- Spec<online><<<#b,#t>>>(%x,%v) means {
  m[r,t] = max(k < K) %x[r,32*k + t]
  p[r,t,k] = exp(%x[r,32*k + t] - m[r,t])
  %y[r,t] = (sum(k < K) p[r,t,k] * %v[r,32*k + t]) / (sum(k < K) p[r,t,k])
} {
  @b = #b.indices()  @t = #t.indices()
  %m:[].fp32.RF  %l:[].fp32.RF  %o:[].fp32.RF  %to = %y[@b,@t]
  %m <- Init<-inf>()  %l <- Init<0>()  %o <- Init<0>()
  for (k = 0; k < K; k += 1) {
    %xk = %x[@b,32*k + @t]  %vk = %v[@b,32*k + @t]  %e:[].fp32.RF  %n:[].fp32.RF  %w:[].fp32.RF
    %e <- Move(%xk)  %w <- Move(%vk)
    %n <- BinaryPointwise<max>(%m,%e)
    %m <- BinaryPointwise<->(%m,%n)
    %m <- UnaryPointwise<exp>(%m)
    %e <- BinaryPointwise<->(%e,%n)
    %e <- UnaryPointwise<exp>(%e)
    %l <- BinaryPointwise<*>(%l,%m)
    %l <- BinaryPointwise<+>(%l,%e)
    %o <- BinaryPointwise<*>(%o,%m)
    %o <- MatMul(%e,%w)
    %m <- Move(%n)
  }
  %o <- BinaryPointwise</>(%o,%l)
  %to <- Move(%o)
}
)";
}

// A program of the gallery.
inline std::string shipped(const std::string& name) {
  std::ifstream in(std::string(TESSERA_SOURCE_DIR) + "/assets/graphene/" + name + ".graphene");
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

// The kernel holds at these sizes, by running.
inline bool holdsAt(const std::string& text, const Sizes& sizes) {
  const auto program = readSized(text, sizes);
  REQUIRE(program.ok());
  CheckOptions running = kHow;
  running.method = CheckMethod::Running;
  const CheckResult r = checkProgram(*program, running);
  INFO(text << verdicts::told(r));
  return r.holds();
}

}  // namespace tessera::sized_programs
