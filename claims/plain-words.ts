import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Claim } from "../measure/claim.ts";
import { root } from "../scripts/run.ts";
import { findHomonyms, findMarkerWords, readExceptions, withoutExceptions } from "../scripts/style.ts";

/** The last commit before the repository adopted docs/style.md, and its counts for clones without that commit. */
const before = { commit: "a25e794", words: 552, homonyms: 73 };

interface StyleCounts {
  readonly words: number;
  readonly homonyms: number;
}

export const plainWords: Claim = {
  id: "plain-words",
  statement: "Documents, strings, comments and names use plain words, and no name is declared by two packages.",
  bound: "0 marker words and 0 homonyms outside test/style/exceptions.json; a planted one of each is found",
  async prove() {
    const exceptions = readExceptions(root);
    const words = withoutExceptions(findMarkerWords(root), exceptions.words);
    const homonyms = findHomonyms(root).filter(({ name }) => !exceptions.homonyms.some((one) => one.name === name));
    const planted = countPlanted();
    const earlier = countEarlier();
    for (const { file, line, text } of words) console.log(`${file}:${line}: ${text}`);
    for (const { name, packages } of homonyms) console.log(`${name}: ${packages.join(", ")}`);
    const excepted = `${exceptions.words.length} word and ${exceptions.homonyms.length} homonym exceptions`;
    return {
      measured:
        `marker words ${earlier.words} before, ${words.length} now; homonyms ${earlier.homonyms} before, ` +
        `${homonyms.length} now; ${excepted}; control: ${planted.words} planted word and ${planted.homonyms} homonym found`,
      holds: words.length === 0 && homonyms.length === 0 && planted.words === 1 && planted.homonyms === 1,
    };
  },
};

/** The control: a tree with one marker word and one homonym. */
function countPlanted(): StyleCounts {
  const folder = mkdtempSync(join(tmpdir(), "planted-style-"));
  try {
    for (const name of ["one", "two"]) {
      mkdirSync(join(folder, "packages", name, "src"), { recursive: true });
      const comment = name === "one" ? `// ${["Who", "ever"].join("")} reads this waits.\n` : "";
      writeFileSync(join(folder, "packages", name, "src/index.ts"), `${comment}export const planted = 1;\n`);
    }
    return countAll(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function countEarlier(): StyleCounts {
  const folder = mkdtempSync(join(tmpdir(), "earlier-style-"));
  try {
    const archive = execFileSync("git", ["archive", before.commit], { cwd: root, maxBuffer: 256 * 1024 ** 2 });
    execFileSync("tar", ["-x", "-C", folder], { input: archive });
    return countAll(folder);
  } catch {
    return before; // a shallow clone does not have the commit
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function countAll(folder: string): StyleCounts {
  return { words: findMarkerWords(folder).length, homonyms: findHomonyms(folder).length };
}
