/**
 * Approvals in a chat: `node examples/chat-approvals/main.ts [agent]`. The example includes a chat server and a
 * simulated person who allows everything except deletion. For another chat, only `forward-approvals.ts` is needed.
 */
import { adapters } from "@fairlead/adapters";
import { Home } from "@fairlead/runtime";
import { LocalFairlead } from "@fairlead/service";
import { forwardApprovals } from "./forward-approvals.ts";
import { ChatServer } from "./chat-server.ts";
import { ChatParticipant } from "./chat-participant.ts";

const script = [
  { tools: [{ name: "write", input: { path: "note.txt", content: "Remember the milk.\n" } }] },
  { tools: [{ name: "run", input: { command: "rm note.txt" } }] },
  { text: "The note stays." },
];
const [agent = "scripted"] = process.argv.slice(2);
const prompt = `Write note.txt, then delete it with rm.${agent === "scripted" ? ` SCRIPT:${JSON.stringify(script)}` : ""}`;

await using chat = await ChatServer.open();
await using fairlead = await LocalFairlead.open({ home: new Home(".fairlead"), adapters });
const { session } = await fairlead.start({ agent, workspace: process.cwd(), prompt });
const finished = new AbortController();
const personDone = answerAsPerson(new ChatParticipant(chat.url, "ada"));
await forwardApprovals(fairlead, session, new ChatParticipant(chat.url, "fairlead"));
await fairlead.stop(session);
finished.abort();
await personDone;

async function answerAsPerson(participant: ChatParticipant): Promise<void> {
  for await (const { from, text } of participant.readPosts(finished.signal)) {
    console.log(`${from}> ${text}`);
    const number = /^(\d+): Allow/.exec(text)?.[1];
    if (number === undefined) continue;
    const answer = /\brm\b/.test(text) ? `no ${number} we keep our notes` : `yes ${number}`;
    console.log(`ada> ${answer}`);
    await participant.post(answer);
  }
}
