// Instantiates the machine for its two domains.
#include "solver/emulate/machine.h"

#include "solver/emulate/machine_barrier.h"
#include "solver/emulate/machine_bulk.h"
#include "solver/emulate/machine_control.h"
#include "solver/emulate/machine_leaf.h"
#include "solver/emulate/machine_product.h"
#include "solver/emulate/machine_report.h"

namespace tessera::graphene {

template class Machine<Numbers>;
template class Machine<Terms>;

}  // namespace tessera::graphene
