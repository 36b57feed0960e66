/** Reads a session from the journal until its turn is over: `node subscriber.ts OPTIONS`. */
import { adapters } from "@fairlead/adapters";
import { Home, Runtime } from "@fairlead/runtime";

export interface SubscriberOptions {
  readonly home: string;
  readonly session: string;
}

export interface Received {
  /** Texts that arrived in order, each once. */
  readonly inOrder: number;
  /** All texts. */
  readonly texts: number;
  /** The arrival of the last text, by the monotonic clock. */
  readonly at: string;
}

const { home, session } = JSON.parse(process.argv[2] ?? "") as SubscriberOptions;
await using runtime = await Runtime.open({ home: new Home(home), adapters });
console.log("ready");
const abortController = new AbortController();
let inOrder = 0;
let texts = 0;
let at = 0n;
for await (const { body } of runtime.events(session, 0, abortController.signal)) {
  if (body.type === "text.ended") {
    texts += 1;
    if (body.text === `line ${inOrder + 1}`) inOrder += 1;
  } else if (body.type === "turn.ended") {
    at = process.hrtime.bigint();
    break;
  }
}
console.log(JSON.stringify({ inOrder, texts, at: String(at) } satisfies Received));
