#!/usr/bin/env node
// A hostile agent that speaks the stream-json protocol. Each message is the body of an async function that it runs.
const args = process.argv.slice(2);
if (args.includes("--version")) {
  console.log("2.1.0 (Claude Code)");
  process.exit(0);
}
if (args.includes("--help")) {
  console.log(
    "--input-format --output-format --resume --verbose --include-partial-messages --permission-prompt-tool " +
      "--fork-session --model --max-turns --system-prompt --setting-sources",
  );
  process.exit(0);
}
const { host, runScript } = require("./hostile-agent.cjs");
const resumeFlag = args.indexOf("--resume");
let conversation = resumeFlag >= 0 ? args[resumeFlag + 1] : "11111111-2222-3333-4444-555555555555";
const send = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
const init = (id = conversation) => {
  conversation = id;
  send({ type: "system", subtype: "init", session_id: id, model: "hostile", cwd: process.cwd(), tools: [] });
};
const assistant = (block) => send({ type: "assistant", message: { model: "hostile", content: [block] } });
const result = (tool_use_id, content, is_error = false) =>
  send({ type: "user", message: { content: [{ type: "tool_result", tool_use_id, content, is_error }] } });
const abilities = {
  ...host,
  send,
  init,
  conversation: () => conversation,
  text: (text) => assistant({ type: "text", text }),
  tool: (id, name, input) => assistant({ type: "tool_use", id, name, input }),
  result,
  ask: (request_id, tool_use_id, tool_name, input, description) =>
    send({
      type: "control_request",
      request_id,
      request: { subtype: "can_use_tool", tool_name, tool_use_id, input, description },
    }),
  cancel: (request_id) => send({ type: "control_cancel_request", request_id }),
  done: () => send({ type: "result", subtype: "success", is_error: false, result: "ok" }),
};

host.readLines((message) => {
  if (message.type === "user") {
    const { content } = message.message;
    init();
    const script = typeof content === "string" ? content : content.map(({ text }) => text).join("");
    void runScript(script, abilities);
  } else if (message.type === "control_response") {
    host.answered(message.response);
  } else if (message.type === "control_request") {
    send({ type: "control_response", response: { subtype: "success", request_id: message.request_id } });
    if (message.request.subtype === "interrupt") {
      send({ type: "result", subtype: "error_during_execution", is_error: true });
    }
  }
});
