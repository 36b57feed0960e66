import { join } from "node:path";
import type { TypedCommand } from "./quick-start.ts";
import { root } from "./run.ts";

/** The file that shows the output of the README's quick start. */
export const transcriptPage = join(root, "docs/use/first-five-minutes.md");

export interface Transcript {
  readonly commands: readonly TypedCommand[];
  readonly seconds: { readonly install: number; readonly total: number };
}

/** Headings for the commands, by their first words. */
const headings: readonly { readonly command: RegExp; readonly title: string; readonly intro: string }[] = [
  {
    command: /^npm install /,
    title: "Install",
    intro: "npm installs the tarball and the packages that it needs.",
  },
  {
    command: /^fairlead run /,
    title: "Start a session and answer its approvals",
    intro: "The agent asks before it writes a file and before it runs a command. Type `y` to allow it.",
  },
  {
    command: /^fairlead resume /,
    title: "Continue the session",
    intro: "A new process of the agent continues the conversation.",
  },
  {
    command: /^fairlead logs /,
    title: "Read the log",
    intro: "The log has both turns: every message, every tool call, and who allowed it.",
  },
];

/** Renders the page. */
export function renderFirstFiveMinutes({ commands, seconds }: Transcript): string {
  const sections = commands.flatMap(({ line, screen }) => {
    const { title, intro } = headings.find(({ command }) => command.test(line)) ?? { title: `\`${line}\``, intro: "" };
    return ["", `## ${title}`, ...(intro === "" ? [] : ["", intro]), "", "```console", screen, "```"];
  });
  return [
    "# The first five minutes",
    "",
    "`node scripts/first-five-minutes.ts` writes this page. It types the quick start of the README into a real terminal, in an",
    "empty home with an empty npm cache, and answers each approval with `y`.",
    `The commands took ${seconds.total} s, of which \`npm install\` took ${seconds.install} s.`,
    ...sections,
    "",
  ].join("\n");
}

/** Reads the commands and the times from a page. */
export function parseFirstFiveMinutes(page: string): Transcript {
  const commands = [...page.matchAll(/^```console\n(\$ (.+)(?:\n[^]*?)?)\n```$/gm)];
  const [, total, install] = /took (\d+) s, of which `npm install` took (\d+) s/.exec(page) ?? [];
  return {
    commands: commands.map(([, screen = "", line = ""]) => ({ line, screen })),
    seconds: { total: Number(total), install: Number(install) },
  };
}
