// Contains only the headers that tests/CMakeLists.txt precompiles.
