import { leadingText, type ShellWord } from "@fairlead/kit";
import { nameCommand, type PolicyFinding, type GateContext, type Recognizer } from "./policy-finding.ts";
import { isHarmlessDevice, locatePath, pathOf } from "./locate-path.ts";
import { isGeneratedPath } from "./path-kinds.ts";
import { findOption, separateArguments } from "./separate-arguments.ts";

/** Programs that change the machine, other processes or their own rights, with what they do. */
const harmful: ReadonlyMap<string, string> = new Map(
  (
    [
      ["sudo doas su runuser pkexec gosu setpriv", "runs with other rights"],
      ["chroot unshare nsenter bwrap firejail capsh systemd-run machinectl", "leaves the namespace"],
      ["kill pkill killall skill snice fuser xkill", "ends processes"],
      [
        "dd mkfs mkswap fdisk parted wipefs sfdisk sgdisk losetup mount umount swapon swapoff hdparm",
        "writes to devices",
      ],
      ["shred srm wipe truncate fallocate", "discards the contents of files"],
      ["chown chgrp chattr setfacl setcap setfattr", "changes rights"],
      [
        "reboot shutdown halt poweroff init telinit systemctl service launchctl rc-service",
        "changes services of the machine",
      ],
      ["useradd userdel usermod groupadd passwd chpasswd visudo adduser deluser", "changes users"],
      ["iptables ip6tables nft ufw firewall-cmd sysctl insmod rmmod modprobe ifconfig route ip", "changes the machine"],
      ["crontab at batch anacron", "runs something later"],
    ] as const
  ).flatMap(([names, because]) => names.split(" ").map((name) => [name, because] as const)),
);

const removers = new Set(["rm", "unlink", "rimraf", "premove", "del", "del-cli", "trash"]);
const discardingNames = new Set(["drop", "wipe", "reset", "fresh", "flush", "destroy", "purge"]);
const discardingWords =
  /\b(?:drop\s+(?:table|database|schema|index|user)|truncate\s+table|delete\s+from|dropDatabase|flushall|flushdb)\b/i;

/** Finds commands that discard work or change the machine. */
export const recognizeRemoval: Recognizer = (command, context) => {
  const { program, args, redirects } = command;
  const findings: PolicyFinding[] = [];
  const subject = nameCommand(command);
  const find = (because: string): void => void findings.push({ category: "destructive", subject, because });
  const because =
    harmful.get(program ?? "") ?? (program?.startsWith("mkfs.") === true ? "writes to devices" : undefined);
  if (because !== undefined) find(because);
  if (program !== null && removers.has(program)) findings.push(...inspectRemoval(program, args, context, subject));
  if (program === "mv" || program === "cp") findings.push(...inspectMove(program, args, context, subject));
  if (
    program === "ln" &&
    separateArguments(args).operands.some((word) =>
      /^(?:outside|temporary)$/.test(locatePath(pathOf(word), context.workspace)),
    )
  ) {
    find("links to a place outside the workspace");
  }
  if (program === "chmod" && isHarmfulMode(args, context)) find("changes rights");
  if (program === "hostname" && separateArguments(args).operands.length > 0) find("changes the machine");
  if (/^(?:node|python\d?|php|ruby|rails|rake|npm|yarn|pnpm|bun|make|mix|dotnet|bundle)$/.test(program ?? "")) {
    if (args.some(({ value }) => value === "flush" || isDiscardingTask(value ?? "")))
      find("discards data, by its name");
  }
  if (
    program === "rsync" &&
    findOption(args, ["--delete", "--remove-source-files", "--delete-after", "--delete-excluded"]) !== null
  )
    find("removes files");
  if ((program === "docker" || program === "podman" || program === "docker-compose") && isDockerRemoval(args))
    find("removes containers or volumes");
  if (program === "find" && findOption(args, ["-delete"]) !== null) find("removes files");
  // `> FILE` and `: > FILE` empty a file.
  const writesNothing =
    program === null ||
    program === ":" ||
    program === "true" ||
    (program === "cat" && args.length === 1 && args[0]?.value === "/dev/null");
  const isEmptied = redirects.some(
    ({ direction, path }) => direction === "write" && !isHarmlessDevice(path.value ?? ""),
  );
  if (writesNothing && isEmptied && command.assignments.length === 0 && !command.isGroup) find("empties a file");
  if (/^(?:psql|mysql|mariadb|sqlite3|mongo|mongosh|redis-cli|duckdb)$/.test(program ?? "")) {
    if (args.some(({ value, text }) => discardingWords.test(value ?? text))) find("discards data");
  }
  return findings;
};

function inspectRemoval(
  program: string,
  args: readonly ShellWord[],
  context: GateContext,
  subject: string,
): PolicyFinding[] {
  const { operands } = separateArguments(args);
  const isRecursive =
    program !== "rm" && program !== "unlink" ? true : findOption(args, ["-r", "-R", "--recursive"]) !== null;
  const problem = (because: string): PolicyFinding[] => [{ category: "destructive", subject, because }];
  for (const word of operands) {
    const path = pathOf(word);
    const location = locatePath(path, context.workspace);
    const isPlain = location === "temporary" || (location === "workspace" && !context.leavesWorkspace);
    if (!isPlain && !(location === "unknown" && isNarrow(path))) return problem(`removes ${word.text}`);
    if (path.startsWith(".git/") || /(?:^|\/)\.git(?:\/|$)/.test(path)) return problem(`removes ${word.text}`);
    if (!isRecursive || location === "temporary") continue;
    if (!isGeneratedPath(path) && !/\.(?:d\.ts|js|map|css)$/.test(path))
      return problem(`removes the folder ${word.text}`);
  }
  return [];
}

/** `*.log` names files of one kind; `*` and `$x` may be anything. */
function isNarrow(path: string): boolean {
  return /^\*\.\w+$/.test(path);
}

function inspectMove(
  program: string,
  args: readonly ShellWord[],
  context: GateContext,
  subject: string,
): PolicyFinding[] {
  const { operands } = separateArguments(args);
  const sources = operands.slice(0, -1).map(pathOf);
  if (program === "cp") {
    return sources[0] === "/dev/null" ? [{ category: "destructive", subject, because: "empties a file" }] : [];
  }
  const target = locatePath(operands.length === 0 ? "" : pathOf(operands.at(-1) as ShellWord), context.workspace);
  const loses =
    target !== "workspace" ||
    sources.some((path) => locatePath(path, context.workspace) === "outside" || /^(?:\.\/)?\.git(?:\/|$)/.test(path));
  return loses ? [{ category: "destructive", subject, because: "moves files out of their place" }] : [];
}

function isHarmfulMode(args: readonly ShellWord[], { workspace, leavesWorkspace }: GateContext): boolean {
  const [mode, ...files] = separateArguments(args).operands;
  if (leavesWorkspace || files.some((word) => locatePath(pathOf(word), workspace) === "outside")) return true;
  if (files.some((word) => pathOf(word).includes(".git"))) return true;
  const text = mode === undefined ? "" : leadingText(mode);
  return (
    /s|t/.test(text) ||
    /[oa]\+\w*w|^[0-7]*[0-7][2367]$/.test(text) ||
    /^[1-7]\d{3}$/.test(text) ||
    /^0*0{3}$/.test(text)
  );
}

function isDockerRemoval(args: readonly ShellWord[]): boolean {
  const words = separateArguments(args).operands.map(({ value }) => value ?? "");
  return words.some((word) => /^(?:rm|rmi|prune|kill|stop|down|system|volume|network)$/.test(word));
}

/** `db:drop`, `migrate:fresh`: tasks of frameworks have such names. */
function isDiscardingTask(name: string): boolean {
  return (
    /^[\w:.]+$/.test(name) &&
    name
      .split(/[:.]/)
      .slice(1)
      .some((part) => discardingNames.has(part))
  );
}
