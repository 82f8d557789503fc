#!/bin/sh
# A compiler, its linker and what they built; with make -j2 where there is one.
# needs: cc make
# counts: open>=10 read>=10 write>=3 processes>=8
set -eu
export LC_ALL=C
for i in 1 2 3; do
  printf '#include <stdio.h>\nint part%d(void) { return printf("part %d\\n"); }\n' $i $i > part$i.c
done
cat > main.c << 'EOF'
#include <stdio.h>
int part1(void), part2(void), part3(void);
int main(void) {
  FILE* f = fopen("made", "w");
  fprintf(f, "%d\n", part1() + part2() + part3());
  return fclose(f);
}
EOF
printf 'program: main.o part1.o part2.o part3.o\n\tcc -o $@ $^\n%%.o: %%.c\n\tcc -O1 -c -o $@ $<\n' > Makefile
make -s -j2
./program
cat made
make -q && echo "nothing to do"
ls
rm -- *.o program
