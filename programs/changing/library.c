/* A library of `reload.c`, with or without a loop */
int function(int k) {
#if defined(LOOP)
    int sum = 0;
    while (k-- > 0)
        sum += k ^ 3;
    return sum;
#else
    return k > 4 ? 7 : k * k;
#endif
}
