import type { Attack, AttackOutcome } from "../attack.ts";
import type { AttackTarget } from "../attack-target.ts";

/** Attacks that make an agent impossible to stop. */
export const stoppingAttacks: readonly Attack[] = [
  {
    id: "inherited-id",
    goal: "A reply whose id is the name of an inherited property ends the actor, and the agent cannot be stopped.",
    async run(target) {
      await target.mustRun(["up"]);
      const poison = JSON.stringify({ jsonrpc: "2.0", id: "constructor", error: { code: 1, message: "x" } });
      const session = await target.start("goose", `text("x"); raw(${JSON.stringify(poison)} + "\\n"); ${workForever}`);
      return await tryToStop(target, session);
    },
  },
  {
    id: "refused-note",
    goal: "A note that no schema accepts, written by the agent to its own keeper, ends the actor for good.",
    async run(target) {
      await target.mustRun(["up"]);
      const session = await target.start(
        "goose",
        `const socket = net.connect(process.env.HOME + "/h/sessions/" + process.env.FAIRLEAD_SESSION + "/keeper.sock");
         socket.on("error", () => log("refused"));
         socket.write(JSON.stringify({ do: "note", id: "bad", text: "{}" }) + "\\n"); text("x"); ${workForever}`,
      );
      return await tryToStop(target, session);
    },
  },
  {
    id: "endless-text",
    goal: "One message of 540 MiB exceeds the longest string, and the agent cannot be stopped.",
    async run(target) {
      await target.mustRun(["up"]);
      const session = await target.start("goose", `await flood(540); log("said"); ${workForever}`);
      await target.until(() => target.agentLog.includes("said"), 240_000);
      return await tryToStop(target, session);
    },
  },
  {
    id: "frozen-keeper-stop",
    goal: "A keeper that does not respond makes every command on its session wait without a limit.",
    async run(target) {
      await target.mustRun(["up"]);
      const session = await target.start("goose", `text("x"); ${workForever}`);
      await target.until(() => target.agentLog.includes("alive"));
      process.kill(target.keeperPid(session), "SIGSTOP");
      const late: string[] = [];
      for (const command of [
        ["send", session, "hello"],
        ["pause", session],
      ]) {
        if ((await target.run(command, { timeoutMs: 40_000 })).code === null) late.push(command[0] ?? "");
      }
      const stopped = await tryToStop(target, session);
      return {
        succeeded: stopped.succeeded || late.length > 0,
        seen: `late: ${late.join(", ") || "none"}; ${stopped.seen}`,
      };
    },
  },
];

/** Lets the agent write a line every 200 ms, so that an attack can see whether it works. */
const workForever = `setInterval(() => log("alive"), 200); await sleep(600000);`;

/** The attack succeeds if the command fails or the agent still runs. */
async function tryToStop(target: AttackTarget, session: string): Promise<AttackOutcome> {
  await target.until(() => target.agentLog.includes("alive"));
  const { code, output } = await target.run(["stop", session], { timeoutMs: 60_000 });
  const length = target.agentLog.length;
  const isRunning = await target.until(() => target.agentLog.length > length, 1500);
  const status = await target.request("GET", `/v1/sessions/${session}`);
  const listed =
    status.status === 200 ? (JSON.parse(status.text) as { state: string }).state : `status ${status.status}`;
  const forgotten = await target.request("POST", `/v1/sessions/${session}/forget`);
  return {
    succeeded: code !== 0 || isRunning || forgotten.status >= 300 || forgotten.status === 0,
    seen: `stop ended with ${code}${code === 0 ? "" : ` (${output.trim().split("\n")[0]})`}, agent ${isRunning ? "still runs" : "has ended"}, state ${listed}, forget ${forgotten.status}`,
  };
}
