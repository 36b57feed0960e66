import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import type { Attempt } from "../attempt.ts";
import type { EscapeTarget } from "../escape-target.ts";
import { quote } from "../scripts.ts";

/** Attempts at the files of Fairlead's data directory. */
export const dataDirectoryAttempts: readonly Attempt[] = [
  readAttempt("read-tokens", () => "tokens.json"),
  readAttempt("read-daemon-info", () => "daemon/info.json"),
  readAttempt("read-daemon-log", () => "daemon.log"),
  readAttempt("read-keeper-info", ({ other }) => `sessions/${other}/keeper.json`),
  readAttempt("read-own-spool", ({ hostile }) => spoolFile(hostile)),
  {
    name: "read-other-spool",
    script: (target) => grepSaid(target.inData(spoolFile(target.other))),
    succeeded: (target, output) => output.includes(target.said),
  },
  {
    name: "read-journal",
    script: (target) => grepSaid(target.inData("journal.db*")),
    succeeded: (target, output) => output.includes(target.said),
  },
  {
    name: "read-other-secrets",
    script: (target) => `grep -aho 'secret-[0-9a-f]*' ${target.inData(`sessions/${target.other}/secrets.json`)}`,
    succeeded: (target, output) => output.includes(target.secret),
  },
  writeAttempt("write-tokens", () => "tokens.json"),
  writeAttempt("write-trusted-workspaces", () => "trusted.json"),
  writeAttempt("write-other-snapshot", ({ other }) => `sessions/${other}/planted.json`),
  writeAttempt("write-probe-cache", () => "probes.json"),
  {
    name: "delete-session-folder",
    prepare(target) {
      mkdirSync(target.inData("sessions/deleted/spool"), { recursive: true });
      writeFileSync(target.inData("sessions/deleted/spool/1.spool"), "");
    },
    script: (target) => `rm -rf ${quote(target.inData("sessions/deleted"))}`,
    succeeded: (target) => !existsSync(target.inData("sessions/deleted")),
    restore: (target) => rmSync(target.inData("sessions/deleted"), { recursive: true, force: true }),
  },
  {
    name: "replace-log-by-rename",
    prepare: (target) => writeFileSync(target.inData("daemon.log.1"), "old\n"),
    script: (target) => `echo planted > planted; mv -f planted ${quote(target.inData("daemon.log.1"))}`,
    succeeded: (target) => readFileSync(target.inData("daemon.log.1"), "utf8") === "planted\n",
    restore: (target) => rmSync(target.inData("daemon.log.1"), { force: true }),
  },
];

const spoolFile = (session: string): string => `sessions/${session}/spool/*.spool`;

const grepSaid = (pattern: string): string => `grep -aho 'said-[0-9a-f]*' ${pattern}`;

/** Prints the first bytes of a file. */
function readAttempt(name: string, file: (target: EscapeTarget) => string): Attempt {
  return {
    name,
    script: (target) => `cat ${target.inData(file(target))} | head -c 40 | base64 -w0`,
    succeeded(target, output) {
      const path = target.inData(file(target));
      const folder = path.slice(0, path.lastIndexOf("/"));
      const actual = path.includes("*")
        ? `${folder}/${readdirSync(folder).find((one) => one.endsWith(".spool"))}`
        : path;
      return output.includes(readFileSync(actual).subarray(0, 40).toString("base64"));
    },
  };
}

/** Appends to a file, which must be as before afterwards. */
function writeAttempt(name: string, file: (target: EscapeTarget) => string): Attempt {
  let before: Buffer | null = null;
  const read = (target: EscapeTarget): Buffer | null =>
    existsSync(target.inData(file(target))) ? readFileSync(target.inData(file(target))) : null;
  return {
    name,
    prepare(target) {
      before = read(target);
    },
    script: (target) => `echo planted >> ${quote(target.inData(file(target)))}`,
    succeeded: (target) => read(target)?.toString("latin1").includes("planted") ?? false,
    restore(target) {
      if (before === null) rmSync(target.inData(file(target)), { force: true });
      else writeFileSync(target.inData(file(target)), before);
    },
  };
}
