import type { CommandOptions, Fairlead, Scope, StartRequest } from "@fairlead/api";
import { RemoteFairlead } from "@fairlead/client";
import { nodeTransport } from "@fairlead/client/node";
import { openDaemonTransport } from "@fairlead/daemon";
import { applyLocalAgentChoice } from "./agents/apply-local-agent-choice.ts";
import type { CliContext } from "./cli-context.ts";
import { findRemoteUrl } from "./remote/find-remote-url.ts";
import { readRemoteAddress } from "./remote/read-remote-address.ts";

/**
 * Opens Fairlead for one command. Connects to the daemon, and starts it if none runs. With `FAIRLEAD_URL` it connects to
 * the service there, and neither reads nor starts anything here. With `FAIRLEAD_DAEMON=off` it opens Fairlead in this
 * process instead. `scopes` are those that the connection keeps; by default it has all.
 */
export async function openFairlead(
  context: CliContext,
  options: { readonly scopes?: readonly Scope[] } = {},
): Promise<Fairlead & AsyncDisposable> {
  const url = findRemoteUrl(context);
  if (url !== null) {
    const transport = nodeTransport({ ...readRemoteAddress(url, context), ...options });
    const onRetry = (reason: string): void => context.screen.warn(`Waiting for the service at ${url}. ${reason}`);
    return Object.assign(new RemoteFairlead(transport, { onRetry }), { [Symbol.asyncDispose]: async () => {} });
  }
  if (context.environment["FAIRLEAD_DAEMON"] === "off") {
    const { openLocalFairlead } = await import("@fairlead/daemon/local");
    const fairlead = await openLocalFairlead(context);
    await fairlead.recovery; // a daemon has finished its recovery long before most commands
    return fairlead;
  }
  const client = new RemoteFairlead(await openDaemonTransport(context, options));
  const { start } = client;
  return Object.assign(client, {
    start: async (request: StartRequest, options?: CommandOptions) =>
      await start(await applyLocalAgentChoice(request, context), options),
    // Nothing to close: idle connections do not keep the process running.
    [Symbol.asyncDispose]: async () => {},
  });
}
