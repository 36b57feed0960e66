import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { once } from "node:events";
import { expect, test } from "vitest";
import { listListeningSockets, parseUnixSockets } from "./listening-sockets.ts";

test("lists a socket while a program listens at it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sockets "));
  const path = join(folder, "a socket");
  const server = createServer().listen(path);
  await once(server, "listening");
  expect(listListeningSockets()).toContain(path);
  server.close();
  await once(server, "close");
  expect(listListeningSockets()).not.toContain(path);
  rmSync(folder, { recursive: true });
});

test("omits connected, abstract and unnamed sockets", () => {
  const table = [
    "Num       RefCount Protocol Flags    Type St Inode Path",
    "0000000000000000: 00000002 00000000 00010000 0001 01 20742 /run/listening",
    "0000000000000000: 00000002 00000000 00010000 0001 01 20743 @abstract",
    "0000000000000000: 00000003 00000000 00000000 0001 03 20744 /run/connected",
    "0000000000000000: 00000002 00000000 00000000 0002 01 20745",
    "",
  ].join("\n");
  expect(parseUnixSockets(table)).toEqual(["/run/listening"]);
});
