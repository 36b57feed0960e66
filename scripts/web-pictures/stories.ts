import { budgetAfter } from "./repositories.ts";
import type { Story } from "./story.ts";

const explanation = `The budget is read from the **account**, and every failed payment counts, also one that was refunded. So a refund opens the order again and the next attempt starts from the full budget.

| order | failed | refunded | retries allowed |
| --- | ---: | ---: | ---: |
| 4711 | 3 | 1 | 3 instead of 1 |
| 4712 | 2 | 0 | 1 |

Two places have to change:

1. \`budgetOf\` in \`src/retry/budget.ts\` has to read the order.
2. \`attempts\` must leave out what was refunded:

\`\`\`ts
payments.filter(({ failed, refunded }) => failed && !refunded).length;
\`\`\`

Nothing else reads the budget of the account.`;

const paymentsRetry: Story = {
  name: "payments-retry",
  repository: "shop",
  mode: "accept-edits",
  until: "waiting",
  stopsAt: "npm publish",
  turns: [
    {
      message: "Why do retries double after a refund?",
      steps: [
        { think: "The budget decides how often a payment is tried again. I should read it before the orders." },
        { tools: [{ name: "run", input: { command: "cat src/retry/budget.ts" } }] },
        { tools: [{ name: "run", input: { command: "grep -rn budgetOf src test" } }] },
        { text: explanation },
      ],
    },
    {
      message: "Fix it in the budget.",
      steps: [
        { text: "I will read the limit from the order and leave refunds out." },
        { tools: [{ name: "write", input: { path: "src/retry/budget.ts", content: budgetAfter } }] },
        {
          tools: [
            {
              name: "run",
              input: {
                command:
                  "printf '%s\\n' \"src/retry/order.ts:2:3 Property 'retries' does not exist on type 'Order'.\" \"src/retry/budget.ts:9:23 'retries' is read here.\" 'Found 2 errors in 2 files.' >&2; exit 2 # npm run types",
              },
            },
          ],
        },
        {
          tools: [
            {
              name: "write",
              input: {
                path: "src/retry/order.ts",
                content: `export interface Payment {
  readonly failed: boolean;
  readonly refunded: boolean;
}

export interface Order {
  readonly account: string;
  readonly retries?: number;
  readonly payments: readonly Payment[];
}
`,
              },
            },
          ],
        },
        { text: "The order has its own limit now. An order without one has three attempts." },
      ],
    },
    {
      message: "Run all tests, then push so that CI sees it.",
      steps: [
        { think: "The refund path shares the budget with orders, so the whole suite has to pass first." },
        { text: "I will run the whole suite first; the refund path shares the budget with orders." },
        { tools: [{ name: "run", input: { command: "npm test" } }] },
        { text: "All tests pass. The retry budget is read from the order, not from the account." },
        {
          tools: [{ name: "run", input: { command: "git push origin HEAD:main && npm publish --access public" } }],
        },
      ],
    },
  ],
};

const schemaSplit: Story = {
  name: "schema-split",
  repository: "shop",
  until: "waiting",
  stopsAt: "Which database",
  turns: [
    {
      message: "Split the schema of orders and payments.",
      steps: [
        { text: "Both are in one file. Before I move them I need to know what the tests run against." },
        {
          tools: [
            {
              name: "ask",
              input: {
                questions: [
                  {
                    text: "Which database should the tests use?",
                    options: [{ label: "SQLite in memory" }, { label: "PostgreSQL in a container" }],
                    several: false,
                  },
                ],
              },
            },
          ],
        },
      ],
    },
  ],
};

const docsSweep: Story = {
  name: "docs-sweep",
  repository: "site",
  until: "waiting",
  stopsAt: "write docs",
  turns: [
    {
      message: "Find dead links and repair them.",
      steps: [
        { text: "Two pages link to a page that was renamed." },
        {
          tools: [
            {
              name: "write",
              input: {
                path: "docs/start.md",
                content: "# Start\n\nRun `npm start`, then open [the guide](guide.md).\n",
              },
            },
          ],
        },
      ],
    },
  ],
};

const parserAst: Story = {
  name: "parser-ast",
  repository: "lang",
  mode: "accept-edits",
  until: "working",
  stopsAt: "sleep",
  turns: [
    {
      message: "Return nodes instead of words from the parser.",
      steps: [
        {
          tools: [
            {
              name: "write",
              input: {
                path: "ast.ts",
                content: 'export interface Word {\n  readonly type: "word";\n  readonly text: string;\n}\n',
              },
            },
          ],
        },
        { text: "The nodes are typed. Now the tests of the parser, which take a while." },
        { tools: [{ name: "run", input: { command: "for i in 1 2 3; do echo ok $i; done; sleep 3600" } }] },
      ],
    },
  ],
};

const flakyTest: Story = {
  name: "flaky-login",
  repository: "site",
  until: "working",
  stopsAt: "redirect has ended",
  turns: [
    {
      message: "Why is the login test flaky?",
      steps: [
        { think: "Probably a race between the redirect and the cookie." },
        {
          text: "The test reads the cookie **before** the redirect has ended.",
        },
        {
          text: "I am looking for other tests that do the same, one file after the other, and list them here as I find them.",
          chunks: 12,
          chunkDelay: 20_000,
        },
      ],
    },
  ],
};

const buildTime: Story = {
  name: "build-time",
  repository: "lang",
  turns: [
    {
      message: "Why does the build take nine minutes?",
      steps: [
        { tools: [{ name: "run", input: { command: "cat parser.ts" } }] },
        { text: "Because every package compiles the parser again. A shared cache brings it to two minutes." },
      ],
    },
  ],
};

const rateLimit: Story = {
  name: "rate-limits",
  repository: "site",
  turns: [
    {
      message: "Add rate limits to the API.",
      steps: [{ text: "I begin with the middleware." }, { error: { status: 529 } }],
    },
  ],
};

const retryDoc: Story = {
  name: "retry-doc",
  repository: "shop",
  until: "paused",
  turns: [{ message: "Document the retry budget.", steps: [{ text: "The page has the rule and one example." }] }],
};

const licenseYear: Story = {
  name: "license-year",
  repository: "site",
  until: "ended",
  turns: [{ message: "Update the year in the license.", steps: [{ text: "Done. The year is 2026." }] }],
};

/** The sessions of the pictures. Those that wait come last, so that the first of them has waited longest. */
export const stories: readonly Story[] = [
  paymentsRetry,
  schemaSplit,
  docsSweep,
  parserAst,
  flakyTest,
  buildTime,
  rateLimit,
  retryDoc,
  licenseYear,
];
