import { Home } from "@fairlead/runtime";
import { RemoteFairlead } from "@fairlead/client";
import { nodeTransport } from "@fairlead/client/node";
import { TestCli } from "@fairlead/testing/cli/test-cli.ts";
import { writeHistories } from "@fairlead/testing/runtime/write-histories.ts";

const nouns = ["retry", "schema", "login", "parser", "docs", "build", "rates", "budget", "cache", "export"];
const minute = 60_000;

/** A daemon with a number of sessions that are over or paused. */
export class ListService implements AsyncDisposable {
  readonly fairlead: RemoteFairlead;
  readonly url: string;
  readonly token: string;
  readonly #cli: TestCli;

  private constructor(cli: TestCli, url: string, token: string) {
    this.#cli = cli;
    this.url = url;
    this.token = token;
    this.fairlead = new RemoteFairlead(nodeTransport({ socket: new Home(cli.home).daemonSocket }));
  }

  static async start(count: number): Promise<ListService> {
    await using resources = new AsyncDisposableStack();
    const cli = resources.use(new TestCli());
    const now = Date.now();
    const histories = Array.from({ length: count }, (_, index) => ({
      session: `session${String(index).padStart(5, "0")}`,
      name: `${nouns[index % nouns.length]}-${index}`,
      workspace: `/home/dana/${nouns[(index * 7) % nouns.length]}`,
      state: index % 3 === 0 ? ("paused" as const) : ("ended" as const),
      at: now - index * 7 * minute,
    }));
    await writeHistories(new Home(cli.home), histories);
    const [info] = await cli.json<{ url: string }>("up", "--listen", "127.0.0.1:0");
    const [issued] = await cli.json<{ token: string }>("token", "page", "--scope", "read", "drive", "approve");
    if (info === undefined || issued === undefined) throw new Error("The daemon has no port.");
    resources.move();
    return new ListService(cli, info.url, issued.token);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#cli[Symbol.asyncDispose]();
  }
}
