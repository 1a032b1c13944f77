/* A compiler that writes function after function to the same page: RV64 and x86-64 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

static int make(unsigned char *code, int k) {
    int n = 0;
#if defined(__x86_64__)
    code[n++] = 0xb8; /* mov eax, k */
    memcpy(code + n, &k, 4);
    n += 4;
    if (k & 1) {
        memcpy(code + n, "\x85\xff\x74\x02", 4); /* test edi, edi; je .+4 */
        n += 4;
    }
    memcpy(code + n, "\x01\xf8\xc3", 3); /* add eax, edi; ret */
    return n + 3;
#elif defined(__riscv)
    unsigned code32[3];
    if (k & 1)
        code32[n++] = 0x00050463; /* beqz a0, .+8 */
    code32[n++] = 0x00050513 | (unsigned)(k & 0x7ff) << 20; /* addi a0, a0, k */
    code32[n++] = 0x00008067; /* ret */
    memcpy(code, code32, 4 * n);
    return 4 * n;
#endif
}

int main(void) {
    unsigned char *code = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    long sum = 0;
    for (int k = 0; k < 20; k++) {
        int n = make(code, k);
        __builtin___clear_cache((char *)code, (char *)code + n);
        for (int i = 0; i < 10; i++)
            sum += ((int (*)(int))code)(i % 3);
    }
    printf("%ld\n", sum);
    return 0;
}
