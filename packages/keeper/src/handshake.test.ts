import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { connectKeeper } from "./client.ts";
import { SessionForTest } from "./session-for-test.ts";

/** A keeper of another time, that says these lines to whoever comes. */
async function speaking(session: SessionForTest, ...lines: readonly object[]): Promise<Disposable> {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    for (const line of lines) socket.write(`${JSON.stringify(line)}\n`);
  });
  server.listen(join(session.folder, "keeper.sock"));
  await once(server, "listening");
  return { [Symbol.dispose]: () => server.close() };
}

const oldHello = { hello: "fairlead-keeper/1", pid: 1, lastSeq: 7 };

test("a keeper that knows nothing of features has none", async () => {
  using session = new SessionForTest();
  using _ = await speaking(session, oldHello);
  await using connection = await connectKeeper(session.folder);
  expect(connection.features).toEqual(new Set());
});

test("a later keeper may say more than we understand", async () => {
  using session = new SessionForTest();
  const later = { ...oldHello, features: ["trim", "teleport"], mood: "good" };
  using _ = await speaking(session, later, { weather: "fair" }, { seq: 9, more: true });
  await using connection = await connectKeeper(session.folder);
  expect(connection.features).toEqual(new Set(["trim", "teleport"]));
  for await (const seq of connection.wakes) if (seq === 9) break;
});

test("another version is not spoken to", async () => {
  using session = new SessionForTest();
  using _ = await speaking(session, { ...oldHello, hello: "fairlead-keeper/2" });
  await expect(connectKeeper(session.folder)).rejects.toThrow("speaks fairlead-keeper/2");
});
