/**
 * An agent that speaks as the scripted one. For each message it starts sessions of agents like itself, which do the same, and
 * then works without end. `node delegating-agent.ts OPTIONS`
 */
import { once } from "node:events";
import { createInterface } from "node:readline";

const { starts } = JSON.parse(process.argv[2] ?? "") as { readonly starts: number };
const say = (output: object): void => void process.stdout.write(`${JSON.stringify(output)}\n`);
const lines = createInterface({ input: process.stdin });
const input = { agent: "scripted", prompt: "Delegate.", mayDelegate: true };

say({ type: "hello", conversation: "delegating", model: "script" });
await once(lines, "line");
for (let nth = 0; nth < starts; nth += 1) {
  const call = `call-${nth}`;
  say({ type: "call", call, name: "start_session", input });
  say({ type: "use", call, tool: "start_session", input });
  const [line] = (await once(lines, "line")) as [string];
  const { outcome, text } = JSON.parse(line) as { readonly outcome: string; readonly text: string };
  say({ type: "result", call, ok: outcome === "done", output: text });
}
// It has said all, and its turn does not end.
await once(lines, "close");
