/* Linked statically: no preload library can see what it does. */
#include "tiny.h"

int main(void) { return puts("ran") < 0; }
