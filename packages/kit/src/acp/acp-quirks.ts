import type { ErrorCategory } from "@fairlead/contract";
import type { ToolFacts } from "../actions/tool-action.ts";
import type { ToolTable } from "../actions/tool-table.ts";
import type { UsageReading } from "../meter.ts";
import type { AcpCallFacts } from "./acp-action.ts";
import type { AcpServerTools } from "./mcp-servers.ts";

/** Information that an agent reports outside the protocol, on standard error. */
export type AcpSideChannelMessage =
  /** The model did not answer, and the agent retries. */
  | { readonly type: "trouble"; readonly status: number | null; readonly message: string }
  /** The model failed with this HTTP status, which the protocol's error lacks. The agent does not retry. */
  | { readonly type: "failure"; readonly status: number | null }
  /** One request to the model ended. */
  | { readonly type: "usage"; readonly reading: UsageReading };

/** The output of a command and its exit code. */
export interface AcpCommandResult {
  readonly output: string;
  readonly exit: number;
}

/** Differences between agents that use the Agent Client Protocol. Data; an agent without quirks is `{}`. */
export interface AcpQuirks {
  /**
   * Source of the tool's name, because the protocol has no field for it: the title of the first update, or the part of
   * the call id before a separator. Default: the tool's kind (`edit`, `execute`, …).
   */
  readonly toolName?: "title" | { readonly idBefore: string };
  /** How the agent names tools of the MCP servers that the session was started with. */
  readonly serverTools?: AcpServerTools;
  /** The agent's tools, by name. Other tools are described by the protocol's kind. */
  readonly tools?: ToolTable;
  /** Reads the command of a call from its title, for agents that omit the input. Returns null for other calls. Pure. */
  readonly titleCommand?: (call: AcpCallFacts) => ToolFacts | null;
  /**
   * What the token counts in a prompt's response cover. `turn` (default): the whole turn. `last-step`: only the last
   * request to the model, so the dialect ignores them. `meta-quota`: counts by model in `_meta.quota`, without caches.
   */
  readonly usage?: "turn" | "last-step" | "meta-quota";
  /** Host of the model. Without it, the dialect splits model names of the form `provider/model`. */
  readonly provider?: string;
  /** Parses what the agent reports as the output of a command, for agents without an exit code field. Pure. */
  readonly commandReport?: (report: string) => AcpCommandResult | null;
  /** Prefix that the agent puts before every thought. */
  readonly thoughtPrefix?: string;
  /** Prefix for the id of a conversation to load, for agents that misread the plain id. */
  readonly loadPrefix?: string;
  /**
   * Set if the agent still replays a loaded conversation after the response to `session/load`. The replay counts as
   * finished after this many milliseconds without output.
   */
  readonly replayQuietMs?: number;
  /** Failure of a turn that completes without using a token. Messages that match `unless` need no model. */
  readonly noUsageFailure?: { readonly category: ErrorCategory; readonly unless: RegExp };
  /** Categories of error messages that are more precise than their status. */
  readonly phrases?: readonly (readonly [RegExp, ErrorCategory])[];
  /** Category of a failure that neither status nor message explain. */
  readonly defaultCategory?: ErrorCategory;
  /** Parses a line of standard error. Pure. */
  readonly sideChannel?: (line: string) => AcpSideChannelMessage | null;
}
