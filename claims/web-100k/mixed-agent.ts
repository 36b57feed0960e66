/**
 * An agent that speaks as the scripted one and writes a long session of mixed events without running anything:
 * `node mixed-agent.ts {}`. A message `{"events":N,"rate":R}` makes it write about N events, R of them a second.
 */
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";

interface Order {
  readonly events: number;
  /** Events a second; 0 for as fast as they are read. */
  readonly rate: number;
}

const words = "retry budget order refund account limit test suite branch commit queue timeout worker cache".split(" ");
let state = 12_345;

/** Returns a number below a limit that looks random and is the same in every run. */
function below(limit: number): number {
  state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
  return (state >>> 8) % limit;
}

const text = (length: number): string => Array.from({ length }, () => words[below(words.length)]).join(" ");

let written = 0;
async function say(output: object): Promise<void> {
  if (!process.stdout.write(`${JSON.stringify(output)}\n`)) await once(process.stdout, "drain");
}

async function speak(what: "text" | "thinking", words: string, isLive: boolean): Promise<void> {
  if (isLive) {
    for (let at = 0; at < words.length; at += 12) await say({ type: "delta", what, text: words.slice(at, at + 12) });
  }
  await say({ type: "spoken", what, text: words });
  written += 1;
}

function markdown(): string {
  const code = `\`\`\`ts\nconst ${text(1)} = ${below(1000)};\n${text(8)}\n\`\`\``;
  return [`## ${text(4)}`, text(30 + below(60)), `- ${text(6)}\n- **${text(2)}** ${text(9)}`, code, text(15)].join(
    "\n\n",
  );
}

let calls = 0;
async function step(isLive: boolean): Promise<void> {
  const kind = below(10);
  if (kind === 0) return await speak("thinking", text(40), isLive);
  if (kind === 1) return await speak("text", markdown(), isLive);
  if (kind < 4) return await speak("text", text(5 + below(80)), isLive);
  const call = `call-${++calls}`;
  const path = `src/${text(1)}/${text(1)}.ts`;
  const isEdit = kind < 6;
  const input = isEdit ? { path, content: text(20) } : { command: `npm test ${path}` };
  const ok = below(12) !== 0;
  await say({ type: "call", call, name: isEdit ? "write" : "run", input });
  await say({ type: "running", call });
  const output = Array.from({ length: 1 + below(20) }, () => text(8)).join("\n");
  await say({ type: "result", call, ok, output, ...(isEdit && ok && { file: { path, created: false } }) });
  written += isEdit && ok ? 4 : 3;
}

await say({ type: "hello", conversation: "mixed", model: "script" });
for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line) as { readonly type: string; readonly text?: string };
  if (message.type !== "message") continue;
  const { events, rate } = JSON.parse(message.text ?? "") as Order;
  written = 0;
  const start = performance.now();
  while (written < events) {
    await step(rate > 0);
    const due = rate === 0 ? 0 : start + (written / rate) * 1000 - performance.now();
    if (due > 0) await wait(due);
  }
  await say({ type: "done", outcome: "completed" });
}
