import { indexRow } from "@fairlead/testing/nats/index-rows.ts";
import { becomesTrue, type Attempt } from "../attempt.ts";

/** Attempts on the list of sessions and on names. */
export const indexAttempts: readonly Attempt[] = [
  {
    name: "get a row",
    async run({ engine, victim }) {
      const { session } = await victim.createSession();
      return victim.hasSecret((await engine.index.get(session))?.content);
    },
  },
  {
    name: "page through the rows",
    async run({ engine, victim }) {
      const { session } = await victim.createSession();
      return await becomesTrue(async () => (await engine.index.page({ prefix: session })).rows.length > 0);
    },
  },
  {
    name: "find a session by its name",
    async run({ engine, victim }) {
      const { session } = await victim.createSession();
      return await becomesTrue(async () => (await engine.index.page({ name: `name-of-${session}` })).rows.length > 0);
    },
  },
  {
    name: "count the rows",
    async run({ engine, victim }) {
      await victim.createSession();
      return await becomesTrue(async () => (await engine.index.count({})).length > 0);
    },
  },
  {
    name: "watch the rows",
    async run({ engine, victim, signal }) {
      const watch = engine.index.watch({}, signal)[Symbol.asyncIterator]();
      await victim.createSession();
      return victim.hasSecret((await watch.next()).value?.row?.content);
    },
  },
  {
    name: "replace a row",
    async run({ engine, victim }) {
      const { session } = await victim.createSession();
      await engine.index.put(indexRow(session, { epoch: 99, content: "forged" }));
      return (await victim.engine.index.get(session))?.content === "forged";
    },
  },
  {
    name: "remove a row",
    async run({ engine, victim }) {
      const { session } = await victim.createSession();
      await engine.index.remove(session);
      return (await victim.engine.index.get(session)) === undefined;
    },
  },
  {
    name: "see who has a name",
    async run({ engine, victim }) {
      const { session } = await victim.createSession();
      await victim.engine.index.take(`taken-${session}`, { session, owner: victim.host.owner });
      const holder = await engine.index.take(`taken-${session}`, { session: "other", owner: "attacker" });
      return holder.session === session;
    },
  },
  {
    name: "release a name",
    async run({ engine, victim }) {
      const { session } = await victim.createSession();
      const name = `released-${session}`;
      await victim.engine.index.take(name, { session, owner: victim.host.owner });
      await engine.index.release(name, session);
      const holder = await victim.engine.index.take(name, { session: "other", owner: "other" });
      return holder.session === "other";
    },
  },
  {
    name: "move the position of the index",
    async run({ engine, victim }) {
      const position = await victim.engine.log.changes(null).then((changes) => changes.position);
      await engine.index.writePosition(position);
      return (await victim.engine.index.readPosition()) === position;
    },
  },
];
