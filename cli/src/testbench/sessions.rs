//! What of a bench plays further sessions ([`crate::vectors::sessions`])

/// After the files that are compared.
pub const FILES: &str = ",\n// then sessions.txt with sessions.hex";

/// Loads the words.
pub const LOAD: &str = r#"        $readmemh("sessions.hex", words, WORDS, WORDS + MORE - 1);
"#;

/// Plays the sessions after the first one.
pub const PLAY: &str = r#"        if (failed == 0) sessions;
"#;

/// The tasks for it. A register is read after the edge of the cycle in which it is named.
pub const TASKS: &str = r#"
    task next_act;
        fields = $fscanf(beats, "%d %d %d %h %h %h", cycle, trapped, core, pc, next_pc, insn);
    endtask

    reg asked = 1'b0;
    reg [31:0] answer, mask;

    task step;
        begin
            tick;
            now = now + 1;
            if (asked && (bus_rdata & mask) !== answer && failed == 0) begin
                $display("FAIL: register %0d is %h, %h is right", bus_addr, bus_rdata & mask, answer);
                failed = 1;
            end
            asked = 1'b0;
            quiet;
            reset = 1'b0;
            bus_write = 1'b0;
            bus_addr = 3'd@STATUS;
        end
    endtask

    task act;
        begin
            case (trapped)
                3: begin
                    bus_addr = core;
                    bus_wdata = pc;
                    bus_write = 1'b1;
                end
                4: chance = core;
                5: reset = 1'b1;
                6: begin
                    came = WORDS + core;
                    due = WORDS + pc;
                end
                7, 8: begin
                    // the answer to the address of status comes with the next clock
                    tick;
                    tick;
                    waited = 0;
                    while ((trapped == 7 ? active : idle) !== 1'b1 && waited < PATIENCE && failed == 0) begin
                        tick;
                        waited = waited + 1;
                    end
                    now = trapped == 7 ? START : 0;
                    if (waited == PATIENCE) begin
                        $display("FAIL: status is %h for %0d clocks", bus_rdata, waited);
                        failed = 1;
                    end
                    if (trapped == 8 && came != due && failed == 0) begin
                        $display("FAIL: %0d words came, %0d are right", came - origin, due - origin);
                        failed = 1;
                    end
                end
                9: begin
                    bus_addr = core;
                    answer = pc;
                    mask = next_pc;
                    asked = 1'b1;
                end
                default: retire;
            endcase
        end
    endtask

    task sessions;
        begin
            origin = WORDS;
            came = WORDS;
            due = WORDS;
            $fclose(beats);
            beats = $fopen("sessions.txt", "r");
            skipped = 0;
            if (beats != 0) skipped = $fgets(comment, beats);
            if (skipped != 0) skipped = $fgets(comment, beats);
            if (skipped == 0) begin
                $display("FAIL: there is no sessions.txt");
                failed = 1;
            end else next_act;
            now = 0;
            quiet;
            while (failed == 0 && fields == 6) begin
                while (failed == 0 && now < cycle) step;
                if (failed == 0) act;
                next_act;
            end
        end
    endtask

"#;
