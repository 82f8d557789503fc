#!/bin/sh
# A small C++ program with templates and exceptions, built in parallel, used, changed and built again.
# needs: c++ make ar
set -eu
export LC_ALL=C
for i in 1 2 3; do
  printf '#include <map>\n#include <string>\nstd::map<std::string, int> part%d() { return {{"part", %d}}; }\n' $i $i > part$i.cpp
done
cat > main.cpp << 'EOF'
#include <fstream>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
std::map<std::string, int> part1();
std::map<std::string, int> part2();
std::map<std::string, int> part3();
int main() {
  std::ofstream made("made");
  for (const auto& part : {part1(), part2(), part3()})
    for (const auto& [name, number] : part) made << name << ' ' << number << '\n';
  made.close();
  std::ifstream back("made");
  for (std::string line; std::getline(back, line);) std::cout << line << '\n';
  try {
    throw std::runtime_error("caught");
  } catch (const std::exception& error) {
    std::cerr << error.what() << std::endl;
  }
  return 4;
}
EOF
cat > Makefile << 'EOF'
program: main.o libparts.a
	c++ -o $@ $^
libparts.a: part1.o part2.o part3.o
	ar rcsD $@ $^
%.o: %.cpp
	c++ -std=c++17 -O0 -c -o $@ $<
EOF
make -s -j2
./program || echo "status $?"
echo '// changed' >> part2.cpp
make -s -j2
make -q && echo "nothing to do"
sha256sum ./*.o libparts.a program
rm program libparts.a ./*.o
