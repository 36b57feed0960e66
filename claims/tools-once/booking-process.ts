/**
 * A service whose tool books seats. It prints a line at each moment of a call, so that it can be killed there:
 * `node booking-process.ts OPTIONS`.
 */
import { appendFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { LocalFairlead } from "@fairlead/service";
import { Home } from "@fairlead/runtime";
import { createStandInAdapter } from "../../measure/create-stand-in-adapter.ts";
import { createSeatTool } from "./seat-tool.ts";

export interface BookingOptions {
  readonly home: string;
  readonly workspace: string;
  /** Where each booking is a file. */
  readonly bookings: string;
  /** Whether the tool looks under the key of the call whether it has booked. */
  readonly usesKey: boolean;
  /** A session to attach to. Without it, one is started that makes this many calls. */
  readonly session?: string;
  readonly calls: number;
}

/** A line of the process. It waits for a line after each moment but the last one of a call. */
export interface BookingReport {
  readonly session?: string;
  readonly moment?: "called" | "booked" | "returning";
  readonly ended?: string;
}

const options = JSON.parse(process.argv[2] ?? "") as BookingOptions;
const { bookings, usesKey, workspace, calls } = options;
mkdirSync(bookings, { recursive: true });
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
/** Reports a moment, and waits until the parent lets the process continue. */
async function report(moment: BookingReport["moment"]): Promise<void> {
  console.log(JSON.stringify({ moment }));
  await lines.next();
}

const tool = createSeatTool(async (key, seat) => {
  await report("called");
  appendFileSync(join(bookings, "..", "attempts"), `${key}\n`);
  const file = join(bookings, usesKey ? key.replaceAll("/", "_") : randomUUID());
  if (!existsSync(file)) writeFileSync(file, `${key} ${seat}`);
  await report("booked");
  console.log(JSON.stringify({ moment: "returning" }));
  return `Seat ${seat} is yours.`;
});

const program = new URL("booking-agent.ts", import.meta.url);
const fairlead = await LocalFairlead.open({
  home: new Home(options.home),
  adapters: [createStandInAdapter(program, { calls })],
  defaultPolicy: true,
  tools: [tool],
  observeFiles: false,
});
const start = { agent: "scripted", workspace, tools: ["book_seat"], prompt: "Book." };
const session = options.session ?? (await fairlead.start({ ...start, sandbox: { kind: "none" } })).session;
console.log(JSON.stringify({ session }));
for await (const output of fairlead.events(session, { follow: true })) {
  if (!("body" in output) || output.body.type !== "turn.ended") continue;
  console.log(JSON.stringify({ ended: output.body.outcome }));
  break;
}
await lines.next();
