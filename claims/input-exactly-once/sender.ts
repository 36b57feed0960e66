/** A runtime that sends one long message and reports when to kill it: `node sender.ts OPTIONS`. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { connectKeeper, type KeeperRequest } from "@fairlead/keeper";
import { Home, Runtime } from "@fairlead/runtime";
import { createStandInAdapter } from "../../measure/create-stand-in-adapter.ts";
import type { KillPoint } from "./instant.ts";
import { createTestMessage, createMessageRequest } from "./test-message.ts";

export interface SenderOptions {
  readonly home: string;
  readonly session: string;
  readonly file: string;
  readonly number: number;
  readonly id: string;
  readonly killPoint: KillPoint;
  /** The sent share of a request, from 0 to 1, or the delay after it in hundredths of a second. */
  readonly fraction: number;
}

const options = JSON.parse(process.argv[2] ?? "") as SenderOptions;
const folder = new Home(options.home).sessionFolder(options.session);
const commandRequest = createMessageRequest(options.number, options.id);

async function sendPartially(request: KeeperRequest): Promise<Socket> {
  const socket = connect(join(folder, "keeper.sock"));
  await once(socket, "connect");
  const bytes = Buffer.from(`${JSON.stringify(request)}\n`);
  const written = Promise.withResolvers<void>();
  socket.write(bytes.subarray(0, 1 + Math.floor(options.fraction * (bytes.length - 2))), () => written.resolve());
  await written.promise;
  return socket;
}

switch (options.killPoint) {
  case "inside the wish":
    await sendPartially(commandRequest);
    break;
  case "inside the words":
  case "after the words": {
    const keeper = await connectKeeper(folder);
    const { seq } = await keeper.send(commandRequest);
    // The effect that an actor derives from this command, under the id that every actor uses.
    const text = `${JSON.stringify({ type: "message", text: createTestMessage(options.number).text })}\n`;
    const words: KeeperRequest = { do: "write", id: `${seq}.0`, text };
    await (options.killPoint === "after the words" ? keeper.send(words) : sendPartially(words));
    break;
  }
  case "anywhere": {
    const adapters = [createStandInAdapter(new URL("counting-agent.ts", import.meta.url), options.file)];
    const runtime = await Runtime.open({ home: new Home(options.home), adapters });
    await runtime.attach(options.session);
    const keeper = await connectKeeper(folder);
    void keeper.send(commandRequest);
    await wait(options.fraction * 10);
    break;
  }
}
console.log("now");
await wait(60_000);
