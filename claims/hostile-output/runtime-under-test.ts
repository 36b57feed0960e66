/** A runtime with a hostile agent in a process of its own: `node runtime-under-test.ts OPTIONS`. */
import { once } from "node:events";
import type { Adapter } from "@fairlead/contract";
import { Home, Runtime } from "@fairlead/runtime";
import { createStandInAdapter } from "../../measure/create-stand-in-adapter.ts";
import type { HostileAgentOptions } from "./hostile-agent.ts";

export interface RuntimeUnderTestOptions extends HostileAgentOptions {
  readonly home: string;
  readonly workspace: string;
  /** For a control: it skips some invalid lines and lets its memory grow. */
  readonly broken: boolean;
}

const options = JSON.parse(process.argv[2] ?? "") as RuntimeUnderTestOptions;
const adapter = createStandInAdapter(new URL("hostile-agent.ts", import.meta.url), options);

/** Skips every thousandth invalid line. */
function skipSomeLines(original: Adapter): Adapter {
  let count = 0;
  return {
    ...original,
    open(opening) {
      const { dialect, ...conversation } = original.open(opening);
      const observe: typeof dialect.observe = (state, heard) => {
        const transition = dialect.observe(state, heard);
        const isUnrecognized = transition.events?.[0]?.type === "unrecognized";
        return isUnrecognized && (count += 1) % 1000 === 0 ? { state: transition.state } : transition;
      };
      return { ...conversation, dialect: { ...dialect, observe } };
    },
  };
}

const wastedMemory = options.broken ? Buffer.alloc(150 << 20, 1) : null;
const adapters = [options.broken ? skipSomeLines(adapter) : adapter];
// No snapshot is written, so no spool is trimmed: the check looks up every record in it.
const snapshotInterval = { records: Infinity, bytes: Infinity };
const runtime = await Runtime.open({ home: new Home(options.home), adapters, snapshotInterval });
const session = await runtime.start({ agent: "scripted", workspace: options.workspace });
await session.send("Go.");
console.log(session.id);
await once(process.stdin, "data");
console.log(String(Object.keys(Object.prototype).length + ("polluted" in {} ? 1 : 0)));
process.exit(wastedMemory === null ? 0 : 1);
