import type { ErrorCategory } from "@fairlead/contract";
import { failureCategory, patternHead, type AgentFailure } from "@fairlead/kit";
import type { z } from "zod";
import { toActiveWriterFailure, unknownThreadPattern } from "../codex-exec/wire.ts";
import type { CodexError } from "./wire.ts";

const errorPatterns: readonly (readonly [RegExp, ErrorCategory])[] = [
  [unknownThreadPattern, "session-not-found"],
  [/modelNotFound|contextWindow|Policy/, "bad-request"],
];

/** Categorizes a failure by Codex's error code, by the HTTP status, or else by the message. */
export function toCodexFailure(error: z.infer<typeof CodexError> | null | undefined): Omit<AgentFailure, "isFinal"> {
  const { message, codexErrorInfo, additionalDetails } = error ?? { message: "Codex gave no reason." };
  const text = `${message} ${additionalDetails ?? ""}`.trim();
  const activeWriterFailure = toActiveWriterFailure(text);
  if (activeWriterFailure !== null) return activeWriterFailure;
  const searchText = `${patternHead(JSON.stringify(codexErrorInfo ?? ""))} ${patternHead(text)}`;
  const status = /"httpStatusCode":(\d+)/.exec(searchText)?.[1];
  if (status !== undefined) return { category: failureCategory(Number(status), text), message: text };
  return {
    category: errorPatterns.find(([pattern]) => pattern.test(searchText))?.[1] ?? failureCategory(null, searchText),
    message: text,
  };
}
