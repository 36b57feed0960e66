import { escapeLine, type DecisionView } from "@fairlead/api";

/** What the policy found in a call. */
export interface Findings {
  /** A few words for each category, the deciding one first. */
  readonly chips: readonly string[];
  /** Whole sentences: the reason and what else was found. */
  readonly sentences: readonly string[];
}

type Category = NonNullable<DecisionView["category"]>;

const categoryWords: Readonly<Record<Category, string>> = {
  merge: "moves a shared ref",
  deps_add: "adds code of others",
  secrets: "reads credentials",
  deploy: "publishes or deploys",
  network: "connects or listens",
  destructive: "discards work or changes the machine",
  "agent-config": "changes what tools and agents run",
  unvetted: "runs a program that is not vetted",
  undecidable: "cannot be known",
};

/** Lists what the policy found in a request. Empty if no rule is about it, or the session has no policy. */
export function listFindings({ category, reading }: Pick<DecisionView, "category" | "reading">): Findings {
  if (reading === undefined || reading.verdict === "none") return { chips: [], sentences: [] };
  const { reason, alsoFound = [] } = reading;
  const others = alsoFound.flatMap((line) => {
    const name = line.slice(0, Math.max(0, line.indexOf(":")));
    return isCategory(name) ? [name] : [];
  });
  const categories = new Set([...(category === undefined ? [] : [category]), ...others]);
  return {
    chips: [...categories].map((one) => categoryWords[one] ?? escapeLine(one)),
    sentences: [reason, ...alsoFound].map(escapeLine),
  };
}

function isCategory(name: string): name is Category {
  return Object.hasOwn(categoryWords, name);
}
