import type { ScriptStep } from "@fairlead/lab";

/** One action at a terminal, and what the screen shows afterwards. */
export interface TourStep {
  /** Text to type, followed by Enter. */
  readonly type?: string;
  /** A key to press, given by its tmux name. */
  readonly press?: string;
  readonly until: RegExp;
}

/** Steps in one terminal. The page shows the screen after the last one. */
export interface TourBlock {
  readonly steps: readonly TourStep[];
  /** A sentence above the screen. */
  readonly label?: string;
  /** Use the second terminal. */
  readonly isOtherTerminal?: true;
  /** Do not show the screen: a later block shows the same screen. */
  readonly isHidden?: true;
  /** Do not clear the screen before the first step. */
  readonly isContinued?: true;
}

export interface TourSection {
  readonly title: string;
  readonly intro: string;
  readonly blocks: readonly TourBlock[];
}

/** The files of the project in which the agents of the tour work. */
export const tourProject: Readonly<Record<string, string>> = {
  "package.json": '{ "name": "parser", "type": "module" }\n',
  "parse.js": 'export const parse = (line) => line.split(",").map((field) => field.trim());\n',
  "old-parse.js": "export const parse = (line) => line.split(/, ?/);\n",
};

const parserTest = `import assert from "node:assert";
import { test } from "node:test";
import { parse } from "./parse.js";

test("trims the fields", () => assert.deepEqual(parse("a, b"), ["a", "b"]));
`;

const explanation = [
  "parse takes one line of text. It splits the line at every comma, so a line without a comma has one field.",
  "Then it trims every field, so spaces around a comma do not matter. It does not know quotes: a comma inside quotes",
  "also separates two fields. A line that ends with a comma has an empty last field. An empty line has one empty field.",
].join(" ");

/** The answers of the scripted model, by prompt. Paths are relative to the project. */
export function createTourScripts(inProject: (file: string) => string): Readonly<Record<string, ScriptStep[]>> {
  const runTool = (command: string, description: string) => ({ name: "Bash", input: { command, description } });
  const writeTool = (file: string, content: string) => ({
    name: "Write",
    input: { file_path: inProject(file), content },
  });
  return {
    "Add a test for the parser": [
      {
        think: "One test for the trimming will do.",
        text: "I will add a test.",
        tools: [writeTool("parse.test.js", parserTest)],
      },
      { text: "Now I run it.", tools: [runTool("node --test --test-reporter=dot", "Run the tests")] },
      { text: "The parser has a test, and it passes." },
    ],
    "Delete what is not used": [
      { text: "Nothing imports old-parse.js.", tools: [runTool("rm old-parse.js", "Delete the old parser")] },
      { text: "Then I keep old-parse.js. I deleted nothing." },
    ],
    "Write a changelog": [
      { tools: [writeTool("CHANGELOG.md", "# Changelog\n\n- The parser has a test.\n")] },
      { text: "CHANGELOG.md has its first entry." },
    ],
    "Explain the parser": [{ text: explanation, chunks: 40, chunkDelay: 250 }],
    "In one sentence, please": [{ text: "It splits a line at its commas and trims the fields." }],
    "Which file did you add?": [{ text: "I added parse.test.js, and its test passes." }],
    "And what did I ask you in the terminal?": [{ text: "You asked which file I added. It was parse.test.js." }],
  };
}

const prompt = /\n\$$/;
const approval = /\[s\]top$/;
const finished = /Continue with: [^\n]+\n\$$/;

/** Creates a block with one command that prints and exits. */
function command(type: string, until = prompt): TourBlock {
  return { steps: [{ type, until }] };
}

/** The sections of the tour, in order. */
export const tourSections: readonly TourSection[] = [
  {
    title: "Find agents",
    intro: "`doctor` looks for agents, asks each for its version and its flags, and reports problems.",
    blocks: [command("fairlead doctor claude-code")],
  },
  {
    title: "A demo without an account",
    intro:
      "The scripted agent runs a script. It asks for approval, writes files and runs commands like any other agent.",
    blocks: [
      {
        steps: [
          { type: 'fairlead run scripted "Say hello"', until: approval },
          { type: "y", until: /top y\n[^]*\[s\]top$/ },
          { type: "y", until: finished },
        ],
      },
    ],
  },
  {
    title: "A real agent asks for approval",
    intro:
      "`--name` names the session, so that later commands do not need its id. Nothing is written or run before the answer.",
    blocks: [
      {
        steps: [
          { type: 'fairlead run claude-code --name test "Add a test for the parser"', until: approval },
          { type: "y", until: /top y\n[^]*\[s\]top$/ },
          { type: "y", until: finished },
        ],
      },
    ],
  },
  {
    title: "Deny, with a reason",
    intro: "The agent receives the reason and continues its turn. `s` would deny and interrupt the turn.",
    blocks: [
      {
        steps: [
          { type: 'fairlead run claude-code --name cleanup "Delete what is not used"', until: approval },
          { type: "n", until: /Reason for the agent \(optional\):$/ },
          { type: "Version 1 still needs it.", until: finished },
        ],
      },
    ],
  },
  {
    title: "Answer from another terminal",
    intro: "`status` shows what waits for a person. `approve`, `deny` and `answer` work from every terminal.",
    blocks: [
      {
        steps: [{ type: 'fairlead run claude-code --name changelog "Write a changelog"', until: approval }],
        isHidden: true,
      },
      {
        label: "In a second terminal, while the agent waits:",
        isOtherTerminal: true,
        steps: [
          { type: "fairlead status", until: /waiting for[^]*\n\$$/ },
          { type: "fairlead approve changelog", until: /Approved for[^]*\n\$$/ },
        ],
      },
      {
        label: "The first terminal continues:",
        steps: [{ until: finished }],
        isContinued: true,
      },
    ],
  },
  {
    title: "Interrupt a turn",
    intro:
      "Ctrl-C interrupts the turn and keeps the session. A second Ctrl-C leaves without waiting for the interrupt.",
    blocks: [
      {
        steps: [
          { type: 'fairlead run claude-code --name explain "Explain the parser"', until: /at every comma/ },
          { press: "C-c", until: finished },
        ],
      },
    ],
  },
  {
    title: "Resume in a new process",
    intro: "`run` pauses its session at the end. `resume` starts the agent again with the same conversation.",
    blocks: [command('fairlead resume explain "In one sentence, please"', finished)],
  },
  {
    title: "List sessions",
    intro:
      "`ls` lists all sessions. `status` shows the daemon, which the first command has started, and what needs attention.",
    blocks: [
      {
        steps: [
          { type: "fairlead ls", until: prompt },
          { type: "fairlead status", until: /running for[^]*\n\$$/ },
        ],
      },
    ],
  },
  {
    title: "Review the changes",
    intro:
      "`files` lists what the agent reported. `diff` shows all changes in the workspace since the commit at which the session\nstarted, by any program.",
    blocks: [
      {
        steps: [
          { type: "fairlead files test", until: prompt },
          { type: "fairlead diff test", until: /\+test[^]*\n\$$/ },
        ],
      },
    ],
  },
  {
    title: "Show what happened",
    intro: "`logs` reads the journal. `-f` follows it, and `--json` prints the events.",
    blocks: [
      {
        steps: [
          { type: "fairlead logs cleanup", until: prompt },
          { type: "fairlead logs explain", until: /Resumed[^]*\n\$$/ },
        ],
      },
    ],
  },
  {
    title: "Show tokens and cost",
    intro: "Fairlead shows what the agent reports. The scripted model invents these numbers.",
    blocks: [command("fairlead usage")],
  },
  {
    title: "Take over in the agent's own terminal",
    intro:
      "`attach` opens the agent's own program on the same conversation. A person types, and the agent answers there.",
    blocks: [
      {
        steps: [
          { type: "fairlead attach test", until: /passes\.[^]*❯/ },
          { type: "Which file did you add?", until: /I added parse\.test\.js/ },
        ],
      },
      {
        label: "Ctrl-\\ hands back. The agent leads again and knows what was said:",
        steps: [
          { press: "C-\\", until: /The agent leads again\.[^]*\n\$$/ },
          {
            type: 'fairlead resume test "And what did I ask you in the terminal?"',
            until: /You asked[^]*Continue with: [^\n]+\n\$$/,
          },
        ],
        isContinued: true,
      },
    ],
  },
  {
    title: "End sessions",
    intro: "`stop` ends sessions and every process that they started. It keeps their data.",
    blocks: [command("fairlead stop test cleanup changelog explain")],
  },
];
