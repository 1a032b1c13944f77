// Recursive descent: expressions are generated as text, with their value, and then scanned, parsed into a
// tree and evaluated for several sets of variables, by a walk of the tree and by parsing again. Deep
// recursion, a switch in the scanner and in the evaluators, built-in functions through a table of
// pointers. The harts share the expressions.
#include "rt.h"

#define EXPRESSIONS 100
#define BINDINGS 4 // sets of variables for each expression
#define NODES 2048
#define TEXT 4096
#define VARIABLES 26

// ---- operators: they wrap around and never trap, in the generator and in the parser ----

static int32_t divide(int32_t x, int32_t y) { return y == 0 || (y == -1 && x == INT32_MIN) ? 0 : x / y; }
static int32_t modulo(int32_t x, int32_t y) { return y == 0 || (y == -1 && x == INT32_MIN) ? x : x % y; }

static int32_t binary(char op, int32_t x, int32_t y)
{
    switch (op) {
    case '+': return (int32_t)((uint32_t)x + (uint32_t)y);
    case '-': return (int32_t)((uint32_t)x - (uint32_t)y);
    case '*': return (int32_t)((uint32_t)x * (uint32_t)y);
    case '/': return divide(x, y);
    case '%': return modulo(x, y);
    case '&': return x & y;
    case '|': return x | y;
    case '^': return x ^ y;
    case '<': return x < y;
    case '>': return x > y;
    case '=': return x == y;
    default: check(false, "the operator is known"); return 0;
    }
}

static int32_t f_min(int32_t x, int32_t y) { return x < y ? x : y; }
static int32_t f_max(int32_t x, int32_t y) { return x < y ? y : x; }
static int32_t f_gcd(int32_t x, int32_t y)
{
    uint32_t a = x < 0 ? -(uint32_t)x : (uint32_t)x, b = y < 0 ? -(uint32_t)y : (uint32_t)y;
    while (b) {
        uint32_t t = a % b;
        a = b;
        b = t;
    }
    return (int32_t)(a & INT32_MAX);
}
static int32_t f_bits(int32_t x, int32_t y)
{
    int32_t n = 0;
    for (uint32_t v = (uint32_t)x ^ (uint32_t)y; v; v &= v - 1)
        n++;
    return n;
}
static const struct {
    const char *name;
    int32_t (*fn)(int32_t, int32_t);
} function[] = {{"min", f_min}, {"max", f_max}, {"gcd", f_gcd}, {"bits", f_bits}};
#define FUNCTIONS 4

// Loosest first; level 5 is unary.
static const char *const level_ops[] = {"=<>", "|^", "&", "+-", "*/%"};
#define LEVELS 5

// ---- generator ----

struct text {
    char *at, *end;
    uint32_t random;
    const int32_t *variable;
};

static void put(struct text *t, char c)
{
    check(t->at < t->end, "the text fits");
    *t->at++ = c;
}
static void put_word(struct text *t, const char *s)
{
    while (*s)
        put(t, *s++);
}
static void put_number(struct text *t, uint32_t v)
{
    if (v >= 10)
        put_number(t, v / 10);
    put(t, (char)('0' + v % 10));
}

// Writes an expression that binds at least as tightly as `level`, and returns its value.
static int32_t generate(struct text *t, int level, int depth)
{
    if (rand_below(&t->random, 5) == 0)
        put(t, ' ');
    if (level == LEVELS) {
        uint32_t kind = depth <= 0 || t->end - t->at < 512 ? rand_below(&t->random, 2) : rand_below(&t->random, 7);
        switch (kind) {
        case 0: {
            uint32_t v = rand_next(&t->random) >> rand_below(&t->random, 28) >> 1;
            put_number(t, v);
            return (int32_t)v;
        }
        case 1: {
            uint32_t v = rand_below(&t->random, VARIABLES);
            put(t, (char)('A' + v));
            return t->variable[v];
        }
        case 2: {
            put(t, '-');
            return (int32_t)-(uint32_t)generate(t, LEVELS, depth - 1);
        }
        case 3: {
            put(t, '~');
            return ~generate(t, LEVELS, depth - 1);
        }
        case 4: {
            uint32_t f = rand_below(&t->random, FUNCTIONS);
            put_word(t, function[f].name);
            put(t, '(');
            int32_t x = generate(t, 0, depth - 1);
            put(t, ',');
            int32_t y = generate(t, 0, depth - 1);
            put(t, ')');
            return function[f].fn(x, y);
        }
        default: {
            put(t, '(');
            int32_t x = generate(t, 0, depth - 1);
            put(t, ')');
            return x;
        }
        }
    }
    int32_t x = generate(t, level + 1, depth - 1);
    while (t->end - t->at > 512 && rand_below(&t->random, 8) < 3) {
        const char *ops = level_ops[level];
        char op = ops[rand_below(&t->random, level == 0 || level == 4 ? 3 : level == 2 ? 1 : 2)];
        put(t, op);
        x = binary(op, x, generate(t, level + 1, depth - 1));
    }
    return x;
}

// ---- scanner ----

enum token { END, NUMBER, VARIABLE, NAME, OPERATOR, OPEN, CLOSE, COMMA };

// A tree: leaves are numbers and variables, op is 'n', 'v', 'f', '~', 'u' (minus) or a binary operator.
struct node {
    char op;
    uint8_t index; // of the variable or function
    uint16_t left, right;
    int32_t value;
};

struct parser {
    struct node *nodes; // destination of the tree, or NULL: evaluate only
    uint32_t used;
    uint16_t root; // of the last parsed expression
    uint32_t variable_index;
    const char *at;
    enum token token;
    char op;
    int32_t value;
    uint32_t function;
    const int32_t *variable;
    uint32_t tokens;
};

static NOINLINE void next(struct parser *p)
{
    while (*p->at == ' ')
        p->at++;
    p->tokens++;
    char c = *p->at++;
    switch (c) {
    case 0: p->token = END; p->at--; return;
    case '(': p->token = OPEN; return;
    case ')': p->token = CLOSE; return;
    case ',': p->token = COMMA; return;
    case '+': case '-': case '*': case '/': case '%': case '&': case '|': case '^': case '<': case '>': case '=':
    case '~':
        p->token = OPERATOR;
        p->op = c;
        return;
    default: break;
    }
    if (c >= '0' && c <= '9') {
        uint32_t v = (uint32_t)(c - '0');
        for (; (c = *p->at) >= '0' && c <= '9'; p->at++)
            v = v * 10 + (uint32_t)(c - '0');
        p->token = NUMBER;
        p->value = (int32_t)v;
        return;
    }
    if (c >= 'A' && c <= 'Z') {
        p->token = VARIABLE;
        p->variable_index = (uint32_t)(c - 'A');
        p->value = p->variable[c - 'A'];
        return;
    }
    const char *start = p->at - 1;
    while (*p->at >= 'a' && *p->at <= 'z')
        p->at++;
    size_t length = (size_t)(p->at - start);
    for (p->function = 0; p->function < FUNCTIONS; p->function++) {
        const char *name = function[p->function].name;
        size_t i = 0;
        while (i < length && name[i] == start[i])
            i++;
        if (i == length && name[i] == 0)
            break;
    }
    check(length && p->function < FUNCTIONS, "the function is known");
    p->token = NAME;
}

// ---- parser ----

static int32_t level(struct parser *p, int n);

static void expect(struct parser *p, enum token token)
{
    check(p->token == token, "the expected token follows");
    next(p);
}

static void build(struct parser *p, char op, uint32_t index, uint16_t left, uint16_t right, int32_t value)
{
    if (!p->nodes)
        return;
    check(p->used < NODES, "the tree fits");
    p->root = (uint16_t)p->used++;
    p->nodes[p->root] = (struct node){op, (uint8_t)index, left, right, value};
}

static NOINLINE int32_t unary(struct parser *p)
{
    int32_t x, y;
    uint16_t left;
    switch (p->token) {
    case NUMBER:
    case VARIABLE:
        x = p->value;
        build(p, p->token == NUMBER ? 'n' : 'v', p->variable_index, 0, 0, x);
        next(p);
        return x;
    case OPERATOR: {
        char op = p->op;
        check(op == '-' || op == '~', "the operator is unary");
        next(p);
        x = unary(p);
        build(p, op == '-' ? 'u' : op, 0, p->root, 0, 0);
        return op == '-' ? (int32_t)-(uint32_t)x : ~x;
    }
    case OPEN:
        next(p);
        x = level(p, 0);
        expect(p, CLOSE);
        return x;
    case NAME: {
        uint32_t f = p->function;
        next(p);
        expect(p, OPEN);
        x = level(p, 0);
        left = p->root;
        expect(p, COMMA);
        y = level(p, 0);
        expect(p, CLOSE);
        build(p, 'f', f, left, p->root, 0);
        return function[f].fn(x, y);
    }
    default: check(false, "an operand follows"); return 0;
    }
}

static bool is_one_of(char c, const char *ops)
{
    for (; *ops; ops++)
        if (c == *ops)
            return true;
    return false;
}

static NOINLINE int32_t level(struct parser *p, int n)
{
    if (n == LEVELS)
        return unary(p);
    int32_t x = level(p, n + 1);
    while (p->token == OPERATOR && is_one_of(p->op, level_ops[n])) {
        char op = p->op;
        uint16_t left = p->root;
        next(p);
        x = binary(op, x, level(p, n + 1));
        build(p, op, 0, left, p->root, 0);
    }
    return x;
}

// ---- tree walk ----

static NOINLINE int32_t evaluate(const struct node *nodes, uint16_t root, const int32_t *variable)
{
    const struct node *n = &nodes[root];
    int32_t x;
    switch (n->op) {
    case 'n': return n->value;
    case 'v': return variable[n->index];
    case 'u': return (int32_t)-(uint32_t)evaluate(nodes, n->left, variable);
    case '~': return ~evaluate(nodes, n->left, variable);
    case 'f':
        x = evaluate(nodes, n->left, variable);
        return function[n->index].fn(x, evaluate(nodes, n->right, variable));
    default:
        x = evaluate(nodes, n->left, variable);
        return binary(n->op, x, evaluate(nodes, n->right, variable));
    }
}

// ---- the work ----

static NOINIT char text[MAX_HARTS][TEXT];
static NOINIT struct node tree[MAX_HARTS][NODES];
static uint32_t sums[MAX_HARTS];
static volatile uint32_t next_expression;

static void work(uint32_t hart, uint32_t harts, void *arg)
{
    (void)harts;
    (void)arg;
    int32_t variable[VARIABLES];
    uint32_t i;
    while ((i = atomic_add(&next_expression, 1)) < EXPRESSIONS) {
        struct text t = {text[hart], text[hart] + TEXT, rand_seed(100 + i), variable};
        for (int v = 0; v < VARIABLES; v++)
            variable[v] = (int32_t)rand_next(&t.random) >> rand_below(&t.random, 30);
        int32_t value = generate(&t, 0, 9);
        put(&t, 0);
        struct parser p = {.at = text[hart], .variable = variable, .nodes = tree[hart]};
        next(&p);
        int32_t parsed = level(&p, 0);
        check(p.token == END, "the whole text is parsed");
        check(parsed == value, "the parsed value is the generated one");
        // A sum of hashed words: the order of the expressions does not matter.
        sums[hart] += mix(mix(i, (uint32_t)parsed), p.tokens);
        for (int b = 0; b < BINDINGS; b++) {
            for (int v = 0; v < VARIABLES; v++)
                variable[v] += v * b - 3;
            int32_t walked = evaluate(tree[hart], p.root, variable);
            struct parser again = {.at = text[hart], .variable = variable};
            next(&again);
            check(level(&again, 0) == walked, "the tree has the value of the text");
            sums[hart] += mix(i + 1000, (uint32_t)walked);
        }
    }
}

int main(void)
{
    parallel(work, NULL);
    uint32_t sum = 0;
    for (int h = 0; h < MAX_HARTS; h++)
        sum += sums[h];
    return report("parse", sum, 0xfaa14c54);
}
