/**
 * An agent that speaks as the scripted one. For a message it calls the tool some times, always with the same call id, as an
 * agent may that counts its calls from the start of its process. `node booking-agent.ts OPTIONS`
 */
import { once } from "node:events";
import { createInterface } from "node:readline";

const { calls } = JSON.parse(process.argv[2] ?? "") as { readonly calls: number };
const say = (output: object): void => void process.stdout.write(`${JSON.stringify(output)}\n`);
const lines = createInterface({ input: process.stdin });
const input = { row: 7 };

say({ type: "hello", conversation: "booking", model: "script" });
for (;;) {
  await once(lines, "line");
  for (let nth = 0; nth < calls; nth += 1) {
    say({ type: "call", call: "call-1", name: "book_seat", input });
    say({ type: "use", call: "call-1", tool: "book_seat", input });
    const [line] = (await once(lines, "line")) as [string];
    const { outcome, text } = JSON.parse(line) as { readonly outcome: string; readonly text: string };
    say({ type: "result", call: "call-1", ok: outcome === "done", output: text });
  }
  say({ type: "done", outcome: "completed" });
}
