import type { KeeperConnection } from "../../../keeper/src/protocol/connect-keeper.ts";
import { readProcessIdentity } from "../../../keeper/src/process/process-identity.ts";
import { TestSessionFolder, until } from "./test-session-folder.ts";
import { startKeeper } from "../../../keeper/src/start-keeper.ts";

/** A keeper in its own process. Disposing it ends the process. */
export class TestKeeper extends TestSessionFolder {
  readonly pids: number[] = [];

  async start(): Promise<KeeperConnection> {
    const connection = await startKeeper(this.folder);
    this.pids.push(connection.hello.pid);
    return connection;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const pid of this.pids) {
      if (readProcessIdentity(pid) === null) continue;
      process.kill(pid, "SIGTERM");
      await until(() => readProcessIdentity(pid) === null);
    }
    this[Symbol.dispose]();
  }
}
