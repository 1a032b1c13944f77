/* Two libraries, one after the other: the second is mapped where the first was */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv) {
    void *at[2];
    long sum = 0;
    for (int i = 0; i < 2; i++) {
        void *library = dlopen(argv[1 + i], RTLD_NOW);
        int (*function)(int) = library ? (int (*)(int))dlsym(library, "function") : 0;
        if (!function) {
            fprintf(stderr, "%s\n", dlerror());
            return 1;
        }
        at[i] = (void *)function;
        for (int k = 0; k < 8; k++)
            sum += function(k);
        dlclose(library);
    }
    printf("%ld, %s\n", sum, at[0] == at[1] ? "at one address" : "at two addresses");
    return at[0] != at[1];
}
