#include "text.h"

namespace tessera::ptx::test {

const std::string& everySyntax() {
  static const std::string text = R"ptx(.version 9.0
.target sm_100a
.address_size 64
.file 1 "a.cu", 123, 45
.extern .shared .align 16 .b8 dyn[];
.global .align 4 .b8 text[6] = {104, 101, 108, 108, 111, 0};
.global .f32 fs[2][3] = {{1.0, 0f40000000}, {-3.5}};
.global .f64 fd = 0d3FF0000000000000;
.global .u64 where = generic(text)+4;
.global .u64 where2[2] = {text, text+2};
.global .align 1 .u8 part[4] = {0xFF(text), 0xFF00(text), 0xFF0000(text+1), 0xFF000000(text)};
.const .align 8 .b32 table[4] = {1+2, (3*4)<<1, ~0, 5>3 ? 7 : 9};
.global .v4 .f32 vec = {1.0, 2.0, 3.0, 4.0};
.visible .global .attribute(.managed) .s32 man;
.global .v2 .f32 av[2] = {{0f3F800000, 0f40000000}, {0f3F800000, 0f40000000}};
.global .b32 cube[2][2][3] = {{{1},{2,3}},{{4}}};
.weak .global .b32 weakv;
.common .global .b32 commonv;
.global .texref tx;
.global .surfref sf;
.func (.reg .u32 %out) twice(.reg .u32 %in)
{
  add.u32 %out, %in, %in;
  ret;
}
.func (.param .b32 r) sum(.param .b32 a, .param .align 8 .b8 s[16]);
.func (.param .b32 r) sum(.param .b32 a, .param .align 8 .b8 s[16])
{
  .reg .b32 %r<3>;
  ld.param.b32 %r0, [a];
  ld.param.b32 %r1, [s+4];
  add.s32 %r0, %r0, %r1;
  st.param.b32 [r], %r0;
  ret;
}
.weak .func dead() .noreturn { trap; }
.visible .func other() { ret; }
.visible .entry k(.param .u64 .ptr .global .align 16 p, .param .align 64 .b8 map[128], .param .u32 n)
.maxntid 128, 1, 1
.minnctapersm 2
.reqnctapercluster 2, 1, 1
.explicitcluster
.maxnreg 64
{
  .reg .pred %p<4>, q;
  .reg .b32 %r<20>;
  .reg .b64 %rd<10>;
  .reg .f32 %f<4>;
  .reg .v4 .f32 v;
  .reg .b16 %h<4>;
  .reg .b128 %big;
  .shared .align 8 .b64 bar[2];
  .local .align 16 .b8 stack[64];
  .loc 1 10 3
  mov.u32 %r1, %tid.x; mov.u32 %r2, WARP_SZ;
  mov.u32 %r3, WARP_SZ - 1;
  mov.b64 {%r4, %r5}, %rd1;
  mov.b64 {%r4, _}, %rd1;
  mov.b32 %r1, {%h0, %h1};
  mov.f32 %f1, 1.5;
  mov.u32 %r1, -5;
  mov.u64 %rd2, text+4;
  mov.u64 %rd2, dyn;
  mov.f32 v.x, 0f00000000;
  mov.f32 %f0, v.w;
  mov.b128 %big, {%rd1, %rd2};
  setp.lt.and.s32 %p1|%p2, %r1, %r2, !%p3;
  shfl.sync.bfly.b32 %r6|q, %r1, 16, 0x1f, 0xffffffff;
  @!%p1 bra L;
  @%p2 bra.uni DONE;
  {
    .reg .b32 %r<4>, t;
    .reg .pred P1;
  L:
    mov.u32 t, %r1;
    add.s32 %r3, t, 1;
    bra L;
  }
L:
  ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [%rd1+16];
  ld.global.f32 %f0, [%rd1+-16];
  ld.global.f32 %f0, [%rd1+4*8];
  ld.shared.u64 %rd3, [bar+8];
  st.shared.b32 [dyn+12], %r1;
  ld.volatile.shared.u32 %r1, [%r2];
  cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], /* a comment */
    [%rd1, {%r2, %r3}], [%r4];
  cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%r1],
    [%rd1, {%r2, %r3, %r4, %r5}], [%r4], {%h0, %h1};
  cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd1, {%r2, %r3}], [%r1];
  tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r1], 128;
  tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r1, %r2}, [%r3+8];
  tcgen05.mma.cta_group::1.kind::f16 [%r1], %rd1, %rd2, %r2, {%r3, %r4, %r5, %r6}, %p1;
  tcgen05.st.sync.aligned.16x64b.x1.b32 [%r3], {%r1};
  ld.global.L1::no_allocate.L2::128B.b32 %r1, [%rd1];
  ld.global.nc.L2::cache_hint.v4.b32 {%r1,%r2,%r3,%r4}, [%rd1], %rd2;
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 128;
  vadd.s32.s32.s32 %r1, %r2.b0, %r3.h1;
  call (%r1), twice, (%r2);
  {
    .param .b32 a0; .param .align 8 .b8 a1[16]; .param .b32 r0;
    st.param.b32 [a0], %r1;
    st.param.b64 [a1+8], %rd1;
    call.uni (r0), sum, (a0, a1);
    ld.param.b32 %r1, [r0];
    proto: .callprototype (.param .b32 _) _ (.param .b32 _, .param .align 8 .b8 _[16]);
    mov.u64 %rd4, sum;
    call (r0), %rd4, (a0, a1), proto;
    targets: .calltargets sum;
    call (r0), %rd4, (a0, a1), targets;
  }
  table1: .branchtargets L, DONE;
  brx.idx %r1, table1;
  .pragma "nounroll";
  tex.2d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [tx, {%r1, %r2}];
  suld.b.1d.b32.trap {%r1}, [sf, {%r2}];
  elect.sync %r1|%p1, 0xffffffff;
  elect.sync _|%p1, 0xffffffff;
  mov.u32 %r1, %envreg3;
  mov.u64 %rd1, %clock64;
  call dead;
  bra DONE;
DONE: ret;
}
.visible .func oo();
.alias oo, other;
.section .debug_str
{
info: .b8 65, 66
.b8 0
}
)ptx";
  return text;
}

}  // namespace tessera::ptx::test
