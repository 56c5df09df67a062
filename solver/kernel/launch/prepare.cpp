#include "solver/kernel/launch/prepare.h"

#include "solver/kernel/launch/shape.h"

namespace tessera::kernel {

Result<Prepared> prepare(const ptx::Module& module, const LaunchText& text, const ReadBytes& read) {
  Prepared out;
  TESSERA_TRY(out.entry, entryOf(module, text.entry));
  out.launch.entry = out.entry->name;
  out.launch.seed = text.seed;
  out.launch.maxSteps = text.steps;
  out.launch.layouts = true;
  out.launch.dynamicShared = text.shared;
  GivenShape shape;
  TESSERA_TRY(out.launch.grid, readExtents(text.grid, "--grid"));
  if (!text.block.empty()) {
    TESSERA_TRY(shape.block, readExtents(text.block, "--block"));
  }
  if (!text.cluster.empty()) {
    TESSERA_TRY(shape.cluster, readExtents(text.cluster, "--cluster"));
  }
  TESSERA_CHECKED(completeShape(*out.entry, shape, out.launch));
  TESSERA_TRY(out.given, readArguments(*out.entry, text.arguments, text.seed, read));
  for (const Given& g : out.given) out.launch.arguments.push_back(g.argument);
  // Trailing arguments that were not given are arbitrary.
  while (!out.launch.arguments.empty() && out.launch.arguments.back().kind == Argument::Kind::Arbitrary)
    out.launch.arguments.pop_back();
  return out;
}

}  // namespace tessera::kernel
