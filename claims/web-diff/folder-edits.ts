import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { SeededRandom } from "../../measure/seeded-random.ts";

/** One change of a file, which a person makes and an agent can make with a command. */
export interface FolderEdit {
  readonly command: string;
  readonly apply: (folder: string) => void;
}

const at = (folder: string, path: string): string => {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  return file;
};

/** Chooses changes of the files of one owner: `mine` files are touched by nothing else between two comparisons. */
export function chooseEdits(random: SeededRandom, owner: string, round: number): readonly FolderEdit[] {
  return Array.from({ length: 1 + random.nextBelow(3) }, (_, index) => chooseEdit(random, owner, `${round}-${index}`));
}

function chooseEdit(random: SeededRandom, owner: string, word: string): FolderEdit {
  const path = `${owner}/${random.pick(["a.txt", "b.txt", "deep/c.txt", "näh er.txt", "d.bin"])}`;
  const quoted = `'${path}'`;
  const folderOf = `mkdir -p '${dirname(path)}'`;
  const text = `${word}\n${"line\n".repeat(random.nextBelow(30))}${word} end\n`;
  const kinds: readonly [FolderEdit, ...FolderEdit[]] = [
    {
      command: `${folderOf}; printf '%s' '${text}' > ${quoted}`,
      apply: (folder) => replace(at(folder, path), text),
    },
    {
      command: `rm -f ${quoted}; echo ${word} > '${owner}/instead.txt'`,
      apply: (folder) => {
        rmSync(at(folder, path), { force: true });
        replace(at(folder, `${owner}/instead.txt`), `${word}\n`);
      },
    },
    {
      command: `${folderOf}; rm -f ${quoted}; echo ${word} > ${quoted}; chmod 755 ${quoted}`,
      apply: (folder) => {
        replace(at(folder, path), `${word}\n`);
        chmodSync(at(folder, path), 0o755);
      },
    },
    {
      command: `${folderOf}; printf '\\000\\001${word}' > '${owner}/new-${word}.bin'`,
      apply: (folder) => writeFileSync(at(folder, `${owner}/new-${word}.bin`), `\0\u0001${word}`),
    },
    {
      command: `${folderOf}; rm -f ${quoted}; ln -s target-${word} ${quoted}`,
      apply: (folder) => {
        rmSync(at(folder, path), { force: true });
        symlinkSync(`target-${word}`, at(folder, path));
      },
    },
    {
      command: `${folderOf}; if [ -e '${owner}/instead.txt' ]; then mv '${owner}/instead.txt' ${quoted}; else echo ${word} > ${quoted}; fi`,
      apply: (folder) => {
        const instead = at(folder, `${owner}/instead.txt`);
        if (existsSync(instead)) renameSync(instead, at(folder, path));
        else replace(at(folder, path), `${word}\n`);
      },
    },
    {
      command: `mkdir -p ignored; echo ${word} > ignored/${owner}.txt; ${folderOf}; : > '${owner}/empty-${word}'`,
      apply: (folder) => {
        writeFileSync(at(folder, `ignored/${owner}.txt`), word);
        writeFileSync(at(folder, `${owner}/empty-${word}`), "");
      },
    },
  ];
  return random.pick(kinds);
}

/** Not through a link that is there. */
function replace(file: string, text: string): void {
  rmSync(file, { force: true });
  writeFileSync(file, text);
}
