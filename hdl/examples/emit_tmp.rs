use hdl::emit::{emit, Ingress, SystemOptions};
use sim::params::{Platform, TraceParams};
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let mut p = TraceParams::new(Platform::RV32, a[1].parse().unwrap());
    p.cores = a[2].parse().unwrap();
    p.timestamps = a.get(4).is_some();
    print!("{}", emit(&p, &SystemOptions { ingress: Ingress::Rvfi, log2_fifo: a[3].parse().unwrap() }).unwrap());
}
