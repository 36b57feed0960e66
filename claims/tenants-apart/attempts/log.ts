import type { Attempt } from "../attempt.ts";

/** Attempts on the events of a session, through the log. */
export const logAttempts: readonly Attempt[] = [
  {
    name: "read the events of a session",
    async run({ engine, victim }) {
      const { session } = await victim.createSession();
      for await (const { events } of engine.log.read(session, 0))
        if (events.some((one) => victim.hasSecret(one))) return true;
      return false;
    },
  },
  {
    name: "read the end of a session",
    async run({ engine, victim }) {
      const { session } = await victim.createSession();
      return (await engine.log.tail(session)).epoch > 0;
    },
  },
  {
    name: "read the commands of a session",
    async run({ engine, victim }) {
      const { session } = await victim.createSession();
      for await (const note of engine.log.notes(session)) if (victim.hasSecret(note)) return true;
      return false;
    },
  },
  {
    name: "watch a session",
    async run({ engine, victim, signal }) {
      const open = await victim.createSession();
      const watch = engine.log.watch(open.session, 1, signal)[Symbol.asyncIterator]();
      const next = watch.next();
      await victim.append(open);
      return victim.hasSecret((await next).value?.events[0]);
    },
  },
  {
    name: "list the sessions of the log",
    async run({ engine, victim }) {
      const { session } = await victim.createSession();
      for await (const logged of engine.log.sessions()) if (logged.session === session) return true;
      return false;
    },
  },
  {
    name: "list the changed sessions of the log",
    async run({ engine, victim }) {
      const { session } = await victim.createSession();
      return (await engine.log.changes(null)).sessions.includes(session);
    },
  },
  {
    name: "claim a session",
    async run({ engine, victim }) {
      const { session, epoch } = await victim.createSession();
      await engine.log.claim(session, "attacker");
      return (await victim.engine.log.tail(session)).epoch > epoch;
    },
  },
  {
    name: "append with the right fence",
    async run({ engine, victim }) {
      const { session, epoch, fence, last } = await victim.createSession();
      const batch = { session, epoch, first: last + 1, events: [Buffer.from("forged")], owner: victim.host.owner };
      await engine.log.append(batch, fence).catch(() => {});
      return (await victim.readEvents(session)).includes("forged");
    },
  },
  {
    name: "claim a session and forge an event",
    async run({ engine, victim }) {
      const { session } = await victim.createSession();
      const { epoch, fence, last } = await engine.log.claim(session, "attacker");
      const batch = { session, epoch, first: last + 1, events: [Buffer.from("forged")], owner: "attacker" };
      await engine.log.append(batch, fence);
      return (await victim.readEvents(session)).includes("forged");
    },
  },
  {
    name: "forget a session",
    async run({ engine, victim }) {
      const { session, fence } = await victim.createSession();
      await engine.log.forget(session, fence).catch(() => {});
      return (await victim.readEvents(session)).length === 0;
    },
  },
];
