//! How does a running crawl answer at its socket?

use super::socket::{SOCKET_NAME, SocketPath};
use crate::agent::{self, refused};
use lycosa_model::message::{InterfaceMessage, InterfaceReply, Unanswered};
use lycosa_runtime::Mailbox;
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::net::UnixListener as StdListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{Semaphore, oneshot};
use tokio::time::timeout;

/// Longest request in bytes, its newline included.
pub const MAX_REQUEST: usize = 64 * 1024;
/// Clients served at one time; more wait at the socket.
pub const MAX_CONNECTIONS: usize = 16;
/// A client that sends or takes nothing for this long is left.
const CLIENT_PATIENCE: Duration = Duration::from_secs(10);
/// The broker has this long to answer at this door: the `crawl_patience` of its interface agents.
pub const BROKER_PATIENCE: Duration = Duration::from_secs(10);
/// Pause after a failed accept, so that a process without file handles does not spin.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// An open control door. Dropping it closes the door, ends the agents that answer at it and removes the
/// socket. Those agents hold a clone of the broker's mailbox, so the door must be dropped before waiting
/// for a broker that ends with its last sender.
pub struct ControlDoor {
    socket: PathBuf,
    identity: (u64, u64),
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// Opens the control door of the crawl that works on `dir`, for the user who owns it alone. The caller
/// holds the lock of the data folder: a socket that is still there was left by a crash and is removed.
///
/// `staff` starts the agents that answer, and gives their mailbox. It is called in the runtime of the
/// door, so that they live there and a busy or paused crawl does not keep them from answering.
pub fn listen(
    dir: &Path,
    staff: impl FnOnce() -> Mailbox<InterfaceMessage>,
) -> io::Result<ControlDoor> {
    let socket = dir.join(SOCKET_NAME);
    remove_stale(&socket)?;
    let listener = StdListener::bind(SocketPath::in_folder(dir)?.as_path())?;
    // Nobody is accepted before this; who connected in between is checked by user id.
    fs::set_permissions(&socket, Permissions::from_mode(0o600))?;
    listener.set_nonblocking(true)?;
    let meta = fs::metadata(&socket)?;

    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let interface = {
        let _inside = runtime.enter();
        staff()
    };
    let desk = Desk { interface, owner: meta.uid() };
    let (stop, stopped) = oneshot::channel();
    let thread = std::thread::Builder::new().name("lycosa-control".into()).spawn(move || {
        // Leaving drops the runtime, and with it every conversation still open.
        runtime.block_on(receive(listener, desk, stopped));
    })?;
    Ok(ControlDoor {
        socket,
        identity: (meta.dev(), meta.ino()),
        stop: Some(stop),
        thread: Some(thread),
    })
}

impl Drop for ControlDoor {
    fn drop(&mut self) {
        drop(self.stop.take());
        if self.thread.take().is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the control door's thread panicked");
        }
        // Another crawl may have put its own socket here since; leave that one alone.
        let ours = fs::symlink_metadata(&self.socket)
            .is_ok_and(|meta| (meta.dev(), meta.ino()) == self.identity);
        if ours && let Err(error) = fs::remove_file(&self.socket) {
            tracing::warn!(socket = %self.socket.display(), "cannot remove the socket: {error}");
        }
    }
}

fn remove_stale(socket: &Path) -> io::Result<()> {
    match fs::symlink_metadata(socket) {
        Ok(meta) if meta.file_type().is_socket() => fs::remove_file(socket),
        Ok(_) => Err(io::Error::new(
            io::ErrorKind::AlreadyExists,
            format!("{} is in the way and is not a socket", socket.display()),
        )),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

/// What a conversation needs.
#[derive(Clone)]
struct Desk {
    interface: Mailbox<InterfaceMessage>,
    owner: u32,
}

async fn receive(listener: StdListener, desk: Desk, mut stopped: oneshot::Receiver<()>) {
    let listener = match UnixListener::from_std(listener) {
        Ok(listener) => listener,
        Err(error) => return tracing::error!("the control door cannot listen: {error}"),
    };
    let slots = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        let next = async {
            let slot = Arc::clone(&slots).acquire_owned().await;
            (slot, listener.accept().await)
        };
        let (slot, accepted) = tokio::select! {
            _ = &mut stopped => return,
            next = next => next,
        };
        match accepted {
            Ok((stream, _)) => {
                let desk = desk.clone();
                tokio::spawn(async move {
                    let _slot = slot;
                    if let Err(error) = converse(stream, &desk).await {
                        tracing::debug!("control client left: {error}");
                    }
                });
            }
            Err(error) => {
                tracing::warn!("the control door cannot accept: {error}");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

async fn converse(stream: UnixStream, desk: &Desk) -> io::Result<()> {
    let peer = stream.peer_cred()?.uid();
    if peer != desk.owner && peer != 0 {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "another user"));
    }
    let (read, mut write) = stream.into_split();
    let mut read = BufReader::new(read);
    loop {
        let mut line = Vec::new();
        let mut bounded = (&mut read).take(MAX_REQUEST as u64);
        timeout(CLIENT_PATIENCE, bounded.read_until(b'\n', &mut line)).await??;
        if line.is_empty() {
            return Ok(());
        }
        let whole = line.ends_with(b"\n");
        let reply = if whole {
            reply_to(&line, desk).await
        } else {
            let error = "the request is too long or has no end";
            refused(Unanswered::NotUnderstood, error, "send one line of JSON")
        };
        let mut text = serde_json::to_vec(&reply)?;
        text.push(b'\n');
        timeout(CLIENT_PATIENCE, write.write_all(&text)).await??;
        if !whole {
            return Ok(());
        }
    }
}

async fn reply_to(line: &[u8], desk: &Desk) -> InterfaceReply {
    match serde_json::from_slice(line) {
        Ok(message) => agent::ask(&desk.interface, message, BROKER_PATIENCE).await,
        Err(error) => refused(
            Unanswered::NotUnderstood,
            format!("not a request: {error}"),
            r#"ask one of {"ask":"agents"}, {"ask":"status"}, {"ask":"url","url":"…"}, {"ask":"stop"}"#,
        ),
    }
}
