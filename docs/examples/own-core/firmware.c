// Sorts a few words through a pointer to a comparison, and prints how many exchanges that took.

static void put(char c)
{
    *(volatile char *)0x10000000 = c;
}

static int up(unsigned a, unsigned b)
{
    return a > b;
}

static int down(unsigned a, unsigned b)
{
    return a < b;
}

static unsigned words[32];

static unsigned sort(int (*before)(unsigned, unsigned))
{
    unsigned exchanges = 0;
    for (unsigned i = 1; i < 32; i++) {
        for (unsigned j = i; j > 0 && before(words[j - 1], words[j]); j--) {
            unsigned word = words[j];
            words[j] = words[j - 1];
            words[j - 1] = word;
            exchanges++;
        }
    }
    return exchanges;
}

static void print(unsigned number)
{
    if (number >= 10)
        print(number / 10);
    put('0' + number % 10);
}

int main(void)
{
    unsigned seed = 1;
    for (int i = 0; i < 32; i++)
        words[i] = seed = seed * 1664525 + 1013904223;
    print(sort(up));
    put(' ');
    print(sort(down));
    put('\n');
    return 0;
}
