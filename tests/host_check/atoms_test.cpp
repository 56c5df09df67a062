// Every atom of generated code: a program with one instruction (or a chain of moves) for each, whose text is compared
// with the emulator. The emulator takes the atom from core/graphene; the text's function is from the host header.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "beside.h"
#include "core/atlas/atlas.h"
#include "ready.h"
#include "solver/emulate/plan.h"

using namespace tessera;
using namespace tessera::graphene;
using namespace tessera::host_check;

namespace {

constexpr const char* kHalves[] = {"fp16", "bf16"};
constexpr const char* kTypes[] = {"fp16", "bf16", "fp32", "fp64", "i32"};

int bytesOf(const std::string& type) { return numberFormat(type)->bits / 8; }

// What is no instruction for the emulator is none for code generation.
void add(std::vector<Case>& out, const std::string& name, const std::string& text) {
  const auto program = readProgram(text);
  INFO(name << "\n" << text << (program ? "" : program.error().message));
  REQUIRE(program.ok());
  if (makePlan(*program, {{}, "sm_90"})) out.push_back({name, text, {}, "sm_90"});
}

// A thread does `leaf` on `count` elements of x, y (type `from`) and z (type `to`).
std::string single(const std::string& leaf, const std::string& from, const std::string& to, int count) {
  return fmt::format(
      "%x:[{0}:1].{1}.GL  %y:[{0}:1].{1}.GL  %z:[{0}:1].{2}.GL\n#b:[1].block  #t:[32:1].thread\n"
      "%z <- Spec<<<#b,#t>>>(%x,%y,%z) {{\n  @i = #t.indices()\n"
      "  %xt = %x.tile([{3}:1])  %yt = %y.tile([{3}:1])  %zt = %z.tile([{3}:1])\n"
      "  %a = %xt[@i]  %b = %yt[@i]  %c = %zt[@i]\n  {4}\n}}\n",
      32 * count, from, to, count, leaf);
}

void pointwise(std::vector<Case>& out) {
  for (const std::string type : kTypes)
    for (int count = 1; count <= 2; ++count) {
      for (const std::string op : {"+", "-", "*", "/", "max", "min"})
        add(out, fmt::format("{} {} x{}", op, type, count),
            single(fmt::format("%c <- BinaryPointwise<{}>(%a,%b)", op), type, type, count));
      for (const std::string op : {"exp", "log", "relu", "neg", "rcp", "sqrt", "rsqrt", "tanh", "sigmoid", "id"})
        add(out, fmt::format("{} {} x{}", op, type, count),
            single(fmt::format("%c <- UnaryPointwise<{}>(%a)", op), type, type, count));
      if (type == "fp32")
        add(out, fmt::format("exp2 {} x{}", type, count), single("%c <- UnaryPointwise<exp2>(%a)", type, type, count));
      add(out, fmt::format("fma {} x{}", type, count), single("%c <- MatMul(%a,%b)", type, type, count));
      for (const std::string number : {"0", "1", "-2.5", "0.1", "inf", "-inf"})
        if (type != "i32" || number.size() == 1)
          add(out, fmt::format("init {} {} x{}", number, type, count),
              single(fmt::format("%c <- Init<{}>()", number), type, type, count));
    }
  // Other types begin with numbers, too; what a type does not have is no instruction, and makes no case.
  for (const std::string type : {"e4m3", "e5m2", "tf32", "i8", "u8", "i16", "u16", "u32", "i64", "fp32", "i32"})
    for (const std::string number :
         {"0", "1", "-1", "1f", "0.1", "0.3", "-2.5f", "200", "300", "1e-3", "448", "500", "inf"})
      add(out, fmt::format("init {} {}", number, type), single(fmt::format("%c <- Init<{}>()", number), type, type, 1));
  add(out, "dp2a", R"(
%x:[64:1].i16.GL  %y:[64:1].i8.GL  %z:[32:1].i32.GL
#b:[1].block  #t:[32:1].thread
%z <- Spec<<<#b,#t>>>(%x,%y,%z) {
  @i = #t.indices()
  %xt = %x.tile([2:1])  %yt = %y.tile([2:1])
  %a = %xt[@i]  %b = %yt[@i]  %c = %z[@i]
  %c <- MatMul(%a,%b)
}
)");
  add(out, "dp4a", R"(
%x:[128:1].i8.GL  %y:[128:1].i8.GL  %z:[32:1].i32.GL
#b:[1].block  #t:[32:1].thread
%z <- Spec<<<#b,#t>>>(%x,%y,%z) {
  @i = #t.indices()
  %xt = %x.tile([4:1])  %yt = %y.tile([4:1])
  %a = %xt[@i]  %b = %yt[@i]  %c = %z[@i]
  %c <- MatMul(%a,%b)
}
)");
}

// PTX has a conversion to tf32 from fp32 alone.
bool isRefused(const std::string& from, const std::string& to) { return to == "tf32" && from != "fp32"; }

void conversions(std::vector<Case>& out) {
  const std::vector<std::string> types = {"fp64", "fp32", "tf32", "fp16", "bf16", "i8",
                                          "u8",   "i16",  "u16",  "i32",  "u32"};
  for (const std::string& from : types)
    for (const std::string& to : types)
      for (int count = 1; count <= 2; ++count)
        if (from != to && !isRefused(from, to))
          add(out, fmt::format("{} to {} x{}", from, to, count), single("%c <- Move(%a)", from, to, count));
  // Pairs are converted in registers.
  for (const std::string half : kHalves)
    for (const bool widen : {false, true}) {
      const std::string from = widen ? half : "fp32", to = widen ? "fp32" : half;
      add(out, fmt::format("{} to {} in registers", from, to),
          single(fmt::format("%f:[2:1].{}.RF  %h:[2:1].{}.RF\n  %f <- Move(%a)\n  %h <- Move(%f)\n  %c <- Move(%h)",
                             from, to),
                 from, to, 2));
    }
}

// Through all memories, each vector `width` bytes.
void moves(std::vector<Case>& out) {
  for (const std::string type : {"i8", "u8", "fp16", "bf16", "fp32", "i32", "fp64", "e4m3"})
    for (int width = bytesOf(type); width <= 16; width *= 2) {
      const int n = width / bytesOf(type);
      add(out, fmt::format("moves {} {} bytes", type, width),
          fmt::format(
              "%x:[{0}:1].{1}.GL  %z:[{0}:1].{1}.GL  %w:[{0}:1].{1}.GL\n#b:[1].block  #t:[32:1].thread\n"
              "%z, %w <- Spec<<<#b,#t>>>(%x) {{\n  @i = #t.indices()\n"
              "  %s:[{0}:1].{1}.SH  %s2:[{0}:1].{1}.SH  %r:[{2}:1].{1}.RF  %r2:[{2}:1].{1}.RF\n"
              "  %xt = %x.tile([{2}:1])  %zt = %z.tile([{2}:1])  %wt = %w.tile([{2}:1])\n"
              "  %st = %s.tile([{2}:1])  %st2 = %s2.tile([{2}:1])\n"
              "  %from = %xt[@i]  %to = %zt[@i]  %direct = %wt[31 - @i]\n"
              "  %mine = %st[@i]  %other = %st[31 - @i]  %mine2 = %st2[@i]  %other2 = %st2[31 - @i]\n"
              "  %mine <- Move(%from)\n  sync\n  %r <- Move(%other)\n  %r2 <- Move(%r)\n  %mine2 <- Move(%r2)\n  sync\n"
              "  %to <- Move(%other2)\n  %r <- Move(%from)\n  %direct <- Move(%r)\n}}\n",
              32 * n, type, n));
      if (width >= 4)
        for (const std::string cache : {"", ".ca", ".cg"})
          add(out, fmt::format("async{} {} {} bytes", cache, type, width),
              fmt::format("%x:[{0}:1].{1}.GL  %z:[{0}:1].{1}.GL\n#b:[1].block  #t:[32:1].thread\n"
                          "%z <- Spec<<<#b,#t>>>(%x) {{\n  @i = #t.indices()\n  %s:[{0}:1].{1}.SH\n"
                          "  %xt = %x.tile([{2}:1])  %zt = %z.tile([{2}:1])  %st = %s.tile([{2}:1])\n"
                          "  %from = %xt[@i]  %to = %zt[@i]  %mine = %st[@i]  %other = %st[31 - @i]\n"
                          "  %mine <- Move<async{3}>(%from)\n  commit\n  wait 0\n  sync\n  %to <- Move(%other)\n}}\n",
                          32 * n, type, n, cache));
    }
}

void shuffles(std::vector<Case>& out) {
  for (const std::string type : {"fp32", "i32", "fp16", "bf16"})
    for (int count = 1; count <= 2; ++count)
      for (const std::string mode : {"bfly", "up", "down", "idx"})
        for (const int operand : {0, 1, 5, 16, 31})
          add(out, fmt::format("shfl {} {} {} x{}", mode, operand, type, count),
              single(fmt::format("%v:[{0}:1].{1}.RF  %o:[{0}:1].{1}.RF\n  %v <- Move(%a)\n"
                                 "  %o <- Shfl<{2} {3}><<<#b,#t>>>(%v)\n  %c <- Move(%o)",
                                 count, type, mode, operand),
                     type, type, count));
}

void matrixMoves(std::vector<Case>& out) {
  for (const std::string type : kHalves)
    for (const int count : {1, 2, 4})
      for (const std::string trans : {"", "<trans>"}) {
        const std::string shape = count == 4 ? "[2,2:4,2].[1,2:0,1]" : count == 2 ? "[2,1:2,0].[1,2:0,1]" : "[1,2:0,1]";
        const std::string head =
            fmt::format("%s:[32,8:8,1].{}.SH  %r:{}.{}.RF\n#b:[1].block  #t:[32:1].thread\n", type, shape, type);
        const std::string row = "  @i = #t.indices()\n  %rows = %s.tile([1:1],[8:1])  %row = %rows[(5*@i) % 32, 0]\n";
        add(out, fmt::format("ldmatrix{} x{} {}", trans, count, type),
            fmt::format("{}%r <- Move<<<#b,#t>>>(%s) {{\n{}  %r <- Move{}<<<#b,#t>>>(%row)\n}}\n", head, row, trans));
        add(out, fmt::format("stmatrix{} x{} {}", trans, count, type),
            fmt::format("{}%s <- Move<<<#b,#t>>>(%r) {{\n{}  %row <- Move{}<<<#b,#t>>>(%r)\n}}\n", head, row, trans));
      }
}

// Registers of a fragment, as core/graphene/atoms/atom_mma.cpp wants them.
std::string fragment(const AtlasOperand& operand, char which) {
  const i64 values = threadValue(operand)->mode(1).size(), bits = *elementBits(operand.element);
  const i64 packed = which == 'C' ? 2 : std::min<i64>(values, bits >= 32 ? 1 : 32 / bits), registers = values / packed;
  const bool tall = which != 'B' && rowsOf(operand) == 16;
  std::string out = tall           ? fmt::format("[2,{}:{},{}]", registers / 2, registers / 2 * packed, packed)
                    : which == 'A' ? fmt::format("[1,{}:0,{}]", registers, packed)
                    : which == 'C' ? std::string()
                                   : fmt::format("[{},1:{},0]", registers, packed);
  if (packed > 1)
    out += (out.empty() ? "" : ".") +
           (which == 'B' ? fmt::format("[{},1:1,0]", packed) : fmt::format("[1,{}:0,1]", packed));
  return out + "." + operand.element + ".RF";
}

void products(std::vector<Case>& out) {
  for (const AtlasRow& row : atlas()) {
    if (row.family != AtlasFamily::MmaSync || row.operands.size() != 3) continue;
    if (row.threadId == "32:1") {
      add(out, row.name,
          fmt::format("%c:{}  %a:{}  %b:{}\n#b:[1].block  #t:[32:1].thread\n"
                      "%c <- MatMul<<<#b,#t>>>(%a,%b) {{\n  %c <- MatMul<<<#b,#t>>>(%a,%b)\n}}\n",
                      fragment(row.operands[2], 'C'), fragment(row.operands[0], 'A'), fragment(row.operands[1], 'B')));
      continue;
    }
    const std::size_t at = row.name.find("m8n8k4.") + 7;
    add(out, row.name,
        fmt::format(
            "%c:[2,4:4,1].{}.RF  %a:[1,4].fp16.RF  %b:[4,1].fp16.RF\n#b:[1].block  #t:[32:1].thread\n"
            "%c <- MatMul<<<#b,#t>>>(%a,%b) {{\n  #qp = #t.tile([(4,2):(1,16)])\n  (@p), (@q,@h) = #qp.indices()\n"
            "  #pair = #qp[@p]\n  %c <- MatMul<{}><<<#b,#pair>>>(%a,%b)\n}}\n",
            row.operands[2].element, row.name.substr(at, 7)));
  }
}

const Beside& all() {
  static const Beside one([] {
    std::vector<Case> out;
    pointwise(out);
    conversions(out);
    moves(out);
    shuffles(out);
    matrixMoves(out);
    products(out);
    return out;
  }());
  return one;
}

// Every fourth value lies in the middle of two neighbours of fp16, bf16 or tf32, or just beside it: where roundings
// differ.
void betweenNeighbours(std::vector<double>& values) {
  constexpr int kMantissas[] = {10, 7, 23};
  for (std::size_t i = 0; i + 1 < values.size(); i += 4) {
    const double step = std::ldexp(1.0, -kMantissas[i / 4 % 3] - 1);
    const double middle = 1 + static_cast<double>(2 * (i % 16) + 1) * step;
    values[i] = i % 8 == 0 ? middle : -middle;
    values[i + 1] = middle * (1 + std::ldexp(i % 8 == 0 ? 1.0 : -1.0, -40));
  }
}

// Where the printed arithmetic takes more steps than the atom, and each rounds.
double toleranceOf(const std::string& name) {
  if (name.starts_with("sigmoid fp32")) return 2e-7;
  return 0;
}

}  // namespace

TEST_CASE("every atom: the text's function does what the emulator's atom does") {
  if (!hasCompiler()) return;
  CHECK(all().wrong() == "");
  CHECK(all().messages() == "");
  CHECK(all().cases().size() > 300);
  for (const Case& one : all().cases()) {
    if (all().source(one.name).kernels.empty()) continue;
    INFO(one.name << "\n" << one.text << all().source(one.name).text);
    TensorValues inputs = randomInputs(one, 3);
    if (const auto x = inputs.find("x"); x != inputs.end()) betweenNeighbours(x->second);
    const Both both = all().run(one.name, inputs);
    CHECK(both.wrong == "");
    CHECK(difference(both.host, both.emulated, toleranceOf(one.name)) == "");
  }
}

TEST_CASE("a conversion that no instruction does is refused, with the place") {
  for (const auto& [from, to] : {std::pair("fp16", "tf32"), std::pair("fp64", "tf32"), std::pair("fp32", "e4m3")}) {
    const std::string text = single("%c <- Move(%a)", from, to, 1);
    const auto program = readProgram(text);
    REQUIRE(program.ok());
    const auto source = codegen::emitCuda(*program, {"sm_90"});
    REQUIRE_FALSE(source.ok());
    const std::string& why = source.error().message;
    INFO(why);
    CHECK((why.find("conversion") != std::string::npos || why.find("cvt") != std::string::npos));
    CHECK(text.substr(source.error().span.begin).starts_with("%c <- Move(%a)"));
  }
}
