import { dirname, resolve } from "node:path";
import { FairleadError } from "@fairlead/contract";
import type { CliContext } from "../../cli-context.ts";
import { cliExitCodes } from "../../exit-codes.ts";
import { quoteShellWord } from "../../shell/generate-completion.ts";
import { readFleetFile } from "./read-fleet-file.ts";

/** Checks the servers that a file names, and creates their streams. */
export async function initFleetFromFile(context: CliContext, file: string, json: boolean): Promise<number> {
  const { screen, folder, environment } = context;
  const path = resolve(folder, file);
  const fleet = await readFleetFile(path);
  const { initFleet } = await import("@fairlead/nats");
  const source = { fleet, folder: dirname(path), environment };
  const { servers, createdStreams, keptStreams } = await initFleet(source, (reason) => screen.warn(reason))
    .catch((error: unknown) => {
      throw nameNextCommand(error, file);
    })
    .finally(exitWithoutLeaks);
  if (json) {
    screen.json({ namespace: fleet.namespace, servers, createdStreams, keptStreams });
    return cliExitCodes.success;
  }
  const versions = [...new Set(servers.map(({ version }) => version))].join(", ");
  screen.line(`${servers.length} servers with version ${versions} are safe for a fleet.`);
  screen.line(describeStreams(fleet.namespace, createdStreams.length, keptStreams.length));
  screen.printHint(`Next, on each host: fairlead host join --fleet ${quoteIfNeeded(file)}`);
  return cliExitCodes.success;
}

function describeStreams(namespace: string, created: number, kept: number): string {
  if (created === 0) return `The fleet ${namespace} was set up before: its ${countStreams(kept)} stay as they are.`;
  if (kept === 0) return `Created the ${created} streams of the fleet ${namespace}.`;
  return `Created ${countStreams(created)} of the fleet ${namespace}. The other ${countStreams(kept)} stay as before.`;
}

function countStreams(count: number): string {
  return count === 1 ? "1 stream" : `${count} streams`;
}

/**
 * Ends the process soon after the command. The NATS client leaves a connection open that fails while it is opened, and the
 * process would wait for it. The timer itself keeps no process alive.
 */
function exitWithoutLeaks(): void {
  setTimeout(() => process.exit(), 1000).unref();
}

/** Adds what to type after the problem is solved. */
function nameNextCommand(error: unknown, file: string): unknown {
  if (!FairleadError.isInstance(error)) return error;
  const next = `Then run: fairlead fleet init --fleet ${quoteIfNeeded(file)}`;
  return new FairleadError(error.code, `${error.message}\n${next}`, { cause: error });
}

function quoteIfNeeded(word: string): string {
  return /^[\w./-]+$/.test(word) ? word : quoteShellWord(word);
}
