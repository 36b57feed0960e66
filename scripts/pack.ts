/** Makes one tarball that npm can install, `fairlead-VERSION.tgz`, from what is built now: `node scripts/pack.ts [folder]`. */
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, normalize, resolve } from "node:path";
import { packedFiles, type Room } from "./packed-files.ts";
import { root, runQuietly } from "./run.ts";

/** They are for whoever works on Fairlead: `fairlead drift` says that it needs the repository. */
const leftOut = ["@fairlead/conformance", "@fairlead/lab"];
const scope = "@fairlead/";
const command = `${scope}cli`;

export interface Packed {
  readonly tarball: string;
  readonly bytes: number;
  readonly files: number;
}

/** The command is the package itself; the rooms that it needs lie bundled in its node_modules, compiled. */
export async function pack(folder: string): Promise<Packed> {
  await demand("tsc", ["--build", "tsconfig.build.json"]);
  const rooms = roomsOf(command);
  const packages = new Set(rooms.flatMap(({ name, dependencies }) => [name, ...Object.keys(dependencies)]));
  for (const name of leftOut) packages.delete(name);
  const stage = mkdtempSync(join(tmpdir(), "fairlead-pack-"));
  try {
    for (const room of rooms) {
      const target = join(stage, room.name === command ? "" : `node_modules/${room.name}`);
      const files = packedFiles(room, packages);
      for (const file of files) place(join(room.folder, file), join(target, file));
      const manifest = room.name === command ? commandManifest(room, rooms) : roomManifest(room, files);
      writeFileSync(join(target, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
    }
    for (const file of ["LICENSE", "README.md"]) place(join(root, file), join(stage, file));
    const told = await demand("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", folder], stage);
    const [made] = JSON.parse(told) as { filename: string; size: number; entryCount: number }[];
    if (made === undefined) throw new Error("npm has packed nothing.");
    return { tarball: join(folder, made.filename), bytes: made.size, files: made.entryCount };
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

/** A room with all rooms below it. */
function roomsOf(name: string, known = new Map<string, Room>()): readonly Room[] {
  if (known.has(name) || leftOut.includes(name)) return [...known.values()];
  const folder = join(root, "packages", name.slice(scope.length));
  const read = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Omit<Room, "folder">;
  known.set(name, { ...read, dependencies: read.dependencies ?? {}, folder });
  for (const below of Object.keys(read.dependencies)) if (below.startsWith(scope)) roomsOf(below, known);
  return [...known.values()];
}

/** What others have made is fetched from the registry, in exactly the versions that were tested. */
function commandManifest({ name, version, license, engines }: Room, rooms: readonly Room[]): object {
  const { description } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { description: string };
  const bundled = rooms.filter((room) => room.name !== name).map((room): [string, string] => [room.name, room.version]);
  const fetched = rooms.flatMap(({ dependencies }) => Object.entries(dependencies));
  const dependencies = [...bundled, ...fetched.filter(([one]) => !one.startsWith(scope))];
  return {
    name: "fairlead",
    version,
    description,
    license,
    type: "module",
    engines,
    bin: { fairlead: "dist/src/main.js" },
    dependencies: Object.fromEntries(dependencies.toSorted(([one], [other]) => (one < other ? -1 : 1))),
    bundleDependencies: bundled.map(([one]) => one),
  };
}

function roomManifest({ name, version, license, exports }: Room, files: readonly string[]): object {
  const compiled = Object.entries(exports)
    .filter(([, { built }]) => files.includes(normalize(built)))
    .map(([path, { built }]) => [path, built]);
  return { name, version, license, type: "module", exports: Object.fromEntries(compiled) };
}

function place(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to);
}

async function demand(program: string, args: readonly string[], cwd = root): Promise<string> {
  const path = `${join(root, "node_modules/.bin")}:${process.env["PATH"] ?? ""}`;
  // Settings that npm does not know make it complain among what it tells.
  const env = { ...process.env, PATH: path, npm_config_loglevel: "error" };
  const { code, output } = await runQuietly(program, args, { cwd, env });
  if (code !== 0) throw new Error(`${program} ${args.join(" ")} failed:\n${output}`);
  return output;
}

if (import.meta.main) {
  const { tarball, bytes, files } = await pack(resolve(process.argv[2] ?? "."));
  console.log(`${tarball}: ${files} files, ${Math.round(bytes / 1024)} KiB`);
}
