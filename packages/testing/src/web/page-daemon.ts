import type { Scope } from "@fairlead/api";
import { TestCli } from "../cli/test-cli.ts";

/** A daemon with its own data directory that serves the built page at a port of 127.0.0.1. */
export class PageDaemon implements AsyncDisposable {
  readonly cli: TestCli;
  /** The URL of the page, without a path. */
  readonly url: string;

  private constructor(cli: TestCli, url: string) {
    this.cli = cli;
    this.url = url;
  }

  /** `options`: more options of `fairlead up`. */
  static async start(environment: NodeJS.ProcessEnv = {}, ...options: readonly string[]): Promise<PageDaemon> {
    await using resources = new AsyncDisposableStack();
    const cli = resources.use(new TestCli(environment));
    const [info] = await cli.json<{ url: string }>("up", "--listen", "127.0.0.1:0", ...options);
    if (info === undefined) throw new Error("The daemon has no port.");
    resources.move();
    return new PageDaemon(cli, info.url);
  }

  /** Starts a session of the scripted agent in the background, and returns its id. */
  async startSession(message: string, ...options: readonly string[]): Promise<string> {
    const [started] = await this.cli.json<{ session: string }>("run", "scripted", message, "--detach", ...options);
    if (started === undefined) throw new Error("The session was not started.");
    return started.session;
  }

  async issueToken(scopes: readonly Scope[]): Promise<string> {
    const [issued] = await this.cli.json<{ token: string }>("token", `page-${scopes.join("-")}`, "--scope", ...scopes);
    if (issued === undefined) throw new Error("No token was issued.");
    return issued.token;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.cli[Symbol.asyncDispose]();
  }
}
