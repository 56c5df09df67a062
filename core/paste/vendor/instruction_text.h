// Instructions as other texts spell them -> names of the atlas.
//
//     mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {..}, ..    mma.m16n8k16.f32.f16.f16.f32
//     HMMA.16816.F32.BF16 R4, R8, R12, R4                           mma.m16n8k16.f32.bf16.bf16.f32
//     __builtin_amdgcn_mfma_f32_32x32x8f16                          v_mfma_f32_32x32x8_f16
//     nvvm.ldmatrix %p {num = 4 : i32, layout = #nvvm.mma_layout<col>}   ldmatrix.x4.trans
//     @llvm.nvvm.mma.m16n8k8.row.col.tf32                           mma.m16n8k8.f32.tf32.tf32.f32
//
// A reader gets the word of the instruction and the text after it. It knows its own spelling only.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/paste/bindings.h"

namespace tessera::paste::instruction {

// What a word means.
struct Meaning {
  enum class Kind : unsigned char {
    Other,    // no instruction of this spelling
    Row,      // `name` is a row of the atlas, or should be one
    Control,  // an instruction without data: wgmma.fence, cp.async.wait_group
    Asked,    // a question was asked
    Unknown,  // `name` says what is missing
  };
  Kind kind = Kind::Other;
  std::string name = {};
};

// `rest`: the text after the word, to the end of the text.
[[nodiscard]] Meaning ptx(std::string_view word, std::string_view rest, Span span, Bindings& out);
[[nodiscard]] Meaning sass(std::string_view word, std::string_view rest);
[[nodiscard]] Meaning amd(std::string_view word, std::string_view rest);
[[nodiscard]] Meaning nvvm(std::string_view word, std::string_view rest, Span span, Bindings& out);

// The words between dots: "f32" is part of "mma.f32", not of "mma.f32x".
[[nodiscard]] bool hasWord(std::string_view dotted, std::string_view word);
// Element names of PTX from `words`, joined by dots: d.a.b.c.
[[nodiscard]] inline Meaning row(std::string name) { return {Meaning::Kind::Row, std::move(name)}; }

}  // namespace tessera::paste::instruction
