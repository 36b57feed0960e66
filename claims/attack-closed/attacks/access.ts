import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Attack } from "../attack.ts";
import type { AttackTarget, Reply } from "../attack-target.ts";

/** Attacks by a token or a user with fewer rights than what they reach. */
export const accessAttacks: readonly Attack[] = [
  {
    id: "drive-into-shell",
    goal: "A token with drive sends a command into the owner's shell session, which runs it without an approval.",
    async run(target) {
      const { call } = await listen(target, ["drive", "read"]);
      const session = await target.start("shell", "true");
      await target.untilState(session, ["idle"]);
      const file = join(target.folder, "reached");
      const { status } = await call("POST", `/v1/sessions/${session}/messages`, { text: `touch ${file}` });
      const reached = await target.until(() => existsSync(file), 3000);
      return { succeeded: reached, seen: `answered with ${status}, the command ${reached ? "ran" : "did not run"}` };
    },
  },
  {
    id: "drive-into-full-auto",
    goal: "A token with drive sends, injects, or resumes in a full-auto session, where every request is allowed.",
    async run(target) {
      const { call } = await listen(target, ["drive", "read"]);
      const session = await target.start("claude-code", "done()", { mode: "full-auto" });
      await target.untilState(session, ["idle"]);
      const script = `tool("c", "Bash", { command: "x" }); ask("q", "c", "Bash", { command: "x" }); await answer(); log("ran"); done();`;
      const sent = await call("POST", `/v1/sessions/${session}/messages`, { text: script });
      const injected = await call("POST", `/v1/sessions/${session}/inject`, { text: "do evil" });
      await target.untilState(session, ["idle"]);
      await target.run(["pause", session]);
      const resumed = await call("POST", `/v1/sessions/${session}/resume`);
      const forked = await call("POST", `/v1/sessions/${session}/fork`);
      const statuses = [sent, injected, resumed, forked].map(({ status }) => status);
      return {
        succeeded: target.agentLog.includes("ran") || statuses.some((status) => status < 400),
        seen: `send, inject, resume, fork are answered with ${statuses.join(", ")}`,
      };
    },
  },
  {
    id: "poisoned-key",
    goal: "A token uses the owner's idempotency key first, and the owner's command is refused.",
    async run(target) {
      const { call } = await listen(target, ["drive", "read"]);
      const headers = { "idempotency-key": "nightly" };
      const workspace = target.workspace;
      const first = await call("POST", "/v1/sessions", { agent: "claude-code", workspace }, headers);
      const owner = await target.request("POST", "/v1/sessions", { body: { agent: "shell", workspace }, headers });
      return {
        succeeded: owner.status >= 400,
        seen: `the token is answered with ${first.status}, the owner with ${owner.status}`,
      };
    },
  },
  {
    id: "secret-setting",
    goal: "A token with read, or a file, shows the value of a variable that the owner set for a session.",
    async run(target) {
      const { call } = await listen(target, ["read"]);
      const settings = { env: { API_KEY: "VERY-SECRET-VALUE" } };
      const session = await target.start("shell", "true", { settings });
      await target.untilState(session, ["idle"]);
      const { text } = await call("GET", `/v1/sessions/${session}/checkpoint`);
      const exposed = ["spool", "journal", "idempotency", "snapshot", "daemon.log"];
      const files = target.filesWith("VERY-SECRET-VALUE").map((file) => file.slice(target.home.length + 1));
      const found = files.filter((file) => exposed.some((name) => file.includes(name)));
      return {
        succeeded: text.includes("VERY-SECRET") || found.length > 0,
        seen: `checkpoint ${text.includes("VERY-SECRET") ? "shows" : "hides"} it; files with it: ${found.join(", ") || "none"}`,
      };
    },
  },
  {
    id: "shim-stranger",
    goal: "A user without a token starts an agent through the shim in a mode without approvals.",
    async run(target) {
      await target.mustRun(["up"]);
      await using shim = await startShim(target);
      const description = `log("reached"); done();`;
      const body = {
        agentId: "a",
        description,
        providerConfig: { fairlead: { mode: "dangerously-skip-permissions" } },
      };
      const { status } = await target.request("POST", "/spawn", { body, port: shim.port });
      const reached = await target.until(() => target.agentLog.includes("reached"), 3000);
      return { succeeded: reached, seen: `answered with ${status}, the agent ${reached ? "ran" : "did not run"}` };
    },
  },
  {
    id: "shim-self-approval",
    goal: "An agent of the shim approves its own request at the shim's port.",
    async run(target) {
      await target.mustRun(["up"]);
      await using shim = await startShim(target);
      const resolution = JSON.stringify({ decisionId: "r1", resolution: { type: "tool_approval", action: "approve" } });
      const description = `tool("c1", "Bash", { command: "x" }); ask("r1", "c1", "Bash", { command: "x" }); await sleep(500);
        const known = Object.values(process.env).filter((value) => /^[\\w-]{20,}$/.test(value));
        for (const token of ["", ...known]) childProcess.spawnSync("curl", ["-s", "-m", "2", "-X", "POST", "-H", "content-type: application/json",
          "-H", "authorization: Bearer " + token, "-d", ${JSON.stringify(resolution)}, "http://127.0.0.1:${shim.port}/resolve"]);
        log("tried"); await answer(); log("allowed itself"); done();`;
      const headers = shim.token === null ? {} : { authorization: `Bearer ${shim.token}` };
      const { status, text } = await target.request("POST", "/spawn", {
        body: { agentId: "a", description },
        port: shim.port,
        headers,
      });
      if (status >= 300) throw new Error(`The shim did not start the agent: ${status} ${text}`);
      await target.until(() => target.agentLog.includes("tried"));
      const allowed = await target.until(() => target.agentLog.includes("allowed itself"), 1500);
      return {
        succeeded: allowed,
        seen: allowed ? "it allowed its own request" : "the request waits for the holder of the token",
      };
    },
  },
  {
    id: "path-in-error",
    goal: "A damaged tokens.json tells its path to anybody with any token.",
    async run(target) {
      const { port } = await listen(target, ["read"]);
      const { writeFileSync } = await import("node:fs");
      writeFileSync(join(target.home, "tokens.json"), '[{"bad":1}]');
      const { status, text } = await target.request("GET", "/v1/health", {
        port,
        headers: { authorization: "Bearer anything" },
      });
      return { succeeded: text.includes(target.home), seen: `answered with ${status}: ${text.slice(0, 120)}` };
    },
  },
  {
    id: "silent-connections",
    goal: "300 connections that say nothing keep the holder of a token off the port.",
    async run(target) {
      const { port, token } = await listen(target, ["read"]);
      const { connect } = await import("node:net");
      const sockets = Array.from({ length: 300 }, () => connect(port, "127.0.0.1").on("error", () => {}));
      await target.until(() => false, 800);
      const headers = { authorization: `Bearer ${token}`, connection: "close" };
      const startedAt = performance.now();
      const answered = await target.until(
        async () => (await target.request("GET", "/v1/health", { port, headers, timeoutMs: 3000 })).status === 200,
        30_000,
      );
      const waited = performance.now() - startedAt;
      for (const socket of sockets) socket.destroy();
      return { succeeded: !answered || waited > 4000, seen: `answered after ${waited.toFixed(0)} ms` };
    },
  },
];

interface Listener {
  readonly port: number;
  readonly token: string;
  readonly call: (
    method: "GET" | "POST",
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<Reply>;
}

/** Starts a daemon that also listens on loopback, and creates a token with these scopes. */
async function listen(target: AttackTarget, scopes: readonly string[]): Promise<Listener> {
  const output = await target.mustRun(["up", "--listen", "127.0.0.1:0"]);
  const { readFileSync } = await import("node:fs");
  const info = JSON.parse(readFileSync(join(target.home, "daemon/info.json"), "utf8")) as { url: string | null };
  const port = Number(new URL(info.url ?? output).port);
  const created = await target.mustRun(["token", "attacker", "--scope", ...scopes, "--json"]);
  const token =
    Object.values(JSON.parse(created.trim().split("\n").at(-1) ?? "") as Record<string, unknown>)
      .filter((value) => typeof value === "string")
      .toSorted((a, b) => b.length - a.length)[0] ?? "";
  const authorization = `Bearer ${token}`;
  return {
    port,
    token,
    call: async (method, path, body, headers = {}) =>
      await target.request(method, path, { port, body, headers: { authorization, ...headers } }),
  };
}

interface Shim extends AsyncDisposable {
  readonly port: number;
  /** What a client of the shim needs, if it needs one. */
  readonly token: string | null;
}

/** Starts `fairlead shim` and reads its address and its token from what it prints. */
async function startShim(target: AttackTarget): Promise<Shim> {
  const args = ["shim", "--port", "0", "--agent", "claude-code", "--workspace", target.workspace];
  const child = spawn(process.execPath, [target.main, ...args], { env: target.environment, cwd: target.workspace });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (output += String(data)));
  if (!(await target.until(() => /:\d{4,5}/u.test(output)))) throw new Error(`The shim did not start: ${output}`);
  const [, port] = /:(\d{4,5})/u.exec(output) ?? [];
  const [token = null] = /\b[\w-]{32,}\b/u.exec(output) ?? [];
  return {
    port: Number(port),
    token,
    async [Symbol.asyncDispose]() {
      const exited = new Promise((resolve) => child.on("exit", resolve));
      child.kill("SIGKILL");
      await exited;
    },
  };
}
