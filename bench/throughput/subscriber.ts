/** Reads a session from the journal, as any onlooker does, until its turn is over: `node subscriber.ts OPTIONS`. */
import { adapters } from "@fairlead/adapters";
import { Home, Runtime } from "@fairlead/runtime";

export interface SubscriberOptions {
  readonly home: string;
  readonly session: string;
}

export interface Received {
  /** Texts that came in the order of their numbers, each once. */
  readonly inOrder: number;
  /** Texts in all. */
  readonly texts: number;
  /** When the last of them was here, by the machine's monotonic clock. */
  readonly at: string;
}

const { home, session } = JSON.parse(process.argv[2] ?? "") as SubscriberOptions;
await using runtime = await Runtime.open({ home: new Home(home), adapters });
console.log("ready");
const leaving = new AbortController();
let inOrder = 0;
let texts = 0;
let at = 0n;
for await (const { body } of runtime.events(session, 0, leaving.signal)) {
  if (body.type === "text.ended") {
    texts += 1;
    if (body.text === `line ${inOrder + 1}`) inOrder += 1;
  } else if (body.type === "turn.ended") {
    at = process.hrtime.bigint();
    break;
  }
}
console.log(JSON.stringify({ inOrder, texts, at: String(at) } satisfies Received));
