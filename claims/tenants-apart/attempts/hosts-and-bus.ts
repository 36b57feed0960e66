import type { Delta } from "@fairlead/contract";
import { becomesTrue, type Attempt } from "../attempt.ts";
import { namespace } from "../victim.ts";

const call = { method: "send", params: "text" };

/** Attempts on hosts, and on what processes send each other. */
export const hostAttempts: readonly Attempt[] = [
  {
    name: "see the hosts",
    async run({ engine, victim, signal }) {
      for await (const { owner } of engine.hosts.watch(signal)) if (owner === victim.host.owner) return true;
      return false;
    },
  },
  {
    name: "ask whether a host is alive",
    run: ({ engine, victim }) => engine.hosts.isAlive(victim.host.owner),
  },
  {
    name: "join as a host that the other tenant sees",
    async run({ engine, victim, signal }) {
      await using joined = await engine.hosts.join({ name: "attacker" });
      for await (const { owner } of victim.engine.hosts.watch(signal)) if (owner === joined.owner) return true;
      return false;
    },
  },
  {
    name: "remove the entry of a host",
    async run({ connection, victim }) {
      const member = await victim.engine.hosts.join({ name: "removed" });
      const { instance } = JSON.parse(member.owner) as { readonly instance: string };
      await connection.request(`$KV.${namespace}_hosts.${instance}`, "", { timeout: 2_000 });
      return !(await victim.engine.hosts.isAlive(member.owner));
    },
  },
  {
    name: "call a session",
    async run({ engine, victim, signal }) {
      await using _served = await victim.engine.bus.serve("called", 1, async () => victim.secret);
      return (await engine.bus.call("called", call, signal)) === victim.secret;
    },
  },
  {
    name: "call a host",
    async run({ engine, victim, signal }) {
      await using _served = await victim.engine.bus.serve("host/victim-host", 1, async () => victim.secret);
      return (await engine.bus.call("host/victim-host", call, signal)) === victim.secret;
    },
  },
  {
    name: "answer the calls to a session with a higher epoch",
    async run({ engine, victim, signal }) {
      await using _served = await victim.engine.bus.serve("taken", 1, async () => "victim");
      await using _attacking = await engine.bus.serve("taken", 9, async () => "attacker");
      return (await victim.engine.bus.call("taken", call, signal)) === "attacker";
    },
  },
  {
    name: "follow live output",
    async run({ engine, victim, signal }) {
      const output = engine.bus.subscribe("live", signal)[Symbol.asyncIterator]();
      const next = output.next();
      const timer = setInterval(() => victim.engine.bus.publish("live", deltaOf(victim.secret)), 50);
      try {
        return victim.hasSecret((await next).value);
      } finally {
        clearInterval(timer);
      }
    },
  },
  {
    name: "forge live output",
    async run({ engine, victim, signal }) {
      const output = victim.engine.bus.subscribe("forged", signal)[Symbol.asyncIterator]();
      let isForged = false;
      void output.next().then(
        ({ done }) => (isForged = done !== true),
        () => {},
      );
      return await becomesTrue(() => {
        engine.bus.publish("forged", deltaOf("forged"));
        return isForged;
      });
    },
  },
];

function deltaOf(text: string): Delta {
  return { type: "text.delta", text };
}
