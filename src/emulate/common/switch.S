// sb_switch(void** save, void* load): keeps the callee's registers on the own stack, its stack pointer in *save, and goes on where
// `load` was saved. System V ABI, x86-64. The control words of the floating-point units are left alone: kernels do not change them.
#if defined(__x86_64__)
    .text
    .globl sb_switch
    .hidden sb_switch
    .type sb_switch, @function
sb_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
    .size sb_switch, .-sb_switch
    .section .note.GNU-stack,"",@progbits
#else
#error "the emulated card's fibres are written for x86-64"
#endif
