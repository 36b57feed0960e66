/** A runtime that drives one session until its turn is over, so that it can be killed: `node driver.ts OPTIONS`. */
import { adapters } from "@fairlead/adapters";
import { openTurn } from "@fairlead/contract";
import { Home, Runtime, type Session, type StartOptions } from "@fairlead/runtime";
import { attachForgetfully, type Amnesia } from "./attach-forgetfully.ts";

export interface DriverOptions {
  readonly home: string;
  /** A session to start, with what is to be said in it; or else one to attach to. */
  readonly start?: StartOptions;
  readonly message?: string;
  readonly session?: string;
  /** For a control: what the driver gets wrong when it attaches. */
  readonly amnesia?: Amnesia;
}

async function open({ home, start, message = "", session = "", amnesia }: DriverOptions): Promise<Session> {
  if (amnesia !== undefined && start === undefined) return await attachForgetfully(new Home(home), session, amnesia);
  const runtime = await Runtime.open({ home: new Home(home), adapters });
  if (start === undefined) return await runtime.attach(session);
  const started = await runtime.start(start);
  await started.send(message);
  return started;
}

const options = JSON.parse(process.argv[2] ?? "") as DriverOptions;
const session = await open(options);
console.log(session.id);
// An agent that is still starting has not taken the message up yet; its turn is to come.
if (options.start !== undefined || openTurn(session.state.ledger) !== null) {
  for await (const one of session.stream(options.start === undefined ? session.last : 0))
    if ("body" in one && one.body.type === "turn.ended") break;
}
console.log("over");
process.exit(0);
