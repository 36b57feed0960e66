import { FairleadError, limitKinds, type LimitKind, type SpendingLimits, type Spent } from "@fairlead/contract";

export interface LimitDivision {
  /** The limits of the session that is started. */
  readonly child: SpendingLimits;
  /** The limits that the session which starts it has from now on. */
  readonly parent: SpendingLimits;
}

const names: Readonly<Record<LimitKind, string>> = { usd: "US dollars", tokens: "tokens", seconds: "seconds" };

/**
 * Divides what is left of a session's limits between it and a session that it starts. The sum stays the same, so that all
 * of them together keep the first limit. A kind that is not requested is divided by `shares`. Throws `not-allowed` if less
 * is left than requested.
 */
export function divideLimits(
  limits: SpendingLimits,
  spent: Spent,
  requested: SpendingLimits,
  shares: number,
): LimitDivision {
  const child: { -readonly [Kind in LimitKind]?: number } = { ...requested };
  const parent: { -readonly [Kind in LimitKind]?: number } = {};
  for (const kind of limitKinds) {
    const limit = limits[kind];
    if (limit === undefined) continue;
    const left = limit - spent[kind];
    const part = requested[kind] ?? roundDown(kind, left / shares);
    if (part <= 0 || part >= left) {
      const wanted = requested[kind] === undefined ? "" : `, and ${requested[kind]} are asked for`;
      throw new FairleadError("not-allowed", `${roundDown(kind, Math.max(0, left))} ${names[kind]} are left${wanted}.`);
    }
    child[kind] = part;
    parent[kind] = limit - part;
  }
  return { child, parent };
}

/** Returns the limits of a session after one that it started has ended and has not used all of its part. */
export function returnUnused(limits: SpendingLimits, part: SpendingLimits, spent: Spent): SpendingLimits {
  const raised = limitKinds.flatMap((kind) => {
    const [limit, given] = [limits[kind], part[kind]];
    const unused = given === undefined ? 0 : given - spent[kind];
    return limit === undefined || unused <= 0 ? [] : [[kind, limit + unused] as const];
  });
  return Object.fromEntries(raised);
}

const roundDown = (kind: LimitKind, amount: number): number =>
  kind === "tokens" ? Math.floor(amount) : Math.floor(amount * 1e6) / 1e6;
