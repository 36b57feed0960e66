/** Opens streams of a session and reads none of them: `node stalled-clients.ts OPTIONS`. A closed stream is opened again. */
import { once } from "node:events";
import { subprotocol } from "@fairlead/api";
import { WebSocket } from "ws";

export interface StalledOptions {
  readonly socket: string;
  readonly session: string;
  readonly count: number;
}

const { socket, session, count } = JSON.parse(process.argv[2] ?? "") as StalledOptions;
const url = `ws+unix:${socket}:/v1/sessions/${session}/events`;

async function stall(): Promise<WebSocket> {
  const stream = new WebSocket(url, [subprotocol], { headers: { host: "localhost" } });
  stream.on("error", () => {}); // a close follows
  stream.on("close", () => void stall());
  await Promise.race([once(stream, "open"), once(stream, "close")]);
  stream.pause();
  return stream;
}

await Promise.all(Array.from({ length: count }, stall));
console.log("stalled");
process.stdin.resume(); // paused streams do not keep a process alive
