/** The token counts of one answer. `input` excludes tokens read from and written to a cache. */
export interface ModelUsage {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
}

/**
 * The usage that the lab reported to the client in one answer. Tests compare it with the usage that an adapter reports.
 */
export interface ServedAnswer extends ModelUsage {
  readonly api: string;
  readonly model: string;
  /** Whether the request was not part of a conversation, such as one for a title. */
  readonly auxiliary: boolean;
  /** False if the answer was cut. The numbers are then those sent so far. */
  readonly complete: boolean;
}

export const noUsage: ModelUsage = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 };

/** Returns usage that differs for each request and in each field, so that a test detects swapped values. */
export function usageForRequest(count: number): ModelUsage {
  return { input: 100 + count, cacheRead: 20 + count, cacheWrite: 10 + count, output: 50 + count };
}
