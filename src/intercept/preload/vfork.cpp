#include "intercept/vfork.hpp"

#include "intercept/real.hpp"

// vfork() returns twice into the same stack frame, so no function of ours may stand around it: what happens
// before is done in a call of its own, then the real one is jumped to with the program's return address still
// on the stack. Which of the two processes comes back is found out by the next intercepted call.
#if defined(__x86_64__)

extern "C" {
void* weir_real_vfork = nullptr;
void weir_before_vfork();

void weir_before_vfork() {
  if (weir_real_vfork == nullptr) weir_real_vfork = weir::search_real("vfork");
  weir::before_vfork();
}
}

asm(R"(
  .text
  .globl vfork
  .type vfork, @function
vfork:
  .cfi_startproc
  endbr64
  sub $8, %rsp
  .cfi_adjust_cfa_offset 8
  call weir_before_vfork
  add $8, %rsp
  .cfi_adjust_cfa_offset -8
  jmp *weir_real_vfork(%rip)
  .cfi_endproc
  .size vfork, .-vfork
)");

#endif
