import type { Diff, DiffQuery } from "@fairlead/api";
import { FairleadError, type Rooms } from "@fairlead/contract";
import { findWorkspaceChanges, roomScope, type RoomScope, type Runtime } from "@fairlead/runtime";

/** What is known of a session whose changes are asked for. */
export interface DiffSource {
  readonly session: string;
  readonly workspace: string;
  /** The commit at the start of the session; null if there was none, undefined if it is unknown. */
  readonly startCommit: () => Promise<string | null | undefined>;
  /** The tree of the last comparison of the workspace; null if there was none. */
  readonly lastTree: () => Promise<string | null>;
  /** The id of a turn by its number. Throws if the session has no such turn. */
  readonly findTurn: (number: number) => Promise<string>;
}

/** Finds the changes in the workspace of a session: since its start, since the last commit, or of one turn. */
export class SessionDiff {
  readonly #catalog: Runtime["catalog"];

  constructor(catalog: Runtime["catalog"]) {
    this.#catalog = catalog;
  }

  async read(source: DiffSource, { turn, since, room }: DiffQuery = {}): Promise<Diff> {
    if (turn !== undefined && since !== undefined)
      throw new FairleadError(
        "invalid-request",
        "Changes are those of a turn, or those since a time. Choose one of both.",
      );
    const scope = room === undefined ? undefined : roomScope(await this.#readRooms(source.session), room);
    if (turn !== undefined) return await this.#ofTurn(source, turn, scope);
    return since === "commit" ? await this.#sinceCommit(source, scope) : await this.#sinceStart(source, scope);
  }

  async #sinceCommit({ session, workspace }: DiffSource, scope?: RoomScope): Promise<Diff> {
    const index = this.#catalog.keptIndexFile(session);
    const { hasRepository, ...diff } = await findWorkspaceChanges(workspace, { index, ...(scope && { scope }) });
    if (hasRepository) return diff;
    const reason = `The workspace ${workspace} is not in a git repository, so there is no commit to compare with.`;
    throw new FairleadError("conflict", `${reason} Changes since the start: fairlead diff ${session}`);
  }

  async #sinceStart(source: DiffSource, scope?: RoomScope): Promise<Diff> {
    const { session, workspace } = source;
    const since = await source.startCommit();
    // Without a commit, only the comparisons know what the workspace had before.
    const kept = since === null ? await this.#sinceFirstComparison(source, scope) : null;
    if (kept !== null) return kept;
    const index = this.#catalog.keptIndexFile(session);
    const options = { since, index, ...(scope && { scope }) };
    const { hasRepository, ...diff } = await findWorkspaceChanges(workspace, options);
    if (hasRepository) return diff;
    const reason = `The workspace ${workspace} is not in a git repository, and its files were not compared.`;
    throw new FairleadError("conflict", `${reason} List those that the agent reported with: fairlead files ${session}`);
  }

  async #sinceFirstComparison(source: DiffSource, scope?: RoomScope): Promise<Diff | null> {
    const { session, workspace } = source;
    const lastTree = await source.lastTree();
    const options = { session, workspace, lastTree, ...(scope && { scope }) };
    const found = await this.#catalog.findChangesSinceStart(options);
    return found === null ? null : toDiff(found);
  }

  async #ofTurn(source: DiffSource, number: number, scope?: RoomScope): Promise<Diff> {
    const { session, workspace } = source;
    const turn = await source.findTurn(number);
    const lastTree = await source.lastTree();
    const options = { session, workspace, turn, lastTree, ...(scope && { scope }) };
    return toDiff(await this.#catalog.findTurnChanges(options));
  }

  /** Returns the rooms that a session was started with. */
  async #readRooms(session: string): Promise<Rooms> {
    const { body } = await this.#catalog.readFirstEvent(session);
    return (body.type === "session.started" && body.rooms) || {};
  }
}

function toDiff({ omitted, ...diff }: Awaited<ReturnType<Runtime["catalog"]["findTurnChanges"]>>): Diff {
  return { base: null, ...diff, ...(omitted.length > 0 && { omitted: [...omitted] }) };
}
