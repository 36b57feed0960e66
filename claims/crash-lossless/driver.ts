/** A runtime that drives one session until its turn is over, so that it can be killed: `node driver.ts OPTIONS`. */
import { adapters } from "@fairlead/adapters";
import { openTurn } from "@fairlead/contract";
import { Home, Runtime, type Session, type StartOptions } from "@fairlead/runtime";
import { attachWithDefect, type AttachDefect } from "./attach-with-defect.ts";

export interface DriverOptions {
  readonly home: string;
  /** A session to start, with its message, or a session to attach to. */
  readonly start?: StartOptions;
  readonly message?: string;
  readonly session?: string;
  /** For a control: the defect of the driver when it attaches. */
  readonly attachDefect?: AttachDefect;
}

async function openSession({ home, start, message = "", session = "", attachDefect }: DriverOptions): Promise<Session> {
  if (attachDefect !== undefined && start === undefined)
    return await attachWithDefect(new Home(home), session, attachDefect);
  const runtime = await Runtime.open({ home: new Home(home), adapters });
  if (start === undefined) return await runtime.attach(session);
  const started = await runtime.start(start);
  await started.send(message);
  return started;
}

const options = JSON.parse(process.argv[2] ?? "") as DriverOptions;
const session = await openSession(options);
console.log(session.id);
// A starting agent has not accepted the message yet; its turn follows.
if (options.start !== undefined || openTurn(session.state.ledger) !== null) {
  for await (const one of session.stream(options.start === undefined ? session.lastSequence : 0))
    if ("body" in one && one.body.type === "turn.ended") break;
}
console.log("over");
process.exit(0);
