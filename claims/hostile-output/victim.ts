/** A runtime with a hostile agent, in a process whose memory is its own: `node victim.ts OPTIONS`. */
import { once } from "node:events";
import type { Adapter } from "@fairlead/contract";
import { Home, Runtime } from "@fairlead/runtime";
import { standIn } from "../stand-in.ts";
import type { HostileOptions } from "./hostile-agent.ts";

export interface VictimOptions extends HostileOptions {
  readonly home: string;
  readonly workspace: string;
  /** For a control: it passes over some of what it does not understand, and lets its memory grow. */
  readonly broken: boolean;
}

const options = JSON.parse(process.argv[2] ?? "") as VictimOptions;
const adapter = standIn(new URL("hostile-agent.ts", import.meta.url), options);

/** Passes over every thousandth line that it does not understand. */
function careless(careful: Adapter): Adapter {
  let count = 0;
  return {
    ...careful,
    open(opening) {
      const { dialect, ...conversation } = careful.open(opening);
      const hear: typeof dialect.hear = (state, heard) => {
        const step = dialect.hear(state, heard);
        const isBad = step.events?.[0]?.type === "unrecognized";
        return isBad && (count += 1) % 1000 === 0 ? { state: step.state } : step;
      };
      return { ...conversation, dialect: { ...dialect, hear } };
    },
  };
}

const hoard = options.broken ? Buffer.alloc(150 << 20, 1) : null;
const adapters = [options.broken ? careless(adapter) : adapter];
// No fold is kept, so no spool is trimmed: whoever checks looks up every place in it.
const keepEvery = { records: Infinity, bytes: Infinity };
const runtime = await Runtime.open({ home: new Home(options.home), adapters, keepEvery });
const session = await runtime.start({ agent: "scripted", workspace: options.workspace });
await session.send("Go.");
console.log(session.id);
await once(process.stdin, "data");
console.log(String(Object.keys(Object.prototype).length + ("polluted" in {} ? 1 : 0)));
process.exit(hoard === null ? 0 : 1);
