import { resolve } from "node:path";
import type { Command } from "commander";
import type { CliContext } from "../../cli-context.ts";
import { cliExitCodes } from "../../exit-codes.ts";
import { UsageError } from "../../usage-error.ts";
import type { CommandRunner } from "../command-runner.ts";
import { parsePool, prepareFleetEngine, requireFleetFile } from "./open-fleet-engine.ts";
import { metricsExample, parseAddress } from "./parse-address.ts";

export interface GatewayCommandOptions {
  readonly fleet?: string;
  readonly listen?: string;
  readonly tls?: string;
  readonly name?: readonly string[];
  readonly pool?: string;
  readonly metrics?: string;
}

const example =
  "fairlead gateway --fleet fleet.yaml --listen 0.0.0.0:7443 --tls cert.pem,key.pem --name agents.example";

export function addGateway(program: Command, run: CommandRunner): void {
  program
    .command("gateway")
    .summary("Serve the API of a fleet to clients.")
    .description(
      "Serve the API of a fleet to clients, in the foreground. It has no state: any gateway serves any session, and it may be stopped at any time. Clients need a token (`fairlead token LABEL --fleet FILE`).",
    )
    .option("--fleet <file>", "file that names the servers of the fleet")
    .option("--listen <host:port>", "address to listen on")
    .option("--tls <cert,key>", "files of the certificate and of its key, in PEM (needed outside of loopback)")
    .option("--name <names...>", "names under which clients reach the gateway, with a port if it differs")
    .option("--pool <name>", "pool that gets new sessions (default: default)")
    .option("--metrics <host:port>", "address of loopback for metrics and probes without a token (default: none)")
    .addHelpText(
      "after",
      `\nExample:\n  ${example.replace(" --listen", " \\\n    --listen").replace(" --name", " \\\n    --name")}`,
    )
    .action((options: GatewayCommandOptions) => run((context) => serveGateway(context, options)));
}

async function serveGateway(context: CliContext, options: GatewayCommandOptions): Promise<number> {
  const { fleet, listen, tls, name: names = [], pool = "default", metrics } = options;
  const file = requireFleetFile(fleet, "gateway");
  if (listen === undefined) throw new UsageError("The option --listen is missing.", example);
  const { screen, environment, folder } = context;
  const { runGateway } = await import("@fairlead/daemon/fleet");
  const open = await prepareFleetEngine(context, file);
  await runGateway({
    environment,
    openEngine: (onServers) => open("gateway", onServers),
    listen: parseAddress("--listen", listen, example),
    ...(metrics !== undefined && { metricsAddress: parseAddress("--metrics", metrics, metricsExample) }),
    ...(tls !== undefined && { tls: parseFiles(folder, tls) }),
    names,
    pool: parsePool(pool, "gateway"),
    onReady: (url) => screen.message(`The gateway answers at ${url}.`),
  });
  return cliExitCodes.success;
}

function parseFiles(folder: string, tls: string): { readonly certificate: string; readonly key: string } {
  const [certificate, key, ...rest] = tls.split(",");
  if (certificate === undefined || key === undefined || rest.length > 0)
    throw new UsageError(`--tls is not two files with a comma between them: ${tls}`, example);
  return { certificate: resolve(folder, certificate), key: resolve(folder, key) };
}
