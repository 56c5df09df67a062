// CLI11 is included here and in describe/describe.cpp.
#include "app/cli/command_line.h"

#include <fmt/format.h>
#include <tessera/layout.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <new>
#include <sstream>

#include "app/cli/commands.h"
#include "app/cli/describe/describe.h"
#include "app/cli/io/signals.h"
#include "app/engine/report/report.h"
#include "app/lsp/server.h"
#include "solver/measure/runner.h"

namespace tessera {
namespace {

constexpr double kMaxBudgetSeconds = 1'000'000;

constexpr std::string_view kWhat = "Tessera: type or paste any tensor layout. See it, prove it, run it.";

// CLI11's PositiveNumber accepts "nan".
std::string badBudget(const std::string& text) {
  double seconds = 0;
  const bool number = CLI::detail::lexical_cast(text, seconds) && std::isfinite(seconds);
  if (number && seconds > 0 && seconds <= kMaxBudgetSeconds) return "";
  return fmt::format("'{}' is not a budget; expected: seconds above 0, at most {}, such as 2.5", text.substr(0, 60),
                     kMaxBudgetSeconds);
}

// CLI11's Range accepts "nan".
CLI::Validator between(double low, double high) {
  return CLI::Validator(
      [low, high](const std::string& text) {
        double x = 0;
        const bool number = CLI::detail::lexical_cast(text, x) && x >= low && x <= high;
        return number ? "" : fmt::format("'{}' is not a number from {} to {}", text.substr(0, 60), low, high);
      },
      fmt::format("FROM {} TO {}", low, high));
}

// The library reads -1, and numbers beyond 64 bits, as 2^64 - 1.
std::string badSeed(const std::string& text) {
  std::uint64_t seed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (error == std::errc() && end == text.data() + text.size()) return "";
  return fmt::format("'{}' is not a seed; expected: a whole number from 0 to 2^64 - 1", text.substr(0, 60));
}

// sm_80, sm_90a, sm_103f
std::string badArchitecture(const std::string& text) {
  std::string_view rest = text;
  const bool sm = rest.starts_with("sm_");
  if (sm) rest.remove_prefix(3);
  const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
  const bool suffix =
      rest.size() == digits || (rest.size() == digits + 1 && rest[digits] >= 'a' && rest[digits] <= 'z');
  if (sm && digits >= 2 && digits <= 3 && suffix) return "";
  return fmt::format("'{}' is not an architecture; expected: sm_75, sm_80, sm_90a, sm_100a ...", text.substr(0, 60));
}
const CLI::Validator kArchitectures(badArchitecture, "ARCH");
const CLI::Validator kBudgets(badBudget, "SECONDS");
const CLI::Validator kSeeds(badSeed, "");

// --name TYPE: one value, or a list that repeats the option.
template <typename T>
CLI::Option* option(CLI::App& command, const char* name, T& value, const char* help, const char* type = nullptr) {
  CLI::Option* added = command.add_option(name, value, help);
  if (type != nullptr) added->type_name(type);
  if constexpr (std::is_same_v<T, std::vector<std::string>>) added->allow_extra_args(false);
  return added;
}
// The same with a default and a check.
template <typename T>
void option(CLI::App& command, const char* name, T& value, const char* help, const CLI::Validator& check) {
  command.add_option(name, value, help)->check(check)->capture_default_str();
}
void addArchitecture(CLI::App& command, std::string& architecture, const char* help) {
  option(command, "--arch", architecture, help, "ARCH")->check(kArchitectures);
}

void addCommon(CLI::App& command, CommonOptions& common) {
  command.add_flag("--json", common.json, "print one JSON object per line");
  option(command, "--budget", common.budgetSeconds,
         "work limit of a statement, including its proof: in seconds of 30 million counted units on any machine",
         kBudgets);
  option(command, "--smt2", common.smt2Directory,
         "write each question to Z3 as SMT-LIB text to this directory, also without Z3", "DIR");
}

void addSettings(CLI::App& command, std::vector<std::string>& settings) {
  option(command, "--set", settings, "set a parameter of the .graphene program, such as stages=4; may be repeated",
         "NAME=VALUE");
}

// The arguments that are not options. CLI11 would split a positional "[a;b]", but keeps extra arguments unchanged.
// Rejects unknown options.
bool words(const CLI::App& command, std::vector<std::string>& out) {
  for (const std::string& word : command.remaining()) {
    if (word == "--") continue;
    if (word.size() > 2 && word.substr(0, 2) == "--") {
      complain(fmt::format("tessera: unknown option {}; see tessera {} --help", word, command.get_name()));
      return false;
    }
    out.push_back(word);
  }
  if (out.empty()) complain(fmt::format("tessera: nothing to do; see tessera {} --help", command.get_name()));
  return !out.empty();
}

// Parses "3840x2160" into width and height; false if malformed.
bool sizeOf(const std::string& text, Screenshot& shot) {
  int read = 0;
  return text.empty() || (std::sscanf(text.c_str(), "%5dx%5d%n", &shot.width, &shot.height, &read) == 2 &&
                          static_cast<std::size_t>(read) == text.size() && shot.width >= 320 && shot.height >= 240 &&
                          shot.width <= 16384 && shot.height <= 16384);
}

// The single argument that is not an option. `wanted` describes it, and how to quote it.
bool oneWord(const CLI::App& command, std::string& out, std::string_view wanted) {
  std::vector<std::string> all;
  if (!words(command, all)) return false;
  out = all.front();
  if (all.size() > 1) complain(fmt::format("tessera: {} takes one {}", command.get_name(), wanted));
  return all.size() == 1;
}

int openWindow(const Window& window, const std::string& file, Screenshot shot, const std::string& size) {
  std::error_code ignored;
  if (!file.empty() && !std::filesystem::exists(file, ignored)) {
    complain(fmt::format("tessera: cannot read '{}': there is no such file or sub-command; see tessera --help", file));
    return kExitUnreadable;
  }
  if (!sizeOf(size, shot)) {
    complain(fmt::format("tessera: --size '{}' is not a size; write WIDTHxHEIGHT, such as 1920x1080", size));
    return kExitUnreadable;
  }
  if (!shot.png.empty() && file.empty()) {
    complain("tessera: --screenshot OUT.png needs a FILE to render");
    return kExitUnreadable;
  }
  if (!window.open) {
    complain(
        "tessera: this build has no window, because ImGui, GLFW, libepoxy or EGL was missing when it was built\n"
        "  (Debian: libimgui-dev libglfw3-dev libepoxy-dev libegl-dev libfreetype-dev libfontconfig-dev; ./run "
        "installs "
        "them).\n"
        "  The command line works: tessera eval, tessera check, tessera draw (see tessera --help).");
    return kExitUnreadable;
  }
  return shot.png.empty() ? window.open(file) : window.screenshot(file, shot);
}

// Help texts shared by sub-commands.
constexpr const char* kSpecHelp = "only the specification that writes this tensor or has this name";
constexpr const char* kTargetHelp = "target architecture: sm_80 (default), sm_90a ...";
constexpr const char* kSeedHelp = "seed of the random inputs";
constexpr const char* kLaunchHelp = "time limit of a launch, in seconds";

struct ModuleCalls {
  HloCommandOptions hlo;
  WhyOptions why;
  TtgirOptions ttgir;
};
struct Calls {
  EvalOptions eval;
  PasteOptions paste;
  CheckOptions check;
  DrawCommandOptions draw;
  AtlasOptions atlas;
  CodegenCommandOptions codegen;
  MeasureCommandOptions measure;
  ModuleCalls modules;
  TuneCommandOptions tune;
  KernelCommandOptions kernel;
  SassCommandOptions sass;
  struct Opened {  // without a sub-command
    Screenshot shot;
    std::string file, size;
  } window;
  std::string theme = "light";
};

CLI::App* addEval(CLI::App& app, Calls& calls) {
  CLI::App* eval = app.add_subcommand("eval", "evaluate expressions, or the lines of standard input (-)");
  addCommon(*eval, calls.eval.common);
  eval->allow_extras();
  eval->footer(
      "Usage: tessera eval [--json] EXPR... | -\n  tessera eval 'composition((6,2):(8,2), (4,3):(3,1))'\n"
      "  With -, each line of standard input is a statement, which can use the names bound by earlier lines.\n"
      "  A .hlo file is a module for the arguments after it: tessera eval softmax.hlo 'reads(softmax.%fusion, 0)'\n"
      "  Exit 0: success. 1: something was refuted, unknown or failed. 2: the input could not be read.");
  return eval;
}

CLI::App* addPaste(CLI::App& app, Calls& calls) {
  CLI::App* paste = app.add_subcommand("paste", "read a text of another tool: source, printed tables, index code");
  PasteOptions& o = calls.paste;
  addCommon(*paste, o.common);
  paste->add_option("FILE", o.file, "the text; default: - for standard input");
  option(*paste, "--let", o.lets,
         "a value that the text uses and does not define: an integer, a tuple, a type; may be repeated", "NAME=VALUE");
  option(*paste, "--over", o.over, "extent of a free variable of index code, in the order of X's coordinates",
         "NAME=EXTENT");
  option(*paste, "--name", o.name, "a name for the last value, which is also X", "NAME");
  option(*paste, "--as", o.dialect, "read the text as this dialect: cute-c++ ...", "DIALECT");
  option(*paste, "--eval", o.expressions, "print the value of this expression; may be repeated", "EXPR");
  paste->footer(
      "Usage: tessera paste [FILE|-] [--let NAME=VALUE]... [--over NAME=EXTENT]... [--name X] [--as DIALECT]\n"
      "                     [--eval EXPR]... [--json]\n"
      "  tessera paste kernel_traits.h --let kHeadDim=128 --eval SmemLayoutQ\n"
      "  echo 'As[row * BK + col]' | tessera paste --let BK=32 --over row=128 --over col=32 --eval 'X(3,5)'\n"
      "  Prints only the results of --eval on standard output; the dialect, the bindings, assumptions and questions "
      "on\n"
      "  standard error. With --json all of them are objects on standard output.\n"
      "  Exit 0: success. 1: something is asked or refused. 2: the input could not be read.");
  return paste;
}

CLI::App* addCheck(CLI::App& app, Calls& calls) {
  CLI::App* check =
      app.add_subcommand("check", "run worksheets and the comments of source files: every prove, assert and find");
  addCommon(*check, calls.check.common);
  option(*check, "--format", calls.check.format, "text (default), json, github, gitlab or sarif", "FORMAT");
  option(*check, "--comments", calls.check.comments,
         "read the `tessera:` comments of files with other endings, written as in c or python", "KIND");
  addArchitecture(*check, calls.check.architecture, "target of a .graphene program: sm_80, sm_90 ...");
  addSettings(*check, calls.check.settings);
  option(*check, "--size", calls.check.sizes, "value of a symbolic size: M=128; small: those of '// small: M = 2'",
         "NAME=N");
  CheckOptions::Compared& compared = calls.check.compared;
  option(*check, "--against", compared.against,
         "of a .graphene program: whether this program computes the same outputs from the same inputs", "FILE");
  option(*check, "--reference", compared.reference,
         "of a .graphene program: whether it computes this, in the manner of NumPy: 'Y = relu(A @ B + bias)'", "TEXT");
  option(*check, "--where", compared.where, "inputs of the program of --against by those of the first: 'Wx = W[:64]'",
         "TEXT");
  option(*check, "--against-set", compared.settings, "a parameter of the program of --against only", "NAME=VALUE");
  option(*check, "--against-size", compared.sizes, "a symbolic size of the program of --against only", "NAME=N");
  option(*check, "--within", compared.within,
         "with --against or --reference: whether the outputs differ by at most this in their types, rounding included",
         "ERROR");
  option(*check, "--inputs", compared.inputs, "the inputs for --within, instead of [-1, 1]: '|X| <= 4, 0 <= W <= 0.5'",
         "RANGES");
  check->add_flag("--answers", calls.check.answers,
                  "of a lesson: its tasks accept the answers that it keeps and reject the wrong ones");
  option(*check, "--custom-calls", calls.check.customCalls,
         "of an HLO module: rules for custom calls, a line for each: my_call 0 1 (d0, d1)[s0] -> (d0, s0)", "TABLE");
  option(*check, "--certificate", calls.check.certificate,
         "of one .graphene program: writes proofs of its obligations that a small independent program can check",
         "FILE");
  check->allow_extras();
  check->footer(
      "Usage: tessera check [--format FORMAT] [--set stages=4] FILE_OR_FOLDER... | -\n"
      "  A source file (.cu .cuh .h .hpp .cc .cpp .c .hip .py ...) has statements in comments, // tessera: prove ...\n"
      "  A name that they do not bind is that of the code: the nearest declaration that the comment sees.\n"
      "  A .graphene file is a program: every obligation of every specification is proved, refuted or unknown.\n"
      "  With --against or --reference it is compared instead: equal over the real numbers, different, or unknown.\n"
      "  Of a .hlo file (or a .txt that begins with HloModule), counts the instructions whose reads are known.\n"
      "  A task of a lesson is solved or not yet. With --answers the lesson is checked with the answers that it "
      "keeps.\n"
      "  Exit 0: all claims hold and all tasks are solved. 1: something was refuted, unknown or failed. 2: the input "
      "could not be read.");
  return check;
}

CLI::App* addDraw(CLI::App& app, Calls& calls) {
  CLI::App* draw = app.add_subcommand("draw", "draw an expression, or every show of a worksheet");
  addCommon(*draw, calls.draw.common);
  addSettings(*draw, calls.draw.settings);
  draw->allow_extras();
  draw->add_option(
          "-o,--output", calls.draw.output,
          "the file; its extension selects svg, png, pdf, tex, txt, csv or json; md, html: the whole worksheet")
      ->required()
      ->type_name("OUT");
  option(*draw, "--as", calls.draw.view,
         "the view: grid, memory, flow, algebra, f2 ...; of a program: tree, spec, player, checklist; of "
         "a kernel: source, player",
         "VIEW");
  option(*draw, "--instruction", calls.draw.instruction, "an instruction or computation of a .hlo file", "NAME");
  option(*draw, "--against", calls.draw.against,
         "compare with this expression or file: side by side, differences lit (csv: the differing cells)",
         "EXPR_OR_FILE");
  option(*draw, "--theme", calls.theme, "light or dark", CLI::IsMember({"light", "dark"}));
  draw->add_flag("--transparent", calls.draw.transparent, "no background (svg, png, pdf, tex)");
  option(*draw, "--scale", calls.draw.scale, "PNG pixels per point", between(0.1, 16));
  draw->footer(
      "Usage: tessera draw EXPR_OR_FILE [--as VIEW] -o OUT\n  tessera draw 'Sw<3,3,3> o (64,64):(64,1)' -o "
      "swizzle.png\n"
      "  Statements are separated by ';'. Several shows are written to OUT-1, OUT-2, ...\n"
      "  A program: tessera draw gemm.graphene --as 'player, step 3' -o step.png\n"
      "  A module: tessera draw softmax.hlo --instruction fusion.1 --as reads -o reads.svg\n"
      "  A report: tessera draw sheet.tess -o sheet.md     comments, statements, values, verdicts; pictures in\n"
      "  sheet_pictures\n"
      "  A page: tessera draw sheet.tess -o sheet.html     the same as one file, with linked pictures\n"
      "  Exit 0: success. 1: something was refuted, unknown or failed. 2: the input could not be read, or the output\n"
      "  not be written.");
  return draw;
}

CLI::App* addMeasure(CLI::App& app, Calls& calls) {
  CLI::App* measure = app.add_subcommand("measure", "compile, run, check and time a .graphene program on the GPU");
  measure->alias("run");
  measure->add_option("FILE", calls.measure.file, "a .graphene program, or - for standard input")->required();
  option(*measure, "--spec", calls.measure.spec, kSpecHelp, "NAME");
  addArchitecture(*measure, calls.measure.architecture, kTargetHelp);
  option(*measure, "--size", calls.measure.sizes, "value of a symbolic size: M=128, or BM*M=5120 (default 4)",
         "NAME=N");
  addSettings(*measure, calls.measure.settings);
  option(*measure, "--seed", calls.measure.seed, kSeedHelp, kSeeds);
  option(*measure, "--runs", calls.measure.runs, "number of timed runs; 0: only check", CLI::Range(0, 100000));
  option(*measure, "--seconds", calls.measure.seconds, kLaunchHelp, between(0.001, 86400));
  option(*measure, "--steps", calls.measure.steps, "warp instructions that the emulator may run",
         CLI::Range(1, 1000000000));
  measure->add_flag("--emulate", calls.measure.emulate, "run on the emulator even if there is a GPU");
  measure->add_flag("--variants", calls.measure.compared.all,
                    "also measure variants (other parameter values, no swizzle, no ldmatrix), in one table");
  option(*measure, "--variant", calls.measure.compared.named,
         "also measure these settings, such as 'stages=4 BM=64'; may be repeated", "SETTINGS");
  measure->add_flag("--json", calls.measure.json, "print one JSON object");
  measure->add_flag("--baseline", calls.measure.compared.baseline,
                    "also measure the unfused program named by '// baseline: FILE', in one table");
  measure->add_flag("--accesses", calls.measure.shared.program,
                    "predict each access to shared memory, and measure it separately");
  option(*measure, "--access", calls.measure.shared.instruction,
         "FILE is a layout, accessed by this instruction: ldmatrix.x4 ...", "ACCESS");
  option(*measure, "--type", calls.measure.shared.type, "element type of the layout: fp16 (default) ...", "TYPE");
  option(*measure, "--nsight", calls.measure.shared.nsight,
         "output of ncu --csv for the program: shows its counters beside the predictions", "CSV");
  measure->add_flag("--csv", calls.measure.csv, "print the table of variants or accesses as CSV");
  measure->footer(
      "Usage: tessera measure FILE [--spec NAME] [--arch ARCH] [--size M=128] [--set stages=4] [--seed N] [--json]\n"
      "  tessera measure assets/graphene/gemm_warps_64.graphene --variants\n"
      "  tessera measure FILE --accesses [--nsight report.csv] [--json | --csv]\n"
      "  tessera measure 'Sw<3,3,3> o (64,64):(64,1)' --access ldmatrix.x4 --type fp16\n"
      "  Without a GPU, prints the emulator's result, the compiler's figures, and the reason.\n"
      "  Exit 0: the result is right. 1: it is wrong or was not compared, or the run failed. 2: the input could not "
      "be\n"
      "  read.");
  return measure;
}

CLI::App* addTune(CLI::App& app, Calls& calls) {
  CLI::App* tune = app.add_subcommand("tune", "find the fastest parameters of a .graphene program");
  TuneCommandOptions& o = calls.tune;
  tune->add_option("FILE", o.files, "a .graphene program with `param ... in ...`; with --merge: logs")->required();
  addSettings(*tune, o.settings);
  option(*tune, "--size", o.sizes, "value of a symbolic size: M=1024, or BM*M=5120 for all candidates", "NAME=N");
  addArchitecture(*tune, o.architecture, kTargetHelp);
  option(*tune, "--shard", o.shard, "search only this part of the candidates: 3/16 is the fourth of sixteen", "I/N");
  option(*tune, "--log", o.log, "write each result to this file as soon as it is known", "FILE");
  tune->add_flag("--resume", o.resume, "continue an existing log");
  tune->add_flag("--merge", o.merge, "search nothing: merge these logs (into --log) and rank their results");
  option(*tune, "--prove", o.proveSeconds, "time limit of a candidate's proof, in seconds", between(0.001, 86400));
  option(*tune, "--seed", o.seed, kSeedHelp, kSeeds);
  option(*tune, "--runs", o.runs, "number of timed runs", CLI::Range(1, 100000));
  option(*tune, "--seconds", o.seconds, kLaunchHelp, between(0.001, 86400));
  tune->add_flag("--json", o.json, "print one JSON object");
  tune->footer(
      "Usage: tessera tune FILE.graphene [--size M=1024] [--set BM=64,128] [--shard 3/16] [--log FILE] [--resume] "
      "[--json]\n"
      "       tessera tune --merge A.log B.log ... [--log ALL.log]\n"
      "  Candidates that the prover refutes are never run. Without a GPU nothing is timed, and the output says so.\n"
      "  Exit 0: a candidate is right and timed. 1: none is, or the search was stopped. 2: the input could not be "
      "read.");
  return tune;
}

CLI::App* addKernel(CLI::App& app, Calls& calls) {
  CLI::App* kernel = app.add_subcommand("kernel", "run a kernel given as PTX on the CPU: races, errors, accesses");
  KernelCommandOptions& o = calls.kernel;
  kernel->add_option("FILE", o.file, "PTX, a cubin or program with PTX inside, or CUDA C++; - for standard input")
      ->required();
  option(*kernel, "--entry", o.run.launch.entry, "the kernel; a part of its name is enough", "NAME");
  option(*kernel, "--grid", o.run.launch.grid, "blocks of the launch", "X,Y,Z");
  option(*kernel, "--block", o.run.launch.block, "threads of a block; default: what the kernel requires", "X,Y,Z");
  option(*kernel, "--cluster", o.run.launch.cluster, "blocks of a cluster; default: what the kernel requires", "X,Y,Z");
  option(*kernel, "--shared", o.run.launch.shared, "bytes of dynamic shared memory",
         CLI::Range(std::int64_t{0}, std::int64_t{1} << 30));
  option(*kernel, "--arg", o.run.launch.arguments,
         "the next argument: @A.npy, f16[1024,1024] (random), f32[64]=0, int32:5, struct:HEX, "
         "tensormap:f16[1024,512],box=64x64,swizzle=128B, _ (any value)",
         "VALUE");
  option(*kernel, "--out", o.outputs, "write the buffer of parameter N (from 0) after the run", "N=FILE.npy");
  option(*kernel, "--reference", o.run.reference,
         "compare the buffers after the run with NumPy's meaning of this: C = A @ B + bias", "TEXT");
  option(*kernel, "--tolerance", o.run.tolerance,
         "largest error, relative to the largest number of the reference; default: by type", between(0, 1e9));
  kernel->add_flag("--prove", o.run.prove, "prove the reference for every value of the buffers, over the real numbers");
  option(*kernel, "--seed", o.run.launch.seed, "seed of random buffers and of arbitrary values", kSeeds);
  option(*kernel, "--steps", o.run.launch.steps, "thread instructions that may run",
         CLI::Range(std::int64_t{1}, std::int64_t{1} << 60));
  option(*kernel, "--arch", o.architecture, "target for CUDA C++: sm_80, sm_90a ...", "ARCH")->check(kArchitectures);
  kernel->add_flag("--barriers", o.run.barriers,
                   "remove each barrier and wait in turn, and list those that are redundant");
  option(*kernel, "--page", o.page, "also write the report as one HTML file, with the source and bank conflicts",
         "FILE.html")
      ->check([](const std::string& file) { return isPage(file) ? "" : "a page's name ends in .html"; });
  kernel->add_flag("--json", o.json, "print one JSON object");
  kernel->footer(
      "Usage: tessera kernel FILE [--entry NAME] --grid X,Y,Z --block X,Y,Z [--shared BYTES] [--arg VALUE]...\n"
      "                      [--out N=FILE.npy]... [--reference TEXT [--prove]] [--seed N] [--barriers] [--json]\n"
      "  tessera kernel add.ptx --grid 4 --block 128 --arg @a.npy --arg f32[512]=0 --arg int32:512 --out 1=c.npy\n"
      "  Arguments in the order of the parameters; one that is not given is arbitrary. Lists the findings (races, "
      "reads\n"
      "  out of bounds or of uninitialised memory, divergent barriers, deadlocks), then each line that accesses "
      "memory.\n"
      "  Exit 0: clean or benign. 1: a finding, or unknown. 2: the input could not be read, or does not fit the "
      "kernel.");
  return kernel;
}

CLI::App* addSass(CLI::App& app, Calls& calls) {
  CLI::App* sass = app.add_subcommand("sass", "report machine code: loops, issue cycles, spills, uncovered reads");
  SassCommandOptions& o = calls.sass;
  sass->add_option("FILE", o.file, "nvdisasm's text, a cubin, a program with cubins, PTX or CUDA C++; - for input")
      ->required();
  option(*sass, "--entry", o.entry, "only this kernel; a part of its name is enough", "NAME");
  addArchitecture(*sass, o.architecture, "target for PTX and CUDA C++: sm_80, sm_90a ...");
  option(*sass, "--budget", o.budgetSeconds,
         "work limit for each kernel: in seconds of 30 million counted units on any machine", kBudgets);
  sass->add_flag("--json", o.json, "print one JSON object per kernel");
  sass->footer(
      "Usage: tessera sass FILE [--entry NAME] [--arch ARCH] [--budget SECONDS] [--json]\n"
      "  nvdisasm -c -hex -g gemm.cubin > gemm.sass; tessera sass gemm.sass\n"
      "  tessera sass gemm.cu --arch sm_90a\n"
      "  For each loop: instructions and issue cycles, also for each HMMA or HGMMA. A read is uncovered if neither a\n"
      "  stall count nor a barrier makes it wait for its write. Anything but a listing needs nvdisasm.\n"
      "  Exit 0: every read waits. 1: one is uncovered. 2: the input could not be read.");
  return sass;
}

CLI::App* addAtlas(CLI::App& app, Calls& calls) {
  CLI::App* atlas =
      app.add_subcommand("atlas", "list the known instructions with the thread-value layouts of their operands");
  atlas->add_option("NAME", calls.atlas.name, "an instruction, or part of its name; without it, lists all");
  atlas->add_flag("--json", calls.atlas.json, "print one JSON object per line");
  option(*atlas, "--arch", calls.atlas.architecture, "only instructions of this device: sm_80, sm_90a, gfx942 ...",
         "ARCH");
  option(*atlas, "-o,--output", calls.atlas.output,
         "draw the instruction; the extension selects svg, png, pdf, tex, txt, csv or json", "OUT");
  atlas->footer(
      "Usage: tessera atlas [NAME] [--json] [--arch ARCH] [-o OUT]\n  tessera atlas ldmatrix.x4\n"
      "  tessera atlas wgmma --arch sm_90a\n  tessera atlas mma.m16n8k16.f16 -o mma.png");
  return atlas;
}

CLI::App* addCodegen(CLI::App& app, Calls& calls) {
  CLI::App* codegen =
      app.add_subcommand("codegen", "generate CUDA C++ for a .graphene program, or a function for a layout");
  addSettings(*codegen, calls.codegen.settings);
  codegen->allow_extras();
  option(*codegen, "--as", calls.codegen.language, "language for a layout: cuda (default), c, python or cutlass",
         "LANGUAGE");
  option(*codegen, "--name", calls.codegen.name, "name of a layout's function, or of its type in cutlass", "NAME");
  option(*codegen, "--spec", calls.codegen.spec, kSpecHelp, "NAME");
  addArchitecture(*codegen, calls.codegen.architecture, kTargetHelp);
  option(*codegen, "--budget", calls.codegen.budgetSeconds,
         "work limit for a program: in seconds of 30 million counted units on any machine", kBudgets);
  option(*codegen, "-o,--output", calls.codegen.output, "the file; default: standard output", "OUT.cu");
  codegen->footer(
      "Usage: tessera codegen FILE.graphene|- [--spec NAME] [--arch ARCH] [--set stages=4] [--budget SECONDS]\n"
      "                       [-o OUT.cu]\n"
      "       tessera codegen LAYOUT [--as LANGUAGE] [--name NAME] [-o OUT]\n"
      "  tessera codegen assets/graphene/gemm_simple.graphene --arch sm_80 -o gemm.cu\n"
      "  tessera codegen 'Sw<3,3,3> o (64,64):(64,1)' --as python --name smem\n"
      "  Exit 0: success. 1: a leaf is not an instruction of the architecture. 2: the input could not be read, or the\n"
      "  output not be written.");
  return codegen;
}

CLI::App* addHlo(CLI::App& app, Calls& calls) {
  CLI::App* hlo =
      app.add_subcommand("hlo", "print which elements each instruction of an HLO module reads, as indexing maps");
  hlo->add_option("FILE", calls.modules.hlo.file, "a module dumped by XLA or JAX, or - for standard input")->required();
  option(*hlo, "--computation", calls.modules.hlo.computation, "only this computation", "NAME");
  option(*hlo, "--instruction", calls.modules.hlo.instruction, "only this instruction", "NAME");
  hlo->add_flag("--uses", calls.modules.hlo.uses, "also print where the elements of each operand go");
  hlo->add_flag("--usage", calls.modules.hlo.usage, "count how much of each operand is read, and how often");
  hlo->add_flag("--physical", calls.modules.hlo.physical,
                "also print each read in memory order, and as slots of the operand");
  hlo->add_flag("--coalescing", calls.modules.hlo.coalescing,
                "count the 32-byte sectors that warps read of each operand");
  option(*hlo, "--threads", calls.modules.hlo.threads,
         "thread map: \"(th, bl)[v] -> (th + bl * 128), domain: ...\", thread first; default: XLA's emitter", "MAP");
  option(*hlo, "--tile", calls.modules.hlo.tile,
         "print the tile of each operand that an output tile reads: \"[8,128]\", \"[T,128]\", any", "SIZES");
  hlo->add_flag("--wire", calls.modules.hlo.ranked.wire,
                "list the collectives by the bytes that a replica sends, and the sums per axis of the device mesh");
  option(*hlo, "--custom-calls", calls.modules.hlo.customCalls,
         "rules for custom calls, a line for each: my_call 0 1 (d0, d1)[s0] -> (d0, s0)", "TABLE");
  hlo->add_flag("--worst", calls.modules.hlo.ranked.worst, "list the kernels by excess memory traffic, worst first");
  option(*hlo, "--roofline", calls.modules.hlo.ranked.roofline,
         "list the kernels by their minimum time on a device: bytes, operations, and what limits them", "DEVICE");
  option(*hlo, "--against", calls.modules.hlo.ranked.against,
         "list the kernels whose memory traffic differs from an earlier module", "FILE");
  option(*hlo, "--budget", calls.modules.hlo.budgetSeconds,
         "work limit for the text and for each instruction: in seconds of 30 million counted units on any machine",
         kBudgets);
  option(*hlo, "--only", calls.modules.hlo.reported.only, "only this instruction, computation or opcode", "NAME");
  option(*hlo, "--fields", calls.modules.hlo.reported.fields, "only these members of each JSON line: op,maps,exact",
         "NAMES");
  hlo->add_flag("--json", calls.modules.hlo.json, "print one JSON object per instruction, direction and operand");
  hlo->footer(
      "Usage: tessera hlo FILE [--computation NAME] [--instruction NAME] [--uses] [--usage] [--physical] "
      "[--coalescing]\n"
      "       [--threads MAP] [--tile SIZES] [--worst] [--roofline DEVICE] [--against FILE] [--wire]\n"
      "       [--custom-calls TABLE] [--budget SECONDS] [--only NAME] [--json] [--fields NAMES]\n"
      "  A fusion has a map for each distinct way in which it reads an operand.\n"
      "  Exit 0: success. 1: some lines or instructions are wrong or exceeded the budget; the others are reported.\n"
      "  2: the input could not be read.");
  return hlo;
}

CLI::App* addTtgir(CLI::App& app, Calls& calls) {
  CLI::App* ttgir = app.add_subcommand("ttgir", "report the layout conversions of a TTGIR module of Triton");
  ttgir->add_option("FILE", calls.modules.ttgir.file, "a module that Triton dumped, or - for standard input")
      ->required();
  option(*ttgir, "--against", calls.modules.ttgir.against,
         "the same module after a pass: list the conversions that the pass added and removed", "FILE");
  option(*ttgir, "--budget", calls.modules.ttgir.budgetSeconds,
         "work limit for each module: in seconds of 30 million counted units on any machine", kBudgets);
  ttgir->add_flag("--json", calls.modules.ttgir.json, "print one JSON object per conversion");
  ttgir->footer(
      "Usage: tessera ttgir FILE [--against FILE] [--budget SECONDS] [--json]\n"
      "  Each convert_layout, local_load, local_store and local_alloc with a source: its bytes in shared memory, its\n"
      "  wavefronts against the ideal, and whether a shuffle or nothing at all would do.\n"
      "  tessera ttgir before.ttgir --against after.ttgir\n"
      "  Exit 0: success. 1: some operations are not understood, or exceeded the budget; the others are reported.\n"
      "  2: the input could not be read.");
  return ttgir;
}

CLI::App* addWhy(CLI::App& app, Calls& calls) {
  CLI::App* why = app.add_subcommand("why", "explain the memory traffic of a kernel of an HLO module");
  why->add_option("FILE", calls.modules.why.file, "a module dumped by XLA or JAX, or - for standard input")->required();
  why->add_option("INSTRUCTION", calls.modules.why.instruction, "a kernel: a fusion or another instruction")
      ->required();
  option(*why, "--budget", calls.modules.why.budgetSeconds,
         "work limit for the text and for the kernel: in seconds of 30 million counted units on any machine", kBudgets);
  why->add_flag("--json", calls.modules.why.json, "print one JSON object per operand");
  why->footer(
      "Usage: tessera why FILE INSTRUCTION [--budget SECONDS] [--json]\n"
      "  For each operand: requested and needed bytes, whether elements are repeated or scattered, which instruction "
      "and\n"
      "  source line causes it, and a layout or a split of the kernel that asks for less, with a proof.\n"
      "  Exit 0: success. 1: what is read is not known, or not in time. 2: the input could not be read.");
  return why;
}

CLI::App* addLsp(CLI::App& app) {
  CLI::App* lsp = app.add_subcommand("lsp", "language server for .tess and .graphene files in an editor");
  const std::string stdio = "speak over standard input and output; this is the default";
  lsp->add_flag("--stdio", stdio);
  lsp->footer(
      "Usage: tessera lsp\n"
      "  An editor starts it: the Language Server Protocol 3.17 over standard input and output. docs/editor.md has "
      "the\n"
      "  configuration of VS Code, Neovim, Helix and Emacs.\n"
      "  Diagnostics, completion, hover, definition, references, rename, outline, code actions, inlay hints, tokens.\n"
      "  Exit 0: after shutdown and exit. 1: the editor ended without them.");
  return lsp;
}

// For a program or a layout.
int runEitherCodegen(CodegenCommandOptions& options, Output& out) {
  if (!isProgramFile(options.file)) return runCodegenLayout(options, out);
  if (options.name.empty() && (options.language.empty() || options.language == "cuda")) return runCodegen(options, out);
  complain("tessera: --as and --name are for layouts; a program is always generated as CUDA C++");
  return kExitUnreadable;
}

// Help and version go to standard output, usage errors to standard error.
int reportParseError(const CLI::App& app, const CLI::ParseError& error, Output& out) {
  std::ostringstream said, complained;
  const int code = app.exit(error, said, complained);
  const auto text = [](const std::ostringstream& stream) {
    std::string all = stream.str();
    if (!all.empty() && all.back() == '\n') all.pop_back();
    return all;
  };
  if (const std::string help = text(said); !help.empty()) (void)out.line(help);
  if (const std::string wrong = text(complained); !wrong.empty()) complain(wrong);
  return code == 0 ? kExitOk : kExitUnreadable;
}

int run(int argc, char** argv, const Window& window, Output& out) {
  Calls calls;
  CLI::App app{std::string(kWhat), "tessera"};
  app.set_version_flag("--version", "tessera " + std::string(api::version()));
  app.require_subcommand(0, 1);
  app.add_option("FILE", calls.window.file,
                 "a worksheet to open in the desktop app; default: the last session, or the gallery");
  app.add_option("--screenshot", calls.window.shot.png, "render FILE to this PNG without a display, then exit")
      ->type_name("OUT.png");
  app.add_option("--size", calls.window.size, "size of the screenshot, in pixels")->type_name("1920x1080");
  app.add_option("--scale", calls.window.shot.scale, "interface scale of the screenshot; 2 for 4K")
      ->check(between(0.5, 4));
  app.add_option("--theme", calls.window.shot.theme, "theme of the screenshot")
      ->check(CLI::IsMember({"light", "dark"}));
  CLI::App* eval = addEval(app, calls);
  CLI::App* paste = addPaste(app, calls);
  CLI::App* check = addCheck(app, calls);
  CLI::App* draw = addDraw(app, calls);
  CLI::App* atlasCommand = addAtlas(app, calls);
  CLI::App* codegen = addCodegen(app, calls);
  CLI::App* measureCommand = addMeasure(app, calls);
  CLI::App* hloCommand = addHlo(app, calls);
  CLI::App* ttgirCommand = addTtgir(app, calls);
  CLI::App* whyCommand = addWhy(app, calls);
  CLI::App* tuneCommand = addTune(app, calls);
  CLI::App* kernelCommand = addKernel(app, calls);
  CLI::App* sassCommand = addSass(app, calls);
  const CLI::App* lspCommand = addLsp(app);
  if ((argc == 3 || argc == 4) && std::string_view(argv[1]) == "describe")
    return runDescribe(app, argv[2], argc == 4 ? argv[3] : "", out);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return reportParseError(app, error, out);
  }
  if (eval->parsed()) return words(*eval, calls.eval.expressions) ? runEval(calls.eval, out) : kExitUnreadable;
  if (paste->parsed()) return runPaste(calls.paste, out);
  if (check->parsed()) return words(*check, calls.check.files) ? runCheck(calls.check, out) : kExitUnreadable;
  if (kernelCommand->parsed()) return runKernel(calls.kernel, out);
  if (lspCommand->parsed()) return lsp::serve(STDIN_FILENO, STDOUT_FILENO);
  if (sassCommand->parsed()) return runSass(calls.sass, out);
  if (tuneCommand->parsed()) return runTune(calls.tune, out);
  if (measureCommand->parsed()) return runMeasure(calls.measure, out);
  if (hloCommand->parsed()) return runHlo(calls.modules.hlo, out);
  if (whyCommand->parsed()) return runWhy(calls.modules.why, out);
  if (ttgirCommand->parsed()) return runTtgir(calls.modules.ttgir, out);
  if (atlasCommand->parsed()) return runAtlas(calls.atlas, out);
  constexpr std::string_view kCodegen = "file or layout; put it in quotes: tessera codegen 'LAYOUT' --as cuda";
  constexpr std::string_view kDraw = "expression or file; put it in quotes: tessera draw 'EXPR' -o OUT";
  if (codegen->parsed())
    return oneWord(*codegen, calls.codegen.file, kCodegen) ? runEitherCodegen(calls.codegen, out) : kExitUnreadable;
  calls.draw.dark = calls.theme == "dark";
  if (draw->parsed()) return oneWord(*draw, calls.draw.input, kDraw) ? runDraw(calls.draw, out) : kExitUnreadable;
  return openWindow(window, calls.window.file, calls.window.shot, calls.window.size);
}

}  // namespace

// Running out of memory in a statement is that statement's error (app/engine/answers.cpp). This handles the rest: the
// document as a whole, its answers as text, the file of a picture.
int runCommandLine(int argc, char** argv, const Window& window) {
  // The worker process of a measurement (solver/measure/device/worker.h), not a user command.
  if (argc == 2 && std::string_view(argv[1]) == measure::kWorkerWord) return measure::runWorker();
  installSignals();
  Output out;
  int code = kExitUnreadable;
  bool opened = false;
  Window watched = window;
  if (window.open) watched.open = [&](const std::string& file) { return opened = true, window.open(file); };
  try {
    code = run(argc, argv, watched, out);
  } catch (const std::bad_alloc&) {
    complain("tessera: there is not enough memory for this input");
  } catch (const std::exception& error) {
    complain(fmt::format("tessera: internal error: {}; please report this input", error.what()));
  }
  // Overrides the command's result: undelivered answers are a failure, and so is an interruption.
  if (interrupted().load()) {
    if (!opened) complain(cancelledText());  // closing a window loses nothing
    return interruptedExit();
  }
  return out.broken() ? out.brokenExit() : code;
}

}  // namespace tessera
