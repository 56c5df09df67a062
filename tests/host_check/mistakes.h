// Texts with a mistake that an emitter could make. The header, or the computed result, reveals each of them.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "ready.h"
#include "tests/support/changed.h"

namespace tessera::host_check {

struct Mistake {
  std::string what, by;  // everywhere in the kernel
};

struct Mistaken {
  Case right;
  Mistake mistake;
};

// Compiled together; each is noticed in one of the orders of threads. A piece that is not in the emitted text any more
// fails.
inline void noticesAll(const std::vector<Mistaken>& all, unsigned seed, unsigned orders) {
  std::vector<Case> cases;
  std::vector<codegen::CudaSource> texts;
  for (const auto& [right, mistake] : all) {
    const auto program = graphene::readProgram(right.text);
    REQUIRE(program.ok());
    auto source = codegen::emitCuda(*program, {right.architecture});
    REQUIRE(source.ok());
    INFO(right.name << "\n" << source->text);
    source->text = testing::changed(source->text, mistake.what, mistake.by, source->text.find("extern \"C\""));
    cases.push_back(right);
    cases.back().name = fmt::format("{}: '{}' by '{}'", right.name, mistake.what, mistake.by);
    texts.push_back(*std::move(source));
  }
  const Beside wrong(cases, texts);
  REQUIRE(wrong.wrong() == "");
  for (const Case& one : cases) {
    INFO(one.name);
    bool noticed = false;
    for (unsigned order = 0; order < orders && !noticed; ++order) {
      const Both both = wrong.run(one.name, randomInputs(one, seed), order);
      noticed = !both.wrong.empty() || difference(both.host, both.emulated) != "";
    }
    CHECK(noticed);
  }
}

}  // namespace tessera::host_check
