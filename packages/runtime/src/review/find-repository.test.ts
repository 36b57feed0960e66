import { mkdirSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { changesOf } from "./changes-of.ts";
import { findRepository } from "./find-repository.ts";
import { RepositoryForTest } from "./repository-for-test.ts";

/** A folder that somebody may have laid out, and beside it a repository that is none of his business. */
class Forgery extends RepositoryForTest {
  readonly folderOfHis = join(this.folder, "his");
  readonly target = join(this.workspace, ".git");

  constructor() {
    super();
    this.write("kept.txt", "secret\n");
    this.commit();
    mkdirSync(this.folderOfHis);
  }

  his(path: string, text: string): void {
    mkdirSync(join(this.folderOfHis, path, ".."), { recursive: true });
    writeFileSync(join(this.folderOfHis, path), text);
  }
}

describe("somebody else's repository is not read through", () => {
  const attempts: readonly [name: string, forge: (forged: Forgery) => void][] = [
    ["a .git that names it", (forged) => forged.his(".git", `gitdir: ${forged.target}\n`)],
    ["a .git that is a link to it", (forged) => symlinkSync(forged.target, join(forged.folderOfHis, ".git"))],
    [
      "a .git that names the folder of one of its worktrees",
      (forged) => {
        forged.git("worktree", "add", "--quiet", join(forged.folder, "tree"));
        forged.his(".git", `gitdir: ${forged.target}/worktrees/tree\n`);
      },
    ],
    [
      "a worktree's folder of his own making",
      (forged) => {
        forged.his(".git", `gitdir: ${forged.folder}/worktrees/made\n`);
        const made = join(forged.folder, "worktrees/made");
        mkdirSync(made, { recursive: true });
        writeFileSync(join(made, "HEAD"), forged.git("rev-parse", "HEAD"));
        writeFileSync(join(made, "gitdir"), `${forged.folderOfHis}/.git\n`);
        writeFileSync(join(made, "commondir"), `${forged.target}\n`);
      },
    ],
    [
      "a repository with links into it",
      (forged) => {
        forged.his(".git/HEAD", forged.git("rev-parse", "HEAD"));
        for (const name of ["objects", "refs"]) {
          symlinkSync(join(forged.target, name), join(forged.folderOfHis, ".git", name));
        }
      },
    ],
  ];

  it.each(attempts)("%s", async (_, forge) => {
    using forged = new Forgery();
    forge(forged);
    await expect(changesOf(forged.folderOfHis)).rejects.toMatchObject({ code: "not-allowed" });
  });

  it("a commondir", async () => {
    using forged = new Forgery();
    forged.his(".git/HEAD", forged.git("rev-parse", "HEAD"));
    forged.his(".git/commondir", `${forged.target}\n`);
    const read = await changesOf(forged.folderOfHis).catch(String);
    expect(JSON.stringify(read)).not.toContain("secret");
  });

  it("control: git itself reads it through each of them", () => {
    for (const [, forge] of attempts) {
      using forged = new Forgery();
      forge(forged);
      expect(forged.git("-C", forged.folderOfHis, "show", "HEAD:kept.txt")).toBe("secret\n");
    }
  });
});

describe("a repository elsewhere that knows of the folder is read", () => {
  it("a worktree, also with a link on the way and after it was moved and mended", async () => {
    using repository = new RepositoryForTest();
    const tree = join(repository.folder, "tree");
    repository.git("worktree", "add", "--quiet", tree);
    writeFileSync(join(tree, "kept.txt"), "other\n");
    symlinkSync(repository.folder, join(repository.folder, "link"));
    expect((await changesOf(join(repository.folder, "link/tree"))).patch).toContain("+other");
    const moved = join(repository.folder, "moved");
    renameSync(tree, moved);
    await expect(changesOf(moved)).rejects.toThrow("git worktree repair");
    repository.git("-C", moved, "worktree", "repair");
    expect((await changesOf(moved)).patch).toContain("+other");
  });

  it("a submodule", async () => {
    using module = new RepositoryForTest();
    using repository = new RepositoryForTest();
    const allowed = ["-c", "protocol.file.allow=always"];
    repository.git(...allowed, "submodule", "--quiet", "add", module.workspace, "a sub #1");
    repository.write("a sub #1/kept.txt", "other\n");
    expect((await changesOf(join(repository.workspace, "a sub #1"))).patch).toContain("+other");
  });

  it("one whose settings say where its files are", async () => {
    using repository = new RepositoryForTest();
    const away = join(repository.folder, "away");
    renameSync(join(repository.workspace, ".git"), away);
    repository.write(".git", `gitdir: ${away}\n`);
    repository.write("kept.txt", "other\n");
    await expect(changesOf(repository.workspace)).rejects.toThrow(`git --git-dir=${realpathSync(away)} config`);
    repository.git(`--git-dir=${away}`, "config", "core.worktree", repository.workspace);
    expect((await changesOf(repository.workspace)).patch).toContain("+other");
  });

  it("one inside the folder itself", async () => {
    using repository = new RepositoryForTest();
    renameSync(join(repository.workspace, ".git"), join(repository.workspace, "data"));
    repository.write(".git", "gitdir: data\n");
    expect(await findRepository(realpathSync(repository.workspace))).toMatchObject({ top: repository.workspace });
    rmSync(join(repository.workspace, "data"), { recursive: true });
    await expect(changesOf(repository.workspace)).rejects.toThrow("leads nowhere");
  });
});
