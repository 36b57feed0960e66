import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Event } from "@fairlead/contract";
import { withScript } from "@fairlead/kit";
import { Chance } from "./chance.ts";
import type { Claim } from "./claim.ts";
import { atOnce } from "./daemon/at-once.ts";
import { Cutter } from "./daemon/cutter.ts";
import { Daemon } from "./daemon/daemon.ts";
import { Follower } from "./daemon/follower.ts";
import { machine } from "./daemon/machine.ts";
import { size } from "./daemon/size.ts";
import { Ground } from "./ground.ts";
import { effectsIn } from "./idempotent/effects.ts";
import { Insistence, type Kind } from "./idempotent/insistence.ts";
import { commandsInALife, live } from "./idempotent/life.ts";

const lives = size("sessions", 20);
const commands = lives * commandsInALife;
/** The daemon is killed when so much of the work is done. */
const killedAt = [1 / 3, 2 / 3];

export const idempotent: Claim = {
  id: "idempotent",
  says: "A command with a key is done once, however often it is sent, over cut connections and a killed daemon.",
  bound: `${commands} commands, each sent 4 ×, ${killedAt.length} kill -9: ${commands} effects in the journal, 0 indeterminate; under fresh keys, 4 × as many`,
  async prove() {
    const chance = Chance.fromEnvironment();
    console.log(`FAIRLEAD_SEED=${chance.seed}`);
    await using ground = new Ground();
    let daemon = await Daemon.up(ground);
    await using _ending = { [Symbol.asyncDispose]: () => daemon.kill() };
    await using cutter = await Cutter.open(daemon.socket, chance);
    const reach = () => daemon.reach(cutter.socket);
    const insistence = new Insistence(reach);
    const file = join(ground.folder, "done");
    const places = Array.from({ length: lives }, (_, at) => ({ file, workspace: ground.workspace(`w${at}`) }));

    const over = new AbortController();
    const living = atOnce(8, places, (place) => live(insistence, reach(), place)).finally(() => over.abort());
    living.catch(() => {}); // told below
    let kills = 0;
    while (!over.signal.aborted) {
      await wait(chance.below(60)); // the rate of the cuts, and not a guess at anything
      cutter.cutOne("any");
      if (insistence.given.length < commands * (killedAt[kills] ?? Infinity)) continue;
      kills += 1;
      await daemon.kill();
      daemon = await Daemon.up(ground);
    }
    await living;
    await insistence.giveAllAgain();

    const found = effectsIn(await everything(ground));
    const wanted = Object.fromEntries(
      Object.keys(found).map((kind) => [kind, insistence.given.filter((one) => one.kind === kind).length]),
    ) as Record<Kind, number>;
    const effects = Object.values(found).reduce((sum, count) => sum + count, 0);
    const ran = readFileSync(file, "utf8").trimEnd().split("\n").length;
    const { different, indeterminate } = insistence.deviations;
    const control = await underFreshKeys(ground, daemon);
    const isExact = JSON.stringify(found) === JSON.stringify(wanted);
    if (!isExact) console.log(`wanted ${JSON.stringify(wanted)}, found ${JSON.stringify(found)}`);
    return {
      measured:
        `seed ${chance.seed}; ${insistence.given.length} commands (${told(wanted)}) sent 4 × over ${cutter.cut.any} cut connections and ` +
        `${kills} kills: ${effects} effects, ${ran} of ${wanted.answer} allowed programs ran; ${different} other answers, ` +
        `${indeterminate} indeterminate; control, under fresh keys: ${control.effects} effects of ${control.commands}; ${machine()}`,
      holds:
        insistence.given.length === commands &&
        isExact &&
        ran === wanted.answer &&
        kills === killedAt.length &&
        different + indeterminate === 0 &&
        control.effects === 4 * control.commands,
    };
  },
};

/** Every event of every session. */
async function everything(ground: Ground): Promise<Event[]> {
  await using runtime = await ground.open();
  const ends = await Array.fromAsync(runtime.catalogue.ends());
  const journals = ends.map(({ session }) => Array.fromAsync(runtime.events(session, 0)));
  return (await Promise.all(journals)).flat();
}

/** The same repetitions of a few messages, each with a key of its own: what counts effects must see all of them. */
async function underFreshKeys(ground: Ground, daemon: Daemon): Promise<{ commands: number; effects: number }> {
  const insistence = new Insistence(() => daemon.reach(), "always new");
  const fairlead = daemon.reach();
  const { session } = await fairlead.start({ agent: "scripted", workspace: ground.workspace() });
  const hello = withScript("Say.", [{ text: "Hello." }]);
  for (let count = 0; count < 5; count += 1) {
    await insistence.give("send", (to, options) => to.send(session, hello, options));
  }
  await insistence.giveAllAgain();
  const last = await fairlead.send(session, hello); // it is answered when all before it are
  await new Follower(fairlead, session).saw(({ body }) => body.type === "turn.ended" && body.turn === last.turn);
  return { commands: insistence.given.length, effects: effectsIn(await ground.journal(session)).send - 1 };
}

function told(counts: Readonly<Record<Kind, number>>): string {
  return Object.entries(counts)
    .map(([kind, count]) => `${count} ${kind}`)
    .join(", ");
}
