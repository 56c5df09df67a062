// The other process of tests/measure; app/main.cpp does the same for the command line.
#include "solver/measure/device/worker.h"

int main() { return tessera::measure::runWorker(); }
