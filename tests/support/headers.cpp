// Nothing but the headers that tests/CMakeLists.txt has it compile beforehand.
