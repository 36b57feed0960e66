/** Reads the ticking agent over a bare pipe and commits each chunk to a bare database: `node bare-writer.ts OPTIONS`. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { utimesSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { TickingOptions } from "./ticking-agent.ts";

export interface BareWriterOptions extends TickingOptions {
  readonly file: string;
}

const { file } = JSON.parse(process.argv[2] ?? "") as BareWriterOptions;
const notifyFile = `${file}.bell`;
writeFileSync(notifyFile, "");
const database = new DatabaseSync(file);
database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
database.exec("CREATE TABLE pieces (number INTEGER PRIMARY KEY, data TEXT NOT NULL)");
const insert = database.prepare("INSERT INTO pieces (data) VALUES (?)");
console.log("ready");
await once(process.stdin, "data");
const program = new URL("ticking-agent.ts", import.meta.url).pathname;
const agent = spawn(process.execPath, [program, process.argv[2] ?? ""], { stdio: ["pipe", "pipe", "inherit"] });
agent.stdin.write("Go.\n");
agent.stdout.setEncoding("utf8").on("data", (piece: string) => {
  insert.run(piece);
  const now = new Date();
  utimesSync(notifyFile, now, now);
});
await once(process.stdin, "data");
process.exit(0);
