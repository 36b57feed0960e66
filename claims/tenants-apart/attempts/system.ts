import { becomesTrue, hears, type Attempt } from "../attempt.ts";
import { askAll } from "./ask-all.ts";

const timeout = 2_000;

const isAbout =
  (subject: string, query: object, wanted: RegExp): Attempt["run"] =>
  async ({ connection }) =>
    wanted.test(await askAll(connection, subject, query));

const attempts: readonly Omit<Attempt, "control">[] = [
  { name: "ask the servers for their settings", run: isAbout("$SYS.REQ.SERVER.PING.VARZ", {}, /"version"/) },
  {
    name: "ask the servers for the streams of all accounts",
    run: isAbout("$SYS.REQ.SERVER.PING.JSZ", { accounts: true, streams: true }, /"name":"ACME"/),
  },
  {
    name: "ask the servers for all connections",
    run: isAbout("$SYS.REQ.SERVER.PING.CONNZ", { auth: true }, /acme-setup/),
  },
  {
    name: "ask the servers for the subscriptions of all accounts",
    run: isAbout("$SYS.REQ.SERVER.PING.SUBSZ", { subscriptions: true, acc: "ACME" }, /"account":"ACME"/),
  },
  { name: "ask the servers for all accounts", run: isAbout("$SYS.REQ.SERVER.PING.ACCOUNTZ", {}, /"ACME"/) },
  {
    name: "ask for the connections of an account by its name",
    run: isAbout("$SYS.REQ.ACCOUNT.ACME.CONNZ", { auth: true }, /acme-setup/),
  },
  {
    name: "ask for the streams of an account by its name",
    run: isAbout("$SYS.REQ.ACCOUNT.ACME.JSZ", { streams: true }, /fairlead-log-0/),
  },
  {
    name: "hear who connects",
    run: async ({ connection, victim }) =>
      await hears(
        connection,
        "$SYS.ACCOUNT.>",
        (subject) => subject.startsWith("$SYS.ACCOUNT.ACME."),
        () => victim.connection.reconnect(),
      ),
  },
  {
    name: "disconnect a client of the other account",
    async run({ connection, victim }) {
      const { client_id: cid, server_id: server } = victim.connection.info ?? {};
      await connection.request(`$SYS.REQ.SERVER.${server}.KICK`, JSON.stringify({ cid }), { timeout });
      return await becomesTrue(() => victim.connection.info?.client_id !== cid, 6);
    },
  },
];

/** Attempts by what the servers tell and do for their system account. */
export const systemAttempts: readonly Attempt[] = attempts.map((attempt) => ({ ...attempt, control: "system" }));
