import { findDaemon } from "@fairlead/daemon";
import type { CliContext } from "../../cli-context.ts";

/** Warns about variables that differ here: agents receive the daemon's environment, which may be older. */
export async function warnAboutDifferingVariables(
  { screen, home, environment }: CliContext,
  allowedNames: readonly string[],
): Promise<void> {
  const daemonInfo = await findDaemon(home);
  if (daemonInfo === null) return;
  const { findDifferingVariables } = await import("@fairlead/daemon/variables");
  const names = findDifferingVariables(allowedNames, environment, daemonInfo);
  if (names.length === 0) return;
  screen.warn(`${names.join(", ")} here ${names.length === 1 ? "differs" : "differ"} from the daemon's.`);
  screen.warn("Agents use the daemon's environment. To use yours, type: fairlead down");
  screen.warn("Sessions keep running, and the next command starts the daemon again.");
}
