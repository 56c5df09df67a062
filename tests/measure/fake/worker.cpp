// The other process of tests/measure: what app/main.cpp does for the command line.
#include "solver/measure/device/worker.h"

int main() { return tessera::measure::runWorker(); }
