//! The task of a session: begun only when its name is free, and heard of however it ends.
//!
//! The executor alone starts one; what a session does is not known here.

use tokio::sync::{mpsc::Sender, oneshot};
use tokio::task::JoinHandle;

use crate::session::message::{AgentKey, News};
use crate::session::setting::Starting;

/// Runs a session; however it ends, the hub hears of it behind all its news.
pub(super) fn spawn_telling(
    session: impl Future<Output = ()> + Send + 'static,
    agent: AgentKey,
    news: Sender<(AgentKey, News)>,
) -> JoinHandle<()> {
    let (alive, ended) = oneshot::channel::<()>();
    tokio::spawn(async move {
        // An error is what is expected: its other half is gone, by the end, an abort or a panic.
        let _ = ended.await;
        let _ = news.send((agent, News::SessionEnded)).await;
    });
    tokio::spawn(async move {
        session.await;
        drop(alive);
    })
}

/// Starts only when the former task of that name has ended.
pub(super) fn after(former: Option<JoinHandle<()>>, starting: Starting) -> Starting {
    Box::pin(async move {
        if let Some(former) = former {
            let _ = former.await;
        }
        starting.await
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::sync::mpsc;

    #[tokio::test]
    async fn however_a_session_ends_the_hub_is_told_behind_its_news() {
        let agent = AgentKey(1);
        for how in ["by itself", "by a panic", "by an abort"] {
            let (news, mut heard) = mpsc::channel(4);
            let own = news.clone();
            let session = async move {
                own.send((agent, News::Bell)).await.unwrap();
                match how {
                    "by a panic" => panic!("as a session never should"),
                    "by an abort" => std::future::pending().await,
                    _ => {}
                }
            };
            let task = spawn_telling(session, agent, news);
            assert!(matches!(heard.recv().await, Some((_, News::Bell))), "{how}");
            if how == "by an abort" {
                task.abort();
            }
            assert!(matches!(heard.recv().await, Some((_, News::SessionEnded))), "{how}");
            assert!(heard.recv().await.is_none(), "{how}: told once");
        }
    }
}
