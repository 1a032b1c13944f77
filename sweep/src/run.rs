//! Execution of the jobs of a plan

use crate::census::{Census, CensusBuilder};
use crate::plan::{Job, Task};
use crate::point::{Point, Startup, Verified};
use crate::store::PointStore;
use crate::windows::{Clock, Notes, Step};
use crate::SweepError;
use host::measure::{FlowDigest, Measured, TraceScheme};
use host::progress::Quiet;
use rayon::prelude::*;
use retire::image::learned::Learner;
use retire::image::Image;
use retire::{FlowEvent, RetireSink};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::sync_channel;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Origin of points: tool and command; stored with every point.
#[derive(Clone, Debug)]
pub struct Provenance {
    /// Version of the tool.
    pub tool: String,
    /// Command line.
    pub command: String,
}

/// Options of a sweep run.
pub struct Options<'a> {
    /// Threads for schemes, and number of traces in progress at a time.
    pub threads: usize,
    /// Stored with every point.
    pub made: &'a Provenance,
    /// Called for each finished point.
    pub progress: &'a (dyn Fn(&Point) + Sync),
}

impl<'a> Options<'a> {
    /// Options with one thread per processor.
    pub fn new(made: &'a Provenance, progress: &'a (dyn Fn(&Point) + Sync)) -> Self {
        let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Self { threads, made, progress }
    }
}

/// Blocks buffered between a producer and the schemes.
const QUEUED_BLOCKS: usize = 8;

struct Running<'a> {
    task: &'a Task,
    scheme: Box<dyn TraceScheme + 'a>,
    notes: Notes,
    /// Bits at the end of the start-up.
    startup: Option<u64>,
    time: Duration,
    measured: Measured,
}

impl Running<'_> {
    fn block(&mut self, events: &[FlowEvent], steps: &[Step]) {
        let start = Instant::now();
        for step in steps {
            match step {
                Step::Push(range) => self.scheme.push(&events[range.clone()]),
                Step::Note => self.notes.0.extend(self.scheme.bits()),
                Step::Startup => self.startup = self.scheme.bits(),
                Step::Halve => self.notes.halve(),
            }
        }
        self.time += start.elapsed();
    }
}

/// Why a job has failed.
enum Failed {
    /// Its trace cannot be measured; others can.
    Trace(SweepError),
    /// Points cannot be stored.
    Store(SweepError),
}

impl From<SweepError> for Failed {
    fn from(e: SweepError) -> Self {
        Self::Trace(e)
    }
}

fn run_job(pool: &rayon::ThreadPool, job: &Job, store: &dyn PointStore, options: &Options) -> Result<(), Failed> {
    let pending = job.tasks.iter().filter(|t| !store.has(t)).collect::<Vec<_>>();
    // from the program; the code of a recording is learned while it is read
    let program = job.trace.input.image();
    let verify = pending.iter().any(|t| t.verify);
    let mut learner = (verify && program.is_none()).then(Learner::new);
    let mut census_builder = pending.iter().any(|t| t.census).then(|| CensusBuilder::new(job.harts));
    let mut running = Vec::new();
    for task in pending {
        let scheme = task.spec.build(&task.platform, task.verify, program.as_ref());
        let scheme = scheme.map_err(|source| SweepError::Params { name: task.spec.name.clone(), source })?;
        let (notes, measured) = (Notes::default(), Measured::default());
        running.push(Running { task, scheme, notes, startup: None, time: Duration::ZERO, measured });
    }
    if running.is_empty() {
        return Ok(());
    }
    let mut clock = Clock::new(job.startup);
    let mut digest = FlowDigest::new(job.harts);
    let (sender, receiver) = sync_channel::<Vec<FlowEvent>>(QUEUED_BLOCKS);
    let run = job.trace.input.run(job.harts, &job.trace.settings)?;
    let has_cycles = run.has_cycles();
    let cycles = std::thread::scope(|scope| {
        let producer = scope.spawn(move || {
            // the receiver is dropped early only when this thread's job has failed elsewhere
            run.blocks(&mut |block| drop(sender.send(block)), &Quiet).map(|told| told.cycles)
        });
        for block in receiver {
            let steps = clock.cut(&block);
            let (block, digest, learner, census_builder) = (&block, &mut digest, &mut learner, &mut census_builder);
            let look = || {
                block.iter().for_each(|e| digest.event(e));
                if let Some(learner) = learner {
                    block.iter().for_each(|e| learner.event(e));
                }
                if let Some(census_builder) = census_builder {
                    block.iter().for_each(|e| census_builder.event(e));
                }
            };
            pool.join(look, || running.par_iter_mut().for_each(|r| r.block(block, &steps)));
        }
        producer.join().unwrap_or_else(|_| Err(SweepError::Other(format!("{}: the source failed", job.trace.name))))
    })?;
    if job.startup > 0 && clock.started.is_none() {
        let (name, n, startup) = (&job.trace.name, clock.instructions, job.startup);
        let why =
            format!("{name}: has {n} instructions, all in the start-up of {startup}; expected a shorter start-up");
        return Err(SweepError::Other(why).into());
    }
    let mut learned = None;
    if let Some(learner) = learner {
        let inconsistent =
            |e| SweepError::Other(format!("{}: {e}; --no-verify measures it unverified", job.trace.name));
        learned = Some(learner.finish().map_err(inconsistent)?);
    }
    let image = if verify { program.as_ref().or(learned.as_ref()) } else { None };
    let census = census_builder.map(CensusBuilder::finish);
    let finish = |mut r: Running| -> Result<(), Failed> {
        let start = Instant::now();
        let failed = |e| SweepError::Other(format!("{}, {}: {e}", job.trace.name, r.task.spec.name));
        r.measured = r.scheme.finish(cycles).map_err(failed)?;
        r.time += start.elapsed();
        let point =
            point(job, r, &clock, &digest, census.as_ref(), if has_cycles { cycles } else { 0 }, image, options)?;
        store.put(&point.0, &point.1).map_err(Failed::Store)?;
        (options.progress)(&point.1);
        Ok(())
    };
    pool.install(|| running.into_par_iter().try_for_each(finish))
}

fn point(
    job: &Job,
    r: Running,
    clock: &Clock,
    digest: &FlowDigest,
    census: Option<&Census>,
    cycles: u64,
    image: Option<&Image>,
    options: &Options,
) -> Result<(String, Point), SweepError> {
    let verified = match (&r.measured.bits, image.filter(|_| r.task.verify)) {
        (None, _) => Verified::NoStream,
        (Some(_), None) => Verified::Unverified,
        (Some(_), Some(image)) => match r.scheme.verify(image) {
            None => Verified::NoStream,
            Some(Ok(found)) if found == *digest => Verified::Equal,
            Some(other) => {
                let what = match other {
                    Ok(found) => format!("its stream gives {} events, {} went in", found.events(), digest.events()),
                    Err(e) => e,
                };
                return Err(SweepError::Other(format!(
                    "{}, {} harts, {}: does not decode to what went in: {what}",
                    job.trace.name, job.harts, r.task.spec.name
                )));
            }
        },
    };
    let m = r.measured;
    let kinds = sim::message::Kind::ALL.iter().map(|k| (*k, m.stats.kinds[*k as usize]));
    let point = Point {
        tool: options.made.tool.clone(),
        command: options.made.command.clone(),
        trace: job.trace.name.clone(),
        identity: job.trace.identity.clone(),
        trace_hash: format!("{:016x}", digest.value()),
        harts: job.harts,
        run: (!job.trace.input.is_recording()).then(|| job.trace.settings.clone()),
        scheme: r.task.spec.name.clone(),
        encoding: r.task.spec.encoding().to_string(),
        set: r.task.spec.set().to_string(),
        family: r.task.spec.family(),
        platform: r.task.platform,
        flow: r.task.spec.flow(),
        instructions: clock.instructions,
        cycles,
        events: digest.events(),
        bits: m.bits,
        kinds: kinds.filter(|k| k.1.messages > 0).map(|(k, c)| (k.name().into(), (c.messages, c.bits))).collect(),
        rates: m.rates,
        lengths: m.lengths,
        streams: m.streams,
        census: census.filter(|_| r.task.census).cloned(),
        startup: clock.started.map(|(instructions, cycle)| Startup { instructions, cycle, bits: r.startup }),
        state_bits: r.task.spec.state_bits(&r.task.platform),
        verified,
        window_cycles: clock.length,
        window_instructions: clock.notes.0.clone(),
        window_bits: r.notes.0,
        seconds: r.time.as_secs_f64(),
    };
    Ok((r.task.file.clone(), point))
}

/// Runs the tasks that are not in the store yet, as many traces at a time as there are threads. Returns the errors of
/// traces that could not be measured.
///
/// # Errors
/// If points cannot be stored: that stops the sweep; finished points are kept.
pub fn run(jobs: &[Job], store: &dyn PointStore, options: &Options) -> Result<Vec<SweepError>, SweepError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(options.threads).build();
    let pool = pool.map_err(|e| SweepError::Other(format!("threads: {e}")))?;
    let (next, failed, error) = (AtomicUsize::new(0), AtomicBool::new(false), Mutex::new(None));
    let bad = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..options.threads.clamp(1, jobs.len().max(1)) {
            // plain threads take the traces: a waiting rayon thread would start another one
            scope.spawn(|| {
                while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if failed.load(Ordering::Relaxed) {
                        break;
                    }
                    match run_job(&pool, job, store, options) {
                        Ok(()) => {}
                        Err(Failed::Trace(e)) => bad.lock().unwrap_or_else(|e| e.into_inner()).push(e),
                        Err(Failed::Store(e)) => {
                            failed.store(true, Ordering::Relaxed);
                            error.lock().unwrap_or_else(|e| e.into_inner()).get_or_insert(e);
                        }
                    }
                }
            });
        }
    });
    match error.into_inner().unwrap_or_else(|e| e.into_inner()) {
        Some(e) => Err(e),
        None => Ok(bad.into_inner().unwrap_or_else(|e| e.into_inner())),
    }
}
