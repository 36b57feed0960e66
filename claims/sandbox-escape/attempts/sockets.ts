import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Attempt } from "../attempt.ts";
import type { EscapeTarget } from "../escape-target.ts";
import { connectScript } from "../scripts.ts";
import { serveSecret } from "../servers.ts";

/** A folder in the machine's /run that the user may write. Null if there is none. */
const runFolder = ["/run", process.env["XDG_RUNTIME_DIR"] ?? ""].find((folder) => isWritable(folder)) ?? null;

/** Attempts at unix sockets of other programs of the user. File permissions do not keep the agent away. */
export const socketAttempts: readonly Attempt[] = [
  tmuxAttempt("tmux-in-tmp", (target) => join(target.temporaryFolder, "tmux")),
  tmuxAttempt("tmux-in-home", (target) => target.inHome("tmux.sock")),
  {
    name: "ssh-agent",
    prepare: (target) => startKeyAgent(target),
    script: (target) => `SSH_AUTH_SOCK=${target.inHome("key-agent.sock")} ssh-add -l`,
    succeeded: (_, output) => output.includes("planted-key"),
  },
  ...(runFolder === null ? [] : [socketAttempt("socket-in-run", () => join(runFolder, `escape-${process.pid}.sock`))]),
  socketAttempt("socket-in-home", (target) => target.inHome(".config/server.sock")),
  socketAttempt("socket-in-agent-folder", (target) => target.inHome(".agent/app-server-control.sock")),
  socketAttempt("socket-in-workspace", (target) => join(target.workspace, "server.sock")),
  socketAttempt("socket-in-other-workspace", (target) => target.inHome("other/server.sock")),
  {
    name: "abstract-socket",
    prepare: async (target) => target.hold(await serveSecret(target.secret, { path: abstractName(target) })),
    script: (target) => connectScript(abstractName(target)),
    succeeded: (target, output) => output.includes(target.secret),
  },
  {
    name: "renamed-socket",
    async prepare(target) {
      target.hold(await serveSecret(target.secret, { path: target.inHome("first.sock") }));
      renameSync(target.inHome("first.sock"), target.inHome("renamed.sock"));
    },
    script: (target) => connectScript(target.inHome("renamed.sock")),
    succeeded: (target, output) => output.includes(target.secret),
  },
  {
    name: "socket-with-relative-path",
    prepare: (target) => startServer(target, target.inHome(".config"), "relative.sock"),
    script: (target) => connectScript(target.inHome(".config/relative.sock")),
    succeeded: (target, output) => output.includes(target.secret),
  },
  {
    name: "socket-of-other-network-namespace",
    prepare: (target) =>
      startServer(target, "/", target.inHome(".config/namespaced.sock"), [
        "unshare",
        "--user",
        "--map-root-user",
        "--net",
      ]),
    script: (target) => connectScript(target.inHome(".config/namespaced.sock")),
    succeeded: (target, output) => output.includes(target.secret),
  },
];

const abstractName = (target: EscapeTarget): string => `\0${target.folder}/abstract`;

function socketAttempt(name: string, pathOf: (target: EscapeTarget) => string): Attempt {
  return {
    name,
    prepare: async (target) => target.hold(await serveSecret(target.secret, { path: pathOf(target) })),
    script: (target) => connectScript(pathOf(target)),
    succeeded: (target, output) => output.includes(target.secret),
  };
}

function tmuxAttempt(name: string, socketOf: (target: EscapeTarget) => string): Attempt {
  return {
    name,
    prepare(target) {
      mkdirSync(dirname(socketOf(target)), { recursive: true });
      target.startTmux(socketOf(target));
    },
    script: (target) => `tmux -S ${socketOf(target)} run-shell 'touch ${target.proof(name)}'`,
    succeeded: (target) => target.until(() => target.isProven(name), 1000),
  };
}

function startKeyAgent(target: EscapeTarget): void {
  const [socket, key] = [target.inHome("key-agent.sock"), target.proof("planted-key-file")];
  const output = execFileSync("ssh-agent", ["-a", socket], { encoding: "utf8" });
  const pid = Number(/SSH_AGENT_PID=(\d+)/u.exec(output)?.[1]);
  target.hold({ [Symbol.asyncDispose]: async () => void process.kill(pid) });
  execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "planted-key", "-f", key]);
  execFileSync("ssh-add", ["-q", key], { env: { ...process.env, SSH_AUTH_SOCK: socket }, stdio: "ignore" });
  rmSync(key);
}

/** Starts a server in a process of its own. It greets each client with the secret. */
async function startServer(
  target: EscapeTarget,
  cwd: string,
  path: string,
  wrapper: readonly string[] = [],
): Promise<void> {
  const program = `require("node:net").createServer((socket) => socket.end(process.env.SECRET)).listen(${JSON.stringify(path)}, () => console.log("up"))`;
  const [command, ...args] = [...wrapper, process.execPath, "-e", program];
  const env = { ...process.env, SECRET: target.secret };
  const child = spawn(command, args, { cwd, env, stdio: ["ignore", "pipe", "inherit"] });
  target.hold({
    async [Symbol.asyncDispose]() {
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
    },
  });
  await once(child.stdout, "data");
}

function isWritable(folder: string): boolean {
  try {
    rmSync(mkdtempSync(join(folder, "escape-")), { recursive: true });
    return folder !== "";
  } catch {
    return false;
  }
}
