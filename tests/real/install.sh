#!/usr/bin/env bash
# Installs the agent programs that tests/real.rs drives, and what tests/mcp_sdk.rs speaks with, pinned, from npm into target/agents. Safe to run again:
# what is there stays. Names a version (claude-2.1.332, codex-0.171.0, …) to install only that one.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
agents=${CARGO_TARGET_DIR:-target}/agents

command -v npm >/dev/null || { echo "install.sh: npm is needed (Debian: apt-get install npm)" >&2; exit 1; }

wanted=("$@")
install() { # FOLDER PACKAGE@VERSION PROGRAM
  local folder=$agents/$1 partial=$agents/.$1.partial
  if [ ${#wanted[@]} -gt 0 ] && [[ " ${wanted[*]} " != *" $1 "* ]]; then return; fi
  if [ -x "$folder/node_modules/.bin/$3" ]; then echo "$1: is there"; return; fi
  echo "$1: installing $2"
  # A broken-off download must not look like an agent, so it gets its name only at the end.
  rm -rf "$partial" "$folder"
  mkdir -p "$partial"
  echo '{"private":true}' > "$partial/package.json"
  (cd "$partial" && npm install --no-audit --no-fund --no-update-notifier --loglevel=error "$2" </dev/null >/dev/null)
  test -x "$partial/node_modules/.bin/$3"
  mv "$partial" "$folder"
}

install claude-2.1.332 @anthropic-ai/claude-code@2.1.332 claude
install claude-2.1.150 @anthropic-ai/claude-code@2.1.150 claude
install claude-2.0.70 @anthropic-ai/claude-code@2.0.70 claude
install codex-0.171.0 @openai/codex@0.171.0 codex
install gemini-0.61.0 @google/gemini-cli@0.61.0 gemini
# Claude Code behind the Agent Client Protocol. The newest version that runs on Node 20.
install claude-agent-acp-0.49.0 @agentclientprotocol/claude-agent-acp@0.49.0 claude-agent-acp
# Not an agent: the official client of the Model Context Protocol, for tests/mcp_sdk.rs. Its one program is that of a dependency.
install mcp-sdk-1.32.2 @modelcontextprotocol/sdk@1.32.2 node-which
