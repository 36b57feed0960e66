/**
 * Installs the NATS servers for tests: `node scripts/install-nats.ts`. `npm run agents` and `npm run check` do it too.
 * They come from packages of Debian, which apt checks by their signatures. The lists and the cache of apt are in a temporary
 * folder, so that the settings of the machine stay as they are. The mirror is the one that the machine uses.
 */
import {
  copyFileSync,
  chmodSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findNatsProgram, readNatsVersion, type NatsRelease } from "@fairlead/testing/nats/nats-program.ts";
import { runQuietly } from "./run.ts";

interface WantedServer {
  readonly release: NatsRelease;
  /** The suites of Debian that may have it, the first choice first. */
  readonly suites: readonly string[];
  readonly isWanted: (version: string) => boolean;
  readonly description: string;
}

const wantedServers: readonly WantedServer[] = [
  // No older server takes its place: tests on it would prove nothing about a fleet.
  { release: "current", suites: ["sid", "trixie"], isWanted: isSafe, description: "2.12 or newer" },
  { release: "2.10", suites: ["trixie"], isWanted: (version) => version.startsWith("2.10."), description: "2.10" },
  { release: "2.9", suites: ["bookworm"], isWanted: (version) => version.startsWith("2.9."), description: "2.9" },
];
const keyring = "/usr/share/keyrings/debian-archive-keyring.gpg";

if (process.platform !== "linux") {
  console.log("nats not installed: tests use it on Linux only");
} else {
  for (const wanted of wantedServers) console.log(await ensureServer(wanted));
}

async function ensureServer(wanted: WantedServer): Promise<string> {
  const program = findNatsProgram(wanted.release);
  const present = await readNatsVersion(program);
  if (present !== undefined && wanted.isWanted(present)) return `nats-server ${present} already installed`;
  const seen: string[] = [];
  for (const suite of wanted.suites) {
    const outcome = await installFrom(suite, program, wanted.isWanted);
    if (outcome.version !== undefined) return `nats-server ${outcome.version} installed`;
    seen.push(`${suite}: ${outcome.reason}`);
  }
  throw new Error(`No nats-server ${wanted.description} can be installed. ${seen.join("; ")}`);
}

type Outcome = { readonly version: string } | { readonly version?: undefined; readonly reason: string };

async function installFrom(suite: string, program: string, isWanted: (version: string) => boolean): Promise<Outcome> {
  const work = mkdtempSync(join(tmpdir(), "fairlead-nats-"));
  try {
    mkdirSync(join(work, "lists/partial"), { recursive: true });
    mkdirSync(join(work, "cache/archives/partial"), { recursive: true });
    writeFileSync(join(work, "sources.list"), `deb [signed-by=${keyring}] ${await findMirror()} ${suite} main\n`);
    const options = {
      "Dir::Etc::sourcelist": join(work, "sources.list"),
      "Dir::Etc::sourceparts": "-",
      "Dir::State::lists": join(work, "lists"),
      "Dir::Cache": join(work, "cache"),
      "APT::Sandbox::User": "root",
      "APT::Get::List-Cleanup": "0",
      "Acquire::Retries": "3",
    };
    const apt = Object.entries(options).flatMap(([name, value]) => ["-o", `${name}=${value}`]);
    const commands: readonly (readonly [string, ...string[]])[] = [
      ["apt-get", ...apt, "update", "-qq", "--error-on=any"],
      ["apt-get", ...apt, "download", "-qq", "nats-server"],
    ];
    for (const [command, ...args] of commands) {
      const { code, output } = await runQuietly(command, args, { cwd: work });
      if (code !== 0) return { reason: output.trim() };
    }
    const [archive = ""] = globSync("nats-server_*.deb", { cwd: work });
    const unpacked = await runQuietly("dpkg-deb", ["-x", archive, "unpacked"], { cwd: work });
    if (unpacked.code !== 0) return { reason: unpacked.output.trim() };
    const found = join(work, "unpacked/usr/sbin/nats-server");
    const version = await readNatsVersion(found);
    if (version === undefined) return { reason: "its nats-server does not run here" };
    if (!isWanted(version)) return { reason: `it has ${version}` };
    mkdirSync(join(program, ".."), { recursive: true });
    copyFileSync(found, program);
    chmodSync(program, 0o755);
    return { version };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** The mirror from which the machine's own release of Debian comes, as apt understands its settings. */
async function findMirror(): Promise<string> {
  const release = /^VERSION_CODENAME=(\w+)$/m.exec(readFileSync("/etc/os-release", "utf8"))?.[1];
  const format = "$(REPO_URI) $(RELEASE) $(COMPONENT)";
  const { output } = await runQuietly("apt-get", ["indextargets", "--no-release-info", "--format", format]);
  const targets = output.split("\n").map((line) => line.split(" "));
  const [address] = targets.find(([, suite, component]) => suite === release && component === "main") ?? [];
  if (address === undefined)
    throw new Error(`apt has no mirror of Debian ${release}, so nats-server is not installed.`);
  return address;
}

function isSafe(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > 2 || (major === 2 && minor >= 12);
}
