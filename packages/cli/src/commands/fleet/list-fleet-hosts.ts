import type { CliContext } from "../../cli-context.ts";
import { cliExitCodes } from "../../exit-codes.ts";
import { table } from "../../render/text-layout.ts";
import { prepareFleetEngine } from "./open-fleet-engine.ts";
import { readHostStates } from "./status/read-hosts.ts";

/** Prints the hosts that count as alive. */
export async function listFleetHosts(context: CliContext, file: string, json: boolean): Promise<number> {
  const { screen } = context;
  const open = await prepareFleetEngine(context, file);
  await using engine = await open("hosts");
  const hosts = await readHostStates(engine);
  if (json) {
    for (const host of hosts) screen.json(host);
    return cliExitCodes.success;
  }
  if (hosts.length === 0) {
    screen.message("No host has joined. Start one with: fairlead host join");
    return cliExitCodes.success;
  }
  const rows = hosts.map(({ id, name, pool, sessions, capacity, state, version }) => [
    id,
    name,
    pool,
    `${sessions} of ${capacity ?? "?"}`,
    state,
    version ?? "unknown",
  ]);
  for (const line of table([["HOST", "MACHINE", "POOL", "SESSIONS", "STATE", "VERSION"], ...rows])) screen.line(line);
  return cliExitCodes.success;
}
