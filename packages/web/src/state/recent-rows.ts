import { summarizeInput, toOneLine } from "@fairlead/api";
import type { Event } from "@fairlead/contract";

/** A line about what happened just before a request. */
export interface RecentRow {
  readonly sequence: number;
  /** `✓` or `✗` for a call, nothing for the agent's text. */
  readonly mark: "✓" | "✗" | "";
  readonly text: string;
}

/** Lists the newest messages and calls that ended, the oldest first. */
export function listRecentRows(events: readonly Event[], limit: number): RecentRow[] {
  const inputs = new Map<string, unknown>();
  const rows = events.flatMap(({ sequence, body }): RecentRow[] => {
    switch (body.type) {
      case "tool.requested":
        inputs.set(body.call, body.input);
        return [];
      case "tool.ended": {
        const { text } = summarizeInput(inputs.get(body.call));
        return [{ sequence, mark: body.ok ? "✓" : "✗", text: toOneLine(`${body.name} ${text}`) }];
      }
      case "text.ended":
        return toOneLine(body.text) === "" ? [] : [{ sequence, mark: "", text: toOneLine(body.text) }];
      default:
        return [];
    }
  });
  return rows.slice(-limit);
}
