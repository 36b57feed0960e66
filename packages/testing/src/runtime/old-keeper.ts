/**
 * A keeper that supports only the first version of protocol `/1`, without any feature: `node old-keeper.ts FOLDER`. It
 * represents keepers that outlive an upgrade of the daemon, so it must not gain what later keepers can do. It rejects
 * requests that it does not know and writes them to the file `unknown-requests`.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { readProcessIdentity, spoolFolder, SpoolWriter } from "@fairlead/keeper";

interface OldLaunchCommand {
  readonly program: string;
  readonly args: string[];
  readonly env: Record<string, string>;
  readonly cwd: string;
  readonly stdin: "pipe" | "none";
}

type OldKeeperRequest = { readonly id: string } & (
  | { readonly do: "note"; readonly text: string }
  | { readonly do: "launch"; readonly command: OldLaunchCommand }
  | { readonly do: "write"; readonly text: string }
  | { readonly do: "close-stdin" }
  | { readonly do: "kill" }
  | { readonly do: "leave" }
  | { readonly do: "signal"; readonly signal: NodeJS.Signals }
);

const knownRequests = new Set(["note", "launch", "write", "close-stdin", "signal", "kill", "leave"]);
const folder = process.argv[2] ?? ".";
const spool = new SpoolWriter(spoolFolder(folder));
const clients = new Set<Socket>();
let agent: ChildProcess | null = null;
let isLeaving = false;

const sendLine = (socket: Socket, line: object): void => void socket.write(`${JSON.stringify(line)}\n`);

function record(kind: Parameters<SpoolWriter["append"]>[0]["kind"], id: string, bytes: string | Buffer): number {
  const process = kind === "note" ? 0 : spool.lastProcess + (kind === "launch" ? 1 : 0);
  const { seq } = spool.append({ kind, process, id, bytes: Buffer.from(bytes) });
  for (const socket of clients) sendLine(socket, { seq });
  return seq;
}

function launch(id: string, command: OldLaunchCommand): number {
  const { env, program, args, cwd, stdin } = command;
  const seq = record("launch", id, JSON.stringify({ program, args, cwd, stdin, env: Object.keys(env).toSorted() }));
  const stdio = [stdin === "pipe" ? "pipe" : "ignore", "pipe", "pipe"] as const;
  const child = (agent = spawn(program, args, { cwd, env: { ...env, PWD: cwd }, detached: true, stdio: [...stdio] }));
  child.stdout?.on("data", (bytes: Buffer) => record("out", "", bytes));
  child.stderr?.on("data", (bytes: Buffer) => record("err", "", bytes));
  child.once("close", (code, signal) => {
    agent = null;
    record("exit", "", JSON.stringify({ code, signal }));
    spool.sync();
    leaveIfIdle();
  });
  return seq;
}

function handleRequest(request: OldKeeperRequest): number {
  switch (request.do) {
    case "note":
      return record("note", request.id, request.text);
    case "launch":
      return launch(request.id, request.command);
    case "write": {
      const seq = record("in", request.id, request.text);
      agent?.stdin?.write(request.text);
      return seq;
    }
    case "close-stdin": {
      const seq = record("stdin-closed", request.id, "");
      agent?.stdin?.end();
      return seq;
    }
    case "signal": {
      const seq = record("signal", request.id, request.signal);
      agent?.kill(request.signal);
      return seq;
    }
    case "kill": {
      const seq = record("signal", request.id, "kill");
      agent?.kill("SIGKILL");
      return seq;
    }
    case "leave":
      isLeaving = true;
      setImmediate(leaveIfIdle);
      return spool.lastSeq;
  }
}

function replyToRequest(text: string): object {
  const request = JSON.parse(text) as OldKeeperRequest;
  const seq = spool.seqOf(request.id);
  if (seq !== undefined) return { ack: request.id, seq, duplicate: true };
  if (knownRequests.has(request.do)) return { ack: request.id, seq: handleRequest(request), duplicate: false };
  appendFileSync(join(folder, "unknown-requests"), `${text}\n`);
  return { error: request.id, message: `This keeper cannot do ${JSON.stringify(request.do)}.` };
}

function leaveIfIdle(): void {
  if (!isLeaving || agent !== null) return;
  rmSync(join(folder, "keeper.json"), { force: true });
  rmSync(join(folder, "keeper.sock"), { force: true });
  for (const socket of clients) socket.end();
  server.close();
}

const server = createServer((socket) => {
  clients.add(socket);
  socket.on("close", () => clients.delete(socket));
  sendLine(socket, { hello: "fairlead-keeper/1", pid: process.pid, lastSeq: spool.lastSeq });
  const lines = createInterface({ input: socket });
  lines.on("line", (line) => sendLine(socket, replyToRequest(line)));
  for (const end of [socket, lines]) end.on("error", () => {}); // a client that died does not affect the keeper
});
server.listen(join(folder, "keeper.sock"));
await once(server, "listening");
const file = join(folder, "keeper.json");
writeFileSync(`${file}.new`, JSON.stringify({ ...readProcessIdentity(process.pid), protocol: 1 }));
renameSync(`${file}.new`, file);
