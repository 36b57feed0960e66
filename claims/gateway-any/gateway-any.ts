import type { Claim } from "../../measure/claim.ts";
import { SeededRandom } from "../../measure/seeded-random.ts";
import { runQuietly } from "../../scripts/run.ts";
import { ensureBuilt } from "../daemon/built.ts";
import { describeMachine } from "../daemon/machine.ts";
import { readSize } from "../daemon/size.ts";
import { runGateways, type GatewayRun } from "./run-gateways.ts";

const sessions = readSize("sessions", 20);
const reconnects = readSize("reconnects", 1000);
const starts = readSize("starts", 50);
const messages = readSize("messages", 450);
const killsPerGateway = 3;
const faultyClients = 2;
/** Errors that say that a command may be sent again. */
const honestErrors = new Set(["connection lost", "unavailable"]);

export const gatewayAny: Claim = {
  id: "gateway-any",
  statement: "Any gateway of a fleet serves any session: clients change between gateways that are killed in turn.",
  bound:
    `three gateways of three servers and two hosts, each killed at least ${killsPerGateway} ×; ${reconnects} reconnects over ${sessions} streaming sessions, ` +
    `each at another gateway: every view equals the log, and so do the lists of the gateways; ${messages + starts} commands (${starts} starts), each sent 4 ×: ` +
    `${messages + starts} effects; control: with new keys there are more effects, and a client that forgets or guesses its position is detected`,
  async prove() {
    const random = SeededRandom.fromEnvironment();
    console.log(`FAIRLEAD_SEED=${random.seed}`);
    const installed = await runQuietly("node", ["scripts/install-nats.ts"]);
    if (installed.code !== 0) throw new Error(installed.output);
    await ensureBuilt();
    const run = await runGateways({ random, sessions, reconnects, messages, starts, killsPerGateway });
    for (const line of [...run.listDifferences, ...run.loggedErrors.slice(0, 10)]) console.log(line);
    return { measured: `seed ${random.seed}; ${describeRun(run)}; ${describeMachine()}`, holds: holds(run) };
  },
};

function describeRun(run: GatewayRun): string {
  const { losses, control } = run;
  const errors = Object.entries(run.answeredErrors).map(([error, count]) => `${count} ${error}`);
  return (
    `in ${run.seconds} s gateways killed ${run.kills.join(" + ")} ×, ${run.cuts} connections cut, ${run.reconnects} reconnects; ` +
    `${run.followers} views of ${run.events} events: ${losses.lost} lost, ${losses.doubled} doubled, ${losses.altered} otherwise; ` +
    `${run.listDifferences.length} differences of lists; ${run.commands} commands sent ${run.answers} ×: ${run.effects} effects, ` +
    `${run.missing} commands without, ${run.doubled} with several, ${run.startedSessions} of ${run.expectedSessions} sessions, ` +
    `${run.contradicted} contradicting answers, errors: ${errors.join(", ") || "none"}; ${run.loggedErrors.length} errors logged; ` +
    `control: ${control.effects} effects of ${control.commands} commands with new keys, ${run.caught} of ${faultyClients} clients with a wrong position detected`
  );
}

function holds(run: GatewayRun): boolean {
  const { losses, control } = run;
  return (
    Math.min(...run.kills) >= killsPerGateway &&
    run.reconnects >= reconnects &&
    run.events > 0 &&
    losses.lost + losses.doubled + losses.altered === 0 &&
    run.listDifferences.length === 0 &&
    run.caught === faultyClients &&
    run.commands === messages + starts &&
    run.answers >= 4 * run.commands &&
    run.effects === run.commands &&
    run.missing + run.doubled === 0 &&
    run.startedSessions === run.expectedSessions &&
    run.contradicted === 0 &&
    Object.keys(run.answeredErrors).every((error) => honestErrors.has(error)) &&
    control.effects > control.commands
  );
}
