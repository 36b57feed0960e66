import type { StartRequest } from "@fairlead/api";
import { expandPolicyRequest, FairleadError, isLoosening, type ToolOffer } from "@fairlead/contract";

/** Throws `not-allowed` if a start asks for what only a caller who may approve can ask for. */
export function assertStartAllowed(
  { sandbox, policy, mcpServers = [] }: StartRequest,
  offers: readonly ToolOffer[],
): void {
  const refuse = (what: string): FairleadError =>
    new FairleadError("not-allowed", `Only a caller who may approve can ${what}.`);
  if (sandbox?.kind === "none") throw refuse("start an agent without a sandbox");
  if (isLoosening(expandPolicyRequest("the request", policy ?? {})))
    throw refuse("start with a policy that allows calls");
  if (offers.some(({ readOnly }) => readOnly !== true)) throw refuse("offer a tool that acts");
  if (mcpServers.length > 0) throw refuse("give an agent MCP servers");
}
