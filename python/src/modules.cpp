// HLO modules.
#include "support.h"

namespace tessera_python {

void addModules(nb::module_& m) {
  nb::class_<ts::Instruction>(m, "Instruction", "An instruction of an HLO module.")
      .def_ro("name", &ts::Instruction::name)
      .def_ro("opcode", &ts::Instruction::opcode)
      .def_ro("shape", &ts::Instruction::shape)
      .def_ro("computation", &ts::Instruction::computation)
      .def_ro("source", &ts::Instruction::source)
      .def_ro("line", &ts::Instruction::line)
      .def("__repr__", [](const ts::Instruction& i) { return "<" + i.name + " = " + i.shape + " " + i.opcode + ">"; });
  nb::class_<ts::Reach>(m, "Reach", "The elements of an operand that an instruction reads, or those that use it.")
      .def_ro("operand", &ts::Reach::operand)
      .def_ro("operand_number", &ts::Reach::operandNumber)
      .def_ro("output", &ts::Reach::output)
      .def_ro("reads", &ts::Reach::reads)
      .def_ro("sound", &ts::Reach::sound)
      .def_ro("reason", &ts::Reach::reason)
      .def_ro("maps", &ts::Reach::maps)
      .def_ro("json", &ts::Reach::json)
      .def("__repr__", [](const ts::Reach& r) {
        return "<" + r.operand + (r.maps.empty() ? ": " + r.sound : ": " + r.maps.front()) + ">";
      });
  nb::class_<ts::Waste>(m, "Waste", "The memory traffic of a kernel beyond what it needs, in bytes.")
      .def_ro("instruction", &ts::Waste::instruction)
      .def_ro("opcode", &ts::Waste::opcode)
      .def_ro("source", &ts::Waste::source)
      .def_ro("plan", &ts::Waste::plan)
      .def_ro("line", &ts::Waste::line)
      .def_ro("needed", &ts::Waste::needed)
      .def_ro("asked", &ts::Waste::asked)
      .def_ro("wasted", &ts::Waste::wasted)
      .def_ro("runs", &ts::Waste::runs)
      .def_ro("reason", &ts::Waste::reason)
      .def_ro("text", &ts::Waste::text)
      .def_ro("json", &ts::Waste::json)
      .def("__str__", [](const ts::Waste& w) { return w.text; })
      .def("__repr__",
           [](const ts::Waste& w) { return "<" + w.instruction + ": " + std::to_string(w.wasted) + " bytes wasted>"; });
  nb::class_<ts::ModuleCheck>(m, "ModuleCheck", "How much of a module is known, and its reads that are out of bounds.")
      .def_ro("exact", &ts::ModuleCheck::exact)
      .def_ro("nothing", &ts::ModuleCheck::nothing)
      .def_ro("over", &ts::ModuleCheck::over)
      .def_ro("unsupported", &ts::ModuleCheck::unsupported)
      .def_ro("wrong", &ts::ModuleCheck::wrong)
      .def_ro("inside", &ts::ModuleCheck::inside)
      .def_ro("open", &ts::ModuleCheck::open)
      .def_ro("outside", &ts::ModuleCheck::outside)
      .def_ro("gaps", &ts::ModuleCheck::gaps)
      .def_ro("summary", &ts::ModuleCheck::summary)
      .def_ro("holds", &ts::ModuleCheck::holds)
      .def("__bool__", [](const ts::ModuleCheck& c) { return c.holds; })
      .def("__repr__", [](const ts::ModuleCheck& c) { return "<" + c.summary + ">"; });
  nb::class_<ts::Module>(m, "Module", "An HLO module.")
      .def_prop_ro("name", &ts::Module::name)
      .def_prop_ro("instructions", &ts::Module::instructions)
      .def_prop_ro("problems",
                   [](const ts::Module& module) {
                     std::vector<std::string> out;
                     for (const ts::Error& e : module.problems()) out.push_back(e.marked());
                     return out;
                   })
      .def("_reaches",
           [](const ts::Module& module, std::size_t k, double seconds) {
             return unlocked([&] { return module.reaches(k, {seconds, nullptr}); });
           })
      .def("_waste",
           [](const ts::Module& module, double seconds) {
             return interruptible([&](const ts::CancelFlag& flag) { return module.waste({seconds, &flag}); });
           })
      .def("_check",
           [](const ts::Module& module, double seconds) {
             return interruptible([&](const ts::CancelFlag& flag) { return module.check({seconds, &flag}); });
           })
      .def("__repr__", [](const ts::Module& module) {
        return "<" + module.name() + ": " + std::to_string(module.instructions().size()) + " instructions>";
      });
  m.def("read_module", [](const std::string& text, double seconds) {
    return unlocked([&] { return ts::readModule(text, {seconds, nullptr}); });
  });
}

}  // namespace tessera_python
