/** A runtime that sends one long message and says when it is time to kill it: `node sender.ts OPTIONS`. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { connectKeeper, type Frame } from "@fairlead/keeper";
import { Home, Runtime } from "@fairlead/runtime";
import { standIn } from "../stand-in.ts";
import type { Instant } from "./instant.ts";
import { letter, letterFrame } from "./letter.ts";

export interface SenderOptions {
  readonly home: string;
  readonly session: string;
  readonly file: string;
  readonly number: number;
  readonly id: string;
  readonly instant: Instant;
  /** How much of a frame goes out, from 0 to 1; or how many hundredths of a second after it. */
  readonly share: number;
}

const options = JSON.parse(process.argv[2] ?? "") as SenderOptions;
const folder = new Home(options.home).session(options.session);
const wish = letterFrame(options.number, options.id);

async function part(frame: Frame): Promise<Socket> {
  const socket = connect(join(folder, "keeper.sock"));
  await once(socket, "connect");
  const bytes = Buffer.from(`${JSON.stringify(frame)}\n`);
  const written = Promise.withResolvers<void>();
  socket.write(bytes.subarray(0, 1 + Math.floor(options.share * (bytes.length - 2))), () => written.resolve());
  await written.promise;
  return socket;
}

switch (options.instant) {
  case "inside the wish":
    await part(wish);
    break;
  case "inside the words":
  case "after the words": {
    const keeper = await connectKeeper(folder);
    const { seq } = await keeper.send(wish);
    // What an actor that reads this wish asks for, under the id that any actor will give it.
    const text = `${JSON.stringify({ type: "message", text: letter(options.number).text })}\n`;
    const words: Frame = { do: "say", id: `${seq}.0`, text };
    await (options.instant === "after the words" ? keeper.send(words) : part(words));
    break;
  }
  case "anywhere": {
    const adapters = [standIn(new URL("counting-agent.ts", import.meta.url), options.file)];
    const runtime = await Runtime.open({ home: new Home(options.home), adapters });
    await runtime.attach(options.session);
    const keeper = await connectKeeper(folder);
    void keeper.send(wish);
    await wait(options.share * 10);
    break;
  }
}
console.log("now");
await wait(60_000);
