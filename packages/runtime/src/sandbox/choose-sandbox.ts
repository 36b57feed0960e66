import { FairleadError } from "@fairlead/contract";
import type { SandboxChoice } from "./compute-sandbox.ts";

/**
 * Completes the limits that a caller asked for. Without a request, a session has no sandbox where there can be none. With
 * one, it is refused: an agent never has fewer limits than a caller asked for.
 */
export function chooseSandbox(
  requested: Partial<SandboxChoice>,
  fallback: SandboxChoice["kind"],
  problem: string | null,
): SandboxChoice {
  const { workspace = "write", network = "open" } = requested;
  const isLimited = workspace !== "write" || network !== "open";
  const kind = requested.kind ?? (isLimited ? "bwrap" : problem === null ? fallback : "none");
  if (kind === "none" && isLimited) {
    const message = "Only a sandbox can limit the workspace or the network.";
    throw new FairleadError("invalid-request", `${message} Leave out the limit, or the choice of no sandbox.`);
  }
  if (network === "gate") throw new FairleadError("not-supported", "The network can be open or none.");
  if (kind === "bwrap" && problem !== null) {
    throw new FairleadError("not-supported", `The sandbox is not available here. ${problem}`);
  }
  return { kind, workspace, network };
}
