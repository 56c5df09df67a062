// emitCuda: writes the prelude of a program, then its kernels: each top-level specification becomes a __global__
// function, with statements in order and loops as loops.
//
//     for (k = 0; k < 1024; k += 16) { sync }      for (int k = 0; k < 1024; k += 16) { __syncthreads(); }
//
// A kernel consists of Variables (ranges), Writer (lines and names), ScopedText (expressions), Storage and SharedMemory
// (tensors), Bases and Rounds (loops over stages), Addresses (operands), Bulk (TMA), and writeLeaf (instructions).
// It visits statements recursively, not by Walk, because each kind has its own text, and Rounds writes a body
// repeatedly.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/base/chars.h"
#include "core/codegen/address/rounds.h"
#include "core/codegen/kernel/leaf.h"
#include "core/graphene/assumptions.h"
#include "core/graphene/spec_tree.h"
#include "core/graphene/walk.h"

namespace tessera::codegen {

using namespace graphene;

namespace {

constexpr i64 kUnrolled = 8;  // shorter loops are unrolled
constexpr int kFunction = 1;  // the scope of a kernel's body

Diag at(Span span, Diag diag) {
  if (diag.span.empty()) diag.span = span;
  return diag;
}

// "%C <- MatMul(%A, %B)"
std::string commentOf(const Spec& spec) { return "// " + headOf(spec); }

struct WrittenKernel {
  const Statement* statement = nullptr;
  Kernel kernel;
  std::string launch;               // a comment
  std::vector<Writer::Line> lines;  // the signature, the body, and the closing brace
};

// The statements of a kernel.
class KernelWriter {
 public:
  KernelWriter(const Program& program, const CodegenOptions& options, Variables& variables, Used& prelude)
      : program_(program),
        architecture_(options.architecture),
        variables_(variables),
        out_(prelude),
        storage_(productsOf(program, options.architecture), variables, out_) {}

  // `outside`: earlier statements outside every body. `lacksShared`: whether the Diag is about too little shared
  // memory.
  Result<WrittenKernel> run(const Body& outside, const Spec& spec, Span span, std::string name, bool& lacksShared) {
    TESSERA_CHECKED(storage_.operands(program_));
    for (const int size : variables_.sizes()) text_.rename(size, out_.name(variables_[size].name));
    out_.open("");  // the signature, filled in when the body's uses are known
    out_.statement(span);
    storage_.shared().choose(outside, spec.body, variables_);
    storage_.fetchCopies();
    TESSERA_CHECKED(body(outside));
    out_.statement(span);
    if (spec.decomposed) {
      TESSERA_CHECKED(scoped(spec.body));
    } else {
      TESSERA_CHECKED(one(spec, span));
    }
    out_.statement(span);
    storage_.storeCopies();
    out_.close();
    const Result<void> enough = storage_.shared().enough(architecture_, span);
    lacksShared = !enough;
    TESSERA_CHECKED(enough);
    WrittenKernel written;
    written.kernel = described(std::move(name));
    written.launch = launchComment(written.kernel);
    const std::string head = signature(written.kernel.name);
    written.lines = out_.finish();
    written.lines.front().text = withUnused(head, written.lines);
    return written;
  }

 private:
  Result<void> body(const Body& statements) {
    for (const Statement& s : statements) TESSERA_CHECKED(statement(s));
    return {};
  }

  Result<void> scoped(const Body& statements) {
    storage_.open();
    text_.keepScopes(out_.depth());
    const ScopedText::Shown before = text_.shown();
    TESSERA_CHECKED(body(statements));
    text_.restore(before, out_.depth() - 1);  // the indices of this body end here
    text_.keepScopes(out_.depth() - 1);
    bases_.keepScopes(out_.depth() - 1);
    storage_.close();
    return {};
  }

  Result<void> statement(const Statement& s) {
    out_.statement(s.span);
    return std::visit([&](const auto& what) { return one(what, s.span); }, s.what);
  }

  Result<void> one(const Define& d, Span) {
    storage_.view(d);
    return {};
  }

  Result<void> one(const Temporary& t, Span span) { return storage_.temporary(t, span); }

  // An index that depends only on threads and blocks is defined in the function's scope, once: bases of addresses use
  // it before loops, and later scopes may define an equal one.
  void define(int index) {
    const int first = variables_.firstWithValueOf(index);
    if (text_.shows(first)) return;
    const std::string value = text_.text(variables_.valueOf(index), true);
    const std::vector<Writer::Name> uses = out_.takeUses();
    const std::string wish = variables_[index].name;
    const int depth = text_.isKnownAt(variables_.valueOf(index), kFunction) ? kFunction : out_.depth();
    const Writer::Name name = out_.name(wish[0] == '@' ? wish.substr(1) : wish, depth);
    const std::string word = out_.use(name);
    (void)out_.takeUses();
    const std::string line = fmt::format("const int {} = {};", word, value);
    if (depth < out_.depth()) {
      out_.hoist(depth, name, line, uses);
    } else {
      out_.use(uses);
      out_.define(name, line);
    }
    text_.show(first, name, depth);
  }

  Result<void> one(const Indices& indices, Span) {
    for (const auto& level : indices.variables)
      for (const auto& dim : level)
        for (const int v : dim) define(v);
    return {};
  }

  // Whether a counter, including the value at which it stops, exceeds an int. A symbolic bound is a size of the call,
  // which is an int.
  bool isWide(const Variable& v) {
    const i64 past = v.hi.isConstant() ? v.step - 1 : 0;
    return variables_.range(v.lo).lo < INT32_MIN || variables_.range(v.hi).hi > INT32_MAX - past;
  }

  // Products in flight over a `break` make ptxas serialize all of them (C7514), so the iterations after the full rounds
  // wait for theirs.
  Result<void> rounds(Rotation& r, const Loop& loop) {
    Rounds::Copies copies{[&] { return scoped(loop.body); }, {}, {}};
    for (Walk walk(loop.body); const Statement* s = walk.next();)
      if (const auto* wait = std::get_if<Wait>(&s->what); wait != nullptr && wait->product && wait->pending > 0) {
        copies.drain = [&] { waitFor(0); };
        copies.last = [&] {
          drains_ = true;
          const auto written = scoped(loop.body);
          drains_ = false;
          return written;
        };
      }
    return rounds_.write(r, branches_ == 0, copies);
  }
  void waitFor(int pending) {  // wgmma
    call("wgmma_wait", fmt::format("<{}>()", pending));
    storage_.settle();
  }

  Result<void> one(const Loop& loop, Span) {
    if (Rotation* r = variables_.rotationOf(loop.variable)) return rounds(*r, loop);
    const Variable& v = variables_[loop.variable];
    const Expr lo = variables_.small(v.lo), hi = variables_.small(v.hi);
    const std::string from = text_.text(lo), to = text_.text(hi);
    // These are uses of the loop's line, not of the optional pragma before it.
    const std::vector<Writer::Name> uses = out_.takeUses();
    out_.optional("#pragma unroll", loop.variable);
    if (variables_.range(hi - lo).hi <= kUnrolled * v.step) out_.keep(loop.variable);
    const Writer::Name name = out_.name(v.name, out_.depth());
    const std::string word = out_.use(name);
    const std::string step = v.step == 1 ? "++" + word : fmt::format("{} += {}", word, v.step);
    out_.use(uses);
    out_.open(
        fmt::format("for ({} {} = {}; {} < {}; {}) {{", isWide(v) ? "long long" : "int", word, from, word, to, step));
    text_.show(loop.variable, name, out_.depth());
    TESSERA_CHECKED(scoped(loop.body));
    out_.close();
    out_.release(name);
    return {};
  }

  Result<void> one(const Branch& branch, Span) {
    std::string condition;
    for (const Comparison& c : branch.condition)
      condition += (condition.empty() ? "" : " && ") + comparisonText(c, bases_.turn(), variables_, text_);
    ++branches_;
    out_.open(fmt::format("if ({}) {{", condition));
    TESSERA_CHECKED(scoped(branch.then));
    if (!branch.otherwise.empty()) {
      out_.close("} else {");
      out_.reopen();
      TESSERA_CHECKED(scoped(branch.otherwise));
    }
    out_.close();
    --branches_;
    return {};
  }

  void call(const std::string& function, const std::string& text) {
    out_.calls(function);
    out_.line(fmt::format("tessera::{}{};", function, text));
  }

  Result<void> one(const Sync& s, Span) {
    out_.line(s.warp ? "__syncwarp();" : "__syncthreads();");
    return {};
  }

  Result<void> one(const Commit& c, Span) {
    call(c.product ? "wgmma_commit" : "cp_async_commit", "()");
    return {};
  }

  Result<void> one(const Wait& w, Span) {
    if (w.product)
      waitFor(drains_ ? 0 : w.pending);
    else
      call("cp_async_wait", fmt::format("<{}>()", w.pending));
    return {};
  }

  Result<void> one(const Fence& f, Span) {
    if (!f.async) storage_.settle();
    call(f.async ? "fence_async" : "wgmma_fence", "()");
    return {};
  }

  Result<void> one(const Mbarrier& m, Span) { return bulk_.barrier(m); }

  Result<void> one(const Spec& spec, Span span) {
    if (!spec.decomposed) {
      auto done = writeLeaf(spec, architecture_, addresses_, bulk_, out_);
      return done ? done : Result<void>(at(span, done.error()));
    }
    out_.line(commentOf(spec));
    out_.open("{");
    TESSERA_CHECKED(scoped(spec.body));
    out_.close();
    return {};
  }

  Kernel described(std::string name) {
    Kernel kernel;
    kernel.name = std::move(name);
    kernel.blocks = variables_.simple(variables_.blocks());
    kernel.threads = variables_.threads();
    kernel.sharedBytes = storage_.shared().bytes();
    kernel.dynamicBytes = storage_.shared().dynamicBytes();
    for (const Root* root : storage_.parameters()) {
      if (!root->used) continue;
      Expr places = root->places;
      if (root->tensor.memory != Memory::Global) places = places * kernel.blocks;
      if (root->tensor.memory == Memory::Register) places = places * kernel.threads;
      kernel.params.push_back({root->tensor.name, false, root->written, root->tensor.element, places});
      out_.includes(root->type.header);
    }
    for (const MapParam& m : bulk_.maps())
      kernel.params.push_back({m.root->tensor.name, false, false, m.root->tensor.element, m.root->places, m.map});
    for (const int size : variables_.sizes())
      kernel.params.push_back({variables_[size].name, true, false, "i32", Expr::constant(1)});
    return kernel;
  }

  // How to launch the kernel:
  //
  //     // Launch: matmul_C<<<M*N*2, 128, 98304>>>. Shared memory: 98304 bytes, all dynamic: set
  //     // cudaFuncAttributeMaxDynamicSharedMemorySize. Sizes: M, K, N, at least 1.
  //     // %A:[256*M,64*K:64*K,1].fp16.GL
  //     // %C:[256*M,128*N:128*N,1].fp32.GL
  std::string launchComment(const Kernel& kernel) const {
    std::string out =
        fmt::format("// Launch: {}<<<{}, {}{}>>>. Shared memory: {} bytes", kernel.name,
                    graphene::print(kernel.blocks, namesOf(program_.variables)), kernel.threads,
                    kernel.dynamicBytes == 0 ? "" : fmt::format(", {}", kernel.dynamicBytes), kernel.sharedBytes);
    if (kernel.dynamicBytes != 0)
      out += fmt::format(", {} dynamic: set\n// cudaFuncAttributeMaxDynamicSharedMemorySize",
                         kernel.dynamicBytes == kernel.sharedBytes ? "all" : std::to_string(kernel.dynamicBytes));
    std::string sizes;
    for (const KernelParam& p : kernel.params)
      if (p.size) sizes += (sizes.empty() ? "" : ", ") + p.name;
    std::string assumed = graphene::assumptionsOf(program_);
    if (!assumed.empty()) assumed = ", with " + assumed;
    out += sizes.empty() ? ".\n" : fmt::format(". Sizes: {}, at least 1{}.\n", sizes, assumed);
    for (const Root* root : storage_.parameters()) {
      const bool mapped = std::ranges::any_of(bulk_.maps(), [&](const MapParam& m) { return m.root == root; });
      if (root->used || mapped) out += "// " + graphene::print(root->tensor) + "\n";
    }
    return out;
  }

  // Every kernel receives all sizes of the program; those that it does not use are marked.
  std::string withUnused(std::string head, const std::vector<Writer::Line>& lines) {
    const auto speaksOf = [&](const std::string& line, const std::string& word) {
      for (std::size_t at = line.find(word); at != std::string::npos; at = line.find(word, at + 1))
        if ((at == 0 || !isNamePart(line[at - 1])) &&
            (at + word.size() == line.size() || !isNamePart(line[at + word.size()])))
          return true;
      return false;
    };
    for (const int size : variables_.sizes()) {
      const std::string word = text_.nameOf(size);
      if (std::any_of(lines.begin() + 1, lines.end(), [&](const Writer::Line& l) { return speaksOf(l.text, word); }))
        continue;
      const std::string param = "int " + word;
      for (const char* end : {",", ")"})
        if (const std::size_t at = head.find(param + end); at != std::string::npos) {
          head.insert(at, "[[maybe_unused]] ");
          break;
        }
    }
    return head;
  }

  std::string signature(const std::string& name) {
    std::string params;
    const auto add = [&](const std::string& text) { params += (params.empty() ? "" : ", ") + text; };
    for (const Root* root : storage_.parameters()) {
      if (!root->used) continue;
      const std::string& word = out_.use(root->caller < 0 ? root->name : root->caller);
      add(root->written ? fmt::format("{}* {}", root->type.text, word)
                        : fmt::format("const {}* __restrict__ {}", root->type.text, word));
    }
    for (const MapParam& m : bulk_.maps()) add("const __grid_constant__ tessera::TensorMap " + out_.use(m.name));
    for (const int size : variables_.sizes()) add("int " + text_.nameOf(size));
    return fmt::format("extern \"C\" __global__ void __launch_bounds__({}) {}({}) {{", variables_.threads(), name,
                       params);
  }

  const Program& program_;
  const std::string& architecture_;
  Variables& variables_;
  Writer out_;
  ScopedText text_{variables_, out_};
  Storage storage_;
  Bases bases_{{variables_, text_, out_}};
  Rounds rounds_{{variables_, text_, out_}, bases_};
  Addresses addresses_{{variables_, text_, out_}, storage_, bases_};
  Bulk bulk_{{variables_, text_, out_}, storage_, addresses_};
  bool drains_ = false;  // waits for products are for all of them
  int branches_ = 0;     // enclosing branches that may diverge
};

// matmul_C, attention_O; a second one of that name is matmul_C_2.
std::string kernelName(const Spec& spec, std::map<std::string, int>& taken) {
  const std::string_view kind =
      spec.kind == SpecKind::Generic && !spec.attribute.empty() ? spec.attribute : name(spec.kind);
  std::string out = functionName(lowerCase(kind) + "_" + (spec.outputs.empty() ? "kernel" : spec.outputs[0].name));
  if (isDigit(out[0])) out.insert(0, "k");
  const std::string base = out;
  const auto [last, first] = taken.try_emplace(base, 1);  // the last suffix of that name
  while (!first && (out == base || !taken.try_emplace(out, 1).second)) out = fmt::format("{}_{}", base, ++last->second);
  return out;
}

void append(CudaSource& to, const std::string& text, Span span) {
  to.text += text;
  for (const char c : text)
    if (c == '\n') to.lines.push_back(span);
}

// Breaks a line of more than 110 characters: after an assignment or a comma, or before a term of a sum.
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
  std::vector<WrittenKernel> parts;
  int number = 0;
  for (const Statement& s : program.specs) {
    const auto* spec = std::get_if<Spec>(&s.what);
    if (spec == nullptr || (spec->kind == SpecKind::Allocate && !spec->decomposed)) {
      if (spec != nullptr) ++number;
      if (spec == nullptr) outside.push_back(s);
      continue;
    }
    TESSERA_TRY(Variables variables, Variables::of(program, *spec, s.span));
    auto written = KernelWriter(program, options, variables, used)
                       .run(outside, *spec, s.span, kernelName(*spec, taken), resources);
    if (!written) return at(s.span, written.error());
    written->kernel.spec = number++;
    written->statement = &s;
    out.kernels.push_back(std::move(written->kernel));
    parts.push_back(*std::move(written));
  }
  if (parts.empty())
    return Diag{"this program has no specification, so there is no kernel",
                "%out <- Spec<<<#blocks, #threads>>>(%in) { ... }"};
  append(out, preludeText(used), {});
  for (const WrittenKernel& part : parts) {
    const Statement* s = part.statement;
    append(out, "\n" + commentOf(std::get<Spec>(s->what)) + "\n" + part.launch, s->span);
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
