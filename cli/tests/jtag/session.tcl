# A host session with a trace system over JTAG; the core stays in reset until tracing is on. EARLY, LATE: output files
# for the words that came before tracing was switched off, and after.
adapter driver remote_bitbang
adapter speed 1000
remote_bitbang port 0
remote_bitbang host $::env(SOCKET)
reset_config trst_and_srst separate
source $::env(TARGET)

proc tell {name value} { echo [format "%s %08x" $name $value] }

init
set out [open $::env(EARLY) w]
irscan goshawk.tap 0x10
tell dtmcs 0x[drscan goshawk.tap 32 0]
foreach {name number} {id 0 params 1 control 2 status 3} { tell $name [goshawk_read $number] }
if {![catch {goshawk_read 9} said]} { error "register 9 was read" }
echo $said
adapter assert srst
goshawk_write 2 1
while {!([goshawk_read 3] & 2)} {}
tell enabled [goshawk_read 2]
adapter deassert srst
# resets only the pins of the port: nothing is lost
adapter assert trst
adapter deassert trst
# for longer than the core has instructions
set got 0
for {set i 0} {$i < 640} {incr i} {
    set word [goshawk_take]
    if {$word != ""} {
        puts $out $word
        incr got
    }
}
tell early $got
goshawk_write 2 0
close $out
tell late [goshawk_drain $::env(LATE)]
tell overflow [goshawk_read 4]
shutdown
