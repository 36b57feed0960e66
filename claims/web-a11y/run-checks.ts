/** Checks the page for people who use keys, screen readers or large text: `node run-checks.ts PART [ONLY]`. Prints JSON. */
import { checkKeys } from "./check-keys.ts";
import { checkSenses } from "./check-senses.ts";
import { checkViews } from "./check-views.ts";

const [part = "", only] = process.argv.slice(2);
const parts = { views: checkViews, keys: checkKeys, senses: checkSenses } as const;
if (part in parts) console.log(JSON.stringify(await parts[part as keyof typeof parts](only)));
