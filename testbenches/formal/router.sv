// Properties inside the emitted router: it guarantees what the ring relies on
//
// Sizes: ADDRESS, ENTRIES, LOG2_ENTRIES, FIRST. The rest of the ring is assumed to behave as the other routers are proved
// to: it returns what was sent, in order, unchanged but for the destination in the first word, and before the token.
// One word of the outgoing packet, any of them, is followed, and one word of any received packet.

reg f_begun = 0;
always @(posedge clock) f_begun <= 1;
always @(*) assume(f_begun || reset);

// the words at the input, as packets
reg [3:0] f_ileft = 0;
wire f_itoken = from$valid && f_ileft == 0 && from$word == 16'hf000;
wire f_ihead = from$valid && f_ileft == 0 && !f_itoken;
wire f_ibody = from$valid && f_ileft != 0;
wire f_iends = from$valid && f_ileft == 1;
wire [5:0] f_dest = from$word[11:6];
wire [5:0] f_src = from$word[5:0];
always @(posedge clock) begin
    if (f_ihead) f_ileft <= from$word[15:12] + 1;
    if (f_ibody) f_ileft <= f_ileft - 1;
    if (reset) f_ileft <= 0;
end

// the packet to send, and the followed word of it
(* anyconst *) wire [3:0] f_pos;
reg [3:0] f_pleft = 0;
reg [4:0] f_pidx = 0, f_len = 0;
reg f_bad = 0, f_held = 0;
reg [15:0] f_word = 0;
wire f_put = put$valid && put$ready;
wire f_whole = f_put && f_pleft == 1;
wire [15:0] f_mine = f_pidx == 0 ? {put$word[15:6], 6'd`ADDRESS} : put$word;

// its state on the ring: words sent, whether the token was sent, and words that came back
reg f_out = 0, f_tok = 0, f_refused = 0, f_boot = 0;
reg [4:0] f_idx = 0, f_back = 0;
wire f_start = f_itoken && f_held && !f_out;
wire f_own_head = f_ihead && f_out;
wire f_returned = f_out && from$valid && f_back + 1 == f_len;
wire f_emits = f_start || (f_out && f_idx != 0 && f_idx < f_len);
wire f_emits_token = f_boot || (f_out && f_idx == f_len && !f_tok);
always @(posedge clock) begin
    if (f_put && f_pidx == f_pos) f_word <= f_mine;
    if (f_put) begin
        f_pidx <= f_pidx + 1;
        f_pleft <= f_pidx == 0 ? put$word[15:12] + 1 : f_pleft - 1;
        if (f_pidx == 0) begin
            f_len <= put$word[15:12] + 2;
            f_bad <= put$word[11:6] == 60 || put$word[11:6] == 61;
            if (put$word[15:12] == 15) f_pidx <= 0;
        end
    end
    if (f_whole) begin
        f_held <= !f_bad;
        f_pidx <= 0;
    end
    if (f_start) {f_out, f_idx, f_tok, f_back} <= {1'b1, 5'd1, 1'b0, 5'd0};
    if (f_out && f_emits) f_idx <= f_idx + 1;
    if (f_emits_token) {f_tok, f_boot} <= 2'b10;
    if (f_out && from$valid) f_back <= f_back + 1;
    if (f_own_head) f_refused <= f_dest == 60;
    if (f_returned) begin
        f_out <= 0;
        if (!f_refused || withdraw) f_held <= 0;
    end
    if (reset) begin
        {f_pleft, f_pidx, f_held, f_out, f_tok, f_refused, f_idx, f_back} <= 0;
        f_boot <= `FIRST;
    end
end
// the rest of the ring
always @(*) begin
    if (f_ihead) assume(from$word[15:12] != 15);
    if (f_out && from$valid) assume(f_back < f_idx);
    if (f_own_head) assume(f_src == `ADDRESS && from$word[15:12] + 2 == f_len);
    if (f_out) assume(!f_itoken);
    if (f_ihead && !f_out) assume(f_src != `ADDRESS);
    if (f_boot) assume(!from$valid);
end

// whether there is a free entry, as in the golden model
reg [4:0] f_count = 0;
reg f_keeps = 0, f_copying = 0, f_strip = 0;
reg [5:0] f_kept = 0;
wire f_here = f_ihead && !f_out && f_dest == `ADDRESS;
wire f_free = !(f_keeps && f_kept != f_src);
wire f_takes = f_here && f_free && f_count != `ENTRIES;
wire f_hears = f_ihead && !f_out && f_dest == 62 && !f_keeps && f_count != `ENTRIES;
wire f_stored = f_iends && f_copying;
wire f_take = got$valid && got$ready;
wire f_freed = f_take && read_at$q == 1;
always @(posedge clock) begin
    if (f_here && f_free) {f_keeps, f_kept} <= {!f_takes, f_takes ? f_kept : f_src};
    if (f_ihead) {f_copying, f_strip} <= {f_takes || f_hears, f_own_head};
    f_count <= f_count + f_stored - f_freed;
    if (reset) {f_keeps, f_kept, f_count, f_copying, f_strip} <= 0;
end

// the expected output: 0 a forwarded word, 1 a word of its own, 2 its token
reg [1:0] f_now = 0;
reg f_want = 0;
reg [15:0] f_through = 0;
always @(posedge clock) begin
    f_now <= reset ? 0 : f_emits_token ? 2 : f_emits ? 1 : 0;
    f_want <= !reset && from$valid && !f_out;
    f_through <= from$word;
    if (f_here) f_through[11:6] <= f_takes ? 61 : 60;
end

// the words at the output, as packets, and tokens between them
reg [3:0] f_oleft = 0;
wire f_otoken = to$valid && f_oleft == 0 && to$word == 16'hf000;
wire [3:0] f_onow = !to$valid || f_otoken ? f_oleft : f_oleft == 0 ? to$word[15:12] + 1 : f_oleft - 1;
reg [1:0] f_tokens = 0;
reg [4:0] f_age = 0;
always @(posedge clock) begin
    f_oleft <= reset ? 0 : f_onow;
    f_tokens <= reset ? `FIRST : f_tokens + f_itoken - f_otoken;
    f_age <= reset || f_tokens == 0 || f_otoken ? 0 : f_age + 1;
end
always @(*) begin
    token_is_one: assert(f_tokens <= 1);
    token_is_no_other: assert(!f_otoken || f_tokens == 1);
    token_goes_on: assert(f_age <= 16);
    goes_through: assert(f_now != 0 || (to$valid == f_want && (!to$valid || to$word == f_through)));
    own_in_a_row: assert(f_now != 1 || (to$valid && f_onow == f_len - f_idx));
    own_as_put: assert(!(f_now == 1 && f_idx == f_pos + 1) || to$word == f_word);
    token_follows: assert(f_now != 2 || (f_otoken && (!f_out || f_idx == f_len)));
    nothing_overwritten: assert(!((f_emits || f_emits_token) && from$valid && !f_itoken && !f_out));
    kept_until_its_fate: assert(put$ready == !f_held);
    fate_as_reported: assert({fate$delivered, fate$again, fate$absent} == (!f_own_head ? 3'b000 :
        f_dest == 61 || f_dest == 62 ? 3'b100 : f_dest == 60 ? 3'b010 : 3'b001));
end

// the followed received packet
(* anyseq *) wire f_choose;
(* anyconst *) wire [3:0] f_rpos;
reg f_follow = 0, f_arrived = 0;
reg [3:0] f_ridx = 0, f_widx = 0;
reg [4:0] f_ahead = 0, f_rlen = 0;
reg [15:0] f_rword = 0;
wire f_copies = f_takes || f_hears;
wire f_chosen = f_choose && !f_follow && f_copies;
wire f_first = f_follow && f_arrived && f_ahead == 0;
always @(posedge clock) begin
    if (f_take) f_ridx <= f_ridx + 1;
    if (f_freed) begin
        f_ridx <= 0;
        if (f_follow) f_ahead <= f_ahead - 1;
        if (f_first) f_follow <= 0;
    end
    if (f_chosen) begin
        {f_follow, f_arrived, f_widx} <= {1'b1, 1'b0, 4'd1};
        f_ahead <= f_count - f_freed;
        f_rlen <= from$word[15:12] + 2;
        if (f_rpos == 0) f_rword <= from$word;
    end
    if (f_follow && !f_arrived && f_ibody) begin
        f_widx <= f_widx + 1;
        if (f_widx == f_rpos) f_rword <= from$word;
        if (f_iends) f_arrived <= 1;
    end
    if (reset) {f_follow, f_ridx} <= 0;
end
reg f_stays = 0;
reg [15:0] f_seen = 0;
always @(posedge clock) begin
    f_stays <= got$valid && !got$ready && !reset;
    f_seen <= got$word;
end
always @(*) begin
    never_more_than_fit: assert(f_count <= `ENTRIES);
    there_when_it_must: assert(got$valid == (f_count != 0) && (!f_first || got$valid));
    as_it_came: assert(!(f_first && f_ridx == f_rpos) || got$word == f_rword);
    as_long_as_it_came: assert(!(f_first && f_take) || f_freed == (f_ridx + 1 == f_rlen));
    held_under_back_pressure: assert(!f_stays || (got$valid && got$word == f_seen));
end

// register invariants, which make the rest inductive
wire [15:0] f_lies, f_lies_head, f_lies_now, f_came, f_came_head, f_comes;
wire [3:0] f_look = f_pos == 0 ? 0 : f_len - f_pos;
wire [3:0] f_send = send_at$q;
wire [3:0] f_slot = (read_slot$q + f_ahead) & slots;
wire [7:0] f_at = {f_slot, f_rpos == 4'd0 ? 4'd0 : f_rlen[3:0] - f_rpos};
wire [7:0] f_at_head = {f_slot, 4'd0};
wire [7:0] f_reads = {read_slot$q, read_at$q};
`ifndef OUTSIDE
always @(*) begin
    state_input: assert(left$q == f_ileft && (f_ileft == 0 || (copying$q == f_copying && stripping$q == f_strip)));
    state_strip: assert(f_ileft == 0 || f_strip == f_out);
    state_back: assert(!f_out || (f_back <= f_idx && f_idx <= f_len && f_idx != 0 && f_back < f_len && f_held));
    state_back_left: assert(!f_out || f_ileft == (f_back == 0 ? 0 : f_len - f_back));
    state_told: assert(!(f_out && f_back != 0) || refused$q == f_refused);
    state_copying: assert(!(f_ileft != 0 && f_copying) || (f_count != `ENTRIES && !f_strip));
    state_kept: assert(reserved$q == f_keeps && (!f_keeps || reserved_for$q == f_kept) && count$q == f_count);
    state_put: assert(put_at$q == f_pleft && full$q == f_held && (f_pleft == 0) == (f_pidx == 0));
    state_put_length: assert(f_pleft == 0 || (f_pidx + f_pleft == f_len && f_pidx < f_len && bad_dest$q == f_bad && !f_held));
    state_length: assert(!(f_held || f_pleft != 0) || (f_len >= 2 && f_len <= 16));
    state_send: assert(on_ring$q == f_out && send_at$q == (f_out && f_idx < f_len ? f_len - f_idx : 0));
    state_token: assert(token_next$q == f_emits_token && !(f_boot && (f_held || f_out || f_ileft != 0)));
    state_packet: assert(!f_held || (f_lies_now == packet$rdata && (f_pos >= f_len || f_lies == f_word)));
    state_packet_head: assert(!(f_held || f_pleft != 0) || f_lies_head[15:12] + 2 == f_len);
    state_putting: assert(!(f_pleft != 0 && f_pidx > f_pos) || f_lies == f_word);
    state_out: assert(f_onow == (f_out && !f_tok ? f_len - f_idx : f_out ? 0 : f_ileft));
    state_tokens: assert(f_tokens == f_otoken + (f_out && !f_tok) + f_boot);
    state_now: assert((f_now != 1 || (f_out && !f_tok)) && !(f_now == 0 && f_out && !f_tok) && (f_now != 2 || !f_boot));
    state_age: assert(f_age == (f_out && !f_tok ? f_idx - 1 : f_otoken ? f_age : 0));
    state_slots: assert(write_slot$q == ((read_slot$q + f_count) & slots) && (read_slot$q & ~slots) == 0);
    state_reads: assert(f_count == 0 ? read_at$q == 0 && f_ridx == 0 : f_comes == packets$rdata);
    state_follow: assert(!f_follow || (f_rlen >= 2 && f_rlen <= 16 && (f_arrived ? f_ahead < f_count : f_ahead == f_count)));
    state_coming: assert(!(f_follow && !f_arrived) || (f_ileft != 0 && f_copying && f_widx != 0 && f_widx + f_ileft == f_rlen));
    state_lies: assert(!f_follow || f_came_head[15:12] + 2 == f_rlen);
    state_lies_there: assert(!f_follow || f_rpos >= (f_arrived ? f_rlen : f_widx) || f_came == f_rword);
    state_first: assert(!f_first || read_at$q == (f_ridx == 0 ? 0 : f_rlen - f_ridx));
    state_first_in: assert(!f_first || f_ridx < f_rlen);
end
`endif

// covers: not vacuous
reg [1:0] f_sent = 0;
reg f_again = 0;
always @(posedge clock) begin
    if (fate$delivered && f_sent != 3) f_sent <= f_sent + 1;
    if (fate$again) f_again <= 1;
end
always @(*) begin
    cover(f_sent == 2 && f_again && f_out);
    cover(f_first && f_freed && f_rlen == 4 && f_again);
    cover(f_here && !f_takes && f_keeps && !f_free);
    cover(f_out && f_returned && !f_tok);
    cover(f_now == 1 && f_idx == 5 && f_pos == 4);
end
