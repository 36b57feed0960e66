/**
 * The beginnings of credentials, and what follows them. Each follows the format that the issuer documents. Every length has
 * a limit: without one, a very long word would exhaust the stack of the matcher.
 */
const tokenFormats: readonly (readonly [beginning: string, rest: string])[] = [
  ["sk-", "[\\w-]{20,8192}"], // APIs of models
  ["ghp_", "\\w{36,8192}"],
  ["gho_", "\\w{36,8192}"],
  ["ghu_", "\\w{36,8192}"],
  ["ghs_", "\\w{36,8192}"],
  ["ghr_", "\\w{36,8192}"],
  ["github_pat_", "\\w{22,8192}"],
  ["glpat-", "[\\w-]{20,8192}"],
  ["AKIA", "[A-Z\\d]{16}(?![\\w-])"],
  ["ASIA", "[A-Z\\d]{16}(?![\\w-])"],
  ["AIza", "[\\w-]{35}(?![\\w-])"],
  ["ya29.", "[\\w-]{20,8192}"],
  ["xoxa-", "[\\w-]{10,8192}"],
  ["xoxb-", "[\\w-]{10,8192}"],
  ["xoxp-", "[\\w-]{10,8192}"],
  ["xoxe-", "[\\w-]{10,8192}"],
  ["xoxs-", "[\\w-]{10,8192}"],
  ["npm_", "\\w{36}(?![\\w-])"],
  ["pypi-", "[\\w-]{50,8192}"],
  ["sk_live_", "\\w{20,8192}"],
  ["rk_live_", "\\w{20,8192}"],
  ["SG.", "[\\w-]{22}\\.[\\w-]{43}"],
  ["hf_", "[A-Za-z\\d]{30,8192}"],
  ["gsk_", "\\w{40,8192}"],
  ["dop_v1_", "[a-f\\d]{64}"],
  ["fl_", "[\\w-]{20,8192}"], // access tokens of this service
  ["eyJ", "[\\w-]{10,8192}\\.eyJ[\\w-]{10,8192}\\.[\\w-]{10,8192}"], // JSON web tokens
];

export const credentialBeginnings: readonly string[] = tokenFormats.map(([beginning]) => beginning);

/** Nothing that belongs to a longer word. The letter of an escape, as in `\n`, does not belong to the word. */
const wordStart = "(?<!(?<!\\\\)[\\w-])";
const escapeDots = (text: string): string => text.replaceAll(".", "\\.");
const tokens = tokenFormats.map(([beginning, rest]) => `${escapeDots(beginning)}${rest}`).join("|");

const hints = [...credentialBeginnings, "Bearer ", "bearer ", "Basic ", "basic ", "://", "-----BEGIN "];
const firstCharacters = [...new Set(hints.map((hint) => hint.charAt(0)))].join("").replace("-", "\\-");

/**
 * Finds most texts without a credential faster than the pattern does. It tries one class of characters at each position, and
 * not one word after the other, so it can also find a text that has none.
 */
export const credentialHint = new RegExp(
  `[${firstCharacters}](?:${[...new Set(hints.map((hint) => escapeDots(hint.slice(1))))].join("|")})`,
);

/** A token, or what follows `Bearer` or the name of a user in a URL, with what is before it. */
export const credentialPattern = new RegExp(
  `${wordStart}(?<token>${tokens})|` +
    "(?<scheme>\\b[Bb](?:earer|asic) {1,4})(?<bearer>[\\w.~+/=-]{16,8192})|" +
    "(?<user>://[^\\s/?#@:\"'<>]{0,64}:)(?<password>[^\\s/?#@\"'<>]{3,256})(?=@)",
  "g",
);
