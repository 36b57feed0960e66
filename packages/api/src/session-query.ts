import { z } from "zod";
import type { Fairlead } from "./fairlead.ts";
import { SessionView } from "./views/session.ts";

const SessionState = SessionView.shape.state;

/** The states of sessions that have not ended. */
export const openSessionStates = SessionState.options.filter((state) => state !== "ended");

/** A time of the form 2026-11-30T12:00:00Z. Normalized, so that times compare as text. */
const Time = z.iso.datetime({ offset: true }).transform((text) => new Date(text).toISOString());

/** Selects sessions. A session must satisfy every parameter that is present. */
export const SessionQuery = z.strictObject({
  /** Any of these states. In a URL they are separated by commas. */
  state: z
    .string()
    .transform((text) => text.split(","))
    .pipe(z.array(SessionState))
    .optional(),
  agent: z.string().optional(),
  name: z.string().optional(),
  workspace: z.string().optional(),
  /** The session that they continue or were forked from, by its id. */
  continues: z.string().optional(),
  /** The earliest time of the newest event. */
  since: Time.optional(),
  /** The latest time of the newest event. */
  until: Time.optional(),
  /**
   * `activity`: the newest first. A session that becomes active while a caller reads pages moves to the first page.
   * `session`: by id, which leaves out no session that exists the whole time.
   */
  order: z.enum(["activity", "session"]).optional(),
  /** The maximum number of sessions on a page. Default: 100. */
  limit: z.coerce.number().pipe(z.int().min(1).max(1000)).optional(),
  /** The `next` of the page before, which had the same parameters. */
  cursor: z.string().max(2000).optional(),
});
export type SessionQuery = Readonly<z.infer<typeof SessionQuery>>;

/** A page of sessions. */
export const SessionPage = z.strictObject({
  sessions: z.array(SessionView),
  /** The `cursor` of the next page; null on the last page. */
  next: z.string().nullable(),
  /** The number of sessions that pages may leave out, because the service is rebuilding its index. */
  pending: z.int().nonnegative(),
});
export type SessionPage = z.infer<typeof SessionPage>;

/** Yields all sessions of a query, and reads each page when it is needed. */
export async function* listSessions(
  fairlead: Pick<Fairlead, "sessions">,
  query: SessionQuery = {},
): AsyncGenerator<SessionView> {
  for (let { cursor }: { cursor?: string | null | undefined } = query; cursor !== null;) {
    const page = await fairlead.sessions({ ...query, ...(cursor !== undefined && { cursor }) });
    yield* page.sessions;
    cursor = page.next;
  }
}
