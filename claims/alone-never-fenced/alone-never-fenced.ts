import { FairleadError } from "@fairlead/contract";
import { interceptRequests, type RequestInterceptor } from "@fairlead/testing/nats/intercept-requests.ts";
import { NatsLogBench } from "@fairlead/testing/nats/nats-log-bench.ts";
import type { Claim } from "../../measure/claim.ts";
import { runQuietly } from "../../scripts/run.ts";

const appendCount = 500_000;
const sessionCount = 96;
const limit = 20 * 60_000;
const refusalCodes = [10071, 10158, 10164];

export const aloneNeverFenced: Claim = {
  id: "alone-never-fenced",
  statement: "An owner that is alone is never fenced by the log on NATS, though the servers refuse some valid appends.",
  bound: `${appendCount} appends by ${sessionCount} lone owners on three servers: 0 fenced; control: the refusals that came, each of which fences an owner that believes it`,
  async prove() {
    const installed = await runQuietly("node", ["scripts/install-nats.ts"]);
    if (installed.code !== 0) throw new Error(installed.output);
    await using bench = await NatsLogBench.start(3);
    const namespace = await bench.createNamespace(16);
    const { refusals, intercept } = countRefusals(namespace);
    await using log = await bench.open(namespace, (connection) => interceptRequests(connection, intercept));
    const start = performance.now();
    let appended = 0;
    let fenced = 0;
    const appendAlone = async (session: string): Promise<void> => {
      let { epoch, fence, last } = await log.claim(session, "owner");
      for (; appended < appendCount && performance.now() - start < limit; last++) {
        appended++;
        try {
          fence = await log.append({ session, epoch, first: last + 1, events: [event], owner: "owner" }, fence);
        } catch (error) {
          if (!FairleadError.is(error, "fenced")) throw error;
          fenced++;
          ({ epoch, fence, last } = await log.claim(session, "owner"));
        }
      }
    };
    await Promise.all(Array.from({ length: sessionCount }, (_, index) => appendAlone(`lone ${index}`)));
    const seconds = (performance.now() - start) / 1000;
    const few = refusals.size < 2 ? " (too few for a control: on this machine, in this run)" : "";
    return {
      measured:
        `${appended} appends in ${seconds.toFixed(0)} s: ${fenced} fenced; control: the servers refused ` +
        `${refusals.size} of them, and an owner that believes a refusal would be fenced as often${few}`,
      holds: appended >= appendCount && fenced === 0,
    };
  },
};

const event = Buffer.from(JSON.stringify({ type: "agent.message", text: "A short text, as agents write it." }));

/** Counts the appends that the servers refused, by their content: a refused one is sent again. */
function countRefusals(namespace: string): { readonly refusals: Set<string>; readonly intercept: RequestInterceptor } {
  const refusals = new Set<string>();
  return {
    refusals,
    intercept: async (subject, send, payload) => {
      const answer = await send();
      if (!subject.startsWith(`${namespace}.log.`)) return answer;
      const code = answer.json<{ error?: { err_code?: number } }>().error?.err_code ?? 0;
      if (refusalCodes.includes(code)) refusals.add(payload.toString("base64"));
      return answer;
    },
  };
}
