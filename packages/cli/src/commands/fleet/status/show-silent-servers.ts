import type { FleetFile } from "@fairlead/nats";
import type { CliContext } from "../../../cli-context.ts";
import { cliExitCodes } from "../../../exit-codes.ts";
import { table } from "../../../render/text-layout.ts";

/**
 * Prints which servers answer unless more than half of those in the fleet's file do, and returns the exit code. Returns null
 * otherwise. Without more than half, the servers answer no question about streams, and each question takes many seconds.
 */
export async function showSilentServers(
  { screen }: Pick<CliContext, "screen">,
  { namespace, servers }: FleetFile,
  json: boolean,
): Promise<number | null> {
  const { probeServer } = await import("@fairlead/nats");
  const results = await Promise.allSettled(servers.map((address) => probeServer(address)));
  const reasons = results.flatMap((one) => (one.status === "rejected" ? [(one.reason as Error).message] : []));
  const answering = servers.filter((_, index) => results[index]?.status === "fulfilled");
  // If none answers, the attempt to connect says so.
  if (answering.length === 0 || answering.length * 2 > servers.length) return null;
  const problems = [
    `Only ${answering.length} of ${servers.length} servers answer, and the fleet needs more than half of them: start the others. Hosts and gateways connect again without a restart.`,
    ...reasons,
  ];
  if (json) {
    screen.json({ namespace, answering, problems });
    return cliExitCodes.failed;
  }
  screen.line(`Fleet ${namespace}: ${problems.length} to look at`);
  const rows = [["Servers", `${answering.length} of ${servers.length} answer: ${answering.join(", ")}`]];
  for (const line of table([...rows, ["Others", "not asked, because too few servers answer"]])) screen.line(line);
  for (const problem of problems) {
    screen.line();
    screen.message(screen.paint("yellow", problem));
  }
  return cliExitCodes.failed;
}
