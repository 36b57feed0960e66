import { connectToNats, createFleetStorage } from "@fairlead/nats";
import { ExampleServers, type ExampleUser } from "@fairlead/testing/nats/example-servers.ts";
import { jetstreamManager } from "@nats-io/jetstream";
import type { Claim } from "../../measure/claim.ts";
import { runQuietly } from "../../scripts/run.ts";
import { succeeds, type Attack, type Attempt } from "./attempt.ts";
import { hostAttempts } from "./attempts/hosts-and-bus.ts";
import { indexAttempts } from "./attempts/index-rows.ts";
import { logAttempts } from "./attempts/log.ts";
import { storeAttempts } from "./attempts/queue-and-objects.ts";
import { streamAttempts } from "./attempts/streams.ts";
import { subjectAttempts } from "./attempts/subjects.ts";
import { systemAttempts } from "./attempts/system.ts";
import { namespace, openEngine, Victim } from "./victim.ts";

const attempts: readonly Attempt[] = [
  ...logAttempts,
  ...indexAttempts,
  ...hostAttempts,
  ...storeAttempts,
  ...subjectAttempts,
  ...systemAttempts,
  ...streamAttempts,
];
const fewestAttempts = 40;

export const tenantsApart: Claim = {
  id: "tenants-apart",
  statement: "Two tenants with an account each on the same servers of a fleet cannot reach anything of each other.",
  bound: `${attempts.length} different attempts of one tenant, with all rights in its own account, to read, change or remove events, rows, hosts, calls, work, tokens, objects and streams of the other: 0 succeed; control: the same attempts with a login in the account of the victim, or in the system account for the ${attempts.filter(({ control }) => control === "system").length} that ask servers: all succeed`,
  async prove() {
    const installed = await runQuietly("node", ["scripts/install-nats.ts"]);
    if (installed.code !== 0) throw new Error(installed.output);
    await using servers = await ExampleServers.start();
    for (const user of ["acme-setup", "globex-setup"] as const) await createStorage(servers, user);
    await using victim = await Victim.open(servers.login("acme-setup"));
    const reached = await attackAs(servers, "globex-setup", victim, attempts);
    const isForSystem = ({ control }: Attempt): boolean => control === "system";
    const reachedInside = [
      ...(await attackAs(
        servers,
        "acme-setup",
        victim,
        attempts.filter((one) => !isForSystem(one)),
      )),
      ...(await attackAs(servers, "checks", victim, attempts.filter(isForSystem))),
    ];
    const failedInside = attempts.map(({ name }) => name).filter((name) => !reachedInside.includes(name));
    const describe = (title: string, names: readonly string[]): string =>
      names.length === 0 ? "" : `; ${title}: ${names.join(", ")}`;
    return {
      measured:
        `${reached.length} of ${attempts.length} attempts across accounts succeeded; control: ${reachedInside.length} of ` +
        `${attempts.length} with the victim's account or the system account` +
        describe("succeeded", reached) +
        describe("the control did not succeed in", failedInside),
      holds: reached.length === 0 && failedInside.length === 0 && attempts.length >= fewestAttempts,
    };
  },
};

async function createStorage(servers: ExampleServers, user: ExampleUser): Promise<void> {
  const connection = await connectToNats(servers.login(user));
  await createFleetStorage(connection, { namespace, replicas: 3 });
  await connection.close();
}

/** Returns the names of the attempts that succeed with a login. */
async function attackAs(
  servers: ExampleServers,
  user: ExampleUser,
  victim: Victim,
  chosen: readonly Attempt[],
): Promise<string[]> {
  const login = servers.login(user);
  await using resources = new AsyncDisposableStack();
  const connection = resources.adopt(await connectToNats(login), (opened) => opened.close());
  // The system account has no streams, so that no engine opens there.
  const engine = user === "checks" ? (undefined as never) : resources.use(await openEngine(login, "attacker"));
  const manager = await jetstreamManager(connection, { checkAPI: false, timeout: 5_000 });
  const attack: Omit<Attack, "signal"> = { engine, connection, manager, victim };
  const reached: string[] = [];
  for (const attempt of chosen) if (await succeeds(attempt, attack)) reached.push(attempt.name);
  return reached;
}
