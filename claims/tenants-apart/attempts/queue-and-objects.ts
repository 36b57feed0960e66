import { createHash } from "node:crypto";
import { becomesTrue, pulls, type Attempt } from "../attempt.ts";
import { namespace } from "../victim.ts";

const never = new AbortController().signal;

/** Attempts on work, tokens and the memory of agents. */
export const storeAttempts: readonly Attempt[] = [
  {
    name: "take a job",
    async run({ engine, victim, signal }) {
      const name = victim.createName();
      void victim.engine.queue.put(name, { kind: "start", params: victim.secret }, name, signal).catch(() => {});
      for await (const ticket of engine.queue.take(name, signal)) return victim.hasSecret(ticket.job.params);
      return false;
    },
  },
  {
    name: "put a job that the other tenant's hosts take",
    async run({ engine, victim, signal }) {
      const name = victim.createName();
      void engine.queue.put(name, { kind: "start", params: "forged" }, name, signal).catch(() => {});
      for await (const ticket of victim.engine.queue.take(name, signal)) return ticket.job.params === "forged";
      return false;
    },
  },
  {
    name: "get the outcome of a job by its key",
    async run({ engine, victim, signal }) {
      const name = victim.createName();
      const put = victim.engine.queue.put(name, { kind: "start", params: null }, name, never);
      for await (const ticket of victim.engine.queue.take(name, signal)) {
        await ticket.done(victim.secret);
        break;
      }
      await put;
      const outcome = await engine.queue.put(name, { kind: "start", params: null }, name, signal);
      return outcome === victim.secret;
    },
  },
  {
    name: "list the tokens",
    async run({ engine, victim }) {
      const { digest } = await victim.addToken();
      return await becomesTrue(() => engine.tokens.list().some((one) => one.digest === digest));
    },
  },
  {
    name: "add a token",
    async run({ engine, victim }) {
      const digest = createHash("sha256").update("attacker").digest("hex");
      await engine.tokens.add({ label: "attacker", scopes: ["read"], digest, issuedAt: new Date().toISOString() });
      return await becomesTrue(() => victim.engine.tokens.list().some((one) => one.digest === digest));
    },
  },
  {
    name: "remove a token",
    async run({ engine, victim }) {
      const { label, digest } = await victim.addToken();
      await engine.tokens.remove(label);
      return await becomesTrue(() => victim.engine.tokens.list().every((one) => one.digest !== digest));
    },
  },
  {
    name: "get an object",
    async run({ engine, victim }) {
      return victim.hasSecret(await engine.objects.get(await victim.putObject()));
    },
  },
  {
    name: "list the objects",
    async run({ engine, victim }) {
      const wanted = await victim.putObject();
      for await (const key of engine.objects.list("memory/")) if (key === wanted) return true;
      return false;
    },
  },
  {
    name: "replace an object",
    async run({ engine, victim }) {
      const key = await victim.putObject();
      await engine.objects.put(key, Buffer.from("forged"));
      return Buffer.from((await victim.engine.objects.get(key)) ?? []).toString() === "forged";
    },
  },
  {
    name: "remove an object",
    async run({ engine, victim }) {
      const key = await victim.putObject();
      await engine.objects.remove(key);
      return (await victim.engine.objects.get(key)) === undefined;
    },
  },
  {
    name: "fetch a job from the consumer of the pool",
    async run({ connection, victim, signal }) {
      const name = victim.createName();
      void victim.engine.queue.put(name, { kind: "start", params: null }, name, signal).catch(() => {});
      // Its first use creates the consumer.
      for await (const ticket of victim.engine.queue.take(name, signal)) {
        await ticket[Symbol.asyncDispose]();
        break;
      }
      const job = { stream: `${namespace}_JOBS`, consumer: name, subject: `${namespace}.job.${name}` };
      return await pulls(connection, job);
    },
  },
];
