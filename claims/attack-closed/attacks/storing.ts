import { rmSync } from "node:fs";
import type { Attack } from "../attack.ts";

/** Attacks on what Fairlead stores, and on what it must not store. */
export const storingAttacks: readonly Attack[] = [
  {
    id: "forgotten-words",
    goal: "What was said in a forgotten session is still in a file while the daemon runs.",
    async run(target) {
      await target.mustRun(["up"]);
      const session = await target.start("goose", `text("WORD-said"); done() // WORD-asked`);
      await target.untilState(session, ["idle"]);
      await target.mustRun(["stop", session]);
      const { status } = await target.request("POST", `/v1/sessions/${session}/forget`);
      const files = target.filesWith("WORD-").map((file) => file.slice(target.home.length + 1));
      return { succeeded: files.length > 0, seen: `forget ${status}; files with it: ${files.join(", ") || "none"}` };
    },
  },
  {
    id: "heavy-text",
    goal: "One message of 100 MiB makes the daemon write a multiple of it and hold it in memory.",
    async run(target) {
      await target.mustRun(["up"]);
      const pid = target.daemonPid;
      const memory = target.memory(pid);
      const session = await target.start("goose", "await flood(100); done()");
      await target.untilState(session, ["idle", "ended", "lost"], 120_000);
      const grown = target.memory(pid) - memory;
      return {
        succeeded: grown > 300,
        seen: `the daemon grew by ${grown.toFixed(0)} MiB, state ${await target.state(session)}`,
      };
    },
  },
  {
    id: "slow-readers",
    goal: "12 slow readers of a message of 100 MiB make the daemon hold it 12 times.",
    async run(target) {
      await target.mustRun(["up"]);
      const pid = target.daemonPid;
      // Before the message: what the daemon has not yet collected of it would hide how much it grows.
      const before = target.currentMemory(pid);
      const session = await target.start("goose", "await flood(100); done()");
      await target.untilState(session, ["idle", "ended", "lost"], 120_000);
      const path = `/v1/sessions/${session}/events?limit=1000`;
      const limit = 300;
      const readers = Array.from({ length: 12 }, () => target.readSlowly(path));
      let worst = before;
      await target.until(() => {
        worst = Math.max(worst, target.currentMemory(pid));
        return worst - before > limit || !target.isAlive(pid);
      }, 60_000);
      for (const reader of readers) reader[Symbol.dispose]();
      const grown = worst - before;
      return { succeeded: !target.isAlive(pid) || grown > limit, seen: `the daemon grew by ${grown.toFixed(0)} MiB` };
    },
  },
  {
    id: "oversized-message",
    goal: "A message that its injected context makes larger than 16 MiB is accepted and never arrives.",
    async run(target) {
      await target.mustRun(["up"]);
      const session = await target.start("claude-code", "done()");
      await target.untilState(session, ["idle"]);
      const note = { text: "z".repeat(1_000_000) };
      const statuses: number[] = [];
      for (let at = 0; at < 17; at += 1) {
        statuses.push((await target.request("POST", `/v1/sessions/${session}/inject`, { body: note })).status);
      }
      const refused = statuses.filter((status) => status >= 400).length;
      const { status } = await target.send(session, `log("heard"); done()`);
      const known = await target.until(
        async () =>
          target.agentLog.includes("heard") || /turn\.ended/u.test((await target.journal(session)).slice(-4000)),
        8000,
      );
      const state = await target.state(session);
      return {
        succeeded: status < 300 && refused === 0 && (!known || state === "working"),
        seen: `${refused} of 17 notes refused, message ${status}, then ${state}`,
      };
    },
  },
  {
    id: "long-deadline",
    goal: "A deadline of more than 24.8 days is over at once.",
    async run(target) {
      await target.mustRun(["up"]);
      const shell = await target.run(["run", "shell", "--set", "timeout=3000000000", "--", "sleep", "1"]);
      const retry = await target.run([
        "run",
        "claude-code",
        "--set",
        "retryDeadline=2592000000",
        `await sleep(1500); text("hello"); done()`,
      ]);
      return { succeeded: shell.code !== 0 || retry.code !== 0, seen: `runs ended with ${shell.code}, ${retry.code}` };
    },
  },
  {
    id: "long-lease",
    goal: "A lease of more than 24.8 days makes a keeper spin.",
    async run(target) {
      await target.mustRun(["up"], { env: { FAIRLEAD_LEASE_MS: "2592000000" } });
      const session = await target.start("goose", "done()");
      await target.untilState(session, ["idle"]);
      const keeper = target.keeperPid(session);
      await target.run(["down"]);
      const before = target.cpuTime(keeper);
      await target.until(() => false, 4000);
      const used = target.cpuTime(keeper) - before;
      return { succeeded: used > 200, seen: `an idle keeper used ${used} ms of a processor in 4 s` };
    },
  },
  {
    id: "vanished-workspace",
    goal: "A diff of a workspace that is gone is an internal error.",
    async run(target) {
      await target.mustRun(["up"]);
      const session = await target.start("goose", "done()");
      await target.untilState(session, ["idle"]);
      rmSync(target.workspace, { recursive: true });
      const { status, text } = await target.request("GET", `/v1/sessions/${session}/diff`);
      return { succeeded: status === 0 || status >= 500, seen: `answered with ${status}: ${text.slice(0, 100)}` };
    },
  },
];
