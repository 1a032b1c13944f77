# A trace encoder as the Trace Control Interface describes it, in place of the memory of a target of OpenOCD
set control 0x00700000
set busy 0
# 1: it is a trace funnel of two inputs
set funnel 0
set disabled 0
proc read_memory {address width count} {
    global control busy funnel disabled
    if {$funnel} {
        switch [format %x [expr {$address - 0x5000}]] {
            0 { return [format 0x%08x [expr {$control & 3 | 8}]] }
            4 { return 0x00000801 }
            8 { return $disabled }
        }
    }
    switch [format %x [expr {$address - 0x5000}]] {
        0 {
            if {$busy > 0 && !($control & 2)} { incr busy -1 }
            return [format 0x%08x [expr {0x07000070 | $control | ($busy ? 1 : 8)}]]
        }
        4 { return 0x00010101 }
        default { return 0x0 }
    }
}
proc write_memory {address width values} {
    global control busy funnel disabled
    if {$funnel} {
        if {$address == 0x5000} { set control $values } else { set disabled [expr {$values & 3}] }
        return
    }
    puts [format "%03x %08x" [expr {$address - 0x5000}] $values]
    if {$address != 0x5000} { return }
    if {!($control & 1) || !($values & 1)} {
        set control [expr {0x00700000 | $values & 1}]
    } else {
        set max [expr {max($values >> 20 & 15, 7)}]
        set control [expr {$values & 0x00030007 | $max << 20}]
        if {($values & 7) == 7} { set busy 4 }
    }
}
source [lindex $argv 0]
puts [trace_open 0x5000]
trace_start 0x5000 12
puts "lost [trace_stop 0x5000]"
trace_start 0x5000
puts "lost [trace_stop 0x5000]"
set funnel 1
puts [format "funnel of inputs 0x%x" [funnel_open 0x5000]]
funnel_start 0x5000 2
puts [format "funnel %d 0x%x %d" [expr {$control >> 1}] $disabled [funnel_stop 0x5000; expr {[trace_get 0x5000 0] & 8}]]
puts "funnel [catch {funnel_start 0x5000 4} text; set text]"
set funnel 0
puts [catch {trace_start 0x5000 5} text]:$text
