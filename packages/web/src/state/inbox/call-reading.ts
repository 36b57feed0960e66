import { escapeLine, type DecisionView } from "@fairlead/api";
import { escapeInvisible } from "@fairlead/contract";

/** What a call would do, apart from the agent's own words. */
export interface CallReading {
  /** Says what the lines are, and who read them. */
  readonly heading: string;
  /** Commands, paths or hosts, each on one line. */
  readonly lines: readonly string[];
  /** How many lines are not in the list. */
  readonly omitted: number;
  /** What the lines do not say. */
  readonly notes: readonly string[];
}

type ReadRequest = Pick<DecisionView, "kind" | "tool" | "input" | "action" | "reading">;

/** Reads what a request would do: as the policy parsed it, else as the adapter understands it. Null for a question. */
export function readCall(request: ReadRequest): CallReading | null {
  const { kind, action, reading, input } = request;
  if (kind === "question") return null;
  if (kind === "network") return { heading: "A process of this session would connect to", ...list([hostOf(input)]) };
  const notes = [
    ...(action?.folder === undefined ? [] : [`in ${escapeLine(action.folder)}`]),
    ...(action?.incomplete === true ? ["The call may do more than this. Read its whole input."] : []),
  ];
  if (reading !== undefined && reading.commands.length > 0) {
    const { commands, omittedCommands = 0 } = reading;
    return { heading: "What would run, as Fairlead reads it", ...list(commands), omitted: omittedCommands, notes };
  }
  const { heading, lines } = describeAction(request);
  return { heading, ...list(lines), notes };
}

function describeAction({ action, tool = "", input }: ReadRequest): Pick<CallReading, "heading" | "lines"> {
  const { command, paths = [], hosts = [] } = action ?? {};
  switch (action?.kind) {
    case "run":
      if (command === undefined) break;
      // Lines of one command stay lines: escaped line breaks would hide what each of them runs.
      return { heading: "What would run, as the adapter reads it", lines: escapeInvisible(command).split("\n") };
    case "edit":
      if (paths.length > 0) return { heading: "Files that would change", lines: paths };
      break;
    case "read":
      if (paths.length > 0) return { heading: "Files that would be read", lines: paths };
      break;
    case "search":
      if (paths.length > 0) return { heading: "Where it would search", lines: paths };
      break;
    case "fetch":
      if (hosts.length > 0) return { heading: "Hosts that would be reached", lines: hosts };
      break;
    default:
  }
  const hasInput = input !== undefined && input !== null;
  return { heading: `A call that Fairlead cannot read${hasInput ? ". Decide by its input" : ""}`, lines: [tool] };
}

function list(lines: readonly string[]): Pick<CallReading, "lines" | "omitted" | "notes"> {
  return { lines: lines.map(escapeLine), omitted: 0, notes: [] };
}

function hostOf(input: unknown): string {
  const host = typeof input === "object" && input !== null && "host" in input ? input.host : undefined;
  return typeof host === "string" ? host : "a host that is not named";
}
