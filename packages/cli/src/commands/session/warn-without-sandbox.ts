import type { CliContext } from "../../cli-context.ts";
import { findRemoteUrl } from "../../remote/find-remote-url.ts";

/** Warns that a session has no sandbox, and says why there is none if the user's configuration does not choose it. */
export async function warnWithoutSandbox(context: CliContext): Promise<void> {
  const { screen } = context;
  const url = findRemoteUrl(context);
  if (url !== null) {
    screen.warn(
      `This session has no sandbox: the agent can do what the user of the daemon can do on the machine of ${url}.`,
    );
    return;
  }
  // Loaded here: the runtime is large, and every command loads this file.
  const { findSandboxProblem } = await import("@fairlead/runtime");
  const problem = await findSandboxProblem();
  if (problem !== null) screen.warn(`This session has no sandbox: the agent can do what you can do. ${problem}`);
}
