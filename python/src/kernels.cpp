// Compiled kernels, run on the CPU, and Graphene programs.
#include "support.h"

namespace tessera_python {
namespace {

// A view of an object with the buffer protocol, for the time of a call.
class Buffer {
 public:
  explicit Buffer(nb::handle object) {
    if (PyObject_GetBuffer(object.ptr(), &view_, PyBUF_C_CONTIGUOUS) != 0) throw nb::python_error();
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  Buffer(Buffer&& other) noexcept : view_(other.view_) { other.view_.obj = nullptr; }
  Buffer& operator=(Buffer&&) = delete;
  ~Buffer() {
    if (view_.obj != nullptr) PyBuffer_Release(&view_);
  }
  [[nodiscard]] const void* data() const { return view_.buf != nullptr ? view_.buf : this; }

 private:
  Py_buffer view_{};
};

nb::object otherOf(const ts::RunFinding& f) { return f.other ? nb::cast(*f.other) : nb::none(); }

// The engine's bytes as an array of bytes, without a copy. It keeps the run alive.
nb::object bytesOf(nb::handle self, const ts::RunBuffer& buffer) {
  const std::size_t shape[1] = {buffer.bytes.size()};
  auto* const data = const_cast<char*>(buffer.bytes.data());  // NOLINT: the array is read-only
  return nb::cast(nb::ndarray<nb::numpy, const std::uint8_t, nb::ndim<1>>(data, 1, shape, self));
}

void addRuns(nb::module_& m) {
  nb::class_<ts::ThreadPoint>(m, "ThreadPoint", "A place in the execution of a thread.")
      .def_ro("block", &ts::ThreadPoint::block)
      .def_ro("thread", &ts::ThreadPoint::thread)
      .def_ro("file", &ts::ThreadPoint::file)
      .def_ro("line", &ts::ThreadPoint::line)
      .def_ro("ptx_line", &ts::ThreadPoint::ptxLine);
  nb::class_<ts::RunFinding>(m, "Finding", "A race or an error that a kernel's run found.")
      .def_ro("kind", &ts::RunFinding::kind)
      .def_ro("message", &ts::RunFinding::message)
      .def_ro("at", &ts::RunFinding::at)
      .def_prop_ro("other", &otherOf)
      .def_ro("space", &ts::RunFinding::space)
      .def_ro("element", &ts::RunFinding::element)
      .def_ro("address", &ts::RunFinding::address)
      .def_ro("bytes", &ts::RunFinding::bytes)
      .def_ro("times", &ts::RunFinding::times)
      .def("__repr__", [](const ts::RunFinding& f) { return "<" + f.kind + ": " + f.message + ">"; });
  nb::class_<ts::RunAccess>(m, "Access", "All executions of one instruction that accesses memory, and their cost.")
      .def_ro("op", &ts::RunAccess::op)
      .def_ro("space", &ts::RunAccess::space)
      .def_ro("file", &ts::RunAccess::file)
      .def_ro("line", &ts::RunAccess::line)
      .def_ro("ptx_line", &ts::RunAccess::ptxLine)
      .def_ro("argument", &ts::RunAccess::argument)
      .def_ro("store", &ts::RunAccess::store)
      .def_ro("width", &ts::RunAccess::width)
      .def_prop_ro("bytes", [](const ts::RunAccess& a) { return a.cost.bytes; })
      .def_prop_ro("warps", [](const ts::RunAccess& a) { return a.cost.warps; })
      .def_prop_ro("wavefronts", [](const ts::RunAccess& a) { return a.cost.wavefronts; })
      .def_prop_ro("ideal", [](const ts::RunAccess& a) { return a.cost.ideal; })
      .def_prop_ro("sectors", [](const ts::RunAccess& a) { return a.cost.sectors; })
      .def_prop_ro("ideal_sectors", [](const ts::RunAccess& a) { return a.cost.idealSectors; })
      .def_ro("layout", &ts::RunAccess::layout)
      .def_ro("proved", &ts::RunAccess::proved)
      .def("__repr__", [](const ts::RunAccess& a) {
        return "<" + a.op + " at line " + std::to_string(a.line) + (a.layout.empty() ? "" : ": " + a.layout) + ">";
      });
  nb::class_<ts::RunBuffer>(m, "Buffer", "A buffer after the run.")
      .def_ro("name", &ts::RunBuffer::name)
      .def_ro("type", &ts::RunBuffer::type)
      .def_ro("shape", &ts::RunBuffer::shape)
      .def_prop_ro("bytes", [](nb::handle self) { return bytesOf(self, nb::cast<const ts::RunBuffer&>(self)); });
  nb::class_<ts::KernelRun>(m, "KernelRun", "A kernel's run on the CPU. True if it has no fault.")
      .def_ro("entry", &ts::KernelRun::entry)
      .def_ro("verdict", &ts::KernelRun::verdict)
      .def_ro("covers", &ts::KernelRun::covers)
      .def_ro("reason", &ts::KernelRun::reason)
      .def_ro("passed", &ts::KernelRun::passed)
      .def_ro("findings", &ts::KernelRun::findings)
      .def_ro("accesses", &ts::KernelRun::accesses)
      .def_ro("_buffers", &ts::KernelRun::buffers)
      .def_ro("notes", &ts::KernelRun::notes)
      .def_ro("text", &ts::KernelRun::text)
      .def_ro("json", &ts::KernelRun::json)
      .def("__bool__", [](const ts::KernelRun& r) { return r.passed; })
      .def("__str__", [](const ts::KernelRun& r) { return r.text; })
      .def("__repr__", [](const ts::KernelRun& r) { return "<" + r.entry + ": " + r.verdict + ">"; });
  m.def("run_kernel",
        [](const nb::bytes& ptx, const std::string& entry, const ts::Numbers& grid, const ts::Numbers& block,
           const ts::Numbers& cluster, std::int64_t shared, const std::vector<nb::tuple>& arguments, std::uint64_t seed,
           std::int64_t steps, const std::string& reference, double tolerance, bool prove, bool barriers) {
          ts::Launch launch;
          launch.entry = entry;
          launch.grid = grid;
          launch.block = block;
          launch.cluster = cluster;
          launch.shared = shared;
          launch.seed = seed;
          launch.steps = steps;
          launch.reference = reference;
          launch.tolerance = tolerance;
          launch.prove = prove;
          launch.barriers = barriers;
          std::vector<Buffer> buffers;
          buffers.reserve(arguments.size());
          for (const nb::tuple& a : arguments) {
            ts::LaunchArgument one;
            one.text = nb::cast<std::string>(a[0]);
            one.type = nb::cast<std::string>(a[1]);
            one.shape = nb::cast<ts::Numbers>(a[2]);
            if (!a[3].is_none()) one.data = buffers.emplace_back(a[3]).data();
            launch.arguments.push_back(std::move(one));
          }
          const std::string_view text(ptx.c_str(), ptx.size());
          return interruptible([&](const ts::CancelFlag& flag) { return ts::runKernel(text, launch, {1e9, &flag}); });
        });
}

// "proved" if all holds, "refuted" if anything is, else "unknown".
const char* verdictOf(const ts::KernelReport& r) {
  for (const ts::Specification& s : r.specifications)
    if (s.truth == ts::Truth::Refuted) return "refuted";
  return r.holds ? "proved" : "unknown";
}

void addPrograms(nb::module_& m) {
  nb::class_<ts::KernelReport>(m, "ProgramReport", "The obligations of a Graphene program. True if all hold.")
      .def_ro("summary", &ts::KernelReport::summary)
      .def_ro("holds", &ts::KernelReport::holds)
      .def_prop_ro("verdict", &verdictOf)
      .def_prop_ro("text", &ts::KernelReport::text)
      .def_prop_ro("findings",
                   [](const ts::KernelReport& r) {
                     std::vector<std::string> out;
                     for (const ts::Specification& s : r.specifications)
                       for (const ts::Obligation& o : s.obligations)
                         if (!o.finding.empty()) out.push_back(o.finding);
                     return out;
                   })
      .def("__bool__", [](const ts::KernelReport& r) { return r.holds; })
      .def("__str__", &ts::KernelReport::text)
      .def("__repr__", [](const ts::KernelReport& r) { return "<" + r.summary + ">"; });
  m.def("check_program",
        [](const std::string& text, const std::string& architecture, const std::vector<std::string>& settings,
           const std::vector<std::string>& sizes, double seconds) {
          return interruptible([&](const ts::CancelFlag& flag) {
            ts::KernelOptions options;
            options.work = {seconds, &flag};
            options.architecture = architecture;
            options.settings = settings;
            options.sizes = sizes;
            return ts::checkKernel(text, options);
          });
        });
}

using Candidate = std::pair<std::string, std::vector<std::string>>;

ts::TuneOptions searchOf(const std::vector<std::string>& sizes, const std::vector<std::string>& settings,
                         const std::string& architecture) {
  ts::TuneOptions out;
  out.sizes = sizes;
  out.settings = settings;
  out.architecture = architecture;
  return out;
}

void addTuning(nb::module_& m) {
  m.def("tune_candidates", [](const std::string& program, const std::vector<std::string>& sizes,
                              const std::vector<std::string>& settings, const std::string& architecture) {
    std::vector<Candidate> out;
    for (ts::TuneCandidate& c : interruptible([&](const ts::CancelFlag& flag) {
           ts::TuneOptions options = searchOf(sizes, settings, architecture);
           options.work.cancel = &flag;
           return ts::tuneCandidates(program, options);
         }))
      out.emplace_back(std::move(c.name), std::move(c.settings));
    return out;
  });
  nb::class_<ts::TuneResult>(m, "_TuneResult")
      .def(nb::init<>())
      .def_rw("result", &ts::TuneResult::result)
      .def_rw("median", &ts::TuneResult::median)
      .def_rw("lower", &ts::TuneResult::lower)
      .def_rw("upper", &ts::TuneResult::upper)
      .def_rw("device", &ts::TuneResult::device)
      .def_rw("why", &ts::TuneResult::why)
      .def_rw("registers", &ts::TuneResult::registers)
      .def_rw("spilled_bytes", &ts::TuneResult::spilledBytes)
      .def_rw("shared_bytes", &ts::TuneResult::sharedBytes)
      .def_rw("resident_warps", &ts::TuneResult::residentWarps)
      .def_rw("most_warps", &ts::TuneResult::mostWarps);
  m.def("tune_one", [](const std::string& program, const Candidate& candidate, const std::vector<std::string>& sizes,
                       const std::string& architecture, double seconds, const std::vector<std::string>& worker,
                       std::uint64_t seed, int runs) {
    return interruptible([&](const ts::CancelFlag& flag) {
      ts::TuneOptions options = searchOf(sizes, {}, architecture);
      options.work.cancel = &flag;
      options.proveSeconds = seconds;
      options.worker = worker;
      options.seed = seed;
      options.runs = runs;
      return ts::tuneOne(program, {candidate.first, candidate.second}, options);
    });
  });
  m.def("tune_ranking", [](const std::vector<ts::TuneResult>& results) { return ts::tuneRanking(results); });
}

}  // namespace

void addKernels(nb::module_& m) {
  addRuns(m);
  addPrograms(m);
  addTuning(m);
}

}  // namespace tessera_python
