//! Every baseline is lossless on every program, for one hart and for four

use programs::PROGRAMS;
use rayon::prelude::*;
use retire::image::Image;
use retire::stream;
use retire::{FlowEvent, RetireSink};
use sim::baseline::{decode, verify, Harts, Params};
use testbenches::check::{limit, run};

#[test]
fn every_baseline_is_lossless_on_every_program() {
    let runs: Vec<_> = PROGRAMS.iter().flat_map(|p| [(p, 1), (p, 4)]).collect();
    runs.par_iter().for_each(|&(info, harts)| {
        let program = info.load().unwrap();
        let (events, _) = run(&program, harts, limit(300_000));
        let image = Image::new(&program);
        let want = stream::streams(&events, harts);
        for params in Params::ALL {
            let mut coders = Harts::new(&params, harts, 32, 1).unwrap();
            events.iter().for_each(|e| coders.event(e));
            let encoded = coders.finish().unwrap();
            let mut told: Vec<FlowEvent> = Vec::new();
            verify(&encoded, &params, 32, 1, &image, &mut told).unwrap();
            let in_order = (0..harts).flat_map(|h| events.iter().filter(move |e| e.hart == h));
            assert!(told.len() == events.len() && told.iter().zip(in_order).all(|(a, b)| a.same_flow(b)));
            for (hart, encoded) in encoded.iter().enumerate() {
                let place = format!("{}, hart {hart} of {harts}, {params}", info.name);
                let found = decode(encoded, &params, 32, 1, &image).unwrap_or_else(|e| panic!("{place}: {e}"));
                assert!(found == want[hart], "{place}: other streams");
                assert_eq!(encoded.bits.div_ceil(8), encoded.bytes.len() as u64, "{place}");
            }
        }
    });
}
