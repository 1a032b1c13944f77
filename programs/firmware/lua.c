/* A Lua script with recursion, sorting, coroutines and a caught error, which is a longjmp */
#include "lauxlib.h"
#include "lua.h"
#include "lualib.h"

static const char *script =
    "local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end\n"
    "local t = {} for i = 1, 200 do t[i] = (i * 7919) % 211 end table.sort(t)\n"
    "local co = coroutine.wrap(function() for i = 1, 5 do coroutine.yield(i) end end)\n"
    "local s = 0 for i = 1, 5 do s = s + co() end\n"
    "for i = 1, 20 do local ok, e = pcall(function() error('thrown') end)\n"
    "  assert(not ok and e:find('thrown')) end\n"
    "return fib(12) + s + t[200]";

int main(void)
{
    lua_State *L = luaL_newstate();
    luaL_requiref(L, "_G", luaopen_base, 1);
    luaL_requiref(L, "table", luaopen_table, 1);
    luaL_requiref(L, "string", luaopen_string, 1);
    luaL_requiref(L, "coroutine", luaopen_coroutine, 1);
    if (luaL_dostring(L, script))
        return 2;
    long result = (long)lua_tointeger(L, -1);
    lua_close(L);
    return result != 144 + 15 + 210;
}
