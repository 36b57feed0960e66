import { readFileSync } from "node:fs";
import { join } from "node:path";
import { connectKeeper } from "@fairlead/keeper";
import type { Runtime } from "@fairlead/runtime";
import { SeededRandom } from "../../measure/seeded-random.ts";
import { ChildProgram } from "../../measure/child-program.ts";
import type { Claim } from "../../measure/claim.ts";
import { TestHome } from "../../measure/test-home.ts";
import { killPoints, type KillPoint } from "./instant.ts";
import { createTestMessage, createMessageRequest } from "./test-message.ts";
import type { SenderOptions } from "./sender.ts";
import { createStandInAdapter } from "../../measure/create-stand-in-adapter.ts";

const rounds = 50;

export const inputExactlyOnce: Claim = {
  id: "input-exactly-once",
  statement: "A message whose runtime is killed during delivery, and which the next runtime sends again, arrives once.",
  bound: `${rounds} of ${rounds} messages of 200 kB arrive complete and once; control: with a fresh id, twice`,
  async prove() {
    const random = SeededRandom.fromEnvironment();
    await using testHome = new TestHome();
    const deliveryTest = await DeliveryTest.open(testHome, random);
    const arrivedOnce = new Map<KillPoint, number>();
    for (let number = 1; number <= rounds; number += 1) {
      const killPoint = killPoints[number % killPoints.length] ?? "anywhere";
      if ((await deliveryTest.deliver(number, killPoint)) === 1)
        arrivedOnce.set(killPoint, (arrivedOnce.get(killPoint) ?? 0) + 1);
    }
    const onceCount = [...arrivedOnce.values()].reduce((sum, count) => sum + count, 0);
    const freshIdCount = await deliveryTest.deliver(rounds + 1, "after the words", "a fresh id");
    const summary = [...arrivedOnce].map(([killPoint, count]) => `${count} ${killPoint}`).join(", ");
    return {
      measured: `seed ${random.seed}; ${onceCount} of ${rounds} once (killed ${summary}); control, under a fresh id: ${freshIdCount} times`,
      holds: onceCount === rounds && freshIdCount === 2,
    };
  },
};

/** One session with a counting agent, to which messages are sent while senders are killed. */
class DeliveryTest {
  readonly #ground: TestHome;
  readonly #chance: SeededRandom;
  readonly #file: string;
  readonly #session: string;

  private constructor(testHome: TestHome, random: SeededRandom, file: string, session: string) {
    this.#ground = testHome;
    this.#chance = random;
    this.#file = file;
    this.#session = session;
  }

  static async open(testHome: TestHome, random: SeededRandom): Promise<DeliveryTest> {
    const workspace = testHome.workspace();
    // In the workspace, because a sandbox hides the rest.
    const file = join(workspace, "received");
    await using runtime = await openRuntime(testHome, file);
    const session = await runtime.start({ agent: "scripted", workspace, sandbox: { kind: "bwrap" } });
    return new DeliveryTest(testHome, random, file, session.id);
  }

  /** Sends a message, kills the sender, sends it again. Returns how often it arrived. */
  async deliver(number: number, killPoint: KillPoint, resendUnder?: "a fresh id"): Promise<number> {
    const id = `letter-${number}`;
    const fraction = this.#chance.nextBelow(1000) / 1000;
    const { folder } = this.#ground.home;
    const options: SenderOptions = {
      home: folder,
      session: this.#session,
      file: this.#file,
      number,
      id,
      killPoint,
      fraction,
    };
    const program = new URL("sender.ts", import.meta.url);
    const sender = new ChildProgram(program, options, { env: this.#ground.environment });
    await sender.readLine();
    await sender.kill();

    await using runtime = await openRuntime(this.#ground, this.#file);
    await using session = await runtime.attach(this.#session);
    await using keeper = await connectKeeper(this.#ground.home.sessionFolder(this.#session));
    await keeper.send(createMessageRequest(number, resendUnder === undefined ? id : `${id}-again`));
    // The agent reads messages in order: an answer to this one shows that it has read all earlier ones.
    const last = await session.send(`That was number ${number}.`);
    for await (const one of session.stream()) {
      if ("body" in one && one.body.type === "turn.ended" && one.body.turn === last) break;
    }
    const { hash } = createTestMessage(number);
    return readFileSync(this.#file, "utf8")
      .split("\n")
      .filter((line) => line === hash).length;
  }
}

function openRuntime(testHome: TestHome, file: string): Promise<Runtime> {
  return testHome.open([createStandInAdapter(new URL("counting-agent.ts", import.meta.url), file)]);
}
