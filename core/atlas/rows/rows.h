// The row files of the atlas, one per family, appended in this order by atlas.cpp; and shared helpers.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/atlas/atlas.h"

namespace tessera::atlas_rows {

void appendMmaSync(std::vector<AtlasRow>& rows);    // scalar fma, dp4a and mma.sync
void appendMmaSparse(std::vector<AtlasRow>& rows);  // mma.sp
void appendWgmma(std::vector<AtlasRow>& rows);
void appendTcgen05(std::vector<AtlasRow>& rows);
void appendMatrixCopies(std::vector<AtlasRow>& rows);  // ldmatrix, stmatrix, movmatrix
void appendCopies(std::vector<AtlasRow>& rows);        // ld, st, cp.async, TMA
void appendAmd(std::vector<AtlasRow>& rows);

// A row of a single instruction, as yet without operands, aliases and source.
AtlasRow rowOf(std::string name, AtlasFamily family, std::string architecture, std::string ptx, std::string shape,
               std::string threadId);
// The operand "ref", which CuTe's tiled copies divide: the registers, or the tile, under that name.
AtlasOperand referenceOf(AtlasOperand operand);

// "f16" -> "F16", "b1" -> "U1": CuTe's spelling of a type in an atom's name.
std::string cuteType(const std::string& type);

// "s8 u8": each word with each, s8 s8, s8 u8, u8 s8, u8 u8.
std::vector<std::pair<std::string, std::string>> typePairs(std::string_view words);

// The form in which names are compared: lower case, without blanks and words common to all PTX mnemonics.
std::string normalizedName(std::string_view name);

}  // namespace tessera::atlas_rows
