#!/usr/bin/env node
// A hostile agent that speaks the Agent Client Protocol. Each prompt is the body of an async function that it runs.
const args = process.argv.slice(2);
if (args.includes("--version")) {
  console.log("1.0.0");
  process.exit(0);
}
if (args.includes("--help")) {
  console.log("--help --version");
  process.exit(0);
}
const { host, runScript } = require("./hostile-agent.cjs");
const sessionId = "session-1";
const raw = (text) => process.stdout.write(text);
const send = (message) => raw(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const update = (fields) => send({ method: "session/update", params: { sessionId, update: fields } });
const options = [
  { optionId: "a", name: "Allow", kind: "allow_once" },
  { optionId: "r", name: "Reject", kind: "reject_once" },
];
const text = (words) => update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: words } });
const abilities = {
  ...host,
  raw,
  send,
  update,
  text,
  tick: () => {
    text(".");
    update({ sessionUpdate: "plan", entries: [] });
  },
  call: (toolCallId, fields = {}) =>
    update({ sessionUpdate: "tool_call", toolCallId, title: toolCallId, kind: "execute", ...fields }),
  ask: (id, toolCall) => send({ id, method: "session/request_permission", params: { sessionId, toolCall, options } }),
  /** Says one message of that many MiB in chunks of 64 KiB, as fast as it is read. */
  flood: async (mebibytes) => {
    const chunk = "y".repeat(65536);
    for (let sent = 0; sent < mebibytes * 16; sent += 1) {
      text(chunk);
      if (process.stdout.writableNeedDrain) await new Promise((resolve) => process.stdout.once("drain", resolve));
    }
  },
};

host.readLines((message) => {
  const { id, method, params } = message;
  const reply = (result) => send({ id, result });
  if (method === undefined) host.answered(message);
  else if (method === "initialize") reply({ protocolVersion: 1, agentCapabilities: { loadSession: true } });
  else if (method === "session/new") reply({ sessionId });
  else if (method === "session/prompt") {
    const script = params.prompt.map(({ text: part }) => part).join("");
    void runScript(script, { ...abilities, done: () => reply({ stopReason: "end_turn" }) });
  } else if (id !== undefined) reply({});
});
