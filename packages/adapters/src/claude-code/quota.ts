import { ownValue } from "@fairlead/contract";
import { reportQuota, type QuotaReading, type TransitionWriter } from "@fairlead/kit";
import { z } from "zod";
import type { ClaudeCodeState } from "./dialect.ts";

/** A message about the quota of a subscription. */
export const ClaudeCodeRateLimit = z.looseObject({
  type: z.literal("rate_limit_event"),
  rate_limit_info: z
    .looseObject({
      status: z.string(),
      rateLimitType: z.string().optional(),
      /** From 0 to 1. */
      utilization: z.number().nullish(),
      /** In seconds since 1970. */
      resetsAt: z.number().nullish(),
      /** Whether requests beyond the quota are accepted, and paid for. */
      isUsingOverage: z.boolean().optional(),
      /** By type. `utilization` above is only written with a warning. */
      unifiedWindows: z.record(z.string(), z.looseObject({ utilization: z.number().nullish() })).optional(),
    })
    .optional(),
});

type QuotaInfo = NonNullable<z.infer<typeof ClaudeCodeRateLimit>["rate_limit_info"]>;

const quotaStates = new Map([
  ["allowed", "available"],
  ["allowed_warning", "warning"],
  ["rejected", "exhausted"],
] as const);

/**
 * Reports the quota of a subscription. Returns false if the message says nothing that is known. Claude Code 2.1.325 sends it
 * only if it is signed in to a subscription, and not with an API key. Versions up to 2.0 do not have it.
 */
export function reportClaudeCodeQuota(
  writer: TransitionWriter<ClaudeCodeState>,
  { rate_limit_info: info }: z.infer<typeof ClaudeCodeRateLimit>,
): boolean {
  const quota = info === undefined ? null : readQuota(info);
  if (quota !== null) reportQuota(writer, quota);
  return quota !== null;
}

function readQuota(info: QuotaInfo): QuotaReading | null {
  const status = quotaStates.get(info.status as "allowed");
  if (status === undefined) return null;
  const { rateLimitType: window, resetsAt, isUsingOverage, unifiedWindows = {} } = info;
  const utilization = info.utilization ?? (window === undefined ? null : ownValue(unifiedWindows, window)?.utilization);
  const usedPercent = utilization == null ? undefined : Math.round(utilization * 1000) / 10;
  return { status: isUsingOverage && status === "exhausted" ? "warning" : status, window, usedPercent, resetsAt };
}
