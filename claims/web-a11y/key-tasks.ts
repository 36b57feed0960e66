import type { EventOf } from "@fairlead/contract";
import type { Story } from "../../scripts/web-pictures/story.ts";
import type { StoryService } from "../../scripts/web-pictures/story-service.ts";
import type { KeyboardPerson } from "./keyboard-person.ts";

const asks = (name: string, until: "waiting" | "working" | "idle", command: string): Story => ({
  name,
  repository: "site",
  until,
  stopsAt: command,
  turns: [{ message: `Do ${name}.`, steps: [{ tools: [{ name: "run", input: { command } }] }] }],
});

const question = {
  questions: [{ text: "Which color?", options: [{ label: "Green" }, { label: "Blue" }], several: false }],
};

/** The sessions that the tasks use. The first one waits longest. */
export const keyStories: readonly Story[] = [
  asks("ask-allow", "waiting", "touch allowed"),
  asks("ask-deny", "waiting", "touch denied"),
  asks("ask-edit", "waiting", "touch edited"),
  asks("ask-beside", "waiting", "touch beside"),
  {
    name: "ask-question",
    repository: "site",
    until: "waiting",
    stopsAt: "Which color?",
    turns: [{ message: "Do ask-question.", steps: [{ tools: [{ name: "ask", input: question }] }] }],
  },
  asks("busy-one", "working", "sleep 600"),
  {
    name: "quiet-one",
    repository: "site",
    turns: [{ message: "Say that it is silent.", steps: [{ text: "It was quiet." }] }],
  },
];

export interface KeyTask {
  readonly name: string;
  /** Throws if it cannot be done. */
  readonly run: (person: KeyboardPerson, service: StoryService) => Promise<void>;
}

/** Waits for an event of the session with this name, and returns it. */
async function waitForEvent<Type extends "decision.resolved" | "turn.started" | "turn.ended">(
  { fairlead }: StoryService,
  name: string,
  type: Type,
  isMeant: (body: EventOf<Type>) => boolean = () => true,
): Promise<void> {
  const { session } = await fairlead.session(name);
  const signal = AbortSignal.timeout(30_000);
  for await (const event of fairlead.events(session, { after: 0, follow: true, signal }))
    if ("body" in event && event.body.type === type && isMeant(event.body as EventOf<Type>)) return;
  throw new Error(`${name} has no such ${type}.`);
}

/** What a person does with the page, each by keys alone. They run in this order in one tab. */
export const keyTasks: readonly KeyTask[] = [
  {
    name: "filter",
    run: async (person) => {
      await person.press("/");
      await person.type("quiet");
      await person.page.locator("[data-session]").nth(1).waitFor({ state: "detached" });
      await person.press("Control+a", "Backspace", "Escape");
      await person.page.locator("[data-session]").nth(3).waitFor();
    },
  },
  {
    name: "select and open",
    run: async (person) => {
      const selected = person.page.locator("[data-session][aria-current]");
      const before = await selected.getAttribute("data-session");
      // The filter before has selected the session that it left, which is the last one.
      const last = await person.page.locator("[data-session]").last().getAttribute("data-session");
      const [away, back] = before === last ? ["k", "j"] : ["j", "k"];
      await person.press(away);
      await person.page.locator(`[data-session="${before}"]:not([aria-current])`).waitFor();
      await person.press(back, "Enter");
      await person.waitForPath(new RegExp(`^/s/${before}$`));
    },
  },
  {
    // Enter is for the button that has the focus, although the list has Enter, too.
    name: "answer beside the list",
    run: async (person, service) => {
      await person.press("g", "s");
      await person.waitForPath(/^\/$/);
      await person.page.locator("[data-session]").nth(3).waitFor();
      await person.press("/");
      await person.type("ask-beside");
      await person.page.locator("[data-session]").nth(1).waitFor({ state: "detached" });
      await person.tabTo("waiting");
      await person.page.getByRole("article", { name: "ask-beside" }).waitFor();
      await person.waitUntilArmed();
      await person.tabAndEnter("Deny");
      await waitForEvent(service, "ask-beside", "decision.resolved", ({ outcome }) => outcome === "denied");
      await person.waitForPath(/^\/$/);
    },
  },
  {
    name: "allow",
    run: async (person, service) => {
      await person.press("g", "i");
      await person.waitForPath(/^\/inbox/);
      await person.waitUntilArmed();
      await person.press("y");
      await waitForEvent(service, "ask-allow", "decision.resolved", ({ outcome }) => outcome === "allowed");
    },
  },
  {
    name: "deny with words",
    run: async (person, service) => {
      await person.tabAndEnter("ask-deny");
      await person.waitUntilArmed();
      await person.tabAndEnter("Say why…");
      await person.waitForText("Your words to the agent");
      await person.type("Use another file.");
      await person.waitUntilArmed();
      await person.tabAndEnter("Deny with these words");
      await waitForEvent(service, "ask-deny", "decision.resolved", ({ message }) => message === "Use another file.");
    },
  },
  {
    name: "edit",
    run: async (person, service) => {
      await person.tabAndEnter("ask-edit");
      await person.waitUntilArmed();
      await person.press("e");
      await person.waitForText("The input as JSON");
      await person.press("Control+a");
      await person.type('{"command":"touch other"}');
      await person.waitUntilArmed();
      await person.tabAndEnter("Allow with changes");
      await waitForEvent(service, "ask-edit", "decision.resolved", ({ outcome }) => outcome === "allowed");
    },
  },
  {
    name: "answer a question",
    run: async (person, service) => {
      await person.tabAndEnter("ask-question");
      await person.tabTo("Green");
      await person.press("Space");
      await person.waitUntilArmed();
      await person.tabAndEnter("Answer");
      await waitForEvent(service, "ask-question", "decision.resolved", ({ outcome }) => outcome === "answered");
    },
  },
  {
    name: "start",
    run: async (person, service) => {
      await person.usePalette("Start a session");
      await person.waitForPath(/^\/start$/);
      await person.waitForText("Scripted agent");
      // It is chosen, because it reports no problem. Arrows move between the agents.
      await person.tabTo("Scripted agent");
      await person.press("ArrowUp", "ArrowDown");
      await person.tabTo("Folder");
      await person.type((await service.fairlead.session("quiet-one")).workspace);
      await person.tabTo("First message");
      await person.type("Say that it is silent.");
      await person.tabTo("Name");
      await person.type("started-one");
      await person.tabAndEnter("Start");
      await person.waitForPath(/^\/s\//);
      await waitForEvent(service, "started-one", "turn.ended");
    },
  },
  {
    name: "send",
    run: async (person, service) => {
      await person.tabTo("Message to the agent");
      await person.type("Say that it is silent.");
      await person.press("Control+Enter");
      let count = 0;
      await waitForEvent(service, "started-one", "turn.started", () => ++count === 2);
    },
  },
  {
    name: "interrupt",
    run: async (person, service) => {
      await person.usePalette("busy-one");
      await person.waitForText("sleep 600");
      await person.tabAndEnter("Interrupt");
      await waitForEvent(service, "busy-one", "turn.ended", ({ outcome }) => outcome === "interrupted");
    },
  },
  {
    name: "take over and hand back",
    run: async (person, service) => {
      await person.usePalette("quiet-one");
      await person.waitForText("It was quiet.");
      await person.press("t");
      await person.waitForText("opens the terminal");
      await person.tabAndEnter("Take over");
      await person.page.locator("[data-terminal=open]").waitFor();
      await person.waitForText(/by \d+\. Ctrl-D/);
      await person.type("hello");
      await person.press("Enter");
      await person.waitForText("There it is.");
      await person.press("Control+\\");
      await person.page.locator("[data-terminal=handed-back]").waitFor();
      if ((await service.fairlead.session("quiet-one")).lead !== "agent") throw new Error("The person still leads.");
      await person.tabAndEnter("Show the session");
      await person.waitForPath(/^\/s\/\w+$/);
    },
  },
  {
    name: "replay",
    run: async (person) => {
      await person.tabAndEnter("More commands");
      await person.page.getByRole("menuitem", { name: "Replay" }).waitFor();
      for (let step = 0; step < 10; step += 1) {
        if ((await person.readFocus()).words === "Replay") break;
        await person.press("ArrowDown");
      }
      await person.press("Enter");
      await person.waitForPath(/\/replay$/);
      await person.tabTo("Moment of the session");
      await person.press("ArrowRight");
    },
  },
  {
    name: "usage and agents",
    run: async (person) => {
      await person.press("g", "u");
      await person.waitForPath(/^\/usage$/);
      await person.press("g", "a");
      await person.waitForPath(/^\/agents$/);
      await person.tabTo("Check again");
    },
  },
  {
    name: "help, and the focus returns",
    run: async (person) => {
      const { words } = await person.readFocus();
      await person.press("?");
      await person.page.getByRole("dialog", { name: "Keys" }).waitFor();
      await person.press("Escape");
      await person.page.getByRole("dialog").waitFor({ state: "detached" });
      const after = (await person.readFocus()).words;
      if (words === "" || after !== words) throw new Error(`The focus was on “${words}” and is on “${after}”.`);
    },
  },
  {
    name: "switch single keys off",
    run: async (person) => {
      await person.press("?");
      await person.page.getByRole("dialog", { name: "Keys" }).waitFor();
      await person.tabTo("Single keys act");
      await person.press("Space", "Escape", "g", "u");
      await person.usePalette("Go to inbox");
      await person.waitForPath(/^\/inbox/);
    },
  },
];
