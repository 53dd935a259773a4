//! How does a message get there? Bounded channels with replies.

use lycosa_model::message::Message;
use std::sync::Arc;
use tokio::sync::{Mutex, mpsc, oneshot};

/// Why no reply came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AskError {
    /// The agent has left for good.
    #[error("the agent has left")]
    Gone,
    /// The agent failed while it handled this message; it has been restarted.
    #[error("the agent failed on this message")]
    Failed,
}

/// A message with the way back.
pub struct Envelope<M: Message> {
    /// The message.
    pub message: M,
    reply: Option<oneshot::Sender<M::Reply>>,
}

impl<M: Message> Envelope<M> {
    /// Takes message and way back apart.
    pub fn open(self) -> (M, ReplyTo<M>) {
        (self.message, ReplyTo(self.reply))
    }
}

/// The way back to the sender. Dropping it tells the sender that the message failed.
pub struct ReplyTo<M: Message>(Option<oneshot::Sender<M::Reply>>);

impl<M: Message> ReplyTo<M> {
    /// Answers. A sender that no longer waits is no error.
    pub fn send(self, reply: M::Reply) {
        if let Some(sender) = self.0 {
            drop(sender.send(reply));
        }
    }
}

/// The sending end of an agent's mailbox.
pub struct Mailbox<M: Message> {
    sender: mpsc::Sender<Envelope<M>>,
}

impl<M: Message> Clone for Mailbox<M> {
    fn clone(&self) -> Self {
        Mailbox { sender: self.sender.clone() }
    }
}

impl<M: Message> Mailbox<M> {
    /// Sends and waits for the reply; waits for room first when the mailbox is full.
    pub async fn ask(&self, message: M) -> Result<M::Reply, AskError> {
        let (reply, answer) = oneshot::channel();
        let envelope = Envelope { message, reply: Some(reply) };
        self.sender.send(envelope).await.map_err(|_| AskError::Gone)?;
        answer.await.map_err(|_| AskError::Failed)
    }

    /// Sends without waiting for a reply; waits for room when the mailbox is full.
    pub async fn tell(&self, message: M) -> Result<(), AskError> {
        let envelope = Envelope { message, reply: None };
        self.sender.send(envelope).await.map_err(|_| AskError::Gone)
    }

    /// Tells waiting and possible messages without keeping the mailbox open.
    pub(crate) fn probe(&self) -> impl Fn() -> (usize, usize) + Send + Sync + 'static {
        let weak = self.sender.downgrade();
        let capacity = self.capacity();
        move || match weak.upgrade() {
            Some(sender) => (sender.max_capacity() - sender.capacity(), capacity),
            None => (0, capacity),
        }
    }

    /// Messages waiting.
    pub fn len(&self) -> usize {
        self.sender.max_capacity() - self.sender.capacity()
    }

    /// Whether none waits.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Messages that may wait.
    pub fn capacity(&self) -> usize {
        self.sender.max_capacity()
    }
}

/// The receiving end. It outlives the agent that reads it: a restarted agent goes on with the same
/// inbox, and the agents of a pool share one.
pub struct Inbox<M: Message> {
    receiver: Arc<Mutex<mpsc::Receiver<Envelope<M>>>>,
}

impl<M: Message> Clone for Inbox<M> {
    fn clone(&self) -> Self {
        Inbox { receiver: Arc::clone(&self.receiver) }
    }
}

impl<M: Message> Inbox<M> {
    /// The next message; `None` when every sender is gone and nothing waits. Cancel-safe.
    pub async fn next(&self) -> Option<Envelope<M>> {
        self.receiver.lock().await.recv().await
    }

    /// The next message if one waits now.
    pub fn try_next(&self) -> Option<Envelope<M>> {
        self.receiver.try_lock().ok()?.try_recv().ok()
    }
}

/// Makes a mailbox for at most `capacity` waiting messages. There is no default: whoever makes a
/// mailbox says how long the queue may get.
pub fn mailbox<M: Message>(capacity: usize) -> (Mailbox<M>, Inbox<M>) {
    let (sender, receiver) = mpsc::channel(capacity.max(1));
    (Mailbox { sender }, Inbox { receiver: Arc::new(Mutex::new(receiver)) })
}
