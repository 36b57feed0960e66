import { readFileSync } from "node:fs";
import { join } from "node:path";
import { connectKeeper } from "@fairlead/keeper";
import type { Runtime } from "@fairlead/runtime";
import { Chance } from "./chance.ts";
import { Child } from "./child.ts";
import type { Claim } from "./claim.ts";
import { Ground } from "./ground.ts";
import { instants, type Instant } from "./input-exactly-once/instant.ts";
import { letter, letterFrame } from "./input-exactly-once/letter.ts";
import type { SenderOptions } from "./input-exactly-once/sender.ts";
import { standIn } from "./stand-in.ts";

const rounds = 50;

export const inputExactlyOnce: Claim = {
  id: "input-exactly-once",
  says: "A message whose runtime is killed while it is on its way, and that the next one sends again, arrives once.",
  bound: `${rounds} of ${rounds} messages of 200 kB arrive whole and once; under a fresh id, twice`,
  async prove() {
    const chance = Chance.fromEnvironment();
    await using ground = new Ground();
    const post = await Post.open(ground, chance);
    const tally = new Map<Instant, number>();
    for (let number = 1; number <= rounds; number += 1) {
      const instant = instants[number % instants.length] ?? "anywhere";
      if ((await post.deliver(number, instant)) === 1) tally.set(instant, (tally.get(instant) ?? 0) + 1);
    }
    const once = [...tally.values()].reduce((sum, count) => sum + count, 0);
    const twice = await post.deliver(rounds + 1, "after the words", "a fresh id");
    const told = [...tally].map(([instant, count]) => `${count} ${instant}`).join(", ");
    return {
      measured: `seed ${chance.seed}; ${once} of ${rounds} once (killed ${told}); control, under a fresh id: ${twice} times`,
      holds: once === rounds && twice === 2,
    };
  },
};

/** One session with an agent that counts, to which messages are sent under difficulties. */
class Post {
  readonly #ground: Ground;
  readonly #chance: Chance;
  readonly #file: string;
  readonly #session: string;

  private constructor(ground: Ground, chance: Chance, file: string, session: string) {
    this.#ground = ground;
    this.#chance = chance;
    this.#file = file;
    this.#session = session;
  }

  static async open(ground: Ground, chance: Chance): Promise<Post> {
    const file = join(ground.folder, "received");
    await using runtime = await opened(ground, file);
    const session = await runtime.start({ agent: "scripted", workspace: ground.workspace() });
    return new Post(ground, chance, file, session.id);
  }

  /** Has a message sent, kills its sender, sends it again, and gives how often it arrived. */
  async deliver(number: number, instant: Instant, again?: "a fresh id"): Promise<number> {
    const id = `letter-${number}`;
    const share = this.#chance.below(1000) / 1000;
    const { folder } = this.#ground.home;
    const options: SenderOptions = {
      home: folder,
      session: this.#session,
      file: this.#file,
      number,
      id,
      instant,
      share,
    };
    const program = new URL("input-exactly-once/sender.ts", import.meta.url);
    const sender = new Child(program, options, { env: this.#ground.environment });
    await sender.line();
    await sender.kill();

    await using runtime = await opened(this.#ground, this.#file);
    await using session = await runtime.attach(this.#session);
    await using keeper = await connectKeeper(this.#ground.home.session(this.#session));
    await keeper.send(letterFrame(number, again === undefined ? id : `${id}-again`));
    // An agent takes messages in their order: when it has answered this one, it has had all before it.
    const last = await session.send(`That was number ${number}.`);
    for await (const one of session.stream()) {
      if ("body" in one && one.body.type === "turn.ended" && one.body.turn === last) break;
    }
    const { hash } = letter(number);
    return readFileSync(this.#file, "utf8")
      .split("\n")
      .filter((line) => line === hash).length;
  }
}

function opened(ground: Ground, file: string): Promise<Runtime> {
  return ground.open([standIn(new URL("input-exactly-once/counting-agent.ts", import.meta.url), file)]);
}
