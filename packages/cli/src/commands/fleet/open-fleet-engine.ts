import { dirname, resolve } from "node:path";
import type { Engine } from "@fairlead/engine";
import type { NatsEngineOptions } from "@fairlead/nats";
import type { CliContext } from "../../cli-context.ts";
import { UsageError } from "../../usage-error.ts";
import { readFleetFile } from "./read-fleet-file.ts";

/** Returns the value of `--fleet`, or throws a `UsageError` that shows the command with it. */
export function requireFleetFile(file: string | undefined, command: string): string {
  if (file !== undefined) return file;
  throw new UsageError("The file of the fleet is missing.", `fairlead ${command} --fleet fleet.yaml`);
}

/**
 * Reads the file of a fleet, and returns how to open the engine on its servers as a host, or as another process. A host checks no
 * tokens.
 */
export async function prepareFleetEngine(
  { folder, environment }: Pick<CliContext, "folder" | "environment">,
  file: string,
  { checksTokens = true }: Pick<NatsEngineOptions, "checksTokens"> = {},
): Promise<(host: string, onServers?: NatsEngineOptions["onServers"]) => Promise<Engine>> {
  const path = resolve(folder, file);
  const fleet = await readFleetFile(path);
  const [{ connectToFleet, openNatsEngine, resolveFleetOptions }, { projectionVersion }] = await Promise.all([
    import("@fairlead/nats"),
    import("@fairlead/runtime"),
  ]);
  const source = { fleet, folder: dirname(path), environment };
  const connection = resolveFleetOptions(source, "login");
  const { namespace } = fleet;
  return async (host, onServers) => {
    // The connection of the engine retries without an end. This one fails, and says what to correct.
    await (await connectToFleet(source, "login")).close();
    return await openNatsEngine({
      connection,
      namespace,
      host,
      indexContentVersion: projectionVersion,
      checksTokens,
      ...(onServers && { onServers }),
    });
  };
}

/** Returns the value of `--pool`. Throws a `UsageError` for a name with other signs: a pool with a typing error has no hosts. */
export function parsePool(pool: string, command: string): string {
  if (/^[A-Za-z0-9][\w.-]{0,63}$/.test(pool)) return pool;
  throw new UsageError(
    `--pool is not a name of letters, digits, dots, dashes and _: ${pool}`,
    `fairlead ${command} --fleet fleet.yaml --pool default`,
  );
}
