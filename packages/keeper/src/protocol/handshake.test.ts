import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { connectKeeper } from "./connect-keeper.ts";
import { TestSessionFolder } from "@fairlead/testing/keeper/test-session-folder.ts";

/** A keeper of another version that sends these messages to each client. */
async function serveLines(session: TestSessionFolder, ...lines: readonly object[]): Promise<Disposable> {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    for (const line of lines) socket.write(`${JSON.stringify(line)}\n`);
  });
  server.listen(join(session.folder, "keeper.sock"));
  await once(server, "listening");
  return { [Symbol.dispose]: () => server.close() };
}

const oldHello = { hello: "fairlead-keeper/1", pid: 1, lastSeq: 7 };

test("a keeper whose hello has no features supports none", async () => {
  using session = new TestSessionFolder();
  using _ = await serveLines(session, oldHello);
  await using connection = await connectKeeper(session.folder);
  expect(connection.features).toEqual(new Set());
});

test("unknown features, fields and messages of a newer keeper are ignored", async () => {
  using session = new TestSessionFolder();
  const newHello = { ...oldHello, features: ["trim", "unknown-feature"], unknownField: true };
  using _ = await serveLines(session, newHello, { unknownMessage: true }, { seq: 9, unknownField: true });
  await using connection = await connectKeeper(session.folder);
  expect(connection.features).toEqual(new Set(["trim", "unknown-feature"]));
  for await (const seq of connection.wakes) if (seq === 9) break;
});

test("a keeper of another protocol version is not used", async () => {
  using session = new TestSessionFolder();
  using _ = await serveLines(session, { ...oldHello, hello: "fairlead-keeper/2" });
  await expect(connectKeeper(session.folder)).rejects.toThrow("uses protocol fairlead-keeper/2");
});
