import type { JetStreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { becomesTrue, hears, pulls, type Attempt } from "../attempt.ts";
import { namespace } from "../victim.ts";

const timeout = 5_000;

/** Attempts through the API of the streams, with no part of Fairlead between. Those that remove a stream come last. */
export const streamAttempts: readonly Attempt[] = [
  {
    name: "list the streams",
    async run({ connection, victim }) {
      const name = victim.createName();
      await victim.manager.streams.add({ name, subjects: [name], num_replicas: 1 });
      return await hasText(connection, "STREAM.LIST", {}, (text) => text.includes(name));
    },
  },
  {
    name: "list the subjects of a stream",
    async run({ connection, victim }) {
      const { subject, stream } = await victim.createSession();
      return await hasText(connection, `STREAM.INFO.${stream}`, { subjects_filter: ">" }, (text) =>
        text.includes(subject),
      );
    },
  },
  {
    name: "get a message by its subject",
    async run({ connection, victim }) {
      const { subject, stream } = await victim.createSession();
      return await hasText(connection, `STREAM.MSG.GET.${stream}`, { last_by_subj: subject }, isMessage);
    },
  },
  {
    name: "get a message by its number",
    async run({ connection, victim }) {
      const { stream, subject } = await victim.createSession();
      const query = { seq: 1, next_by_subj: subject };
      return await hasText(connection, `STREAM.MSG.GET.${stream}`, query, isMessage);
    },
  },
  {
    name: "get a row from its bucket",
    async run({ connection, victim }) {
      const { session } = await victim.createSession();
      const query = { last_by_subj: `$KV.${namespace}_sessions.${session}` };
      return await hasText(connection, `STREAM.MSG.GET.KV_${namespace}_sessions`, query, isMessage);
    },
  },
  {
    name: "get the last message of a subject directly",
    async run({ connection, victim }) {
      const { subject, stream } = await victim.createSession();
      const got = async () =>
        (await connection.request(`$JS.API.DIRECT.GET.${stream}.${subject}`, "", { timeout })).data.length;
      return await becomesTrue(async () => (await got()) > 0);
    },
  },
  {
    name: "get the last messages of all subjects directly",
    async run({ connection, victim }) {
      const { stream, subject } = await victim.createSession();
      const query = JSON.stringify({ multi_last: [subject], batch: 10 });
      const got = async () =>
        (await connection.request(`$JS.API.DIRECT.GET.${stream}`, query, { timeout })).data.length;
      return await becomesTrue(async () => (await got()) > 0);
    },
  },
  {
    name: "read a stream by a consumer that is pulled",
    async run({ connection, victim, manager }) {
      const { stream, subject } = await victim.createSession();
      const config = { ack_policy: "none", filter_subject: subject, inactive_threshold: 30e9 };
      const { name: consumer } = await manager.consumers.add(stream, config as never);
      return await pulls(connection, { stream, consumer, subject });
    },
  },
  {
    name: "read a stream by a consumer that pushes",
    run: async ({ connection, victim, manager }) =>
      await hears(
        connection,
        "attacker.delivered",
        (_, data) => data.length > 0,
        async () => {
          const { stream, subject: filter_subject } = await victim.createSession();
          const config = {
            ack_policy: "none",
            filter_subject,
            deliver_subject: "attacker.delivered",
            inactive_threshold: 5e9,
          };
          await manager.consumers.add(stream, config as never);
        },
      ),
  },
  {
    name: "copy a stream into another one as its source",
    async run({ victim, manager }) {
      const { stream, subject } = await victim.createSession();
      await manager.streams.add({ name: "copied", sources: [{ name: stream }], num_replicas: 1 });
      return await becomesTrue(() => hasSubject(manager, "copied", subject), 5);
    },
  },
  {
    name: "mirror a stream",
    async run({ victim, manager }) {
      const { stream, subject } = await victim.createSession();
      await manager.streams.add({ name: "mirrored", mirror: { name: stream }, num_replicas: 1 });
      return await becomesTrue(() => hasSubject(manager, "mirrored", subject), 5);
    },
  },
  {
    name: "store what the other tenant publishes in a stream of its own",
    async run({ victim, manager }) {
      await manager.streams.add({
        name: "tapped",
        subjects: [`${namespace}.bus.>`, `${namespace}.live.>`],
        num_replicas: 1,
      });
      const { liveSubject } = await victim.createSession();
      return await becomesTrue(() => hasSubject(manager, "tapped", liveSubject), 3);
    },
  },
  {
    name: "download a stream as a snapshot",
    run: async ({ connection, victim }) =>
      await hears(
        connection,
        "attacker.snapshot",
        (_, data) => data.length > 0,
        async () => {
          const name = victim.createName();
          await victim.manager.streams.add({ name, subjects: [name], num_replicas: 1 });
          await victim.connection.request(name, victim.bytes, { timeout });
          const request = JSON.stringify({ deliver_subject: "attacker.snapshot", no_consumers: true });
          await connection.request(`$JS.API.STREAM.SNAPSHOT.${name}`, request, { timeout });
        },
      ),
  },
  {
    name: "change the settings of a stream",
    async run({ victim, manager }) {
      const { stream } = await victim.createSession();
      await manager.streams.update(stream, { description: "forged" });
      return (await victim.manager.streams.info(stream)).config.description === "forged";
    },
  },
  {
    name: "pause the consumer of a pool",
    async run({ victim, manager, signal }) {
      const name = victim.createName();
      void victim.engine.queue.put(name, { kind: "start", params: null }, name, signal).catch(() => {});
      for await (const _ticket of victim.engine.queue.take(name, signal)) break;
      await manager.consumers.pause(`${namespace}_JOBS`, name, new Date(Date.now() + 60_000));
      const info = () => victim.manager.consumers.info(`${namespace}_JOBS`, name);
      return await becomesTrue(async () => (await info()).paused === true);
    },
  },
  {
    name: "purge the events of a session",
    async run({ victim, manager }) {
      const { session, stream, subject } = await victim.createSession();
      await manager.streams.purge(stream, { filter: subject });
      return (await victim.readEvents(session)).length === 0;
    },
  },
  {
    name: "make the leader of a stream step down",
    async run({ connection, victim }) {
      const { stream } = await victim.createSession();
      const leader = async () => (await victim.manager.streams.info(stream)).cluster?.leader;
      const before = await leader();
      await connection.request(`$JS.API.STREAM.LEADER.STEPDOWN.${stream}`, "", { timeout });
      return await becomesTrue(async () => ![before, undefined].includes(await leader().catch(() => undefined)), 5);
    },
  },
  {
    name: "remove a stream",
    async run({ victim, manager }) {
      const name = "removable";
      await victim.manager.streams.add({ name, subjects: ["removable"], num_replicas: 1 });
      await manager.streams.delete(name).catch(() => {});
      return !(await victim.manager.streams.names().next()).includes(name);
    },
  },
];

async function hasSubject(manager: JetStreamManager, stream: string, subject: string): Promise<boolean> {
  const { state } = await manager.streams.info(stream, { subjects_filter: subject });
  return state.subjects?.[subject] !== undefined;
}

const isMessage = (text: string): boolean => text.includes('"message"');

async function hasText(
  connection: NatsConnection,
  call: string,
  query: object,
  isWanted: (text: string) => boolean,
): Promise<boolean> {
  const answer = await connection.request(`$JS.API.${call}`, JSON.stringify(query), { timeout });
  return isWanted(answer.string());
}
