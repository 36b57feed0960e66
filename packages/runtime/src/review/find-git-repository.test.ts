import { mkdirSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findWorkspaceChanges } from "./workspace-changes.ts";
import { findGitRepository, readCoreWorktree } from "./find-git-repository.ts";
import { measureGrowthExponent } from "@fairlead/testing/measure-growth-exponent.ts";
import { TestRepository } from "@fairlead/testing/runtime/test-repository.ts";

/** A folder that an attacker controls, beside a repository that the attacker must not read. */
class ForgedRepository extends TestRepository {
  readonly attackerFolder = join(this.folder, "attacker");
  readonly target = join(this.workspace, ".git");

  constructor() {
    super();
    this.write("kept.txt", "secret\n");
    this.commit();
    mkdirSync(this.attackerFolder);
  }

  writeForged(path: string, text: string): void {
    mkdirSync(join(this.attackerFolder, path, ".."), { recursive: true });
    writeFileSync(join(this.attackerFolder, path), text);
  }
}

describe("a foreign repository is not read through", () => {
  const attempts: readonly [name: string, forge: (forged: ForgedRepository) => void][] = [
    ["a .git that names it", (forged) => forged.writeForged(".git", `gitdir: ${forged.target}\n`)],
    ["a .git that is a link to it", (forged) => symlinkSync(forged.target, join(forged.attackerFolder, ".git"))],
    [
      "a .git that names the folder of one of its worktrees",
      (forged) => {
        forged.git("worktree", "add", "--quiet", join(forged.folder, "tree"));
        forged.writeForged(".git", `gitdir: ${forged.target}/worktrees/tree\n`);
      },
    ],
    [
      "a forged worktree folder",
      (forged) => {
        forged.writeForged(".git", `gitdir: ${forged.folder}/worktrees/forged\n`);
        const worktree = join(forged.folder, "worktrees/forged");
        mkdirSync(worktree, { recursive: true });
        writeFileSync(join(worktree, "HEAD"), forged.git("rev-parse", "HEAD"));
        writeFileSync(join(worktree, "gitdir"), `${forged.attackerFolder}/.git\n`);
        writeFileSync(join(worktree, "commondir"), `${forged.target}\n`);
      },
    ],
    [
      "a repository with links into it",
      (forged) => {
        forged.writeForged(".git/HEAD", forged.git("rev-parse", "HEAD"));
        for (const name of ["objects", "refs"]) {
          symlinkSync(join(forged.target, name), join(forged.attackerFolder, ".git", name));
        }
      },
    ],
  ];

  it.each(attempts)("%s", async (_, forge) => {
    using forged = new ForgedRepository();
    forge(forged);
    await expect(findWorkspaceChanges(forged.attackerFolder)).rejects.toMatchObject({ code: "not-allowed" });
  });

  it("a commondir file", async () => {
    using forged = new ForgedRepository();
    forged.writeForged(".git/HEAD", forged.git("rev-parse", "HEAD"));
    forged.writeForged(".git/commondir", `${forged.target}\n`);
    const changes = await findWorkspaceChanges(forged.attackerFolder).catch(String);
    expect(JSON.stringify(changes)).not.toContain("secret");
  });

  it("control: git itself reads it through each of them", () => {
    for (const [, forge] of attempts) {
      using forged = new ForgedRepository();
      forge(forged);
      expect(forged.git("-C", forged.attackerFolder, "show", "HEAD:kept.txt")).toBe("secret\n");
    }
  });
});

describe("a repository that refers back to the folder is read", () => {
  it("a worktree, also through a link, and after it was moved and repaired", async () => {
    using repository = new TestRepository();
    const tree = join(repository.folder, "tree");
    repository.git("worktree", "add", "--quiet", tree);
    writeFileSync(join(tree, "kept.txt"), "other\n");
    symlinkSync(repository.folder, join(repository.folder, "link"));
    expect((await findWorkspaceChanges(join(repository.folder, "link/tree"))).patch).toContain("+other");
    const moved = join(repository.folder, "moved");
    renameSync(tree, moved);
    await expect(findWorkspaceChanges(moved)).rejects.toThrow("git worktree repair");
    repository.git("-C", moved, "worktree", "repair");
    expect((await findWorkspaceChanges(moved)).patch).toContain("+other");
  });

  it("a submodule", async () => {
    using module = new TestRepository();
    using repository = new TestRepository();
    const allowed = ["-c", "protocol.file.allow=always"];
    repository.git(...allowed, "submodule", "--quiet", "add", module.workspace, "a sub #1");
    repository.write("a sub #1/kept.txt", "other\n");
    expect((await findWorkspaceChanges(join(repository.workspace, "a sub #1"))).patch).toContain("+other");
  });

  it("a repository whose configuration names its working tree", async () => {
    using repository = new TestRepository();
    const away = join(repository.folder, "away");
    renameSync(join(repository.workspace, ".git"), away);
    repository.write(".git", `gitdir: ${away}\n`);
    repository.write("kept.txt", "other\n");
    await expect(findWorkspaceChanges(repository.workspace)).rejects.toThrow(
      `git --git-dir=${realpathSync(away)} config`,
    );
    repository.git(`--git-dir=${away}`, "config", "core.worktree", repository.workspace);
    expect((await findWorkspaceChanges(repository.workspace)).patch).toContain("+other");
  });

  it("a repository inside the folder itself", async () => {
    using repository = new TestRepository();
    renameSync(join(repository.workspace, ".git"), join(repository.workspace, "data"));
    repository.write(".git", "gitdir: data\n");
    expect(await findGitRepository(realpathSync(repository.workspace))).toMatchObject({ top: repository.workspace });
    rmSync(join(repository.workspace, "data"), { recursive: true });
    await expect(findWorkspaceChanges(repository.workspace)).rejects.toThrow("does not exist");
  });
});

describe("the value of core.worktree", () => {
  it.each<readonly [config: string, value: string | undefined]>([
    ["[core]\n\tworktree = ../top\n", "../top"],
    ["[other]\nworktree = no\n[CORE]\r\n  bare = false\r\n  WorkTree=/a=b [c]  \r\n", "/a=b [c]"],
    ['[core]\nworktree = "/a \\"b\\" \\\\c"\n', '/a "b" \\c'],
    ['[core "sub"]\nworktree = no\n', undefined],
    ["worktree = no\n[core]\nworktrees = no\nworktree\n", undefined],
  ])("of %j is %j", (config, value) => {
    expect(readCoreWorktree(config)).toBe(value);
  });

  it.each(["\n", " ", "worktree", "worktree =", "=", '"', "[core]\n", "[core]\nx\n"])(
    "is read in time that grows with the length of a configuration of many %j",
    (part) => {
      const growth = measureGrowthExponent((count) => readCoreWorktree(`[core]\n${part.repeat(count)}.\n.`), 16_000);
      expect(growth).toBeLessThan(1.5);
    },
  );
});
