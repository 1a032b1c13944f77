/* A Python script with recursion, a generator, sorting, caught exceptions, which are non-local jumps, and garbage collection */
#include "port/micropython_embed.h"
#include "py/runtime.h"

static const char *script =
    "import gc\n"
    "def fib(n):\n"
    "    return n if n < 2 else fib(n - 1) + fib(n - 2)\n"
    "def count(n):\n"
    "    for i in range(n):\n"
    "        yield i\n"
    "def fails(n):\n"
    "    return 1 // (n - n)\n"
    "caught = 0\n"
    "for i in range(20):\n"
    "    try:\n"
    "        fails(i)\n"
    "    except ZeroDivisionError:\n"
    "        caught += 1\n"
    "words = {str(n * 7919 % 211): n for n in range(100)}\n"
    "order = sorted(words, key=lambda w: words[w])\n"
    "gc.collect()\n"
    "result = fib(12) + sum(count(6)) + caught + int(order[3])\n";

static char heap[64 * 1024];

int main(void)
{
    int top;
    mp_embed_init(heap, sizeof heap, &top);
    mp_embed_exec_str(script);
    int result = mp_obj_get_int(mp_load_global(qstr_from_str("result")));
    mp_embed_deinit();
    return result != 144 + 15 + 20 + 3 * 7919 % 211;
}
