import type { StartRequest } from "@fairlead/api";
import type { Sandbox } from "@fairlead/contract";

export interface SandboxArguments {
  readonly sandbox?: Sandbox["kind"];
  readonly network?: "gate" | "open" | "none";
  readonly readOnly?: boolean;
}

/** Returns the sandbox that the options of a command ask for. */
export function requestedSandbox({ sandbox, network, readOnly }: SandboxArguments): Pick<StartRequest, "sandbox"> {
  const requested = {
    ...(sandbox !== undefined && { kind: sandbox }),
    ...(network !== undefined && { network }),
    ...(readOnly === true && { workspace: "read" as const }),
  };
  return Object.keys(requested).length === 0 ? {} : { sandbox: requested };
}
