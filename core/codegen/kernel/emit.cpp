// emitCuda: the kernels of a program below the prelude that they need.
#include <fmt/format.h>

#include <map>

#include "core/codegen/kernel/kernel_writer.h"
#include "core/graphene/spec_tree.h"

namespace tessera::codegen {
namespace {

using namespace graphene;

// matmul_C, attention_O; a second one of that name is matmul_C_2.
std::string kernelName(const Spec& spec, std::map<std::string, int>& taken) {
  std::string kind(spec.kind == SpecKind::Generic && !spec.attribute.empty() ? spec.attribute : name(spec.kind));
  for (char& c : kind)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  std::string out = functionName(kind + "_" + (spec.outputs.empty() ? "kernel" : spec.outputs[0].name));
  if (out[0] >= '0' && out[0] <= '9') out.insert(0, "k");
  const std::string base = out;
  const auto [last, first] = taken.try_emplace(base, 1);  // the last number after that name
  while (!first && (out == base || !taken.try_emplace(out, 1).second)) out = fmt::format("{}_{}", base, ++last->second);
  return out;
}

void append(CudaSource& to, const std::string& text, Span span) {
  to.text += text;
  for (const char c : text)
    if (c == '\n') to.lines.push_back(span);
}

// A line of more than 110 characters goes on below: after an assignment, a comma, or in front of a sum's next term.
std::string wrapped(const Writer::Line& line) {
  constexpr std::size_t kWidth = 110;
  std::string margin(static_cast<std::size_t>(line.indent) * 2, ' '), rest = line.text, out;
  if (rest.starts_with("//")) return margin + rest + "\n";
  while (margin.size() + rest.size() > kWidth) {
    const std::size_t room = kWidth - margin.size();
    std::size_t at = 0;
    for (const std::string_view mark : {" = ", ", ", " + "}) {
      const std::size_t found = rest.rfind(mark, room - mark.size());
      if (at == 0 && found != std::string::npos) at = mark == " + " ? found + 1 : found + mark.size();
    }
    if (at == 0) break;
    out += margin + rest.substr(0, at - 1) + "\n";
    rest.erase(0, at);
    if (static_cast<int>(margin.size()) == line.indent * 2) margin += "    ";
  }
  return out + margin + rest + "\n";
}

Result<CudaSource> emitted(const Program& program, const CodegenOptions& options, bool& resources) {
  CudaSource out;
  out.architecture = options.architecture;
  Used used;
  std::map<std::string, int> taken;
  Body outside;
  struct Part {
    std::string comment;
    Span span;
    std::vector<Writer::Line> lines;
  };
  std::vector<Part> parts;
  int number = 0;
  for (const Statement& s : program.specs) {
    const auto* spec = std::get_if<Spec>(&s.what);
    if (spec == nullptr || (spec->kind == SpecKind::Allocate && !spec->decomposed)) {
      if (spec != nullptr) ++number;
      if (spec == nullptr) outside.push_back(s);
      continue;
    }
    auto written = writeKernel(program, options, outside, *spec, s.span, kernelName(*spec, taken), used, resources);
    if (!written) {
      Diag diag = written.error();
      if (diag.span.empty()) diag.span = s.span;
      return diag;
    }
    written->kernel.spec = number++;
    parts.push_back({commentOf(*spec), s.span, std::move(written->lines)});
    out.kernels.push_back(std::move(written->kernel));
  }
  if (parts.empty())
    return Diag{"this program has no specification, so there is no kernel",
                "%out <- Spec<<<#blocks, #threads>>>(%in) { ... }"};
  append(out, preludeText(used), {});
  for (const Part& part : parts) {
    append(out, "\n" + part.comment + "\n", part.span);
    for (const Writer::Line& line : part.lines) append(out, wrapped(line), line.span);
  }
  return out;
}

}  // namespace

Result<CudaSource> emitCuda(const Program& program, const CodegenOptions& options) {
  bool resources = false;
  return emitted(program, options, resources);
}

std::optional<Refusal> refusalOf(const Program& program, const CodegenOptions& options) {
  bool resources = false;
  const auto source = emitted(program, options, resources);
  if (source) return std::nullopt;
  return Refusal{source.error(), resources};
}

}  // namespace tessera::codegen
