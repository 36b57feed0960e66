import { becomesTrue, hears, type Attempt } from "../attempt.ts";
import { namespace } from "../victim.ts";
import { askAll } from "./ask-all.ts";

const timeout = 2_000;

/** Attempts by subscribing to what others publish, and by publishing in their place. */
export const subjectAttempts: readonly Attempt[] = [
  ...[">", `${namespace}.>`, `${namespace}.live.>`, `*.live.*`, `${namespace}.log.>`].map((subject): Attempt => ({
    name: `hear new events on ${subject}`,
    run: async ({ connection, victim }) =>
      await hears(
        connection,
        subject,
        (one) => one.includes(".victim-"),
        () => victim.createSession(),
      ),
  })),
  {
    name: "hear new rows",
    run: async ({ connection, victim }) =>
      await hears(
        connection,
        "$KV.>",
        (subject) => subject.includes("victim-"),
        () => victim.createSession(),
      ),
  },
  {
    name: "hear new tokens",
    run: async ({ connection, victim }) =>
      await hears(
        connection,
        `${namespace}.tokens.>`,
        (_, data) => victim.hasSecret(data),
        () => victim.addToken(),
      ),
  },
  {
    name: "hear the answers to other processes",
    run: async ({ connection, victim }) =>
      await hears(
        connection,
        "_INBOX.>",
        (_, data) => victim.hasSecret(data),
        async () => {
          const { subject, stream } = await victim.createSession();
          await victim.connection.request(`$JS.API.DIRECT.GET.${stream}.${subject}`, "", { timeout });
          await victim.connection.request(`$JS.API.STREAM.INFO.${stream}`, "", { timeout });
          const row = JSON.stringify({ last_by_subj: `$KV.${namespace}_sessions.victim-0` });
          await victim.connection.request(`$JS.API.STREAM.MSG.GET.KV_${namespace}_sessions`, row, { timeout });
          const subscription = victim.connection.subscribe("victim.asked", {
            callback: (_error, message) => void message.respond(victim.secret),
          });
          await victim.connection.request("victim.asked", "", { timeout });
          subscription.unsubscribe();
        },
      ),
  },
  {
    name: "hear which commands are sent to hosts",
    run: async ({ connection, victim }) =>
      await hears(
        connection,
        `${namespace}.bus.call.*`,
        (_, data) => victim.hasSecret(data),
        async () => {
          await using _served = await victim.engine.bus.serve("heard", 1, async () => null);
          const call = { method: "send", params: victim.secret };
          await victim.engine.bus.call("heard", call, AbortSignal.timeout(timeout));
        },
      ),
  },
  {
    name: "hear the advisories of JetStream",
    run: async ({ connection, victim }) =>
      await hears(
        connection,
        "$JS.EVENT.ADVISORY.>",
        (_, data) => Buffer.from(data).includes("advised"),
        async () => {
          await victim.manager.streams.add({ name: "advised", subjects: ["advised"], num_replicas: 1 });
          await victim.manager.streams.delete("advised");
        },
      ),
  },
  {
    name: "answer a request in the place of its receiver",
    async run({ connection, victim }) {
      const subscription = connection.subscribe("victim.served", {
        callback: (_error, message) => void message.respond("attacker"),
      });
      await connection.flush();
      // The victim's server hears of the subscription later than the attacker's. Without a receiver, the request fails.
      const result = await becomesTrue(async () => {
        const answer = await victim.connection.request("victim.served", "", { timeout }).catch(() => null);
        return answer?.string() === "attacker";
      });
      subscription.unsubscribe();
      return result;
    },
  },
  {
    name: "take a share of the messages by a queue group",
    async run({ connection, victim }) {
      let taken = false;
      const queue = "workers";
      const subscriptions = [victim.connection, connection].map((one) =>
        one.subscribe("victim.shared", { queue, callback: () => void (taken ||= one === connection) }),
      );
      await Promise.all([victim.connection.flush(), connection.flush()]);
      const result = await becomesTrue(() => {
        victim.connection.publish("victim.shared", "");
        return taken;
      });
      for (const subscription of subscriptions) subscription.unsubscribe();
      return result;
    },
  },
  {
    name: "append a message to the subject of a session",
    async run({ connection, victim }) {
      const { subject, stream } = await victim.createSession();
      await connection.request(subject, "forged", { timeout });
      const last = await victim.manager.streams.getMessage(stream, { last_by_subj: subject });
      return Buffer.from(last?.data ?? []).toString() === "forged";
    },
  },
  {
    name: "publish a frame as if the servers had stored it",
    async run({ connection, victim }) {
      const { liveSubject } = await victim.createSession();
      const isForged = (_: string, data: Uint8Array): boolean => Buffer.from(data).toString() === "forged";
      return await hears(victim.connection, liveSubject, isForged, async () => {
        connection.publish(liveSubject, "forged");
        await connection.flush();
      });
    },
  },
  {
    name: "write a row into its bucket",
    async run({ connection, victim }) {
      const { session } = await victim.createSession();
      const subject = `$KV.${namespace}_sessions.${session}`;
      await connection.request(subject, "forged", { timeout });
      const last = await victim.manager.streams.getMessage(`KV_${namespace}_sessions`, { last_by_subj: subject });
      return Buffer.from(last?.data ?? []).toString() === "forged";
    },
  },
  {
    name: "list the connections of the other account",
    run: async ({ connection }) =>
      (await askAll(connection, "$SYS.REQ.ACCOUNT.PING.CONNZ", { acc: "ACME" })).includes(
        `"name":"fairlead ${namespace} victim-host"`,
      ),
  },
  {
    name: "ask for the use of the other account",
    async run({ connection }) {
      const answer = await connection.request("$SYS.REQ.ACCOUNT.ACME.INFO", "", { timeout });
      return /"account_name":"ACME"/.test(answer.string());
    },
    control: "system",
  },
];
