/* What `throw` and `catch (...)` need of a C++ runtime: exceptions one at a time or nested, without types. The unwinder itself is libgcc's.

   Source: Itanium C++ ABI, Exception Handling, levels I and II; its LSDA as GCC writes it (gcc/except.cc) */
#include "stacks.h"
#include <stddef.h>
#include <unwind.h>

extern "C" {

extern char unwind_tables[];
void __register_frame_info(const void *tables, void *object);

/* typeinfo of int: an address that differs from others is enough */
extern const char type_of_int __asm__("_ZTIi");
const char type_of_int = 0;

struct exception {
    _Unwind_Exception unwind;
    int handlers; /* that it is in; negative once it was thrown again */
    int value;
};
static exception pool[4];
static exception *caught[4];
static int used, depth;

void abort()
{
    *(volatile uint32_t *)0x100000 = 0x13333;
    for (;;)
        ;
}

void *malloc(size_t)
{
    return nullptr;
}

void free(void *)
{
}

size_t strlen(const char *s)
{
    size_t n = 0;
    while (s[n])
        n++;
    return n;
}

void *memset(void *to, int value, size_t n)
{
    for (volatile char *at = static_cast<char *>(to); n--; at++)
        *at = static_cast<char>(value);
    return to;
}

void *memcpy(void *to, const void *from, size_t n)
{
    auto at = static_cast<volatile char *>(to);
    for (auto byte = static_cast<const char *>(from); n--; byte++)
        *at++ = *byte;
    return to;
}

void *__cxa_allocate_exception(size_t)
{
    static bool known;
    static void *object[8];
    if (!known)
        __register_frame_info(unwind_tables, object);
    known = true;
    return &pool[used++].value;
}

static exception *of(void *thrown)
{
    return reinterpret_cast<exception *>(static_cast<char *>(thrown) - offsetof(exception, value));
}

void __cxa_throw(void *thrown, void *, void (*)(void *))
{
    _Unwind_RaiseException(&of(thrown)->unwind);
    abort();
}

void *__cxa_begin_catch(void *unwind)
{
    exception *const e = static_cast<exception *>(unwind);
    if (!depth || caught[depth - 1] != e)
        caught[depth++] = e;
    e->handlers = (e->handlers < 0 ? -e->handlers : e->handlers) + 1;
    return &e->value;
}

void __cxa_end_catch()
{
    exception *const e = caught[depth - 1];
    if (e->handlers < 0) {
        if (++e->handlers == 0)
            depth--;
    } else if (--e->handlers == 0) {
        depth--;
        used--;
    }
}

void __cxa_rethrow()
{
    exception *const e = caught[depth - 1];
    e->handlers = -e->handlers;
    _Unwind_Resume_or_Rethrow(&e->unwind);
    abort();
}

static uintptr_t number(const uint8_t *&at, bool sign)
{
    uintptr_t value = 0;
    int shift = 0;
    uint8_t byte;
    do {
        byte = *at++;
        value |= static_cast<uintptr_t>(byte & 0x7f) << shift;
        shift += 7;
    } while (byte & 0x80);
    return sign && byte & 0x40 && shift < 32 ? value | ~static_cast<uintptr_t>(0) << shift : value;
}

static uintptr_t word(const uint8_t *&at)
{
    const uintptr_t value = at[0] | at[1] << 8 | at[2] << 16 | static_cast<uintptr_t>(at[3]) << 24;
    at += 4;
    return value;
}

_Unwind_Reason_Code __gxx_personality_v0(int, _Unwind_Action actions, _Unwind_Exception_Class, _Unwind_Exception *exception,
                                         _Unwind_Context *context)
{
    auto at = reinterpret_cast<const uint8_t *>(_Unwind_GetLanguageSpecificData(context));
    if (!at)
        return _URC_CONTINUE_UNWIND;
    const uintptr_t begin = _Unwind_GetRegionStart(context), ip = _Unwind_GetIP(context) - 1 - begin;
    if (*at++ != 0xff) /* landing pads are relative to the function */
        abort();
    if (*at++ != 0xff)
        number(at, false);
    if (*at++ != 0x03) /* fields of call sites have 4 bytes, but the action */
        abort();
    const uintptr_t length = number(at, false);
    const uint8_t *const table = at + length;
    while (at < table) {
        const uintptr_t start = word(at), size = word(at), pad = word(at), action = number(at, false);
        if (ip - start >= size || !pad)
            continue;
        bool catches = false;
        for (const uint8_t *record = action ? table + action - 1 : nullptr; record;) {
            catches |= static_cast<intptr_t>(number(record, true)) > 0;
            const uint8_t *const here = record;
            const uintptr_t next = number(record, true);
            record = next ? here + next : nullptr;
        }
        if (actions & _UA_SEARCH_PHASE)
            return catches ? _URC_HANDLER_FOUND : _URC_CONTINUE_UNWIND;
        _Unwind_SetGR(context, __builtin_eh_return_data_regno(0), reinterpret_cast<uintptr_t>(exception));
        _Unwind_SetGR(context, __builtin_eh_return_data_regno(1), catches);
        _Unwind_SetIP(context, begin + pad);
        return _URC_INSTALL_CONTEXT;
    }
    return _URC_CONTINUE_UNWIND;
}
}
