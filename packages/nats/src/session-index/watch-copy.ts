import type { SessionRowChange, SessionRowQuery } from "@fairlead/journal";
import { createIndexError } from "./index-error.ts";
import { compileRowQuery } from "./match-query.ts";
import { unpackRow } from "./row-value.ts";
import type { SessionCopy } from "./session-copy.ts";

/**
 * Yields the rows of a copy that match, then each change of them. A slow reader costs an id per changed session, and gets only the
 * newest row of each. `closed` aborts when the index is closed, and the watch then throws `unavailable`.
 */
export async function* watchCopy(
  copy: SessionCopy,
  query: SessionRowQuery,
  signal: AbortSignal,
  closed: AbortSignal,
): AsyncGenerator<SessionRowChange, void> {
  const isMatch = compileRowQuery(query);
  const known = new Set<string>();
  const pending = new Set<string>();
  let change = Promise.withResolvers<void>();
  using stack = new DisposableStack();
  const wake = (): void => change.resolve();
  for (const one of [signal, closed]) {
    one.addEventListener("abort", wake);
    stack.defer(() => one.removeEventListener("abort", wake));
  }
  stack.defer(
    copy.onChange((session) => {
      const row = copy.get(session);
      if (!known.has(session) && (row === undefined || !isMatch(row))) return;
      pending.add(session);
      wake();
    }),
  );
  for (const { session } of copy.rows.select({ query, order: "session", after: undefined, limit: Infinity })) {
    pending.add(session);
  }
  for (;;) {
    for (const session of pending) {
      if (closed.aborted) throw createIndexError("watch");
      if (signal.aborted) return;
      pending.delete(session);
      const row = copy.get(session);
      if (row !== undefined && isMatch(row)) {
        known.add(session);
        yield { session, row: unpackRow(row) };
      } else if (known.delete(session)) {
        yield { session, row: null };
      }
    }
    if (closed.aborted) throw createIndexError("watch");
    if (signal.aborted) return;
    await change.promise;
    change = Promise.withResolvers();
  }
}
