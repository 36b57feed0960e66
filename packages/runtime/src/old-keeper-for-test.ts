/**
 * A keeper as it was when its protocol was young: `node old-keeper-for-test.ts FOLDER`. It is written anew, from what
 * the first version said and understood, and is not to grow with the real one: it stands for all the keepers that
 * outlive an upgrade. Whatever it is sent that it could not have known then, it refuses and writes to `strange`.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { identity, spoolFolder, SpoolWriter } from "@fairlead/keeper";

interface Line {
  readonly program: string;
  readonly args: string[];
  readonly env: Record<string, string>;
  readonly cwd: string;
  readonly stdin: "pipe" | "none";
}

type Frame = { readonly id: string } & (
  | { readonly do: "note"; readonly text: string }
  | { readonly do: "launch"; readonly line: Line }
  | { readonly do: "say"; readonly text: string }
  | { readonly do: "hangup" }
  | { readonly do: "kill" }
  | { readonly do: "leave" }
  | { readonly do: "signal"; readonly signal: NodeJS.Signals }
);

const known = new Set(["note", "launch", "say", "hangup", "signal", "kill", "leave"]);
const folder = process.argv[2] ?? ".";
const spool = new SpoolWriter(spoolFolder(folder));
const clients = new Set<Socket>();
let agent: ChildProcess | null = null;
let leaving = false;

const tell = (socket: Socket, line: object): void => void socket.write(`${JSON.stringify(line)}\n`);

function record(kind: Parameters<SpoolWriter["append"]>[0]["kind"], id: string, bytes: string | Buffer): number {
  const process = kind === "note" ? 0 : spool.lastProcess + (kind === "launch" ? 1 : 0);
  const { seq } = spool.append({ kind, process, id, bytes: Buffer.from(bytes) });
  for (const socket of clients) tell(socket, { seq });
  return seq;
}

function launch(id: string, line: Line): number {
  const { env, program, args, cwd, stdin } = line;
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

function take(frame: Frame): number {
  switch (frame.do) {
    case "note":
      return record("note", frame.id, frame.text);
    case "launch":
      return launch(frame.id, frame.line);
    case "say": {
      const seq = record("in", frame.id, frame.text);
      agent?.stdin?.write(frame.text);
      return seq;
    }
    case "hangup": {
      const seq = record("hangup", frame.id, "");
      agent?.stdin?.end();
      return seq;
    }
    case "signal": {
      const seq = record("signal", frame.id, frame.signal);
      agent?.kill(frame.signal);
      return seq;
    }
    case "kill": {
      const seq = record("signal", frame.id, "kill");
      agent?.kill("SIGKILL");
      return seq;
    }
    case "leave":
      leaving = true;
      setImmediate(leaveIfIdle);
      return spool.lastSeq;
  }
}

function answer(text: string): object {
  const frame = JSON.parse(text) as Frame;
  const seq = spool.seqOf(frame.id);
  if (seq !== undefined) return { ack: frame.id, seq, duplicate: true };
  if (known.has(frame.do)) return { ack: frame.id, seq: take(frame), duplicate: false };
  appendFileSync(join(folder, "strange"), `${text}\n`);
  return { error: frame.id, message: `This keeper cannot do ${JSON.stringify(frame.do)}.` };
}

function leaveIfIdle(): void {
  if (!leaving || agent !== null) return;
  rmSync(join(folder, "keeper.json"), { force: true });
  rmSync(join(folder, "keeper.sock"), { force: true });
  for (const socket of clients) socket.end();
  server.close();
}

const server = createServer((socket) => {
  clients.add(socket);
  socket.on("close", () => clients.delete(socket));
  tell(socket, { hello: "fairlead-keeper/1", pid: process.pid, lastSeq: spool.lastSeq });
  const lines = createInterface({ input: socket });
  lines.on("line", (line) => tell(socket, answer(line)));
  for (const end of [socket, lines]) end.on("error", () => {}); // a client that died is no concern of ours
});
server.listen(join(folder, "keeper.sock"));
await once(server, "listening");
const file = join(folder, "keeper.json");
writeFileSync(`${file}.new`, JSON.stringify({ ...identity(process.pid), protocol: 1 }));
renameSync(`${file}.new`, file);
