// Parameters that are not in the registers that the calling convention has for their place
#define NOINLINE __attribute__((noinline))

int total;

struct five {
    int a, b, c, d, e;
};

// the first parameter is not used: with -O2 GCC makes a copy without it
NOINLINE static int kept(int unused, int used)
{
    total += used;
    return used * 2;
}

// the first register has the address of the result
NOINLINE struct five filled(int first)
{
    struct five f = {first, first + 1, first + 2, first + 3, first + 4};
    return f;
}

// two registers
NOINLINE int after(long long wide, int next)
{
    total += (int)wide;
    return next;
}

int main(int hart)
{
    int sum = 0;
    for (int i = 0; i < 20; i++) {
        sum += kept(100 * i, i);
        struct five f = filled(i);
        sum += f.c + after(i, -i);
    }
    return hart ? 0 : sum & 0x3f;
}
