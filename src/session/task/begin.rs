//! How a session's task begins: its terminal is there, with what an earlier server and the keeper kept of it, or it
//! could not be started.

use super::Task;
use crate::session::message::{Input, News, Started};
use crate::session::setting::Terminal;

impl Task {
    pub(super) fn started(&mut self, started: Result<(Started, Terminal), String>) {
        self.starting = None;
        let (start, terminal) = match started {
            Ok(started) => started,
            Err(why) => return self.tell(News::StartFailed { why }),
        };
        self.terminal = Some(terminal);
        let adopted = start.adopted;
        let input = Input::Started(Box::new(start));
        if adopted {
            // Rebuilding a screen takes up to a second. Other tasks of this thread do not wait behind it.
            tokio::task::block_in_place(|| self.input(input));
        } else {
            self.input(input);
        }
    }
}
