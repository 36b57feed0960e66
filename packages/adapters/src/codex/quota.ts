import type { QuotaReading } from "@fairlead/kit";
import { z } from "zod";

const QuotaWindow = z
  .looseObject({
    usedPercent: z.number(),
    windowDurationMins: z.number().nullish(),
    /** In seconds since 1970. */
    resetsAt: z.number().nullish(),
  })
  .nullish();

/** The quotas of a subscription. */
export const CodexRateLimits = z.looseObject({
  primary: QuotaWindow,
  secondary: QuotaWindow,
  rateLimitReachedType: z.string().nullish(),
  /** What pays for requests beyond the quotas. */
  credits: z.looseObject({ hasCredits: z.boolean(), unlimited: z.boolean() }).nullish(),
});

/** The percentage from which on most of a quota is used. */
const warningPercent = 80;

/** Converts the quotas of a subscription. Without one, Codex reports none. */
export function toQuotaReadings({
  primary,
  secondary,
  rateLimitReachedType,
  credits,
}: z.infer<typeof CodexRateLimits>): QuotaReading[] {
  return [primary, secondary].flatMap((one): QuotaReading[] => {
    if (one == null) return [];
    const { usedPercent, windowDurationMins: minutes, resetsAt } = one;
    const isPaidFor = rateLimitReachedType == null && (credits?.hasCredits || credits?.unlimited);
    const isExhausted = !isPaidFor && (usedPercent >= 100 || (rateLimitReachedType != null && secondary == null));
    const status = isExhausted ? "exhausted" : usedPercent >= warningPercent ? "warning" : "available";
    return [{ status, window: minutes == null ? undefined : `${minutes} minutes`, usedPercent, resetsAt }];
  });
}
