import { KeeperGone } from "./keeper-gone.ts";

const defaultTimeoutMs = 10_000;

/** A living keeper did not answer in time: its process is stopped, or the machine is overloaded. */
export class KeeperUnresponsive extends KeeperGone {
  constructor(timeoutMs: number) {
    super(`The keeper of the session does not respond: it has sent nothing for ${timeoutMs / 1000} seconds.`);
    this.name = "KeeperUnresponsive";
  }
}

/** Returns how long a keeper may take to answer, in milliseconds. `FAIRLEAD_KEEPER_TIMEOUT_MS` sets it. */
export function keeperTimeoutMs(environment: NodeJS.ProcessEnv = process.env): number {
  const configured = Number(environment["FAIRLEAD_KEEPER_TIMEOUT_MS"]);
  return configured > 0 ? configured : defaultTimeoutMs;
}
