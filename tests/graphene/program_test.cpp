// Programs: the paper's figures as text, round trips, and refusals with their place.
#include "core/graphene/program.h"

#include <catch2/catch.hpp>
#include <map>
#include <random>

#include "core/notation/graphene/operations.h"

using namespace tessera;
using namespace tessera::graphene;

namespace {

// Figure 1d, as the paper prints it.
const std::string kFigure1d = R"(%1 : [16, 16].fp16.SH // src
%2 : [ 2, 4].fp16.RF // dst // Tensors (Sec.3)
#3 : [ 1].block
#4 : [32].thread // Logical Thread Groups (Sec.4)
%2 <- Move<<<#3, #4>>>(%1) { // Decomposable Specs (Sec.5)
// Reshape the warp into 2x2 groups of 8 threads
#5 : [4].[8].thread = #4.tile(8)
#6 : [2,2].[8].thread = #5.reshape(0, [2,2])
(@thr_grp_m, @thr_grp_n), @grp_local_idx = #6.indices()
// Tile and map shared mem (see a) one 1x8 row per thread.
%7 : [2, 2].[8, 8].fp16.SH = %1.tile([8, 8])
%8 : [8, 8].fp16.SH = %7[@thr_grp_m, @thr_grp_n]
%9 : [8, 1].[1, 8].fp16.SH = %8.tile([1, 8])
%10 : [1, 8].fp16.SH = %9[@grp_local_idx, 0]
// Each thread receives 8 vals - 2x2 * 1x2 (see b)
%11 : [2, 2].[1, 2].fp16.RF = %2.tile([1, 2])
%11 <- Move<<<#3, #4>>>(%10) }
)";

// Figure 8 with its strides written, since its code is column-major.
const std::string kFigure8 = R"(
%A:[1024,1024:1,1024].fp16.GL  %B:[1024,1024:1,1024].fp16.GL  %C:[1024,1024:1,1024].fp16.GL
#grid:[8,8:1,8].block          #cta:[16,16:1,16].thread
%C <- Spec<<<#grid,#cta>>>(%A,%B) {
  (@bm,@bn) = #grid.indices()
  (@tm,@tn) = #cta.indices()
  for(k=0; k<1024; k+=1) { for(m=0; m<8; m+=1) { for(n=0; n<8; n+=1) {
    %A1:[8,1:128,_].[128,1024:1,1024] = %A.tile([128:1],_)      %A2 = %A1[@bm,0]
    %B1:[1,8:_,131072].[1024,128:1,1024] = %B.tile(_,[128:1])   %B2 = %B1[0,@bn]
    %C1:[8,8:128,131072].[128,128:1,1024] = %C.tile([128:1],[128:1])  %C2 = %C1[@bm,@bn]
    %A3:[16,1:8,_].[8,1024:1,1024] = %A2.tile([8:1],_)          %A4 = %A3[@tm,0]
    %B3:[1,16:_,8192].[1024,8:1,1024] = %B2.tile(_,[8:1])       %B4 = %B3[0,@tn]
    %C3:[16,16:8,8192].[8,8:1,1024] = %C2.tile([8:1],[8:1])     %C4 = %C3[@tm,@tn]
    %a:[].fp16.GL = %A4[m,k]   %b:[].fp16.GL = %B4[k,n]   %c:[].fp16.GL = %C4[m,n]
    #b1:[].block = #grid.scalar()   #t1:[].thread = #cta.scalar()
    %c <- MatMul<<<#b1,#t1>>>(%a,%b)
  }}}
}
)";

const std::string kTranspose = R"(
%in:[N,32:32,1].fp32.GL %out:[32,N:N,1].fp32.GL
#b:[1].block #t:[32,32].thread
%out <- Move<<<#b,#t>>>(%in) {
  (@y, @x) = #t.indices()
  %s : [32,32:33,1].fp32.SH
  %from = %in[@y, @x]
  %to = %s[@y, @x]
  if (@y < N && @x + 1 <= 32) { %to <- Move<<<#b, #t>>>(%from) } else { %to <- Init<0><<<#b, #t>>>() }
  sync
  %q = %s[@x, @y]
  %o = %out[@y, @x]
  %o <- UnaryPointwise<exp><<<#b, #t>>>(%q);
  syncwarp()
}
)";

Program program(const std::string& text) {
  auto read = readProgram(text);
  INFO((read ? "" : read.error().message + " at " + std::to_string(read.error().span.begin)));
  REQUIRE(read.ok());
  return *std::move(read);
}

Diag refusal(const std::string& text) {
  const auto read = readProgram(text);
  INFO(text);
  REQUIRE_FALSE(read.ok());
  CHECK(read.error().span.end <= text.size());
  return read.error();
}

// The value of an expression when blockIdx.x, threadIdx.x and the loops have these values; indices are computed.
i64 valueOf(const Program& p, const Expr& e, i64 block, i64 thread, const std::map<std::string, i64>& others = {}) {
  std::vector<i64> params;
  for (const Variable& v : p.variables) {
    i64 value = 0;
    if (v.kind == Variable::Kind::Block) value = block;
    if (v.kind == Variable::Kind::Thread) value = thread;
    if (v.kind == Variable::Kind::Index) value = evaluate(v.value, {}, params);
    if (const auto at = others.find(v.name); at != others.end()) value = at->second;
    params.push_back(value);
  }
  return evaluate(e, {}, params);
}

const Spec& specOf(const Statement& s) { return std::get<Spec>(s.what); }

}  // namespace

TEST_CASE("figure 1d is accepted as the paper prints it, and hands ldmatrix the rows that it hands") {
  const Program p = program(kFigure1d);
  REQUIRE(p.operands.size() == 4);
  REQUIRE(p.specs.size() == 1);
  const Spec& move = specOf(p.specs[0]);
  CHECK(move.kind == SpecKind::Move);
  REQUIRE(move.decomposed);
  const Spec& atom = specOf(move.body.back());
  CHECK_FALSE(atom.decomposed);
  CHECK(print(atom.outputs[0]) == "%11:[2,2:4,2].[1,2:0,1].fp16.RF");
  CHECK(print(atom.inputs[0]) == "%10:[1,8:0,1].fp16.SH");
  for (i64 t = 0; t < 32; ++t)
    CHECK(valueOf(p, atom.inputs[0].offset, 0, t) == t / 16 % 2 * 128 + t / 8 % 2 * 8 + t % 8 * 16);
}

TEST_CASE("figure 8 has the addresses of its CUDA") {
  const Program p = program(kFigure8);
  const Statement* s = &p.specs[0];
  for (const Body* body = &specOf(*s).body; true; body = &std::get<Loop>(s->what).body) {
    s = &body->back();
    if (!std::holds_alternative<Loop>(s->what)) break;
  }
  const Spec& fma = specOf(*s);
  CHECK(fma.kind == SpecKind::MatMul);
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    const i64 b = random() % 64, t = random() % 256, m = random() % 8, n = random() % 8, k = random() % 1024;
    const i64 bm = b % 8, bn = b / 8, tm = t % 16, tn = t / 16;
    const std::map<std::string, i64> loops = {{"m", m}, {"n", n}, {"k", k}};
    CHECK(valueOf(p, fma.inputs[0].offset, b, t, loops) == bm * 128 + tm * 8 + m + k * 1024);
    CHECK(valueOf(p, fma.inputs[1].offset, b, t, loops) == bn * 131072 + tn * 8192 + k + n * 1024);
    CHECK(valueOf(p, fma.outputs[0].offset, b, t, loops) == bm * 128 + bn * 131072 + tm * 8 + tn * 8192 + m + n * 1024);
  }
}

TEST_CASE("programs print with every stride, and are read again as themselves") {
  for (const std::string& text : {kFigure1d, kFigure8, kTranspose}) {
    const std::string printed = print(program(text));
    INFO(printed);
    CHECK(print(program(printed)) == printed);
  }
  const std::string printed = print(program(kTranspose));
  CHECK(printed.find("  %s:[32,32:33,1].fp32.SH\n") != std::string::npos);
  CHECK(printed.find("  if (@y < N && @x+1 <= 32) {\n    %to <- Move<<<#b, #t>>>(%from)\n  }\n  else {\n") !=
        std::string::npos);
  CHECK(printed.find("  syncwarp\n") != std::string::npos);
  const std::string quads = print(program(
      "#w:[32:1].thread %s:[].fp16.SH %s <- Spec() { #q = #w.tile([(4,2):(1,16)]) @qp, (@quad, @hi) = #q.indices() }"));
  CHECK(quads.find("  @qp, (@quad, @hi) = #q.indices()\n") != std::string::npos);
  CHECK(print(program(quads)) == quads);
}

TEST_CASE("what is wrong with a program is said where it is") {
  const std::string head = "%A:[4,8:8,1].fp32.GL %B:[4,8:8,1].fp32.GL #b:[1].block #t:[32].thread\n";
  const auto said = [&](const std::string& body) { return refusal(head + body).message; };
  CHECK(said("%B <- Move<<<#b,#t>>>(%X)") == "there is no tensor %X here");
  CHECK(said("%B <- Moove<<<#b,#t>>>(%A)") == "there is no specification 'Moove'");
  CHECK(refusal(head + "%B <- Moove<<<#b,#t>>>(%A)").hint == "did you mean Move?");
  CHECK(said("%B <- Move<<<#b,#t>>>(%A, %A)") == "Move reads 1 tensor, not 2");
  CHECK(said("%B <- MatMul<<<#b,#t>>>(%A)") == "MatMul reads 2 tensors, not 1");
  CHECK(said("%B <- UnaryPointwise<<<#b,#t>>>(%A)") == "UnaryPointwise of what?");
  CHECK(said("%B <- Move<<<#t,#b>>>(%A)") == "a configuration is blocks, then threads");
  CHECK(said("%B <- Move<<<#b,#t>>>(%A) { %x = %A[@q, 0] }") == "there is no index @q here");
  CHECK(said("%B <- Move<<<#b,#t>>>(%A) { %x = %A[0, 0] %x = %A[0, 1] }") == "%x is defined twice here");
  CHECK(said("%B <- Move<<<#b,#t>>>(%A) { %x : [2,4].[2,2].fp32.GL = %A.tile([2],[4]) }").find("the type says 4") == 0);
  CHECK(said("%B <- Move<<<#b,#t>>>(%A) { %x : [2,2:8,4].[2,4:8,1] = %A.tile([2],[4]) }").find("other strides") !=
        std::string::npos);
  CHECK(said("%B <- Move<<<#b,#t>>>(%A) { (@x, @y) = #t.indices() }").find("2 names for the 1 dimensions") == 0);
  CHECK(said("%B <- Move<<<#b,#t>>>(%A) { @x = %A.indices() }") == "indices() of data");
  CHECK(said("%B <- Move<<<#b,#t>>>(%A) { for (k = 0; j < 8; k += 1) { } }") == "j is not the loop's variable");
  CHECK(said("%B <- Move<<<#b,#t>>>(%A) { for (k = 0; k < 8; k += 0) { } }") == "a step below 1");
  CHECK(said("%B <- Move<<<#b,#t>>>(%A) { snyc }") == "there is no statement 'snyc'");
  CHECK(said("%B <- Move<<<#b,#t>>>(%A) {") == "this body is never closed");
  CHECK(said("%B <- Move<<<#b,#t>>>(%A) { #s : [32].thread }") == "threads cannot be allocated");
  CHECK(said("%B <- Move<<<#b,#t>>>(%A) { if (1) { } }") == "a comparison is missing here");
  CHECK(said("%A:[4].fp32.GL") == "%A is defined twice here");
  std::string deep = head + "%B <- Move<<<#b,#t>>>(%A) ";
  for (int k = 0; k < 5000; ++k) deep += "{ for (k = 0; k < 8; k += 1) ";
  CHECK(refusal(deep).message == "this nests more than 200 levels deep");
}

TEST_CASE("damaged programs: a program, or a Diag that points into the text") {
  std::mt19937 random(17);
  const std::string bytes = "0123456789()[]{}<>:,.%#@_=+-*/ \nMNktilex;";
  for (int round = 0; round < 6000; ++round) {
    std::string text = std::vector<std::string>{kFigure1d, kFigure8, kTranspose}[random() % 3];
    for (unsigned k = 0; k <= random() % 5; ++k) {
      const std::size_t at = random() % text.size();
      if (random() % 3 == 0) {
        text.insert(at, 1, bytes[random() % bytes.size()]);
      } else if (random() % 2 == 0) {
        text.erase(at, 1 + random() % 6);
      } else {
        text[at] = bytes[random() % bytes.size()];
      }
    }
    const auto read = readProgram(text);
    if (read) {
      const std::string printed = print(*read);
      const auto again = readProgram(printed);
      INFO(printed << (again ? "" : again.error().message));
      REQUIRE(again.ok());
      REQUIRE(print(*again) == printed);
    } else {
      CHECK(read.error().span.begin <= read.error().span.end);
      CHECK(read.error().span.end <= text.size());
      CHECK_FALSE(read.error().message.empty());
    }
  }
}
