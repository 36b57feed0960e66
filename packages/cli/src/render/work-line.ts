import { toOneLine } from "@fairlead/api";
import type { EventOf } from "@fairlead/contract";

/** Describes how far the agent is, or a result that it named. */
export function workLine(body: EventOf<"progress.reported" | "artifact.produced">): string {
  if (body.type === "progress.reported") {
    const percent = body.percent === undefined ? "" : ` (${Math.round(body.percent)} %)`;
    return `Progress${percent}: ${toOneLine(body.text)}`;
  }
  const summary = body.summary === undefined ? "" : `, ${toOneLine(body.summary)}`;
  return `Result: ${toOneLine(body.path)} (${body.kind})${summary}`;
}
