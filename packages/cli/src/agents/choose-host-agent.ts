import type { PermissionMode } from "@fairlead/contract";
import type { SelectedAgent } from "@fairlead/runtime";
import type { CliContext } from "../cli-context.ts";

/** What a command line selects. Without an agent, the host selects it when the session starts. */
export interface HostAgentSelection {
  readonly choice: Omit<SelectedAgent, "agent" | "source"> & {
    readonly agent?: string;
    readonly source: "caller" | "host";
  };
  readonly variables: readonly string[];
  readonly promptWords: readonly string[];
}

export interface ChooseHostAgentOptions extends Pick<CliContext, "environment"> {
  readonly settings: Readonly<Record<string, unknown>>;
  readonly mode?: PermissionMode;
  /** Why the host selects: what the person typed or set. */
  readonly reason?: "FAIRLEAD_URL" | "--repository";
}

/**
 * Reads the agent from a command line for a host elsewhere. The first word is its name, unless it contains a space. The
 * workspace's `fairlead.yaml` is on the host and comes before `FAIRLEAD_AGENT` and `FAIRLEAD_MODEL`, so these do not count.
 */
export function chooseHostAgent(
  words: readonly string[],
  { environment, settings, mode, reason = "FAIRLEAD_URL" }: ChooseHostAgentOptions,
): HostAgentSelection {
  const [first, ...rest] = words;
  const agent = first === undefined || /\s/.test(first) ? undefined : first;
  const notices = [
    ...(agent === undefined && environment["FAIRLEAD_AGENT"]
      ? [formatNotice("FAIRLEAD_AGENT", "the agent", reason)]
      : []),
    ...(settings["model"] === undefined && environment["FAIRLEAD_MODEL"]
      ? [formatNotice("FAIRLEAD_MODEL", "--model", reason)]
      : []),
  ];
  const selected = agent === undefined ? ({ source: "host" } as const) : ({ agent, source: "caller" } as const);
  return {
    choice: { ...selected, settings, notices, ...(mode !== undefined && { mode }) },
    variables: [],
    promptWords: agent === undefined ? words : rest,
  };
}

function formatNotice(variable: string, typed: string, reason: string): string {
  return `${variable} is not used with ${reason}, because the host selects for its workspace. Type ${typed}.`;
}
