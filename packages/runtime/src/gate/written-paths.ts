import type { ShellCommand, ShellWord } from "@fairlead/kit";
import { pathOf, segmentsOf } from "./locate-path.ts";
import type { GateContext } from "./policy-finding.ts";
import { findOption, findOptionValues } from "./separate-arguments.ts";
import type { VettedProgram } from "./vetted-programs.ts";

/** Lists the operands that a program writes. What is put into a folder keeps its name there. */
export function writtenOperands(
  operands: readonly ShellWord[],
  args: readonly ShellWord[],
  writes: VettedProgram["writes"],
  { workspace }: Pick<GateContext, "workspace">,
): readonly string[] {
  const paths = operands.map(pathOf);
  if (writes === undefined) return [];
  if (writes === "all") return paths;
  if (writes === "second") return paths.slice(1);
  const named = targetFolder(args);
  const target = named ?? paths.at(-1);
  if (target === undefined) return [];
  const sources = named === null ? paths.slice(0, -1) : paths.filter((path) => path !== named);
  const isFolder =
    named !== null ||
    sources.length > 1 ||
    /(?:^|\/)\.{0,2}$/.test(target) ||
    segmentsOf(target, workspace).length === 0;
  const names = sources.map((path) => segmentsOf(path, undefined).at(-1) ?? "");
  return [target, ...(isFolder ? names.filter((name) => name !== "").map((name) => `${target}/${name}`) : [])];
}

/** Returns the folder of `-t x`, `-tx`, `-rt x`, `--target-directory x` and `--target-directory=x`, or null. */
function targetFolder(args: readonly ShellWord[]): string | null {
  const [long] = findOptionValues(args, ["--target-directory"]);
  if (long !== undefined) return long;
  for (const [at, word] of args.entries()) {
    const [, attached] = /^-[abdfilLnpPrRsuvxHD]*t(.*)$/s.exec(pathOf(word)) ?? [];
    const next = args[at + 1];
    if (attached !== undefined) return attached !== "" ? attached : next === undefined ? null : pathOf(next);
  }
  return null;
}

const archivers = /^(?:tar|bsdtar)$/;
/** Options of tar with one letter that take a value. */
const tarValued = "fCbTXVgKNHIFL";

/** Lists what an archiver writes: the archive that it makes, or a file in the folder into which it unpacks. */
export function writtenByArchive({ program, args }: ShellCommand): string[] {
  if (program === "unzip") return findOptionValues(args, ["-d"]).map((folder) => `${folder}/any`);
  if (!archivers.test(program ?? "")) return [];
  const { letters, values } = readTarOptions(args);
  const makes =
    /[cruA]/.test(letters) || findOption(args, ["--create", "--append", "--update", "--concatenate"]) !== null;
  const archives = [...values.f, ...findOptionValues(args, ["--file"])].filter((path) => path !== "-");
  const folders = [...values.C, ...findOptionValues(args, ["--directory"])];
  return [...(makes ? archives : []), ...folders.map((folder) => `${folder}/any`)];
}

/** Reports whether an archive may name any place: `tar xPf`. */
export function isUnpackingAnywhere({ program, args }: ShellCommand): boolean {
  return archivers.test(program ?? "") && readTarOptions(args).letters.includes("P");
}

/** Reads `-xC dir -f x`, `-xCdir`, and the old spelling `xCf dir x`, whose values follow in the order of their letters. */
function readTarOptions(args: readonly ShellWord[]): { letters: string; values: { f: string[]; C: string[] } } {
  const values = { f: [] as string[], C: [] as string[] };
  let letters = "";
  const texts = args.map(pathOf);
  for (let at = 0; at < texts.length; at += 1) {
    const text = texts[at] ?? "";
    const isOld = at === 0 && /^[a-zA-Z]+$/.test(text);
    const group = isOld ? text : (/^-([a-zA-Z].*)$/s.exec(text)?.[1] ?? "");
    for (let place = 0; place < group.length; place += 1) {
      const letter = group.charAt(place);
      letters += letter;
      if (!tarValued.includes(letter)) continue;
      const attached = isOld ? "" : group.slice(place + 1);
      if (attached === "") at += 1;
      const value = attached === "" ? (texts[at] ?? "") : attached;
      if (letter === "f" || letter === "C") values[letter].push(value);
      if (!isOld) break;
    }
  }
  return { letters, values };
}
