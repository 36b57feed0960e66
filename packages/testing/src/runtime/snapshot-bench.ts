import { execFileSync } from "node:child_process";
import { lstatSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SessionRepository } from "@fairlead/contract";
import { Home } from "../../../runtime/src/home.ts";
import { claimSnapshots } from "../../../runtime/src/workspaces/claim-snapshots.ts";
import { makeWorkspace } from "../../../runtime/src/workspaces/make-workspace.ts";
import { restoreWorkspace } from "../../../runtime/src/workspaces/restore-workspace.ts";
import { snapshotWorkspace } from "../../../runtime/src/workspaces/snapshot-workspace.ts";
import { PersonRepository } from "./person-repository.ts";

/** A repository with a bare one to which it is pushed, and the data directories of two hosts. */
export class SnapshotBench implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), "snapshots-"));
  readonly person: PersonRepository;
  readonly remote = join(this.folder, "remote.git");
  readonly workspace = join(this.folder, "workspaces/one");
  readonly hosts = [new Home(join(this.folder, "a")), new Home(join(this.folder, "b"))] as const;
  readonly environment: Record<string, string | undefined> = {
    PATH: process.env["PATH"],
    HOME: join(this.folder, "home"),
  };
  #turns = 0;

  constructor(files: Readonly<Record<string, string>> = { "a.txt": "one\n", "sub/b.txt": "two\n" }) {
    this.person = new PersonRepository(join(this.folder, "person"), files);
    this.person.git("clone", "--quiet", "--bare", this.person.folder, this.remote);
    this.person.git("remote", "add", "origin", this.remote);
  }

  get repository(): SessionRepository {
    return { url: this.remote, ref: "refs/heads/main", commit: this.inRemote("rev-parse", "main") };
  }

  /** Makes the workspace of session `one` on the first host. */
  async start(repository = this.repository): Promise<SessionRepository> {
    const signal = AbortSignal.timeout(20_000);
    const [home] = this.hosts;
    const { workspace: folder, environment } = this;
    await makeWorkspace({ home, session: "one", folder, repository, environment, signal });
    return repository;
  }

  async snapshot(
    repository: SessionRepository,
    options: Partial<Parameters<typeof snapshotWorkspace>[0]> = {},
  ): Promise<string> {
    this.#turns += 1;
    const { workspace, environment } = this;
    const [home] = this.hosts;
    const turn = `t${this.#turns}`;
    return await snapshotWorkspace({ home, session: "one", turn, workspace, repository, environment, ...options });
  }

  /** Restores the workspace of session `one` on the second host. */
  async restore(
    repository: SessionRepository,
    options: Partial<Parameters<typeof restoreWorkspace>[0]> = {},
  ): Promise<{ readonly commit: string | null }> {
    const { workspace, environment } = this;
    return await restoreWorkspace({
      home: this.hosts[1],
      session: "one",
      workspace,
      repository,
      environment,
      ...options,
    });
  }

  /** Claims the snapshots of session `one` for the second host. */
  async claim(repository: SessionRepository, session = "one"): Promise<void> {
    const { workspace, environment } = this;
    await claimSnapshots({ home: this.hosts[1], session, workspace, repository, environment });
  }

  inRemote(...args: string[]): string {
    return execFileSync("git", args, { cwd: this.remote, encoding: "utf8", stdio: "pipe" }).trim();
  }

  inWorkspace(...args: string[]): string {
    return execFileSync("git", args, { cwd: this.workspace, encoding: "utf8", stdio: "pipe" }).trim();
  }

  /** Runs a script of the agent in the workspace. */
  run(script: string): void {
    execFileSync("sh", ["-ec", script], { cwd: this.workspace, stdio: "pipe" });
  }

  /** The files of the workspace with their modes, bytes and the targets of links. Without `.git` and empty folders. */
  listTree(folder = Buffer.from(this.workspace), prefix = ""): Record<string, string> {
    const tree: Record<string, string> = {};
    for (const entry of readdirSync(folder, { encoding: "buffer" })) {
      const path = Buffer.concat([folder, Buffer.from("/"), entry]);
      const name = `${prefix}${entry.toString("latin1")}`;
      const stats = lstatSync(path);
      if (stats.isSymbolicLink()) tree[name] = `link ${readlinkSync(path)}`;
      else if (stats.isFile())
        tree[name] = `${(stats.mode & 0o100) === 0 ? "file" : "program"} ${readFileSync(path, "latin1")}`;
      else if (stats.isDirectory() && name !== ".git") Object.assign(tree, this.listTree(path, `${name}/`));
    }
    return tree;
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
