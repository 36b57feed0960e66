/** Tokens, as one answer states them. `input` counts neither what was read from nor written to a cache. */
export interface Usage {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
}

/** The usage that was stated to the client in one answer, so that a meter can be checked to the token. */
export interface Served extends Usage {
  readonly api: string;
  readonly model: string;
  /** False when the answer broke off: then the numbers are those stated so far. */
  readonly complete: boolean;
}

export const noUsage: Usage = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 };

/** Different for each request, and in each field, so that a meter which mixes things up is caught. */
export function usageOfRequest(count: number): Usage {
  return { input: 100 + count, cacheRead: 20 + count, cacheWrite: 10 + count, output: 50 + count };
}
