import { FairleadError } from "@fairlead/contract";
import type { Engine } from "@fairlead/engine";
import { decodeEvents, SessionProjection } from "@fairlead/runtime";
import type { SessionFacts } from "@fairlead/service";

/** Rows of damaged sessions that are looked at: the newest. */
const maxDamaged = 500;

/** Whether the fleet has a session, also one whose log is damaged: a person must be able to stop and to remove it. */
export async function hasSession({ log }: Pick<Engine, "log">, session: string): Promise<boolean> {
  try {
    return (await log.tail(session)).last > 0;
  } catch (error) {
    if (FairleadError.is(error, "corrupt")) return true;
    throw error;
  }
}

/** Returns the newest owner of a session in the log, or, if the log has none that can be read, the one of its row. */
export async function readOwner({ log, index }: Pick<Engine, "log" | "index">, session: string): Promise<string> {
  try {
    const { owner } = await log.tail(session);
    if (owner !== "") return owner;
  } catch (error) {
    if (!FairleadError.is(error, "corrupt")) throw error;
  }
  return (await index.get(session))?.owner ?? "";
}

/** What is known of a session without its host. */
export interface KnownSession extends SessionFacts {
  readonly owner: string;
  readonly hasRow: boolean;
}

/** Reads what the index has of a session, or, if its host was lost before it wrote a row, what the log has. */
export async function readKnownSession(
  { log, index }: Pick<Engine, "log" | "index">,
  session: string,
): Promise<KnownSession | undefined> {
  const row = await index.get(session);
  const projection = row === undefined ? new SessionProjection() : SessionProjection.fromRow(row);
  if (row === undefined) for await (const event of decodeEvents(log.read(session, 0))) projection.add(event);
  const { summary, activity } = projection;
  const owner = row?.owner ?? (await log.tail(session)).owner;
  return summary && { summary, activity, owner, hasRow: row !== undefined };
}

/** Removes the row of a session that the log does not have: the host that forgot it was lost before it removed the row. */
export async function removeRowIfForgotten(
  { log, index }: Pick<Engine, "log" | "index">,
  session: string,
): Promise<boolean> {
  try {
    if ((await log.tail(session)).epoch > 0) return false;
  } catch (error) {
    if (FairleadError.is(error, "corrupt")) return false;
    throw error;
  }
  await index.remove(session);
  return true;
}

/** Looks at the rows of sessions that are listed as damaged. */
export async function removeForgottenRows({ log, index }: Pick<Engine, "log" | "index">): Promise<void> {
  const { rows } = await index.page({ states: ["damaged"] }, { limit: maxDamaged });
  for (const { session } of rows) await removeRowIfForgotten({ log, index }, session);
}
