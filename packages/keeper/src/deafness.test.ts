import { describe, expect, test } from "vitest";
import type { Containment } from "./containment.ts";
import { DescendantsHold } from "./descendants-hold.ts";
import type { Hold, Launch } from "./hold.ts";
import { InputWatch } from "./input-watch.ts";
import { Keeper } from "./keeper.ts";
import { NamespaceHold } from "./namespace-hold.ts";
import { processStatus } from "./process-identity.ts";
import { listProcesses } from "./process-tree.ts";
import { SessionForTest, shell, until } from "./session-for-test.ts";

const bubblewrap = "/usr/bin/bwrap";
const containments: readonly Containment[] = [{ kind: "namespace", program: bubblewrap }, { kind: "descendants" }];
const stay = "while :; do sleep 0.02; done";

/** An agent in the hands of a test: it says `ready`, and closes its input when it gets SIGUSR1. */
class AgentForTest implements AsyncDisposable {
  readonly hold: Hold;
  out = "";

  constructor(kind: Containment["kind"], script: string) {
    const line = shell(script);
    const launch: Launch = { line, env: line.env, marks: [], terminal: null };
    this.hold = kind === "namespace" ? new NamespaceHold(bubblewrap, launch) : new DescendantsHold(launch);
    this.hold.child.stdin?.on("error", () => {});
    this.hold.child.stdout?.on("data", (chunk: Buffer) => (this.out += chunk.toString()));
  }

  say(text: string): void {
    const { stdin } = this.hold.child;
    if (stdin?.writable === true) stdin.write(text);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.hold.kill();
  }
}

describe.each(containments)("an agent held by $kind", (containment) => {
  test("that closes its input while it lives is told of once", async () => {
    using session = new SessionForTest();
    await using keeper = new Keeper(session.folder, { containment });
    keeper.take({ do: "launch", id: "l", line: shell("exec <&-; echo closed; exec sleep 100") });
    await until(() => session.text("out") === "closed\n");
    keeper.take({ do: "say", id: "1", text: "anybody?\n" });
    const hangups = () => session.records().filter((record) => record.kind === "hangup");
    await until(() => hangups().length > 0);
    expect(hangups()).toMatchObject([{ process: 1, id: "", bytes: Buffer.alloc(0) }]);
    keeper.take({ do: "say", id: "2", text: "nobody.\n" });
    keeper.take({ do: "kill", id: "k" });
    await session.exit(1);
    expect(hangups()).toHaveLength(1);
  });

  test("that we hang up on is not deaf", async () => {
    using session = new SessionForTest();
    await using keeper = new Keeper(session.folder, { containment });
    keeper.take({ do: "launch", id: "l", line: shell("cat; exec <&-; sleep 2; exit 3") });
    keeper.take({ do: "say", id: "s", text: "go\n" });
    keeper.take({ do: "hangup", id: "h" });
    expect(await session.exit(1)).toEqual({ code: 3, signal: null });
    expect(session.records().flatMap(({ kind, id }) => (kind === "hangup" ? [id] : []))).toEqual(["h"]);
  });

  test.each([
    ["does not get round to reading", `trap "exec <&-" USR1; echo ready; ${stay}`],
    ["has put it somewhere else", `exec 7<&0 <&-; trap "exec 7<&-" USR1; echo ready; ${stay}`],
    [
      "has left it to a child",
      `exec 7<&0; sleep 100 <&7 7<&- & exec <&- 7<&-; trap "kill $!" USR1; echo ready; ${stay}`,
    ],
  ])("that %s is not deaf, until nobody has it any more", async (_, script) => {
    await using agent = new AgentForTest(containment.kind, script);
    await until(() => agent.out === "ready\n");
    agent.say("x".repeat(1_000_000));
    const looks: boolean[] = [];
    const deaf = Promise.withResolvers<void>();
    const isClosed = (): boolean => {
      looks.push(agent.hold.isDeaf());
      return looks.at(-1) ?? false;
    };
    using watch = new InputWatch({ isClosed, closed: deaf.resolve, soonest: 5 });
    watch.said();
    await until(() => looks.length >= 6);
    expect(looks).not.toContain(true);
    agent.hold.signal("SIGUSR1");
    await until(() => {
      agent.say("still there?\n");
      watch.said();
      return looks.at(-1) === true;
    });
    await deaf.promise;
    expect(looks.slice(-2)).toEqual([true, true]);
  });
});

describe("an agent that was deaf and has ended is deaf no more,", () => {
  const script = `exec <&-; echo ready; ${stay}`;

  test("held by descendants, though its pipe stays broken", async () => {
    await using agent = new AgentForTest("descendants", script);
    await until(() => agent.out === "ready\n");
    agent.say("anybody?");
    await until(() => agent.hold.isDeaf());
    agent.hold.signal("SIGKILL");
    await until(() => agent.hold.child.signalCode !== null);
    expect(agent.hold.isDeaf()).toBe(false);
  });

  test("held by namespace, though bubblewrap has not noticed yet", async () => {
    await using agent = new AgentForTest("namespace", script);
    await until(() => agent.out === "ready\n");
    expect(agent.hold.isDeaf()).toBe(true);
    const [first] = listProcesses().filter(({ parent }) => parent === agent.hold.child.pid);
    const [shell] = listProcesses().filter(({ parent }) => parent === first!.pid);
    process.kill(first!.pid, "SIGSTOP");
    await until(() => processStatus(first!.pid)?.state === "T");
    process.kill(shell!.pid, "SIGKILL");
    await until(() => processStatus(shell!.pid)?.state === "Z");
    expect(agent.hold.isDeaf()).toBe(false);
    process.kill(first!.pid, "SIGCONT");
  });
});

describe("a watch over an input", () => {
  const watching = (soonest: number, answers: boolean[]) => {
    const seen = { looks: [] as number[], closed: 0 };
    const isClosed = (): boolean => {
      seen.looks.push(performance.now());
      return answers.shift() ?? false;
    };
    return { seen, watch: new InputWatch({ isClosed, closed: () => (seen.closed += 1), soonest }) };
  };

  test("looks neither when nothing is said, nor at everything that is said, but does look while much is", async () => {
    const { seen, watch } = watching(20, []);
    using _ = watch;
    const began = performance.now();
    await until(() => performance.now() - began > 100);
    expect(seen.looks).toEqual([]);
    const spoke = performance.now();
    await until(() => {
      for (let count = 0; count < 100; count++) watch.said();
      return performance.now() - spoke > 200;
    });
    expect(seen.looks.length).toBeGreaterThan(1);
    expect(seen.looks.length).toBeLessThanOrEqual((performance.now() - spoke) / 19);
  });

  test("looks less and less often", async () => {
    const { seen, watch } = watching(5, []);
    using _ = watch;
    watch.said();
    await until(() => seen.looks.length >= 5);
    const pauses = seen.looks.slice(1).map((at, index) => at - (seen.looks[index] ?? 0));
    for (const [index, least] of [10, 20, 40, 80].entries()) expect(pauses[index]).toBeGreaterThanOrEqual(least - 1);
  });

  test("believes only what it has found twice in a row, and says it once", async () => {
    const { seen, watch } = watching(2, [true, false, true, true, true]);
    using _ = watch;
    watch.said();
    await until(() => seen.closed > 0);
    expect(seen.looks).toHaveLength(4);
    watch.said();
    const began = performance.now();
    await until(() => performance.now() - began > 20);
    expect([seen.looks.length, seen.closed]).toEqual([4, 1]);
  });
});
