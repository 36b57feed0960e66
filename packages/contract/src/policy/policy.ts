import { z } from "zod";
import { RoomName } from "../rooms/rooms.ts";

/** What happens with an action. `ask`: a person decides; without a person it is denied. */
export const PolicyVerdict = z.enum(["deny", "ask", "allow"]);
export type PolicyVerdict = z.infer<typeof PolicyVerdict>;

/**
 * Kinds of actions that deserve a question. `merge`: moves a shared ref. `deps_add`: adds or downloads code of others.
 * `secrets`: reads credentials. `deploy`: publishes, or changes a remote environment. `network`: connects or listens.
 * `destructive`: discards work, or changes the machine. `agent-config`: changes what tools and agents run. `unvetted`: runs a
 * program, or uses an option, that is not on the list of vetted ones.
 */
export const policyCategories = [
  "merge",
  "deps_add",
  "secrets",
  "deploy",
  "network",
  "destructive",
  "agent-config",
  "unvetted",
] as const;
export const PolicyCategory = z.enum(policyCategories);
export type PolicyCategory = z.infer<typeof PolicyCategory>;

/** The source of the rules that apply if a person has written none. */
export const defaultPolicySource = "the default policy";

/** Applies to an action if everything that it names occurs in the action. A rule that names nothing applies to all. */
export const PolicyRule = z.strictObject({
  verdict: PolicyVerdict,
  /** The agent's name of the tool, or a kind: `run`, `edit`, `read`, `search`, `fetch`, `other`. */
  tool: z.string().min(1).max(200).optional(),
  /**
   * The first words of a command: `git push`. `*` is any word. A rule that allows a command makes its program a vetted one;
   * it does not allow its harmful options.
   */
  command: z.string().min(1).max(1000).optional(),
  /** A path in the workspace: `docs/**`. `*` stays in a folder, `**` does not. */
  path: z.string().min(1).max(1000).optional(),
  /** A room of the workspace, for the paths in it. */
  room: RoomName.optional(),
  /** A host name: `example.com`, or `*.example.com` for those below it. */
  host: z.string().min(1).max(255).optional(),
  category: PolicyCategory.optional(),
  /** The reason that is shown to the person who decides. */
  because: z.string().max(500).optional(),
});
export type PolicyRule = z.infer<typeof PolicyRule>;

/**
 * A person's answer that is given in advance. It answers a question about commands that begin with these words, if the
 * policy finds nothing in them but these categories. It never answers a denial.
 */
export const PolicyGrant = z.strictObject({
  /** The first words of a command, exactly: `npm run lint`. A single word allows options after it, and nothing else. */
  command: z.string().min(1).max(1000),
  /** The categories that were shown to the person. */
  categories: z.array(PolicyCategory).max(policyCategories.length).default([]),
});
export type PolicyGrant = z.infer<typeof PolicyGrant>;

/** Names a rule, or a grant: its number from 1 in the list of its source. */
export const PolicyRuleRef = z.strictObject({
  source: z.string(),
  number: z.int().positive(),
  /** Set if the number counts the grants of the source, and not its rules. */
  grant: z.literal(true).optional(),
});
export type PolicyRuleRef = z.infer<typeof PolicyRuleRef>;

/** Rules from one place. Several policies apply together: deny beats ask, and ask beats allow. */
export const Policy = z.strictObject({
  /** Where the rules come from, such as `fairlead.yaml`. */
  source: z.string().min(1).max(1000),
  rules: z.array(PolicyRule).max(1000),
  /** The number of each rule in its source. Missing if no rule was left out: they count from 1. */
  numbers: z.array(z.int().positive()).max(1000).optional(),
  grants: z.array(PolicyGrant).max(1000).optional(),
});
export type Policy = z.infer<typeof Policy>;
