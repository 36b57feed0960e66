import { FairleadError } from "@fairlead/contract";
import type { SessionRowQuery } from "@fairlead/journal";
import type { SessionProjections } from "../projection/session-projections.ts";
import { unknownSession, type SessionCatalog } from "./session-catalog.ts";
import type { SessionSummary } from "./session-summary.ts";

/** The states of a session that has not ended, as far as the journal knows. */
const openStates = ["idle", "working", "waiting", "paused"] as const satisfies SessionSummary["state"][];
/** What a directory reads of the index. */
type IndexedSessions = Pick<SessionProjections, "page" | "projectionOf" | "read" | "waitUntilComplete">;

const maxPrefixMatches = 6;
const maxSameName = 10;

/** Finds and summarizes sessions. It reads the index, so that its cost does not depend on the number of sessions. */
export class SessionDirectory {
  readonly #catalog: Pick<SessionCatalog, "has" | "addSpool">;
  readonly #projections: IndexedSessions;

  constructor(catalog: Pick<SessionCatalog, "has" | "addSpool">, projections: IndexedSessions) {
    this.#catalog = catalog;
    this.#projections = projections;
  }

  /** Yields all sessions, the newest activity first. */
  async *list(): AsyncGenerator<SessionSummary> {
    await this.#projections.waitUntilComplete();
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page = await this.#projections.page({}, cursor === undefined ? {} : { cursor });
      for (const row of page.rows) {
        const { summary, queued } = this.#projections.projectionOf(row);
        if (summary !== undefined) yield await this.#catalog.addSpool(summary, queued);
      }
      cursor = page.next;
    }
  }

  async summary(session: string): Promise<SessionSummary> {
    const { summary, queued = [] } = (await this.#projections.read(session)) ?? {};
    if (summary === undefined) throw unknownSession(session);
    return await this.#catalog.addSpool(summary, queued);
  }

  /** Returns open sessions with this name, the newest activity first. Lost ones may have had it before the newest. */
  async findOpenByName(name: string): Promise<readonly string[]> {
    return await this.#findIds({ name, states: openStates }, maxSameName);
  }

  /**
   * Finds a session by its id, its name, or the beginning of its id. An open session comes before a damaged one, whose
   * agent may run, and that before others.
   */
  async find(text: string): Promise<string> {
    if (await this.#catalog.has(text)) return text;
    await this.#projections.waitUntilComplete();
    const [open] = await this.findOpenByName(text);
    if (open !== undefined) return await this.#assertUnambiguous(open, text);
    const [damaged] = await this.#findIds({ name: text, states: ["damaged"] }, 1);
    const [other] = damaged === undefined ? await this.#findIds({ name: text }, 1) : [damaged];
    return other ?? (await this.#findByPrefix(text));
  }

  /** Throws if the name is also the beginning of another session's id. An attacker could choose such a name on purpose. */
  async #assertUnambiguous(session: string, text: string): Promise<string> {
    const other = (await this.#findIds({ prefix: text }, 2)).find((id) => id !== session);
    if (other === undefined) return session;
    throw new FairleadError(
      "session-not-found",
      `"${text}" is ambiguous: it is the name of ${session} and the beginning of ${other}. Type one of these ids.`,
    );
  }

  async #findByPrefix(prefix: string): Promise<string> {
    const ids = prefix === "" ? [] : await this.#findIds({ prefix }, maxPrefixMatches);
    const [id, secondId] = ids;
    if (id === undefined) throw unknownSession(prefix);
    if (secondId === undefined) return id;
    throw new FairleadError(
      "session-not-found",
      `"${prefix}" is ambiguous: ${ids.slice(0, 5).join(", ")}. Type more of the id.`,
    );
  }

  async #findIds(query: SessionRowQuery, limit: number): Promise<string[]> {
    const order = query.prefix === undefined ? "activity" : "session";
    const { rows } = await this.#projections.page(query, { limit, order });
    return rows.map(({ session }) => session);
  }
}
