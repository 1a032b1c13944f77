//! The connection to GDB, by TCP or by the two pipes of `target remote | command`

use super::scene::Scene;
use super::target::{stopped, Debugger};
use crate::HostError;
use gdbstub::conn::{Connection, ConnectionExt};
use gdbstub::stub::run_blocking::{BlockingEventLoop, Event, WaitForStopReasonError};
use gdbstub::stub::{DisconnectReason, GdbStub, MultiThreadStopReason};
use std::io::{self, Read, Write};
use std::marker::PhantomData;
use std::sync::mpsc::{channel, Receiver, TryRecvError};

/// Bytes from GDB as they come, and a way back.
struct Pipes {
    from: Receiver<u8>,
    ahead: Option<u8>,
    to: Box<dyn Write + Send>,
}

impl Pipes {
    fn new(mut from: impl Read + Send + 'static, to: impl Write + Send + 'static) -> Self {
        let (send, receive) = channel();
        // it ends with the process, or when GDB hangs up
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(n @ 1..) = from.read(&mut bytes) {
                if bytes[..n].iter().any(|b| send.send(*b).is_err()) {
                    break;
                }
            }
        });
        Self { from: receive, ahead: None, to: Box::new(to) }
    }
}

impl Connection for Pipes {
    type Error = io::Error;

    fn write(&mut self, byte: u8) -> io::Result<()> {
        self.to.write_all(&[byte])
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.to.write_all(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

impl ConnectionExt for Pipes {
    fn read(&mut self) -> io::Result<u8> {
        match self.ahead.take() {
            Some(byte) => Ok(byte),
            None => self.from.recv().map_err(|_| io::ErrorKind::UnexpectedEof.into()),
        }
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
        let reason = target.go(|| !matches!(pipes.peek(), Ok(None)));
        match reason {
            Some(reason) => Ok(Event::TargetStopped(reason)),
            None => pipes.read().map(Event::IncomingData).map_err(WaitForStopReasonError::Connection),
        }
    }

    fn on_interrupt(_: &mut Debugger<S>) -> Result<Option<Self::StopReason>, String> {
        Ok(Some(stopped()))
    }
}

fn serve<S: Scene>(scene: S, pipes: Pipes, tell: Box<dyn Fn(&str)>) -> Result<(), HostError> {
    let mut target = Debugger::new(scene, tell);
    match GdbStub::new(pipes).run_blocking::<Loop<S>>(&mut target) {
        Ok(DisconnectReason::Disconnect | DisconnectReason::Kill) => Ok(()),
        Ok(DisconnectReason::TargetExited(_) | DisconnectReason::TargetTerminated(_)) => Ok(()),
        // GDB went away without a word
        Err(e) if e.is_connection_error() => Ok(()),
        Err(e) => Err(HostError::Other(format!("gdb: {e}"))),
    }
}

/// Serves GDB on standard input and output, until it goes away; `tell` says what went wrong.
///
/// # Errors
/// GDB said what cannot be understood.
pub fn stdio<S: Scene>(scene: S, tell: Box<dyn Fn(&str)>) -> Result<(), HostError> {
    pipes(scene, io::stdin(), io::stdout(), tell)
}

/// Serves what is sent by one pipe and answers by the other, until the first one ends.
///
/// # Errors
/// What was sent cannot be understood.
pub fn pipes<S: Scene>(
    scene: S,
    from: impl Read + Send + 'static,
    to: impl Write + Send + 'static,
    tell: Box<dyn Fn(&str)>,
) -> Result<(), HostError> {
    serve(scene, Pipes::new(from, to), tell)
}

/// Serves the first GDB that comes to `port` of this machine, until it goes away; `listening` is told the port, which is
/// any free one for 0.
///
/// # Errors
/// The port is taken, or GDB said what cannot be understood.
pub fn tcp<S: Scene>(
    scene: S,
    port: u16,
    listening: impl FnOnce(u16),
    tell: Box<dyn Fn(&str)>,
) -> Result<(), HostError> {
    let failure = |e: io::Error| HostError::Other(format!("port {port}: {e}"));
    let listener = std::net::TcpListener::bind(("127.0.0.1", port)).map_err(failure)?;
    listening(listener.local_addr().map_err(failure)?.port());
    let (stream, _) = listener.accept().map_err(failure)?;
    stream.set_nodelay(true).map_err(failure)?;
    let back = io::BufWriter::new(stream.try_clone().map_err(failure)?);
    serve(scene, Pipes::new(stream, back), tell)
}
