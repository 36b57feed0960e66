import type { ToolAction, ToolActionKind } from "@fairlead/contract";
import { createToolAction } from "../actions/tool-action.ts";
import { describeCall, toolTable, type ToolFields } from "../actions/tool-table.ts";
import type { AcpQuirks } from "./acp-quirks.ts";

/** A call as far as its updates tell. */
export interface AcpCallFacts {
  readonly name: string;
  readonly title: string;
  /** The kind in the protocol's words. */
  readonly kind: string;
  /** The raw input, or null for an agent that omits it. */
  readonly rawInput: object | null;
  /** The paths of its locations and of its changes. */
  readonly paths: readonly string[];
  /** What the agent writes about the call before it runs. */
  readonly description: string;
}

const actionKinds = new Map<string, ToolActionKind>([
  ["execute", "run"],
  ["edit", "edit"],
  ["delete", "edit"],
  ["move", "edit"],
  ["read", "read"],
  ["search", "search"],
  ["fetch", "fetch"],
]);

/**
 * Names of fields that agents of the protocol commonly use. The protocol does not define the input of a tool, and the kind
 * is what the agent says about itself, so that an action by them is never the whole of a call.
 */
const commonFields: Omit<ToolFields, "kind"> = {
  command: "command cmd",
  folder: "cwd workdir",
  paths: "path paths file_path filePath filepath",
  urls: "url urls",
  incomplete: true,
};
const commonTools = toolTable({
  run: { ...commonFields, kind: "run" },
  edit: { ...commonFields, kind: "edit" },
  read: { ...commonFields, kind: "read" },
  search: { ...commonFields, kind: "search" },
  fetch: { ...commonFields, kind: "fetch" },
});

const noTools = toolTable({});

/** Describes a call: by the agent's own table of tools, or else by the protocol's kind and the common names of fields. */
export function describeAcpCall({ tools = noTools, titleCommand }: AcpQuirks, call: AcpCallFacts): ToolAction {
  const { name, rawInput } = call;
  const knownKind = tools.get(name)?.kind;
  const kind = knownKind ?? actionKinds.get(call.kind) ?? "other";
  const describe = (input: object): ToolAction => {
    const paths = kind === "run" || kind === "fetch" ? [] : call.paths;
    return knownKind === undefined
      ? describeCall(commonTools, kind, input, paths)
      : describeCall(tools, name, input, paths);
  };
  if (rawInput !== null) return describe(rawInput);
  const command = titleCommand?.(call) ?? null;
  if (command !== null) return createToolAction("run", command);
  // Without an input, only the paths of a known tool are all that it uses.
  const isPathAll = knownKind === "read" || knownKind === "edit";
  return isPathAll ? describe({}) : { ...describe({}), incomplete: true };
}
