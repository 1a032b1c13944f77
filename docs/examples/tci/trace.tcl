# A trace encoder of the RISC-V Trace Control Interface 1.0, for OpenOCD: it needs a target that can access the system bus.
#
#   trace_open BASE                reset; format, mode and features
#   trace_start BASE ?HALFWORDS?   trace; with at most 2^HALFWORDS halfwords of instructions between two synchronisations
#   trace_stop BASE                end, and wait until the trace has left; 1 if some of it was lost or a core was stalled
#   funnel_open BASE               reset of a trace funnel; the inputs that it has, one bit for each
#   funnel_start BASE ?DISABLED?   join messages, but not those of inputs with a 1: before the encoders
#   funnel_stop BASE               end, and wait until all messages have left: after the encoders
#
# Accesses are `read_memory` and `write_memory` of OpenOCD, as in: riscv set_mem_access sysbus.

proc trace_get {base offset} { return [expr {[lindex [read_memory [expr {$base + $offset}] 32 1] 0]}] }
proc trace_put {base offset value} { write_memory [expr {$base + $offset}] 32 [list $value] }

proc trace_poll {base mask value} {
    for {set i 0} {$i < 1000} {incr i} {
        if {([trace_get $base 0] & $mask) == $value} { return }
    }
    error [format "control register at 0x%x: never 0x%x in the bits 0x%x" $base $value $mask]
}

proc trace_open {base} {
    trace_put $base 0 0
    trace_poll $base 1 0
    trace_put $base 0 1
    trace_poll $base 1 1
    set impl [trace_get $base 4]
    if {($impl & 0xf0f) != 0x101} { error [format "0x%x: trTeImpl is 0x%08x, not a trace encoder of version 1" $base $impl] }
    trace_put $base 8 0
    trace_put $base 0xc 0
    trace_put $base 0 0x61
    set control [trace_get $base 0]
    trace_put $base 0 [expr {$control & 0x70 | 1}]
    set format [lindex {E-Trace N-Trace ? ? ? ? ? vendor} [expr {$control >> 24 & 7}]]
    return [format "%s %d.%d, mode %d, features 0x%08x" $format [expr {$impl >> 16 & 15}] [expr {$impl >> 20 & 15}] \
        [expr {$control >> 4 & 7}] [trace_get $base 8]]
}

proc trace_start {base {halfwords 0}} {
    set value [expr {[trace_get $base 0] & 0x70 | 1}]
    if {$halfwords > 0} { set value [expr {$value | 3 << 16 | ($halfwords - 4) << 20}] }
    trace_put $base 0 [expr {$value | 1 << 12}]
    # without an interval, trTeInstSyncMax has any value
    set mask [expr {$halfwords > 0 ? 0xf30077 : 0x30077}]
    foreach bits {2 6} {
        trace_put $base 0 [expr {$value | $bits}]
        set found [trace_get $base 0]
        if {($found & $mask) != ($value | $bits)} {
            error [format "trTeControl at 0x%x: 0x%08x reads as 0x%08x" $base [expr {$value | $bits}] $found]
        }
    }
}

proc trace_stop {base} {
    trace_put $base 0 [expr {[trace_get $base 0] & ~0x1006}]
    trace_poll $base 10 8
    return [expr {[trace_get $base 0] >> 12 & 1}]
}

proc funnel_open {base} {
    trace_put $base 0 0
    trace_poll $base 1 0
    trace_put $base 0 1
    trace_poll $base 1 1
    set impl [trace_get $base 4]
    if {($impl & 0xf0f) != 0x801} { error [format "0x%x: trFunnelImpl is 0x%08x, not a trace funnel of version 1" $base $impl] }
    trace_put $base 8 0xffff
    set inputs [trace_get $base 8]
    trace_put $base 8 0
    return $inputs
}

proc funnel_start {base {disabled 0}} {
    trace_put $base 8 $disabled
    set found [trace_get $base 8]
    if {$found != $disabled} { error [format "0x%x: 0x%04x reads as 0x%04x" [expr {$base + 8}] $disabled $found] }
    trace_put $base 0 3
    trace_poll $base 3 3
}

proc funnel_stop {base} {
    trace_put $base 0 1
    trace_poll $base 10 8
}
