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
    const limits = [
      ...(workspace === "read" ? ["a workspace that is only read"] : []),
      ...(network === "open" ? [] : ["no network"]),
    ];
    const message = `The request asks for ${limits.join(" and ")}, and for no sandbox.`;
    throw new FairleadError("invalid-request", `${message} Only a sandbox can limit an agent: leave out "none".`);
  }
  if (network === "gate") throw new FairleadError("not-supported", "The network can be open or none.");
  if (kind === "bwrap" && problem !== null) {
    throw new FairleadError("not-supported", `The sandbox is not available here. ${problem}`);
  }
  return { kind, workspace, network };
}
