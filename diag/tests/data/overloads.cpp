// C++ names: overloads, a template, a namespace, a static variable in a function; overloads2.cpp has one more.
#define NOINLINE __attribute__((noinline, noclone))

extern "C" int other(int);

namespace bank {
struct Account {
    int balance;
    NOINLINE int deposit(int x);
    NOINLINE int deposit(int x, int y);
};
int Account::deposit(int x) {
    return balance += x;
}
int Account::deposit(int x, int y) {
    balance += x * y;
    return balance - 1;
}
} // namespace bank

template <class T> NOINLINE T greater(T a, T b) {
    return a > b ? a : b;
}

static NOINLINE int helper(int x) {
    return x * 5 + 1;
}

static NOINLINE int bump() {
    static int counter;
    return ++counter;
}

static volatile int shared = 3;

extern "C" int main() {
    bank::Account account = {0};
    int sum = 0;
    for (int i = 0; i < 50; i++) {
        account.deposit(i);
        account.deposit(i, 3);
        sum += greater<int>(i, 25);
        sum += greater<unsigned char>(i, 9);
        sum += helper(i) + other(i) + bump();
        shared = sum;
        __asm__ volatile("" ::: "memory");
    }
    return (account.balance + sum) & 63;
}
