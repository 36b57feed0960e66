/** What any program in node takes that listens on a socket and has collected its garbage. Plain, since even types cost. */
import { rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const socket = join(tmpdir(), `bare-${process.pid}.sock`);
createServer().listen(socket, () => {
  rmSync(socket);
  globalThis.gc?.();
  globalThis.gc?.();
  console.log("ready");
});
