import { setTimeout as wait } from "node:timers/promises";
import type { Audience } from "./audience.ts";
import type { Outlook, Sight } from "./outlook.ts";
import type { Held } from "./small-disk-ground.ts";
import type { SmallDisk } from "./small-disk.ts";
import { until } from "./until.ts";

/** More than can be on its way in pipes: an agent that has written as much has been heard. About a second's worth. */
const heard = 400_000;

export interface StandstillParts {
  readonly held: Held;
  readonly disk: SmallDisk;
  readonly outlook: Outlook;
  readonly audience: Audience;
}

/**
 * Fills the disk until that has brought to a standstill what it must, and gives how far all was then; null when the turn
 * is over before. Nothing more is stored or shown. If the spool is on that disk, the agent waits too, for a second; if
 * only the journal is, the journal refuses what it is given, and the agent goes on.
 */
export async function standstill({ held, disk, outlook, audience }: StandstillParts): Promise<Sight | null> {
  const behaves = held === "home" ? agentWaits : agentGoesOn;
  let found: Sight | null = null;
  using _ = disk.fill();
  await until("a standstill", async () => {
    const before = await outlook.sight();
    const isRight = await behaves(before, { outlook, audience });
    const after = await outlook.sight();
    const isStill = after.stored === before.stored && after.shown === before.shown && after.shown === after.stored;
    if (isRight && isStill && disk.isFull && !audience.isOver) found = after;
    return found !== null || audience.isOver;
  });
  return found;
}

type Onlookers = Pick<StandstillParts, "outlook" | "audience">;

async function agentWaits(before: Sight, { outlook }: Onlookers): Promise<boolean> {
  await wait(1000);
  return outlook.written === before.written;
}

async function agentGoesOn(before: Sight, { outlook, audience }: Onlookers): Promise<boolean> {
  if (!(await outlook.isRefused())) return false;
  await until("the agent goes on", () => outlook.written >= before.written + heard || audience.isOver);
  return await outlook.isRefused();
}
