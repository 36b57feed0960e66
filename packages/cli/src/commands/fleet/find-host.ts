import { FairleadError } from "@fairlead/contract";
import type { Engine, HostInfo } from "@fairlead/engine";
import type { SessionRow } from "@fairlead/journal";

/** Finds a host that is alive by its id, or by the name of its machine if only one host has it. Not one whose process is stopped. */
export async function findHost(
  alive: ReadonlyMap<string, HostInfo>,
  wanted: string,
): Promise<{ readonly id: string; readonly owner: string }> {
  const { hostOfOwner } = await import("@fairlead/nats");
  const all = [...alive].map(([owner, { name, absent }]) => ({ id: hostOfOwner(owner) ?? owner, owner, name, absent }));
  // The next process of a host has another entry.
  const hosts = all.filter(({ absent }) => absent !== true);
  const byId = hosts.find(({ id }) => id === wanted);
  const byName = hosts.filter(({ name }) => name === wanted);
  const [only] = byName;
  if (byId !== undefined) return byId;
  if (only !== undefined && byName.length === 1) return only;
  if (byName.length === 0 && all.some(({ id, name }) => id === wanted || name === wanted)) {
    const advice = "Its sessions move when the time that it announced is over, or after its next start.";
    throw new FairleadError("unavailable", `The process of host ${wanted} is stopped. ${advice}`);
  }
  const reason = byName.length > 1 ? `${byName.length} hosts have the name ${wanted}` : `No host ${wanted} has joined`;
  throw new FairleadError("invalid-request", `${reason}. List the hosts with: fairlead fleet hosts --fleet FILE`);
}

/** The states of rows of sessions that have not ended. */
const openStates = ["idle", "working", "waiting", "paused", "damaged"];

/** Finds a session that has not ended, also one that is paused, by its id, its name, or the beginning of its id. */
export async function findOpenSession({ index }: Pick<Engine, "index">, wanted: string): Promise<SessionRow> {
  const byId = await index.get(wanted);
  if (byId !== undefined && openStates.includes(byId.state)) return byId;
  const [named] = (await index.page({ name: wanted, states: openStates }, { limit: 1 })).rows;
  if (named !== undefined) return named;
  const [found, other] = (await index.page({ prefix: wanted, states: openStates }, { limit: 2, order: "session" }))
    .rows;
  if (found !== undefined && other === undefined) return found;
  const reason = found === undefined ? `No open session is ${wanted}` : `Several open sessions begin with ${wanted}`;
  throw new FairleadError("invalid-request", `${reason}. List them with: fairlead ls`);
}
