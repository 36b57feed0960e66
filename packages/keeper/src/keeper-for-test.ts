import type { KeeperConnection } from "./client.ts";
import { identity } from "./process-identity.ts";
import { SessionForTest, until } from "./session-for-test.ts";
import { startKeeper } from "./start-keeper.ts";

/** A keeper in its own process, ended with the test whatever happens in it. */
export class KeeperForTest extends SessionForTest {
  readonly pids: number[] = [];

  async start(): Promise<KeeperConnection> {
    const connection = await startKeeper(this.folder);
    this.pids.push(connection.hello.pid);
    return connection;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const pid of this.pids) {
      if (identity(pid) === null) continue;
      process.kill(pid, "SIGTERM");
      await until(() => identity(pid) === null);
    }
    this[Symbol.dispose]();
  }
}
