import { jsonLine } from "@fairlead/kit";
import { z } from "zod";

/** What the hook is called for. */
export const ClaudeCodeHookInput = z.looseObject({
  tool_name: z.string(),
  tool_input: z.record(z.string(), z.unknown()),
  tool_use_id: z.string(),
});

/**
 * The program asks this callback before it runs a tool. Seconds; without an answer in this time it does not run the tool.
 * The largest number that its timer accepts is 2,147,483.
 */
const everyCall = { PreToolUse: [{ matcher: "", hookCallbackIds: ["every-call"], timeout: 2_000_000 }] };

/** Makes the program ask before every call. Without it, it asks only about calls that its own rules are about. */
export const askClaudeCodeAboutAll = { hooks: everyCall };

/** Formats the request that sets what the program asks its client about. */
export const formatClaudeCodeInitialize = (id: string, fields: object): string =>
  jsonLine({ type: "control_request", request_id: id, request: { subtype: "initialize", ...fields } });

/** Formats the result of the hook, as the content of a control response. */
export const toClaudeCodeHookResult = (decision: object): object => ({
  hookSpecificOutput: { hookEventName: "PreToolUse", ...decision },
});
