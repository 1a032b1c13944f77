// State machines in three styles: a request lexer as one switch, the same lexer as functions that return
// the next state's function, and a table-driven receiver of byte-stuffed frames. Text and frames are
// generated with errors in them. The harts share the messages.
#include "rt.h"

#define MESSAGES 240
#define LENGTH 2048

struct counts {
    uint32_t words, numbers, strings, comments, operators, lines, errors, hash;
};

// ---- lexer 1: one switch ----

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static NOINLINE void lex_switch(const char *s, const char *end, struct counts *n)
{
    enum { BETWEEN, IN_WORD, IN_NUMBER, IN_STRING, ESCAPED, SLASH, IN_LINE_COMMENT, IN_COMMENT, STAR } state = BETWEEN;
    for (; s < end; s++) {
        char c = *s;
        if (c == '\n')
            n->lines++;
    again:
        switch (state) {
        case BETWEEN:
            switch (c) {
            case ' ': case '\t': case '\n': break;
            case '"': state = IN_STRING; break;
            case '/': state = SLASH; break;
            case '+': case '-': case '*': case '=': case '<': case '>': case ';': case '(': case ')':
                n->operators++;
                n->hash = mix(n->hash, (uint32_t)c);
                break;
            default:
                if (is_letter(c))
                    state = IN_WORD;
                else if (is_digit(c))
                    state = IN_NUMBER;
                else
                    n->errors++;
            }
            break;
        case IN_WORD:
            if (is_letter(c) || is_digit(c))
                break;
            n->words++;
            n->hash = mix(n->hash, 'w');
            state = BETWEEN;
            goto again;
        case IN_NUMBER:
            if (is_digit(c))
                break;
            if (is_letter(c)) {
                n->errors++;
                state = IN_WORD;
                break;
            }
            n->numbers++;
            n->hash = mix(n->hash, '0');
            state = BETWEEN;
            goto again;
        case IN_STRING:
            if (c == '\\')
                state = ESCAPED;
            else if (c == '"') {
                n->strings++;
                n->hash = mix(n->hash, '"');
                state = BETWEEN;
            } else if (c == '\n') {
                n->errors++;
                state = BETWEEN;
            }
            break;
        case ESCAPED:
            state = IN_STRING;
            break;
        case SLASH:
            if (c == '/')
                state = IN_LINE_COMMENT;
            else if (c == '*')
                state = IN_COMMENT;
            else {
                n->operators++;
                n->hash = mix(n->hash, '/');
                state = BETWEEN;
                goto again;
            }
            break;
        case IN_LINE_COMMENT:
            if (c == '\n') {
                n->comments++;
                state = BETWEEN;
            }
            break;
        case IN_COMMENT:
            if (c == '*')
                state = STAR;
            break;
        case STAR:
            if (c == '/') {
                n->comments++;
                state = BETWEEN;
            } else if (c != '*')
                state = IN_COMMENT;
            break;
        }
    }
}

// ---- lexer 2: a state is a function; it returns the next one in a wrapper ----

struct state {
    struct state (*fn)(struct counts *n, char c);
};

static struct state between(struct counts *n, char c);
static struct state in_word(struct counts *n, char c);
static struct state in_number(struct counts *n, char c);
static struct state in_string(struct counts *n, char c);
static struct state escaped(struct counts *n, char c);
static struct state slash(struct counts *n, char c);
static struct state in_line_comment(struct counts *n, char c);
static struct state in_comment(struct counts *n, char c);
static struct state star(struct counts *n, char c);

#define GO(f) ((struct state){f})

static struct state token(struct counts *n, uint32_t *kind, char as, char c)
{
    ++*kind;
    n->hash = mix(n->hash, (uint32_t)as);
    return between(n, c);
}
static struct state between(struct counts *n, char c)
{
    static const char operators[] = "+-*=<>;()";
    if (c == ' ' || c == '\t' || c == '\n')
        return GO(between);
    if (is_letter(c))
        return GO(in_word);
    if (is_digit(c))
        return GO(in_number);
    if (c == '"')
        return GO(in_string);
    if (c == '/')
        return GO(slash);
    for (const char *o = operators; *o; o++)
        if (*o == c) {
            n->operators++;
            n->hash = mix(n->hash, (uint32_t)c);
            return GO(between);
        }
    n->errors++;
    return GO(between);
}
static struct state in_word(struct counts *n, char c)
{
    return is_letter(c) || is_digit(c) ? GO(in_word) : token(n, &n->words, 'w', c);
}
static struct state in_number(struct counts *n, char c)
{
    if (is_digit(c))
        return GO(in_number);
    if (!is_letter(c))
        return token(n, &n->numbers, '0', c);
    n->errors++;
    return GO(in_word);
}
static struct state in_string(struct counts *n, char c)
{
    if (c == '\\')
        return GO(escaped);
    if (c == '"')
        return token(n, &n->strings, '"', ' ');
    if (c != '\n')
        return GO(in_string);
    n->errors++;
    return GO(between);
}
static struct state escaped(struct counts *n, char c)
{
    (void)n;
    (void)c;
    return GO(in_string);
}
static struct state slash(struct counts *n, char c)
{
    if (c == '/')
        return GO(in_line_comment);
    return c == '*' ? GO(in_comment) : token(n, &n->operators, '/', c);
}
static struct state in_line_comment(struct counts *n, char c)
{
    if (c != '\n')
        return GO(in_line_comment);
    n->comments++;
    return GO(between);
}
static struct state in_comment(struct counts *n, char c)
{
    (void)n;
    return c == '*' ? GO(star) : GO(in_comment);
}
static struct state star(struct counts *n, char c)
{
    if (c == '*')
        return GO(star);
    if (c != '/')
        return GO(in_comment);
    n->comments++;
    return GO(between);
}

static NOINLINE void lex_functions(const char *s, const char *end, struct counts *n)
{
    struct state state = GO(between);
    for (; s < end; s++) {
        if (*s == '\n')
            n->lines++;
        state = state.fn(n, *s);
    }
}

// ---- a frame receiver: FLAG length payload checksum, with 0x7d as escape ----

#define FLAG 0x7e
#define ESCAPE 0x7d

struct receiver {
    uint32_t state, want, have;
    bool escape;
    uint8_t sum;
    uint32_t good, bad, aborted, bytes;
};
enum { IDLE, WANT_LENGTH, WANT_PAYLOAD, WANT_SUM, STATES };

static uint32_t on_length(struct receiver *r, uint8_t b)
{
    r->want = b;
    r->have = 0;
    r->sum = b;
    return b == 0 ? WANT_SUM : WANT_PAYLOAD;
}
static uint32_t on_payload(struct receiver *r, uint8_t b)
{
    r->sum = (uint8_t)((r->sum << 1 | r->sum >> 7) ^ b);
    return ++r->have == r->want ? WANT_SUM : WANT_PAYLOAD;
}
static uint32_t on_sum(struct receiver *r, uint8_t b)
{
    if (b == r->sum) {
        r->good++;
        r->bytes += r->want;
    } else
        r->bad++;
    return IDLE;
}
static uint32_t on_idle(struct receiver *r, uint8_t b)
{
    (void)r;
    (void)b;
    return IDLE;
}
static uint32_t (*const on_byte[STATES])(struct receiver *, uint8_t) = {on_idle, on_length, on_payload, on_sum};

static NOINLINE void receive(struct receiver *r, const uint8_t *s, uint32_t n)
{
    for (; n; n--, s++) {
        uint8_t b = *s;
        if (b == FLAG) {
            if (r->state > WANT_LENGTH)
                r->aborted++;
            r->state = WANT_LENGTH;
            r->escape = false;
        } else if (b == ESCAPE) {
            r->escape = true;
        } else {
            if (r->escape) {
                b ^= 0x20;
                r->escape = false;
            }
            r->state = on_byte[r->state](r, b);
        }
    }
}

struct sent {
    uint32_t good, bad, aborted, bytes;
};

static uint32_t stuff(uint8_t *to, uint32_t at, uint8_t b)
{
    if (b == FLAG || b == ESCAPE) {
        to[at++] = ESCAPE;
        b ^= 0x20;
    }
    to[at++] = b;
    return at;
}

static uint32_t make_frames(uint8_t *to, uint32_t *random, struct sent *sent)
{
    uint32_t at = 0;
    bool open = false; // the previous frame was cut short
    while (at + 160 < LENGTH) {
        uint32_t length = rand_below(random, 60), fault = rand_below(random, 12);
        uint8_t sum = (uint8_t)length;
        to[at++] = FLAG;
        sent->aborted += open;
        at = stuff(to, at, (uint8_t)length);
        open = fault == 0 && length > 2;
        for (uint32_t i = 0; i < (open ? length / 2 : length); i++) {
            uint8_t b = (uint8_t)(rand_next(random) >> (rand_below(random, 4) ? 24 : 25));
            sum = (uint8_t)((sum << 1 | sum >> 7) ^ b);
            at = stuff(to, at, b);
        }
        if (open)
            continue;
        bool wrong = fault == 1;
        at = stuff(to, at, (uint8_t)(sum ^ wrong));
        sent->bad += wrong;
        sent->good += !wrong;
        sent->bytes += wrong ? 0 : length;
    }
    return at;
}

// ---- text with the statistics of program source ----

static uint32_t make_text(char *to, uint32_t *random)
{
    static const char *const word[] = {"if", "while", "return", "count", "x", "y1", "buffer_2", "else", "tmp"};
    static const char *const other[] = {" = ", "(", ") ", ";\n", " + ", "\"a \\\"quoted\\\" text\"", " // to the end\n",
                                        "/* over ** two\n lines */", " < ", " / ", "12ab ", "\"cut\n", "#", "\t"};
    uint32_t at = 0;
    while (at + 40 < LENGTH) {
        const char *s;
        switch (rand_below(random, 4)) {
        case 0: s = word[rand_below(random, 9)]; break;
        case 1: s = other[rand_below(random, 14)]; break;
        case 2: s = rand_below(random, 3) ? " " : ";\n"; break;
        default:
            for (uint32_t v = rand_next(random) >> rand_below(random, 31); v; v /= 10)
                to[at++] = (char)('0' + v % 10);
            continue;
        }
        while (*s)
            to[at++] = *s++;
    }
    return at;
}

static NOINIT char buffer[MAX_HARTS][LENGTH];
static uint32_t sums[MAX_HARTS];
static volatile uint32_t next_message;

static void work(uint32_t hart, uint32_t harts, void *arg)
{
    (void)harts;
    (void)arg;
    uint32_t i;
    while ((i = atomic_add(&next_message, 1)) < MESSAGES) {
        uint32_t random = rand_seed(1000 + i);
        if (i % 3 == 2) {
            struct sent sent = {0};
            struct receiver r = {0};
            uint32_t n = make_frames((uint8_t *)buffer[hart], &random, &sent);
            receive(&r, (const uint8_t *)buffer[hart], n);
            check(r.good == sent.good && r.bad == sent.bad && r.bytes == sent.bytes, "every frame is received");
            check(r.aborted == sent.aborted, "every cut frame is noticed");
            sums[hart] += mix(mix(mix(i, r.good), r.bytes), r.aborted);
            continue;
        }
        struct counts one = {0}, two = {0};
        uint32_t n = make_text(buffer[hart], &random);
        lex_switch(buffer[hart], buffer[hart] + n, &one);
        lex_functions(buffer[hart], buffer[hart] + n, &two);
        check(memcmp(&one, &two, sizeof one) == 0, "both lexers agree");
        sums[hart] += mix(mix(mix(i, one.hash), one.words * one.numbers), one.errors * one.lines);
    }
}

int main(void)
{
    parallel(work, NULL);
    uint32_t sum = 0;
    for (int h = 0; h < MAX_HARTS; h++)
        sum += sums[h];
    return report("fsm", sum, 0xb6f6507b);
}
