// The implementation side of tessera.h: conversion of verdicts and options.
#pragma once

#include <tessera/tessera.h>

#include "app/engine/engine.h"
#include "app/engine/kernel/kernel_value.h"
#include "app/library/layout/inside.h"
#include "core/worksheet/programs/programs.h"

namespace tessera::api {

// A program that links any part of tessera.h can read programs and modules, also in layout().
inline const bool kWithPrograms = (addPrograms(), addKernels(), true);

[[nodiscard]] Truth publicTruth(tessera::Truth truth);
[[nodiscard]] Verdict verdictOf(const tessera::Verdict& verdict);
[[nodiscard]] EngineOptions engineOptions(const Options& options, EngineOptions::Figures figures);

}  // namespace tessera::api
