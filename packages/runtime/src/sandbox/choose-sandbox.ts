import { FairleadError } from "@fairlead/contract";
import type { SandboxChoice } from "./compute-sandbox.ts";

/**
 * Completes the limits that a caller asked for. Without a request, a session has no sandbox where there can be none. With
 * one, it is refused: an agent never has fewer limits than a caller asked for.
 */
export async function chooseSandbox(
  requested: Partial<SandboxChoice>,
  fallback: SandboxChoice["kind"],
  findProblem: () => Promise<string | null>,
  fallbackNetwork: SandboxChoice["network"] = "open",
): Promise<SandboxChoice> {
  const { workspace = "write", network: limit = "open" } = requested;
  const isLimited = workspace !== "write" || limit !== "open";
  const isRequested = isLimited || requested.kind === "bwrap";
  const kind = requested.kind ?? (isLimited ? "bwrap" : fallback);
  if (kind === "none" && isLimited) {
    const limits = [
      ...(workspace === "read" ? ["a workspace that is only read"] : []),
      ...(limit === "open" ? [] : [limit === "gate" ? "a network gate" : "no network"]),
    ];
    const message = `The request asks for ${limits.join(" and ")}, and for no sandbox.`;
    throw new FairleadError("invalid-request", `${message} Only a sandbox can limit an agent: leave out "none".`);
  }
  // It starts a process, so it is asked only if it matters.
  const problem = kind === "none" ? null : await findProblem();
  const network = requested.network ?? (kind === "none" ? "open" : fallbackNetwork);
  if (problem === null) return { kind, workspace, network };
  if (isRequested) throw new FairleadError("not-supported", `The sandbox is not available here. ${problem}`);
  return { kind: "none", workspace, network: "open" };
}
