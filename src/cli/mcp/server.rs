//! The protocol: which tools there are, and each call on a thread of its own with a connection of its own.

use std::sync::Arc;

use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, JsonObject,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer, ServiceExt};
use serde_json::Value;

use super::super::link::Global;
use super::tools::{self, Line};

/// What a model reads before it uses any of the tools.
const INSTRUCTIONS: &str = "counsel runs programs on terminals of their own and gets agents' questions answered. \
    Use ask_counsel when a decision is not yours to make: the answer comes from your consultant or a person.";

/// Serves until the client closes its end.
pub async fn serve(global: Global) -> Result<(), String> {
    let running = Tools { global }.serve(rmcp::transport::stdio()).await;
    let running = running.map_err(|error| format!("the client's greeting cannot be read: {error}"))?;
    running.waiting().await.map_err(|error| error.to_string())?;
    Ok(())
}

#[derive(Debug, Clone)]
struct Tools {
    global: Global,
}

impl ServerHandler for Tools {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("counsel", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, rmcp::ErrorData> {
        let tools = tools::ALL.iter().map(|tool| Tool::new(tool.name, tool.what, schema(tool.input)));
        Ok(ListToolsResult::with_all_items(tools.collect()))
    }

    async fn call_tool(
        &self,
        call: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, rmcp::ErrorData> {
        let Some(tool) = tools::ALL.iter().find(|tool| tool.name == call.name) else {
            let names: Vec<&str> = tools::ALL.iter().map(|tool| tool.name).collect();
            let what = format!("there is no tool '{}'; there are {}", call.name, names.join(", "));
            return Err(rmcp::ErrorData::invalid_params(what, None));
        };
        let arguments = Value::Object(call.arguments.unwrap_or_default());
        let (global, line) = (self.global.clone(), Line::default());
        let cut = line.clone();
        let working = tokio::task::spawn_blocking(move || (tool.run)(&global, &line, arguments));
        let done = tokio::select! {
            done = working => done.unwrap_or_else(|error| Err(error.to_string().into())),
            // The client has lost interest: so does the server, once the line is cut.
            () = context.ct.cancelled() => {
                cut.cut();
                return Err(rmcp::ErrorData::internal_error("cancelled", None));
            }
        };
        let result = match done {
            Ok(value) => {
                let text = serde_json::to_string(&value).unwrap_or_default();
                let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
                result.structured_content = Some(value);
                result
            }
            // The model reads it, and can mend what it asked for.
            Err(failure) => {
                let text = failure.doing(tool.doing).message;
                CallToolResult::error(vec![ContentBlock::text(format!("counsel: {text}"))])
            }
        };
        Ok(result.into())
    }
}

/// The schemas stand in the source as JSON text; a test reads them all.
fn schema(text: &str) -> Arc<JsonObject> {
    Arc::new(serde_json::from_str(text).expect("a test reads every schema"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_schema_is_an_object_and_names_what_it_requires() {
        for tool in tools::ALL {
            let schema = schema(tool.input);
            assert_eq!(schema["type"], "object", "{}", tool.name);
            let properties = schema["properties"].as_object().unwrap();
            let required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
            for name in required {
                assert!(properties.contains_key(name.as_str().unwrap()), "{} {name}", tool.name);
            }
        }
    }
}
