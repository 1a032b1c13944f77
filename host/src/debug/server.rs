//! The connection to GDB: by TCP, or by the two pipes of `target remote | command`

use super::packets::{Incoming, Outgoing};
use super::scene::Scene;
use super::target::{stopped, Debugger};
use super::tasks::Tasks;
use crate::text::count;
use crate::HostError;
use gdbstub::conn::{Connection, ConnectionExt};
use gdbstub::stub::run_blocking::{BlockingEventLoop, Event, WaitForStopReasonError};
use gdbstub::stub::{DisconnectReason, GdbStub, MultiThreadStopReason};
use std::io::{self, Read, Write};
use std::marker::PhantomData;
use std::net::{Shutdown, TcpListener};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{channel, Receiver, RecvTimeoutError, TryRecvError};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Input and output of the connection; input is read in a thread.
struct Pipes {
    from: Receiver<u8>,
    ahead: Option<u8>,
    to: Box<dyn Write + Send>,
    incoming: Incoming,
    outgoing: Outgoing,
}

impl Pipes {
    fn new(mut from: impl Read + Send + 'static, to: impl Write + Send + 'static) -> Self {
        let (send, receive) = channel();
        // ends with the process, or when GDB disconnects
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(n @ 1..) = from.read(&mut bytes) {
                if bytes[..n].iter().any(|b| send.send(*b).is_err()) {
                    break;
                }
            }
        });
        let (incoming, outgoing) = (Incoming::default(), Outgoing::default());
        Self { from: receive, ahead: None, to: Box::new(to), incoming, outgoing }
    }
}

impl Pipes {
    /// Prints on the console of GDB, while it waits for a stop.
    fn print(&mut self, text: &str) -> io::Result<()> {
        let hex: String = text.bytes().map(|byte| format!("{byte:02x}")).collect();
        self.to.write_all(packet(&format!("O{hex}")).as_bytes())?;
        self.to.flush()
    }
}

impl Connection for Pipes {
    type Error = io::Error;

    fn write(&mut self, byte: u8) -> io::Result<()> {
        self.to.write_all(&self.outgoing.byte(byte))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

impl ConnectionExt for Pipes {
    fn read(&mut self) -> io::Result<u8> {
        let byte = match self.ahead.take() {
            Some(byte) => byte,
            None => self.from.recv().map_err(|_| io::Error::from(io::ErrorKind::UnexpectedEof))?,
        };
        self.incoming.byte(byte);
        Ok(byte)
    }

    fn peek(&mut self) -> io::Result<Option<u8>> {
        if self.ahead.is_none() {
            match self.from.try_recv() {
                Ok(byte) => self.ahead = Some(byte),
                Err(TryRecvError::Empty) => {}
                Err(TryRecvError::Disconnected) => return Err(io::ErrorKind::UnexpectedEof.into()),
            }
        }
        Ok(self.ahead)
    }
}

struct Loop<S>(PhantomData<S>);

impl<S: Scene> BlockingEventLoop for Loop<S> {
    type Target = Debugger<S>;
    type Connection = Pipes;
    type StopReason = MultiThreadStopReason<u64>;

    fn wait_for_stop_reason(
        target: &mut Debugger<S>,
        pipes: &mut Pipes,
    ) -> Result<Event<Self::StopReason>, WaitForStopReasonError<String, io::Error>> {
        target.set_conditions(&pipes.incoming.conditions);
        let (every, mut printed) = (target.progress(), Instant::now());
        let reason = target.go(|moment| {
            if every.is_some_and(|every| printed.elapsed() >= every) {
                printed = Instant::now();
                // where this fails, the connection has ended, and the next look finds that
                let _ = pipes.print(&format!("moment {}\n", count(moment)));
            }
            // acknowledgements of what was printed ask for nothing
            while matches!(pipes.peek(), Ok(Some(b'+'))) {
                pipes.ahead = None;
            }
            !matches!(pipes.peek(), Ok(None))
        });
        match reason {
            Some(reason) => Ok(Event::TargetStopped(reason)),
            None => pipes.read().map(Event::IncomingData).map_err(WaitForStopReasonError::Connection),
        }
    }

    fn on_interrupt(_: &mut Debugger<S>) -> Result<Option<Self::StopReason>, String> {
        Ok(Some(stopped()))
    }
}

fn serve<S: Scene>(target: &mut Debugger<S>, pipes: Pipes) -> Result<(), HostError> {
    match GdbStub::new(pipes).run_blocking::<Loop<S>>(target) {
        Ok(DisconnectReason::Disconnect | DisconnectReason::Kill) => Ok(()),
        Ok(DisconnectReason::TargetExited(_) | DisconnectReason::TargetTerminated(_)) => Ok(()),
        // GDB disconnected without notice
        Err(e) if e.is_connection_error() => Ok(()),
        Err(e) => Err(HostError::Other(format!("gdb: {e}"))),
    }
}

/// Serves GDB on standard input and output until it disconnects. `tasks`: where those of an operating system are; `report` is called with
/// error messages.
///
/// # Errors
/// GDB sent an invalid packet.
pub fn stdio<S: Scene>(scene: S, tasks: Option<Tasks>, report: Box<dyn Fn(&str)>) -> Result<(), HostError> {
    pipes(scene, tasks, io::stdin(), io::stdout(), report)
}

/// How often GDB is kept waiting: less than its shortest time-out, two seconds.
const ALIVE: Duration = Duration::from_millis(500);

/// Keeps GDB waiting on `to` while `open` opens a trace, which may take longer than GDB waits for a reply: every character before the
/// start of a reply begins GDB's time-out again, and it ignores acknowledgements that it does not expect.
pub fn keep_waiting<T>(mut to: impl Write + Send, open: impl FnOnce() -> T) -> T {
    let (opened, wait) = channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            while let Err(RecvTimeoutError::Timeout) = wait.recv_timeout(ALIVE) {
                if to.write_all(b"+").and_then(|()| to.flush()).is_err() {
                    break;
                }
            }
        });
        let result = open();
        drop(opened);
        result
    })
}

/// Serves what is sent by one pipe and answers by the other, until the first one ends.
///
/// # Errors
/// What was sent cannot be understood.
pub fn pipes<S: Scene>(
    scene: S,
    tasks: Option<Tasks>,
    from: impl Read + Send + 'static,
    to: impl Write + Send + 'static,
    report: Box<dyn Fn(&str)>,
) -> Result<(), HostError> {
    serve(&mut Debugger::new(scene, tasks, report), Pipes::new(from, to))
}

/// The reply to a second GDB while one is served: an error with a text.
const BUSY: &str = "E.another GDB is connected to this port";

/// A packet of the remote protocol.
fn packet(text: &str) -> String {
    format!("${text}#{:02x}", text.bytes().fold(0u8, u8::wrapping_add))
}

/// Serves GDB at `port` of this machine, one connection after the other, or only the first with `once`; `listening` is called with the
/// port, which is any free one for 0. A disconnect or an invalid packet ends its connection only. The next one continues at the
/// same moment.
///
/// # Errors
/// The port is taken.
pub fn tcp<S: Scene>(
    scene: S,
    tasks: Option<Tasks>,
    port: u16,
    once: bool,
    listening: impl FnOnce(u16),
    report: Box<dyn Fn(&str)>,
) -> Result<(), HostError> {
    let failure = |e: io::Error| HostError::Other(format!("port {port}: {e}"));
    let listener = TcpListener::bind(("127.0.0.1", port)).map_err(failure)?;
    listening(listener.local_addr().map_err(failure)?.port());
    let mut target = Debugger::new(scene, tasks, report);
    let busy = Arc::new(AtomicBool::new(false));
    let (send, receive) = channel();
    let taken = Arc::clone(&busy);
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            if !taken.swap(true, Ordering::SeqCst) {
                if send.send(stream).is_err() {
                    break;
                }
            } else if Write::write_all(&mut stream, format!("+{}", packet(BUSY)).as_bytes()).is_ok() {
                // what it asked is read, or the system would throw away what was written
                let _ = stream.set_read_timeout(Some(Duration::from_millis(200)));
                let _ = Read::read(&mut stream, &mut [0; 4096]);
            }
        }
    });
    while let Ok(stream) = receive.recv() {
        stream.set_nodelay(true).map_err(failure)?;
        let back = io::BufWriter::new(stream.try_clone().map_err(failure)?);
        let closes = stream.try_clone().map_err(failure)?;
        let served = serve(&mut target, Pipes::new(stream, back));
        // the thread that reads has the connection too
        let _ = closes.shutdown(Shutdown::Both);
        if once {
            return served;
        }
        if let Err(e) = served {
            target.report(&e.to_string());
        }
        target.reset();
        busy.store(false, Ordering::SeqCst);
    }
    Ok(())
}
