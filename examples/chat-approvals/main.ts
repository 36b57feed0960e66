/**
 * Approvals in a chat: `node examples/chat-approvals/main.ts [agent]`. The chat is here too, and so is a person who lets
 * everything pass but what deletes; with a chat of your own, `bot.ts` is all that is needed.
 */
import { adapters } from "@fairlead/adapters";
import { Home } from "@fairlead/runtime";
import { LocalFairlead } from "@fairlead/server";
import { bot } from "./bot.ts";
import { Chat } from "./chat.ts";
import { Room } from "./room.ts";

const script = [
  { tools: [{ name: "write", input: { path: "note.txt", content: "Remember the milk.\n" } }] },
  { tools: [{ name: "run", input: { command: "rm note.txt" } }] },
  { text: "Then it stays." },
];
const [agent = "scripted"] = process.argv.slice(2);
const prompt = `Write note.txt, then delete it with rm.${agent === "scripted" ? ` SCRIPT:${JSON.stringify(script)}` : ""}`;

await using chat = await Chat.open();
await using fairlead = await LocalFairlead.open({ home: new Home(".fairlead"), adapters });
const { session } = await fairlead.start({ agent, workspace: process.cwd(), prompt });
const over = new AbortController();
const personGone = person(new Room(chat.url, "ada"));
await bot(fairlead, session, new Room(chat.url, "fairlead"));
await fairlead.stop(session);
over.abort();
await personGone;

async function person(room: Room): Promise<void> {
  for await (const { from, text } of room.heard(over.signal)) {
    console.log(`${from}> ${text}`);
    const number = /^(\d+): may it/.exec(text)?.[1];
    if (number === undefined) continue;
    const answer = /\brm\b/.test(text) ? `no ${number} we keep our notes` : `yes ${number}`;
    console.log(`ada> ${answer}`);
    await room.say(answer);
  }
}
