import { summarizeInput, toOneLine } from "@fairlead/api";
import type { ToolRow } from "./timeline-row.ts";

/** A call in words: what it does, and with what. */
export interface CallWords {
  readonly verb: string;
  readonly object: string;
}

const maxLength = 400;

/** Says in one line what a call does, as far as its adapter knows, and else by its name and input. */
export function toCallWords({ name, action, input }: Pick<ToolRow, "name" | "action" | "input">): CallWords {
  const object =
    action?.command ?? action?.paths?.join(", ") ?? action?.hosts?.join(", ") ?? summarizeInput(input).text;
  const verb = action === undefined || action.kind === "other" ? name : action.kind;
  return { verb: toOneLine(verb), object: toOneLine(object.slice(0, maxLength)) };
}
