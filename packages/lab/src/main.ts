import { once } from "node:events";
import { openLab } from "./lab.ts";

const ended = Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
await using lab = await openLab({ port: Number(process.argv[2] ?? 0) });
console.log(lab.url);
await ended;
