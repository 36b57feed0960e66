import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Attack, AttackOutcome } from "../attack.ts";
import type { AttackTarget } from "../attack-target.ts";

/** Where the stand-in's program keeps the transcript of its conversation. */
const transcriptPath = `process.env.HOME + "/.claude/projects/" + process.cwd().replace(/[^a-zA-Z0-9]/g, "-")`;

/** Attacks by one session on the daemon that all sessions share. */
export const sharingAttacks: readonly Attack[] = [
  {
    id: "transcript-pipe",
    goal: "A named pipe where the daemon reads a transcript stops the daemon.",
    async run(target) {
      return await pauseAfter(
        target,
        `const folder = ${transcriptPath}; fs.mkdirSync(folder, { recursive: true });
         childProcess.execFileSync("mkfifo", [folder + "/" + conversation() + ".jsonl"]); done();`,
      );
    },
  },
  {
    id: "transcript-device",
    goal: "A link to /dev/zero where the daemon reads a transcript takes all memory.",
    async run(target) {
      return await pauseAfter(
        target,
        `const folder = ${transcriptPath}; fs.mkdirSync(folder, { recursive: true });
         fs.symlinkSync("/dev/zero", folder + "/" + conversation() + ".jsonl"); done();`,
      );
    },
  },
  {
    id: "transcript-path",
    goal: "A conversation id with `..` leads the daemon to a pipe anywhere on the disk.",
    async run(target) {
      return await pauseAfter(
        target,
        `childProcess.execFileSync("mkfifo", [process.env.HOME + "/trap.jsonl"]);
         fs.mkdirSync(${transcriptPath}, { recursive: true });
         init("../../../trap"); done();`,
      );
    },
  },
  {
    id: "exploding-line",
    goal: "One line of 1.5 MiB on standard error keeps a pattern busy for minutes, and again after each restart.",
    async run(target) {
      await target.mustRun(["up"]);
      const session = await target.start(
        "claude-code",
        `text("x"); process.stderr.write("API Error: ".repeat(140000) + "\\n", () => log("said")); await sleep(600000);`,
      );
      await target.until(() => target.agentLog.includes("said"));
      const first = await worstHealth(target, 3);
      const stop = await target.run(["stop", session]);
      return {
        succeeded: first > 5000 || stop.code !== 0,
        seen: `health after ${first.toFixed(0)} ms, stop ended with ${stop.code}`,
      };
    },
  },
  {
    id: "exploding-configuration",
    goal: "A repository's configuration of 64 KiB of blank lines stops the daemon while it makes a diff.",
    async run(target) {
      await target.mustRun(["up"]);
      const repository = join(target.folder, "g");
      mkdirSync(repository);
      writeFileSync(join(target.workspace, ".git"), `gitdir: ${repository}\n`);
      writeFileSync(join(repository, "HEAD"), "");
      const session = await target.start("goose", "done()");
      const contents = [
        `[core]\n${"\n".repeat(65_000)}`,
        `[core]\nworktree = a${" ".repeat(65_000)}b`,
        `[core]\nworktree${" ".repeat(65_000)}b`,
      ];
      let worst = 0;
      for (const content of contents) {
        writeFileSync(join(repository, "config"), content);
        const { milliseconds } = await target.request("GET", `/v1/sessions/${session}/diff`, { timeoutMs: 60_000 });
        worst = Math.max(worst, milliseconds);
      }
      return { succeeded: worst > 3000, seen: `the slowest diff took ${worst.toFixed(0)} ms` };
    },
  },
  {
    id: "frozen-keeper-restart",
    goal: "One keeper that does not respond stops the other sessions after a restart, and the daemon cannot be ended.",
    async run(target) {
      await target.mustRun(["up"]);
      const frozen = await target.start("goose", `text("x"); await sleep(600000);`);
      const other = await target.start("goose", "done()");
      await target.untilState(other, ["idle"]);
      await target.mustRun(["pause", other]);
      const keeper = target.keeperPid(frozen);
      process.kill(keeper, "SIGSTOP");
      const first = target.daemonPid;
      const down = await target.run(["down"], { timeoutMs: 60_000 });
      const stayed = target.isAlive(first);
      const up = await target.run(["up"], { timeoutMs: 60_000 });
      const resumed = await target.run(["resume", "--rebuild", other, 'text("again"); done()'], { timeoutMs: 40_000 });
      const second = findDaemon(target);
      const downAgain = await target.run(["down"], { timeoutMs: 60_000 });
      const stayedAgain = second !== null && target.isAlive(second);
      const codes = [down, up, resumed, downAgain].map(({ code }) => code);
      return {
        succeeded: codes.some((code) => code !== 0) || stayed || stayedAgain,
        seen: `down, up, resume of another, down ended with ${codes.join(", ")}${resumed.code === 0 ? "" : ` (${resumed.output.trim()})`}; ${stayed || stayedAgain ? "a daemon stayed" : "no daemon stayed"}`,
      };
    },
  },
  {
    id: "flipped-byte",
    goal: "One wrong byte in an ended session's journal keeps every daemon from starting.",
    async run(target) {
      await target.mustRun(["up"]);
      const old = await target.start(
        "goose",
        `for (let i = 0; i < 200; i++) { text("FLIP-" + i + ";"); update({ sessionUpdate: "plan", entries: [] }); } done();`,
      );
      await target.untilState(old, ["idle"]);
      await target.mustRun(["stop", old]);
      const running = await target.start("goose", `setInterval(() => log("alive"), 200); await sleep(600000);`);
      await target.until(() => target.agentLog.includes("alive"));
      await target.mustRun(["down"]);
      flipByte(join(target.home, "journal.db"), "FLIP-100;");
      const codes: (number | null)[] = [];
      for (const command of [["up"], ["ls", "--all"], ["status"], ["doctor"], ["stop", running]]) {
        codes.push((await target.run(command, { timeoutMs: 40_000 })).code);
      }
      const length = target.agentLog.length;
      const isRunning = await target.until(() => target.agentLog.length > length, 1500);
      return {
        succeeded: isRunning || codes.some((code) => code !== 0),
        seen: `up, ls, status, doctor, stop ended with ${codes.join(", ")}; the other agent ${isRunning ? "still runs" : "was stopped"}`,
      };
    },
  },
  {
    id: "approvals-at-once",
    goal: "2,000 approvals at once in full-auto mode stop the daemon for seconds.",
    async run(target) {
      await target.mustRun(["up"]);
      const cost = async (count: number): Promise<number> => {
        const before = target.cpuTime(target.daemonPid);
        const session = await target.start(
          "goose",
          `for (let i = 0; i < ${count}; i++) ask(1000 + i, { toolCallId: "c" + i, title: "t", kind: "execute", rawInput: { command: "ls " + i } });
           for (let i = 0; i < ${count}; i++) await answer(); done();`,
          { mode: "full-auto" },
        );
        await target.untilState(session, ["idle"], 120_000);
        const used = target.cpuTime(target.daemonPid) - before;
        await target.run(["stop", session]);
        return used;
      };
      await cost(20); // compiles the code
      const few = await cost(250);
      const many = await cost(2000);
      return {
        succeeded: many > 20 * few,
        seen: `250 took ${few} ms and 2,000 took ${many} ms of a processor (8 times as many, ${(many / few).toFixed(1)} times the cost)`,
      };
    },
  },
  {
    id: "descriptors",
    goal: "A daemon without free file descriptors loses sessions that work, and keeps what refused starts left.",
    async run(target) {
      await target.mustRun(["up"], { wrapper: ["prlimit", "--nofile=64:64"] });
      const sessions: string[] = [];
      for (let refused = 0; refused < 4 && sessions.length < 40;) {
        try {
          sessions.push(await target.start("goose", `for (;;) { tick(); await sleep(500); }`));
        } catch {
          refused += 1;
        }
      }
      const newest = async (): Promise<Map<string, number>> => {
        const lines = (await target.run(["ls", "--all", "--json"])).output.split("\n").filter(Boolean);
        const views = lines.map((line) => JSON.parse(line) as { session: string; last: number });
        return new Map(views.map(({ session, last }) => [session, last]));
      };
      // Held descriptors are given back now: sessions that failed for the lack of one must continue.
      for (const session of sessions.slice(0, 4))
        await target.request("POST", `/v1/sessions/${session}/stop`, { timeoutMs: 20_000 });
      const working = sessions.slice(4);
      let still: string[] = [];
      await target.until(async () => {
        const before = await newest();
        await target.until(() => false, 2500);
        const after = await newest();
        still = working.filter((session) => (after.get(session) ?? 0) <= (before.get(session) ?? 0));
        return still.length === 0;
      }, 40_000);
      const known = new Set((await newest()).keys());
      const unknown = foldersOf(target).filter((folder) => !known.has(folder));
      return {
        succeeded: still.length > 0 || unknown.length > 0,
        seen: `${sessions.length} started; ${still.length} stand still; ${unknown.length} folders that no list shows`,
      };
    },
  },
  {
    id: "killed-start",
    goal: "A daemon that is killed in the middle of a start leaves a keeper and a folder that no list shows.",
    async run(target) {
      for (let round = 0; round < 12; round += 1) {
        await target.mustRun(["up"]);
        const body = { agent: "goose", workspace: target.workspace, prompt: `text("PRIVATE"); done()` };
        const known = foldersOf(target).length;
        const starting = target.request("POST", "/v1/sessions", { body });
        // From the moment that there is a folder, because a busy machine takes longer until then.
        for (let polls = 0; foldersOf(target).length === known && polls < 5000; polls += 1) await delay(1);
        await delay(round * 4);
        process.kill(target.daemonPid, "SIGKILL");
        await starting;
      }
      await target.mustRun(["up"]);
      const unknown = async (): Promise<string[]> => {
        const { output } = await target.run(["ls", "--all", "--json"]);
        return foldersOf(target).filter((folder) => !output.includes(folder));
      };
      await target.until(async () => (await unknown()).length === 0, 10_000);
      const left = await unknown();
      return { succeeded: left.length > 0, seen: `${left.length} folders that no list shows after 12 kills` };
    },
  },
  {
    id: "removed-socket",
    goal: "After its socket file is removed, the daemon can be neither reached nor ended.",
    async run(target) {
      await target.mustRun(["up"]);
      const pid = target.daemonPid;
      rmSync(target.socket);
      const status = await target.run(["status"]);
      const down = await target.run(["down"], { timeoutMs: 60_000 });
      const stayed = target.isAlive(pid);
      const listed = await target.run(["ls"], { timeoutMs: 40_000 });
      return {
        succeeded: stayed || listed.code !== 0,
        seen: `status ended with ${status.code}, down with ${down.code}, the daemon ${stayed ? "stayed" : "has ended"}, ls ended with ${listed.code}`,
      };
    },
  },
  {
    id: "removed-journal",
    goal: "After journal.db is removed, the daemon continues into the unlinked file and says nothing.",
    async run(target) {
      await target.mustRun(["up"]);
      const first = await target.start("goose", "done()");
      await target.untilState(first, ["idle"]);
      for (const suffix of ["", "-wal", "-shm"]) rmSync(join(target.home, `journal.db${suffix}`), { force: true });
      const isSaid = async (): Promise<boolean> => /journal/iu.test((await target.run(["status"])).output);
      const said = await target.until(isSaid, 30_000);
      const started = await target.request("POST", "/v1/sessions", {
        body: { agent: "goose", workspace: target.workspace },
      });
      return {
        succeeded: !said || started.status < 300,
        seen: `status ${said ? "says it" : "says nothing"}; a start is answered with ${started.status}`,
      };
    },
  },
  {
    id: "removed-home",
    goal: "After the data directory is removed, daemon, keeper and agent live on, and no command finds them.",
    async run(target) {
      await target.mustRun(["up"]);
      const session = await target.start(
        "goose",
        `text("x"); setInterval(() => log("alive"), 200); await sleep(600000);`,
      );
      await target.until(() => target.agentLog.includes("alive"));
      const processes = [target.daemonPid, target.keeperPid(session)];
      rmSync(target.home, { recursive: true, force: true });
      const ended = await target.until(() => !processes.some((pid) => target.isAlive(pid)), 90_000);
      return {
        succeeded: !ended,
        seen: ended ? "daemon and keeper have ended" : "a daemon or keeper still runs after 90 s",
      };
    },
  },
];

/** The worst time of some requests for the daemon's health, in milliseconds. */
async function worstHealth(target: AttackTarget, count: number): Promise<number> {
  let worst = 0;
  for (let at = 0; at < count; at += 1) {
    const { status, milliseconds } = await target.request("GET", "/v1/health", { timeoutMs: 8000 });
    worst = Math.max(worst, status === 200 ? milliseconds : Infinity);
  }
  return worst;
}

/** Runs a script, pauses its session, which makes the daemon read the transcript, and looks whether it still answers. */
async function pauseAfter(target: AttackTarget, script: string): Promise<AttackOutcome> {
  await target.mustRun(["up"]);
  const session = await target.start("claude-code", script);
  await target.untilState(session, ["idle", "status 0"]);
  const pause = await target.run(["pause", session], { timeoutMs: 12_000 });
  const health = await worstHealth(target, 2);
  const memory = target.memory(target.daemonPid);
  return {
    succeeded: pause.code !== 0 || health > 5000 || memory > 600,
    seen: `pause ended with ${pause.code}, health after ${health.toFixed(0)} ms, daemon ${memory.toFixed(0)} MiB`,
  };
}

function findDaemon(target: AttackTarget): number | null {
  try {
    return target.daemonPid;
  } catch {
    return null;
  }
}

function foldersOf(target: AttackTarget): string[] {
  const folder = join(target.home, "sessions");
  return existsSync(folder) ? readdirSync(folder) : [];
}

/** Changes one byte of a text where it stands in a file. */
function flipByte(file: string, text: string): void {
  const bytes = readFileSync(file);
  const at = bytes.indexOf(text);
  if (at < 0) throw new Error(`${file} does not contain ${text}.`);
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
  writeFileSync(file, bytes);
}
