import type { StartRequest } from "@fairlead/api";
import { FairleadError, type Opening } from "@fairlead/contract";
import { pickSandboxChoice } from "@fairlead/runtime";

/** Fills in what a request leaves open with what the parent has. Throws `not-allowed` for a mode that allows more. */
export function narrowRequest(
  request: StartRequest,
  { mode, sandbox }: Pick<Opening, "mode" | "sandbox">,
): StartRequest {
  if (mode === "plan" && (request.mode ?? "plan") !== "plan")
    throw new FairleadError(
      "not-allowed",
      "Your own session only plans, so the one that you start can only plan, too.",
    );
  const inherited = sandbox === undefined || sandbox.kind === "none" ? {} : pickSandboxChoice(sandbox);
  return {
    ...request,
    ...(mode === "plan" && { mode: "plan" }),
    ...(Object.keys({ ...inherited, ...request.sandbox }).length > 0 && {
      sandbox: { ...inherited, ...request.sandbox },
    }),
  };
}
